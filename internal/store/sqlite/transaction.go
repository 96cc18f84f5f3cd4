package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"remanence/internal/mem"
)

// transaction holds several calls of Apply. Reads with its context use the connection that writes: they see what it has
// written, and that connection keeps its pages, where a reader drops all of them after each commit.
type transaction struct {
	*writer
	*mem.Transaction
	db      *database
	batches int   // that it holds
	synced  bool  // it holds more than recovered events
	failed  error // of a batch
}

var _ mem.Transactor = (*Store)(nil)

// transactionOf returns the open transaction if a context belongs to it, else nil.
func (db *database) transactionOf(ctx context.Context) *transaction {
	if t := db.open.Load(); t != nil && mem.TransactionOf(ctx) == t.Transaction {
		return t
	}
	return nil
}

// Begin implements mem.Transactor.
func (db *database) Begin(ctx context.Context) (*mem.Transaction, error) {
	unlock, err := db.lock(ctx)
	if err != nil {
		return nil, err
	}
	t := &transaction{writer: &writer{conn: db.conn, stmts: db.stmts, now: db.now()}, db: db}
	whole := context.WithoutCancel(ctx)
	if err = db.setSync(whole, db.shared); err == nil {
		_, err = t.exec(whole, "BEGIN IMMEDIATE")
	}
	if err != nil {
		unlock()
		return nil, wrap("begin transaction", err)
	}
	t.Transaction = mem.NewTransaction(func() error {
		err := t.commit(whole)
		unlock()
		if err == nil && t.synced {
			db.checkpointBeside(whole)
		}
		return wrap("commit", err)
	}, db.queue.wanted)
	db.open.Store(t)
	return t.Transaction, nil
}

var (
	errInTransaction = errors.New("not possible in a transaction")
	errHalfWritten   = errors.New("a batch was not written completely")
)

// applyAll writes batches.
func (t *transaction) applyAll(ctx context.Context, batches []mem.Batch) (results []mem.Result, err error) {
	t.batches += len(batches)
	t.synced = t.synced || (&call{batches: batches}).isAcknowledged()
	err = t.change(func(w *writer) error {
		for _, b := range batches {
			r, err := w.apply(context.WithoutCancel(ctx), b)
			if err != nil {
				return wrap("apply", err)
			}
			results = append(results, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// change runs f. After its error, or a panic, nothing of the transaction is written.
func (t *transaction) change(f func(*writer) error) error {
	if t.failed == nil {
		t.failed = errHalfWritten
		t.failed = f(t.writer)
	}
	return t.failed
}

// commit ends the transaction. The caller is the leader.
func (t *transaction) commit(ctx context.Context) error {
	t.db.open.Store(nil)
	err := t.failed
	if err == nil {
		_, err = t.exec(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = t.conn.ExecContext(ctx, "ROLLBACK") // some errors end the transaction themselves
		return err
	}
	if t.db.sinceSync += t.batches; t.db.sinceSync > mostUnsynced {
		t.db.sinceSync, t.synced = 0, true
	}
	t.db.boundLog(ctx)
	return nil
}

// query runs a statement that reads. It is not cancelled: the driver would start two goroutines for that.
func (t *transaction) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if t.stmts[query] == nil && len(t.stmts) >= 2*maxPrepared {
		return t.conn.QueryContext(ctx, query, args...)
	}
	return t.QueryContext(ctx, query, args...)
}
