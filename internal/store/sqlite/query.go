package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// statement is the text of an SQL statement and the arguments of its parameters, in order. Composed statements are
// put together with its methods and with [filter]: values of callers become arguments and never part of the text.
type statement struct {
	text string
	args []any
	most int // rows that it returns at most, 0 if unknown: room is made for so many
}

// stmt returns a statement of a text with one ? for each argument.
func stmt(text string, args ...any) statement { return statement{text: text, args: args} }

// add appends text with its arguments.
func (s statement) add(text string, args ...any) statement {
	return statement{s.text + text, append(s.args[:len(s.args):len(s.args)], args...), s.most}
}

// where appends the conditions of a filter; nothing if it has none, which lets
// SQLite count the rows of a table without reading them.
func (s statement) where(f *filter) statement {
	if len(f.conditions) == 0 {
		return s
	}
	return s.add(" WHERE "+f.text(), f.args...)
}

// orderBy appends the order of the rows.
func (s statement) orderBy(order string) statement { return s.add(" ORDER BY " + order) }

// limit appends how many rows are returned at most. SQLite looks at the value of a bare parameter of a LIMIT and
// plans the statement again for each new value, which takes longer than most statements. An expression prevents that.
func (s statement) limit(n int) statement { return s.add(" LIMIT ?+0", n) }

// page appends the limit and the offset of a page. 0 rows mean mem.DefaultLimit.
func (s statement) page(rows, offset int) statement {
	return s.limit(stored.LimitOr(rows)).add(" OFFSET ?+0", max(offset, 0))
}

// scan runs a statement and scans its first row; sql.ErrNoRows if there is none.
func (s statement) scan(ctx context.Context, db querier, dest ...any) error {
	rs, err := db.QueryContext(ctx, s.text, s.args...)
	if err != nil {
		return err
	}
	defer rs.Close()
	if !rs.Next() {
		return cmp.Or(rs.Err(), sql.ErrNoRows)
	}
	if err := rs.Scan(dest...); err != nil {
		return err
	}
	return rs.Close()
}

// filter collects the conditions of a query and their arguments, in order. All must hold.
type filter struct {
	conditions []string
	args       []any
}

// and adds a condition with a ? for each argument.
func (f *filter) and(condition string, args ...any) *filter {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
	return f
}

// with returns a copy of the filter with one more condition.
func (f *filter) with(condition string, args ...any) *filter {
	return (&filter{slices.Clone(f.conditions), slices.Clone(f.args)}).and(condition, args...)
}

// equal adds that a column has a value. It adds nothing for an empty value.
func (f *filter) equal(column, value string) *filter {
	if value == "" {
		return f
	}
	return f.and(column+" = ?", value)
}

// project adds that a column has the key of a project. It adds nothing for an empty key.
func (f *filter) project(column, key string) *filter {
	if key == "" {
		return f
	}
	return f.and(column+" = "+canonicalKey, key, key)
}

// session adds that a column has the number of a session. It adds nothing for an empty id.
func (f *filter) session(column, id string) *filter {
	if id == "" {
		return f
	}
	return f.and(column+" = (SELECT number FROM session WHERE id=?)", id)
}

// in adds that a column has one of the values of a JSON array.
func (f *filter) in(column, array string) *filter { return f.and(column+" IN "+listed, array) }

// listed are the values of a JSON array, which is its argument.
const listed = "(SELECT value FROM json_each(?))"

func (f *filter) text() string { return strings.Join(f.conditions, " AND ") }

// querier runs statements: the readers, a transaction or the writer's connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rowQuerier runs statements of which one row is read.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// rows reads every row of a statement. It skips rows that scan finds unreadable, so
// that one bad row does not hide the others.
func rows[T any](ctx context.Context, db querier, s statement, scan func(*sql.Rows) (T, error)) ([]T, error) {
	rs, err := db.QueryContext(ctx, s.text, s.args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	out := slices.Grow[[]T](nil, s.most)
	for rs.Next() {
		v, err := scan(rs)
		if errors.Is(err, stored.ErrUnreadable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if err := rs.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// lookUp is rows for a statement that reads a few rows along an index. It cannot be cancelled while it runs: the
// driver would start two goroutines for that, which cost more than the statement.
func lookUp[T any](ctx context.Context, db querier, s statement, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return rows(context.WithoutCancel(ctx), db, s, scan)
}

// first reads the first row of a statement, along an index. found is false if there is none.
func first[T any](ctx context.Context, db querier, s statement, scan func(*sql.Rows) (T, error)) (v T, found bool,
	err error,
) {
	all, err := lookUp(ctx, db, s, scan)
	if len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// into scans a row into the fields of a value that f names, in the order of the columns.
func into[T any](f func(v *T) []any) func(*sql.Rows) (T, error) {
	return func(r *sql.Rows) (v T, err error) {
		err = r.Scan(f(&v)...)
		return v, err
	}
}

// one scans a single column.
func one[T any](r *sql.Rows) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// resolveID returns the number of the row that an exact id or a unique prefix of
// one names. Only rows that pass f count; it calls the table m, and may be nil.
func resolveID(ctx context.Context, db *reader, table, ref string, f *filter) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	if f == nil {
		f = &filter{}
	}
	s := stmt("SELECT number FROM " + table + " m")
	var n int64
	err := s.where(f.with("id=?", ref)).orderBy("number DESC").scan(ctx, db, &n)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return n, translate(err)
	}
	found, err := rows(ctx, db, s.where(f.with("id > ? AND id < ?", ref, stored.Above(ref))).limit(2), one[int64])
	if err != nil {
		return 0, translate(err)
	}
	if n, err = stored.Only(found); err != nil {
		return 0, fmt.Errorf("%s: %w", ref, err)
	}
	return n, nil
}
