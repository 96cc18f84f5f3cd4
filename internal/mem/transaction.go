package mem

import (
	"context"
	"slices"
	"time"
)

// Transactor is a [Store] that can write what several calls of Apply get in one transaction.
type Transactor interface {
	// Begin begins a transaction. With a context of [Transaction.In] Apply writes into it, and all other methods see what
	// it has written. Others see that, and it survives the end of the process, once [Transaction.Commit] has returned
	// without error. After an error of Apply nothing of the transaction is written. Others who write wait until it has
	// ended, so it must be short. Only one goroutine may use it.
	Begin(ctx context.Context) (*Transaction, error)
}

// Transaction is several batches that are written together, see [Transactor]. The zero value has none.
type Transaction struct {
	commit func() error
	wanted []func() bool
	after  []func(error)
	once   map[string]any
	ended  bool
}

// NewTransaction returns a transaction. commit ends it; wanted reports whether others wait.
func NewTransaction(commit func() error, wanted func() bool) *Transaction {
	return &Transaction{commit: commit, wanted: []func() bool{wanted}}
}

type transactionKey struct{}

// In returns a context that belongs to the transaction.
func (t *Transaction) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, transactionKey{}, t)
}

// TransactionOf returns the transaction that a context belongs to; nil if there is none, or it has ended.
func TransactionOf(ctx context.Context) *Transaction {
	if t, ok := ctx.Value(transactionKey{}).(*Transaction); ok && !t.ended {
		return t
	}
	return nil
}

// Wanted reports whether others wait until the transaction has ended.
func (t *Transaction) Wanted() bool {
	return slices.ContainsFunc(t.wanted, func(wanted func() bool) bool { return wanted() })
}

// WantedBy adds others: f reports whether they wait.
func (t *Transaction) WantedBy(f func() bool) { t.wanted = append(t.wanted, f) }

// After has f called with the error of Commit once the transaction has ended.
func (t *Transaction) After(f func(error)) { t.after = append(t.after, f) }

// Once returns what f returned for the same key earlier in the transaction of ctx. Without a transaction, or after an
// error, it calls f. It is for what does not change in a transaction, such as what only others write.
func Once[T any](ctx context.Context, key string, f func() (T, error)) (T, error) {
	t := TransactionOf(ctx)
	if t == nil {
		return f()
	}
	if v, ok := t.once[key].(T); ok {
		return v, nil
	}
	v, err := f()
	if err == nil {
		if t.once == nil {
			t.once = map[string]any{}
		}
		t.once[key] = v
	}
	return v, err
}

// Commit ends the transaction. It does nothing for nil, and for a transaction that has ended.
func (t *Transaction) Commit() (err error) {
	if t == nil || t.ended {
		return nil
	}
	if t.commit != nil {
		err = t.commit()
	}
	t.ended = true
	for _, f := range t.after {
		f(err)
	}
	return err
}

// transactionFor is how long steps are written in one transaction. A hook that comes meanwhile waits for one of them at
// most.
const transactionFor = 100 * time.Millisecond

// Transactions writes the steps of a long work in few transactions: each ends once others wait, or it is old. The zero
// value with a Store is ready. A store that is no [Transactor] writes each step at once.
type Transactions struct {
	Store Store
	// Before is called before each transaction. Its error ends the work. Nil is not called.
	Before func(context.Context) error

	open  *Transaction // of the newest steps; nil while there is none
	begun time.Time    // when it began
	lost  error        // by which earlier steps were not written
}

// Next returns the context of the next step.
func (t *Transactions) Next(ctx context.Context) (context.Context, error) {
	if t.open != nil && !t.open.Wanted() && time.Since(t.begun) < transactionFor {
		return t.open.In(ctx), nil
	}
	if err := t.End(); err != nil {
		return ctx, err
	}
	if t.Before != nil {
		if err := t.Before(ctx); err != nil {
			return ctx, err
		}
	}
	st, ok := t.Store.(Transactor)
	if !ok {
		return ctx, nil
	}
	var err error
	if t.open, err = st.Begin(ctx); err != nil {
		return ctx, err
	}
	t.begun = time.Now()
	return t.open.In(ctx), nil
}

// End ends the open transaction if there is one. It returns an error if any step was not written, also an earlier one.
func (t *Transactions) End() error {
	if err := t.open.Commit(); err != nil && t.lost == nil {
		t.lost = err
	}
	t.open = nil
	return t.lost
}
