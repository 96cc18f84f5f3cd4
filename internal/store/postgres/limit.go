//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// limiter ends statements that get no answer. The server's own limit does not reach a connection that the network has
// forgotten: it delivers nothing any more and does not end, and a reader would wait for good. It is a
// pgx.QueryTracer.
type limiter struct {
	statement time.Duration // limit of a statement: more than that of the server
	begin     time.Duration // limit of the first one of a transaction, which has nothing to do
	pool      *pgxpool.Pool
}

type (
	limitKey     struct{} // of the function that ends the limit of a statement
	unlimitedKey struct{} // of a context whose statements may take any time
)

// unlimited returns a context whose statements may take any time.
func unlimited(ctx context.Context) context.Context {
	return context.WithValue(ctx, unlimitedKey{}, true)
}

// TraceQueryStart implements pgx.QueryTracer.
func (l *limiter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	limit := l.statement
	switch {
	case strings.HasPrefix(data.SQL, "begin"):
		limit = l.begin
	case ctx.Value(unlimitedKey{}) != nil:
		return ctx
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, limitKey{}, stop)
}

// TraceQueryEnd implements pgx.QueryTracer. The other connections may be dead as well: they are given up at once.
func (l *limiter) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	stop, ok := ctx.Value(limitKey{}).(context.CancelFunc)
	if !ok {
		return
	}
	if data.Err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && l.pool != nil {
		l.pool.Reset()
	}
	stop()
}
