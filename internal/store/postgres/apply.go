//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// transaction is one writing transaction. It holds the lock of the schema.
type transaction struct {
	tx  pgx.Tx
	now time.Time
}

// transact runs f in a transaction that holds the lock of the schema.
func (s *database) transact(ctx context.Context, f func(*transaction) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('remanence ' || $1, 0))",
			s.schema); err != nil {
			return err
		}
		return f(&transaction{tx: tx, now: s.now()})
	})
}

// exec runs a statement.
func (tx *transaction) exec(ctx context.Context, s *statement) error {
	_, err := tx.changed(ctx, s)
	return err
}

// changed runs a statement and returns how many rows it changed.
func (tx *transaction) changed(ctx context.Context, s *statement) (int, error) {
	tag, err := tx.tx.Exec(ctx, s.sql(), s.args...)
	return int(tag.RowsAffected()), err
}

// get scans one row; pgx.ErrNoRows if there is none.
func (tx *transaction) get(ctx context.Context, s *statement, dest ...any) error {
	return get(ctx, tx.tx, s, dest...)
}

// find is get that reports whether there was a row.
func (tx *transaction) find(ctx context.Context, s *statement, dest ...any) (bool, error) {
	err := tx.get(ctx, s, dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Next returns the number of a new row. No number is used twice, even if the newest row was erased.
func (tx *transaction) Next(ctx context.Context, name string) (n int64, err error) {
	err = tx.get(ctx, query("INSERT INTO counter (name, n) VALUES (?, 1) ON CONFLICT (name) "+
		"DO UPDATE SET n = counter.n + 1 RETURNING n", name), &n)
	return n, err
}

// Apply implements mem.Store.
func (s *Store) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	return stored.Apply(ctx, batches, AtFault, s.applyTogether)
}

// applyTogether writes batches in one transaction.
func (s *database) applyTogether(ctx context.Context, batches []mem.Batch) (results []mem.Result, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		later := true
		for _, b := range batches {
			r, err := newEntry(tx).Apply(ctx, b)
			if err != nil {
				return err
			}
			results = append(results, r)
			later = later && b.SyncedLater
		}
		if !later {
			return nil
		}
		// A later commit that waits for the log makes this one durable too.
		return tx.exec(ctx, query("SET LOCAL synchronous_commit = off"))
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
