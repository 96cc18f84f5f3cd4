package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxPrepared bounds how many prepared statements are kept for reading. There are
// few different texts of statements.
const maxPrepared = 200

// reader is the pool of connections that read. It keeps statements prepared:
// parsing a short query takes as long as running it.
type reader struct {
	*sql.DB
	of    *database
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

// QueryContext runs a query as sql.DB does, with a prepared statement, or in the transaction of ctx.
func (r *reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if t := r.of.transactionOf(ctx); t != nil {
		return t.query(ctx, query, args...)
	}
	st, err := r.prepare(ctx, query) //nolint:sqlclosecheck // kept for the next call, closed with the store
	if err != nil {
		return nil, err
	}
	if st == nil {
		return r.DB.QueryContext(ctx, query, args...)
	}
	return st.QueryContext(ctx, args...)
}

// prepare returns the prepared statement of a query, or nil if maxPrepared others are kept.
func (r *reader) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	st, full := r.stmts[query], len(r.stmts) >= maxPrepared
	r.mu.Unlock()
	if st != nil || full {
		return st, nil
	}
	// Not under the lock: it may wait for a connection whose user waits for the lock.
	st, err := r.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.stmts[query]; first != nil {
		defer st.Close()
		return first, nil
	}
	r.stmts[query] = st
	return st, nil
}

// Close closes the statements and the connections.
func (r *reader) Close() error {
	r.mu.Lock()
	stmts := r.stmts
	r.stmts = map[string]*sql.Stmt{} // a statement that is prepared meanwhile is closed with its connection
	r.mu.Unlock()
	var errs []error
	for _, st := range stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, r.DB.Close())...)
}
