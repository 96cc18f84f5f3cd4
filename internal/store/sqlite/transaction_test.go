package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"remanence/internal/mem"
)

// begin begins a transaction and returns a context that belongs to it.
func begin(t *testing.T, s *Store) (context.Context, *mem.Transaction) {
	t.Helper()
	tx, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Commit() }) // else the store cannot be closed
	return tx.In(t.Context()), tx
}

func eventsSeen(t *testing.T, ctx context.Context, s *Store) int { //nolint:revive // as a method of t
	t.Helper()
	n, err := s.CountEvents(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestATransactionIsSeenByOthersOnceItIsCommitted(t *testing.T) {
	s := openStore(t)
	ctx, tx := begin(t, s)
	for i := range 3 {
		if _, err := s.Apply(ctx, event(fmt.Sprint("e_", i), "one")); err != nil {
			t.Fatal(err)
		}
	}
	if in, out := eventsSeen(t, ctx, s), eventsSeen(t, t.Context(), s); in != 3 || out != 0 {
		t.Errorf("%d events are seen in it and %d outside, want 3 and 0", in, out)
	}
	if r, err := s.Apply(ctx, event("e_1", "one")); err != nil || !r[0].Duplicate {
		t.Errorf("a repeated event gives %+v, %v, want a duplicate", r, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := eventsSeen(t, t.Context(), s); got != 3 {
		t.Errorf("%d events after it, want 3", got)
	}
	if _, err := s.Apply(ctx, event("e_4", "one")); err != nil || eventsSeen(t, t.Context(), s) != 4 {
		t.Errorf("with its context after it: %v, want a write of its own", err)
	}
}

func TestAfterAnErrorNothingOfATransactionIsWritten(t *testing.T) {
	s := openStore(t)
	ctx, tx := begin(t, s)
	if _, err := s.Apply(ctx, event("e_1", "one")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(ctx, event("", "one")); err == nil {
		t.Fatal("an event without an id was written")
	}
	if _, err := s.Apply(ctx, event("e_2", "one")); err == nil {
		t.Error("a later batch was written")
	}
	var ended error
	tx.After(func(err error) { ended = err })
	if err := tx.Commit(); err == nil || ended == nil {
		t.Errorf("Commit returns %v and After got %v, want an error", err, ended)
	}
	if _, err := s.Apply(t.Context(), event("e_3", "one")); err != nil || eventsSeen(t, t.Context(), s) != 1 {
		t.Errorf("%d events after it, %v, want the last one alone", eventsSeen(t, t.Context(), s), err)
	}
}

func TestATransactionIsWantedWhileOthersWaitToWrite(t *testing.T) {
	s := openStore(t)
	for name, write := range map[string]func() error{
		"apply": func() error {
			_, err := s.Apply(t.Context(), event("e_other", "two"))
			return err
		},
		"purge": func() error {
			if _, err := s.Purge(t.Context(), "m_1"); !errors.Is(err, mem.ErrNotFound) {
				return err
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, tx := begin(t, s)
			if tx.Wanted() {
				t.Error("no caller waits, and it is wanted")
			}
			done := make(chan error, 1)
			go func() { done <- write() }()
			for !tx.Wanted() { // until it waits
				if len(done) > 0 {
					t.Fatal("it did not wait")
				}
			}
			if err := errors.Join(tx.Commit(), <-done); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatWritesAloneIsRefusedInATransaction(t *testing.T) {
	s := openStore(t)
	ctx, tx := begin(t, s)
	if _, err := s.Purge(ctx, "m_1"); !errors.Is(err, errInTransaction) && !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("a purge returns %v", err)
	}
	if _, err := s.Begin(ctx); !errors.Is(err, errInTransaction) {
		t.Errorf("a second one: %v, want %v", err, errInTransaction)
	}
	if err := errors.Join(tx.Commit(), tx.Commit()); err != nil {
		t.Error(err)
	}
}
