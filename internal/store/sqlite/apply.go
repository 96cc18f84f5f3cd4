package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"remanence/internal/mem"
)

// maxGroup is how many batches one transaction takes.
const maxGroup = 256

// errClosed is returned by calls after Close.
var errClosed = errors.New("store is closed")

// writer is one transaction on the writing connection.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // prepared, kept for later transactions
	now   time.Time
}

// Apply implements mem.Store. One of the waiting callers, the leader, commits the batches of all of them; callers
// that arrive meanwhile form the next group. So a single batch never waits, and many share the cost of one
// synchronous write.
func (db *database) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	if t := db.transactionOf(ctx); t != nil {
		return t.applyAll(ctx, batches)
	}
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
			due := db.sinceSync > mostUnsynced
			if due {
				db.sinceSync = 0
			}
			<-db.queue.lead
			if due {
				db.checkpointBeside(context.WithoutCancel(ctx))
			}
		case <-cancelled:
			if db.queue.withdraw(c) {
				return nil, ctx.Err()
			}
			cancelled = nil // it is being written: the result comes soon
		}
	}
}

// commitWaiting writes one group and sets the result of each caller.
func (db *database) commitWaiting(ctx context.Context) {
	group := db.queue.take()
	if len(group) == 0 {
		return
	}
	transact := db.transact
	if !db.shared && !slices.ContainsFunc(group, (*call).isAcknowledged) {
		transact = db.transactWithoutSync
		db.sinceSync++
	}
	err := transact(ctx, func(w *writer) error {
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
		case isLocked(err): // as it would be for each of them alone
			c.results, c.err = nil, wrap("apply", err)
		case err != nil:
			db.applySingly(ctx, c)
		}
	}
	for _, c := range group {
		close(c.done)
	}
	db.boundLog(ctx)
}

// applySingly writes a call's batches one by one, so that only a bad one fails.
func (db *database) applySingly(ctx context.Context, c *call) {
	c.results, c.err = nil, nil
	for _, b := range c.batches {
		var r mem.Result
		err := db.transact(ctx, func(w *writer) (err error) {
			r, err = w.apply(ctx, b)
			return err
		})
		if err != nil {
			c.err = wrap("apply", err)
			return
		}
		c.results = append(c.results, r)
	}
}

// lock makes the caller the leader, who alone writes, until unlock is called.
func (db *database) lock(ctx context.Context) (unlock func(), err error) {
	if db.transactionOf(ctx) != nil { // it would wait for itself
		return nil, errInTransaction
	}
	db.queue.locking.Add(1)
	defer db.queue.locking.Add(-1)
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

// change runs f in a transaction of its own, after those that wait before it.
func (db *database) change(ctx context.Context, f func(*writer) error) error {
	if t := db.transactionOf(ctx); t != nil {
		t.synced = true
		return t.change(f)
	}
	unlock, err := db.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return db.transact(context.WithoutCancel(ctx), f)
}

// transactWithoutSync is transact, but the next synced commit syncs and checkpoints the write-ahead log for this one.
func (db *database) transactWithoutSync(ctx context.Context, f func(*writer) error) error {
	if err := db.setSync(ctx, false); err != nil {
		return err
	}
	return db.inTransaction(ctx, f)
}

// transact runs f in one transaction. The caller is the leader, or the database has no other users yet.
func (db *database) transact(ctx context.Context, f func(*writer) error) error {
	if err := db.setSync(ctx, true); err != nil {
		return err
	}
	return db.inTransaction(ctx, f)
}

// setSync sets whether commits are synced. Between two batches of the same sort nothing is to be done.
func (db *database) setSync(ctx context.Context, sync bool) error {
	mode := "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0"
	if sync {
		mode = "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000"
	}
	if db.unsynced != sync {
		return nil
	}
	_, err := db.conn.ExecContext(context.WithoutCancel(ctx), mode)
	db.unsynced = !sync && err == nil || sync && err != nil
	return err
}

func (db *database) inTransaction(ctx context.Context, f func(*writer) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &writer{conn: db.conn, stmts: db.stmts, now: db.now()}
	// Neither is cancelled: the driver would report a BEGIN that has taken place as cancelled, and the open transaction
	// would keep all others from writing.
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
			// Some errors end the transaction themselves; then ROLLBACK fails, which is no matter.
			_, _ = db.conn.ExecContext(whole, "ROLLBACK")
		}
	}()
	return f(w)
}

// mostUnsynced is how many batches without a sync follow one another before the log is synced and checkpointed. The
// next synced commit would do that otherwise, and somebody waits for it.
const mostUnsynced = 32

// checkpointBeside syncs and checkpoints the log while others write. If that fails, the next synced commit does it.
func (db *database) checkpointBeside(ctx context.Context) {
	_, _ = db.read.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
}

// boundLog checkpoints the write-ahead log when it has grown long. SQLite does that itself unless readers are in the
// way. boundLog waits for them for logWait, and after a failure it skips some groups before it tries again.
func (db *database) boundLog(ctx context.Context) {
	if db.logRest > 0 {
		db.logRest--
		return
	}
	if fileSize(db.path+"-wal") <= maxWAL {
		return
	}
	db.setBusyTimeout(ctx, logWait)
	defer db.setBusyTimeout(ctx, db.busy)
	if emptied, err := emptyLog(ctx, db.conn); err != nil || !emptied {
		db.logRest = logRest
	}
}

// emptyLog moves the write-ahead log into the database and truncates it. It returns false if another connection is in
// the way.
func emptyLog(ctx context.Context, db rowQuerier) (bool, error) {
	var busy, pages, moved int
	err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	return busy == 0, err
}

// setBusyTimeout sets how long the writing connection waits for locks.
func (db *database) setBusyTimeout(ctx context.Context, d time.Duration) {
	// Setting a number does not fail; if it did, the old one would do.
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

// changed runs a statement and returns how many rows it changed.
func (w *writer) changed(ctx context.Context, query string, args ...any) (int, error) {
	res, err := w.exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// execEach runs a statement once for each number, its only argument.
func (w *writer) execEach(ctx context.Context, query string, numbers []int64) error {
	for _, n := range numbers {
		if _, err := w.exec(ctx, query, n); err != nil {
			return err
		}
	}
	return nil
}

// QueryContext runs a query with a prepared statement.
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := w.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call, closed with the store
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// get scans one row; sql.ErrNoRows if there is none.
func (w *writer) get(ctx context.Context, s statement, dest ...any) error {
	st, err := w.prepare(ctx, s.text) //nolint:sqlclosecheck // kept for the next call, closed with the store
	if err != nil {
		return err
	}
	return st.QueryRowContext(ctx, s.args...).Scan(dest...)
}

// find is get that reports whether there was a row.
func (w *writer) find(ctx context.Context, s statement, dest ...any) (bool, error) {
	err := w.get(ctx, s, dest...)
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

// Next returns the number of the next row of an AUTOINCREMENT table. No number is used twice, even if the newest row
// was erased.
func (w *writer) Next(ctx context.Context, table string) (int64, error) {
	var n int64
	_, err := w.find(ctx, stmt("SELECT seq FROM sqlite_sequence WHERE name=?", table), &n)
	return n + 1, err
}
