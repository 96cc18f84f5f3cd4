package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// filter collects the conditions of a query and their arguments, in order.
type filter struct {
	conditions []string
	args       []any
}

// and adds a condition with a ? for each argument. What a caller gives goes
// into arguments only, never into the condition.
func (f *filter) and(condition string, args ...any) *filter {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
	return f
}

func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return "1"
	}
	return strings.Join(f.conditions, " AND ")
}

// asker is what can be asked: the readers, or the writer's connection.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rows reads every row of a query. It goes on without those that scan finds
// unreadable: the others are not to be had otherwise.
func rows[T any](ctx context.Context, db asker, query string, args []any, scan func(*sql.Rows) (T, error)) ([]T,
	error,
) {
	rs, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []T
	for rs.Next() {
		v, err := scan(rs)
		if errors.Is(err, errUnreadable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rs.Err()
}

// lookUp is rows for a query that touches a few rows along an index. It is not
// cancelled half way: to watch for that takes two goroutines a query, which
// cost more than the query.
func lookUp[T any](ctx context.Context, db asker, query string, args []any, scan func(*sql.Rows) (T, error)) ([]T,
	error,
) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return rows(context.WithoutCancel(ctx), db, query, args, scan)
}

// one scans a single column.
func one[T any](r *sql.Rows) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// The planner looks at the values of bare parameters in a LIMIT, so a statement
// with one is planned anew each time it gets another value, and that takes longer
// than most queries run. Hence ?+0 wherever rows are limited.

// limitOr returns n, or what mem promises where n is not given.
func limitOr(n int) int {
	if n <= 0 {
		return mem.DefaultLimit
	}
	return n
}

// above is the first text after all that begin with prefix.
func above(prefix string) string { return prefix + string(utf8.MaxRune) }

// resolveID picks the number that an exact id or a unique prefix of one names.
// more narrows the rows, table m, that count.
func resolveID(ctx context.Context, db *reader, table, ref string, more *filter) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	where, args := "1", []any{}
	if more != nil {
		where, args = more.where(), more.args
	}
	var n int64
	err := db.QueryRowContext(ctx, "SELECT number FROM "+table+" m WHERE "+where+" AND id=? ORDER BY number DESC",
		append(args[:len(args):len(args)], ref)...).Scan(&n)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return n, translate(err)
	}
	found, err := rows(ctx, db, "SELECT number FROM "+table+" m WHERE "+where+" AND id > ? AND id < ? LIMIT 2",
		append(args[:len(args):len(args)], ref, above(ref)), one[int64])
	switch {
	case err != nil:
		return 0, translate(err)
	case len(found) == 0:
		return 0, fmt.Errorf("%s: %w", ref, mem.ErrNotFound)
	case len(found) > 1:
		return 0, fmt.Errorf("%s: %w", ref, mem.ErrAmbiguous)
	}
	return found[0], nil
}
