//go:build surreal || backends

package surreal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	sdk "github.com/surrealdb/surrealdb.go"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

const (
	maxPending = 20 // statements that are sent together: a request has a limit of time
	firstPause = 2 * time.Millisecond
	lastPause  = 200 * time.Millisecond
)

// transaction is one writing transaction. What it writes is sent before it reads next, or when it ends.
type transaction struct {
	s   *database
	on  *surql.Attached
	tx  *sdk.Transaction
	now time.Time

	pending  *statement
	waiting  int   // statements in pending
	state    row   // store:state as it was at the beginning, with the numbers that were taken since
	written  []any // ids of memories, for a notice
	writeAll bool  // so many that all may differ
}

// transact runs f in a transaction. f begins anew if another transaction wrote meanwhile, so it must not keep anything
// from before. Those of one process wait for each other.
func (s *database) transact(ctx context.Context, f func(*transaction) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	end := time.Now().Add(s.wait)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := s.attempt(ctx, f)
		if err == nil || !surql.IsConflict(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(pause)):
		}
	}
}

// begin starts a transaction, which sees the store as it is now.
func (s *database) begin(ctx context.Context) (*transaction, error) {
	a, err := s.link.Get(ctx)
	if err != nil {
		return nil, err
	}
	tx := &transaction{s: s, on: a, now: s.now(), pending: &statement{}}
	return tx, s.link.Call(ctx, a, func(ctx context.Context) (err error) {
		tx.tx, err = a.DB.Begin(ctx)
		return err
	})
}

// cancel undoes the transaction. One whose connection broke is undone by the server.
func (tx *transaction) cancel(ctx context.Context) {
	_ = tx.s.link.Call(context.WithoutCancel(ctx), tx.on, func(ctx context.Context) error { return tx.tx.Cancel(ctx) })
}

func (s *database) attempt(ctx context.Context, f func(*transaction) error) error {
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if err := tx.whole(ctx, f); err != nil {
		tx.cancel(ctx)
		return err
	}
	return s.link.Call(ctx, tx.on, func(ctx context.Context) error { return tx.tx.Commit(ctx) })
}

// whole does all of a transaction but to commit it.
func (tx *transaction) whole(ctx context.Context, f func(*transaction) error) (err error) {
	if tx.state, _, err = first(ctx, tx, query("SELECT * OMIT id FROM store:state"), whole); err != nil {
		return err
	}
	if tx.state == nil {
		tx.state = row{}
	}
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.announce(ctx); err != nil {
		return err
	}
	// Every transaction writes this record, so that of two at the same time one fails.
	tx.state["writes"] = tx.state.Number("writes") + 1
	if err := tx.exec(ctx, put("store", "state", tx.state)); err != nil {
		return err
	}
	return tx.flush(ctx)
}

// exec adds a statement.
func (tx *transaction) exec(ctx context.Context, s *statement) error {
	tx.pending.Append(s).Add("; ")
	if tx.waiting++; tx.waiting < maxPending {
		return nil
	}
	return tx.flush(ctx)
}

// flush sends the statements that were added.
func (tx *transaction) flush(ctx context.Context) error {
	if tx.waiting == 0 {
		return nil
	}
	_, err := tx.run(ctx, &statement{})
	return err
}

// run implements querier.
func (tx *transaction) run(ctx context.Context, s *statement) (out []row, err error) {
	q := tx.pending.Append(s)
	tx.pending, tx.waiting = &statement{}, 0
	err = tx.s.link.Call(ctx, tx.on, func(ctx context.Context) (err error) {
		out, err = surql.Send(ctx, tx.tx, q)
		return err
	})
	return out, err
}

// changed runs a statement that returns the rows that it changes, and counts them.
func (tx *transaction) changed(ctx context.Context, s *statement) (int, error) {
	all, err := tx.run(ctx, s)
	return len(all), err
}

// Next returns the number of a new row. No number is used twice, even if the newest row was erased.
func (tx *transaction) Next(_ context.Context, name string) (int64, error) {
	n := tx.state.Number("last_"+name) + 1
	tx.state["last_"+name] = n
	return n, nil
}

// raise has Next return a number above n.
func (tx *transaction) raise(name string, n int64) {
	tx.state["last_"+name] = max(tx.state.Number("last_"+name), n)
}

// mostNamed is how many memories a notice names.
const mostNamed = 100

// wrote notes that a memory was written.
func (tx *transaction) wrote(id string) {
	switch {
	case tx.writeAll || slices.Contains(tx.written, any(id)):
	case len(tx.written) == mostNamed:
		tx.writeAll = true
	default:
		tx.written = append(tx.written, id)
	}
}

// announce adds a notice of the memories that were written.
func (tx *transaction) announce(ctx context.Context) error {
	if len(tx.written) == 0 {
		return nil
	}
	message := map[string]any{"from": tx.s.process, "memories": tx.written}
	if tx.writeAll {
		message = map[string]any{"from": tx.s.process, "all": true}
	}
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return tx.notify(ctx, string(b))
}

// Apply implements mem.Store.
func (s *Store) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	return stored.Apply(ctx, batches, AtFault, s.applyTogether)
}

// applyTogether writes batches in one transaction.
func (s *database) applyTogether(ctx context.Context, batches []mem.Batch) (results []mem.Result, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		results = nil
		for _, b := range batches {
			r, err := newEntry(tx).Apply(ctx, b)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		return nil
	})
	if err != nil {
		return nil, wrap("apply", err)
	}
	return results, nil
}

// entry is one batch while it is written. It implements stored.Writer.
type entry struct {
	*transaction
	stored.Entry
}

func newEntry(tx *transaction) *entry {
	e := &entry{transaction: tx}
	e.Entry = stored.NewEntry(tx.now, e)
	return e
}

// consistently runs f in a transaction that sees the store as it is now, and writes nothing.
func (s *database) consistently(ctx context.Context, f func(querier) error) error {
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.cancel(ctx)
	return f(tx)
}

var errNoRow = fmt.Errorf("%w: no such row", mem.ErrNotFound)

// get reads one row; an error if there is none.
func get[T any](ctx context.Context, db querier, s *statement, scan func(row) (T, error)) (T, error) {
	v, found, err := first(ctx, db, s, scan)
	if err == nil && !found {
		err = errNoRow
	}
	return v, errors.Join(err)
}
