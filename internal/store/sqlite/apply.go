package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"remanence/internal/mem"
)

// maxGroup is how many batches one transaction takes.
const maxGroup = 256

// errClosed is what calls get after Close.
var errClosed = errors.New("store is closed")

// writer is one transaction on the writing connection.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // prepared before, kept for the next
	now   time.Time
}

// Apply implements mem.Store. The first caller that waits commits for all that
// wait with it; who comes meanwhile makes the next group. So a lone batch never
// waits and many share the cost of one synchronised write.
func (db *database) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	results := make([]mem.Result, 0, len(batches))
	for len(batches) > 0 {
		n := min(len(batches), maxGroup)
		part, err := db.applyPart(ctx, batches[:n])
		results = append(results, part...)
		if err != nil {
			return results, err
		}
		batches = batches[n:]
	}
	return results, nil
}

func (db *database) applyPart(ctx context.Context, batches []mem.Batch) ([]mem.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &call{batches: batches, done: make(chan struct{})}
	if err := db.queue.add(c); err != nil {
		return nil, err
	}
	cancelled := ctx.Done()
	for {
		select {
		case <-c.done:
			return c.results, c.err
		default:
		}
		select {
		case <-c.done:
			return c.results, c.err
		case db.queue.lead <- struct{}{}:
			db.commitWaiting(context.WithoutCancel(ctx))
			<-db.queue.lead
		case <-cancelled:
			if db.queue.withdraw(c) {
				return nil, ctx.Err()
			}
			cancelled = nil // somebody is writing it: the outcome is near
		}
	}
}

// commitWaiting writes one group and tells each caller its outcome.
func (db *database) commitWaiting(ctx context.Context) {
	group := db.queue.take()
	if len(group) == 0 {
		return
	}
	err := db.transact(ctx, func(w *writer) error {
		for _, c := range group {
			c.results = c.results[:0]
			for _, b := range c.batches {
				r, err := w.apply(ctx, b)
				if err != nil {
					return err
				}
				c.results = append(c.results, r)
			}
		}
		return nil
	})
	for _, c := range group {
		switch {
		case isLocked(err): // and would be for each of them
			c.results, c.err = nil, fmt.Errorf("apply: %w", translate(err))
		case err != nil:
			db.redo(ctx, c)
		}
	}
	for _, c := range group {
		close(c.done)
	}
	db.boundLog(ctx)
}

// redo writes a call's batches one by one, so that a bad one fails alone.
func (db *database) redo(ctx context.Context, c *call) {
	c.results, c.err = nil, nil
	for _, b := range c.batches {
		var r mem.Result
		err := db.transact(ctx, func(w *writer) (err error) {
			r, err = w.apply(ctx, b)
			return err
		})
		if err != nil {
			c.err = fmt.Errorf("apply: %w", translate(err))
			return
		}
		c.results = append(c.results, r)
	}
}

// lock makes the caller the only writer. The function returned ends that.
func (db *database) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case <-db.queue.gone:
		return nil, errClosed
	default:
	}
	select {
	case db.queue.lead <- struct{}{}:
		return func() { <-db.queue.lead }, nil
	case <-db.queue.gone:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transact runs f in one transaction. The caller leads, or nobody else is there yet.
func (db *database) transact(ctx context.Context, f func(*writer) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &writer{conn: db.conn, stmts: db.stmts, now: db.now()}
	// Neither is cancelled: the driver would say so of one that has taken place,
	// and a transaction that nobody knows of would keep all from writing.
	whole := context.WithoutCancel(ctx)
	if _, err := w.exec(whole, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v", p)
		}
		if err == nil {
			_, err = w.exec(whole, "COMMIT")
		}
		if err != nil {
			// Some errors end the transaction by themselves; then this one says so.
			_, _ = db.conn.ExecContext(whole, "ROLLBACK")
		}
	}()
	return f(w)
}

// boundLog folds the log back when it has grown long, which happens when
// readers keep SQLite from doing it by itself. It waits for them only a moment,
// and after a vain try some groups go by before the next.
func (db *database) boundLog(ctx context.Context) {
	if db.logRest > 0 {
		db.logRest--
		return
	}
	if fileSize(db.path+"-wal") <= maxWAL {
		return
	}
	db.wait(ctx, logWait)
	defer db.wait(ctx, db.busy)
	var busy, pages, moved int
	err := db.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if err != nil || busy != 0 {
		db.logRest = logRest
	}
}

// wait sets how long the writing connection waits for locks.
func (db *database) wait(ctx context.Context, d time.Duration) {
	// Setting a number cannot fail, and if it did the old one would do.
	_, _ = db.conn.ExecContext(ctx, "PRAGMA busy_timeout="+strconv.FormatInt(d.Milliseconds(), 10))
}

// exec runs a statement.
func (w *writer) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call, closed with the store
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

// get scans one row; sql.ErrNoRows if there is none.
func (w *writer) get(ctx context.Context, query string, args []any, dest ...any) error {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call, closed with the store
	if err != nil {
		return err
	}
	return st.QueryRowContext(ctx, args...).Scan(dest...)
}

// find is get that tells whether there was a row.
func (w *writer) find(ctx context.Context, query string, args []any, dest ...any) (bool, error) {
	err := w.get(ctx, query, args, dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = st
	return st, nil
}

// next returns the number that the next row of an AUTOINCREMENT table gets.
// Numbers are never given twice, also not after the newest row was erased.
func (w *writer) next(ctx context.Context, table string) (int64, error) {
	var n int64
	_, err := w.find(ctx, "SELECT seq FROM sqlite_sequence WHERE name=?", []any{table}, &n)
	return n + 1, err
}
