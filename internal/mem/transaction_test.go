package mem_test

import (
	"context"
	"errors"
	"testing"

	"remanence/internal/mem"
)

// transactor is a store that only counts its transactions.
type transactor struct {
	mem.Store
	begun, ended int
	wanted       bool
	commit       error
}

func (s *transactor) Begin(context.Context) (*mem.Transaction, error) {
	s.begun++
	return mem.NewTransaction(func() error { s.ended++; return s.commit }, func() bool { return s.wanted }), nil
}

func TestATransactionEndsBeforeTheNextStepOnceOthersWait(t *testing.T) {
	st := &transactor{wanted: true}
	before := 0
	all := mem.Transactions{Store: st, Before: func(context.Context) error { before++; return nil }}
	for n := 1; n <= 3; n++ {
		ctx, err := all.Next(t.Context())
		if err != nil || mem.TransactionOf(ctx) == nil || st.begun != n || st.ended != n-1 || before != n {
			t.Fatalf("step %d: %d begun, %d ended, %d called before, %v", n, st.begun, st.ended, before, err)
		}
	}
	if err := all.End(); err != nil || st.ended != 3 {
		t.Errorf("%d ended, %v, want 3", st.ended, err)
	}
}

func TestStepsThatWereNotWrittenAreReported(t *testing.T) {
	st := &transactor{wanted: true, commit: errors.New("disk full")}
	all := mem.Transactions{Store: st}
	if _, err := all.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Next(t.Context()); !errors.Is(err, st.commit) {
		t.Errorf("the next step: %v, want %v", err, st.commit)
	}
	if err := all.End(); !errors.Is(err, st.commit) {
		t.Errorf("at the end: %v, want %v", err, st.commit)
	}
}

func TestASingleStepWithoutTransactionsIsWrittenAtOnce(t *testing.T) {
	var all mem.Transactions
	if ctx, err := all.Next(t.Context()); err != nil || mem.TransactionOf(ctx) != nil || all.End() != nil {
		t.Errorf("%v in %v", err, mem.TransactionOf(ctx))
	}
}

func TestOnceHoldsForOneTransaction(t *testing.T) {
	asked := 0
	ask := func() (int, error) { asked++; return asked, nil }
	once := func(ctx context.Context, want int) {
		t.Helper()
		if got, err := mem.Once(ctx, "key", ask); err != nil || got != want {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
	}
	one, two := mem.NewTransaction(nil, nil), mem.NewTransaction(nil, nil)
	once(one.In(t.Context()), 1)
	once(one.In(t.Context()), 1)
	once(two.In(t.Context()), 2)
	once(t.Context(), 3)
	if err := one.Commit(); err != nil {
		t.Fatal(err)
	}
	once(one.In(t.Context()), 4)
	failed := errors.New("not known")
	fail := func() (int, error) { return 0, failed }
	if _, err := mem.Once(two.In(t.Context()), "other", fail); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
}
