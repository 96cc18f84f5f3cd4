//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// statement is the text of an SQL statement and its arguments. Values of callers become arguments and never part of
// the text.
type statement struct {
	text strings.Builder
	args []any
}

// query returns a statement of a text with one ? for each argument.
func query(text string, args ...any) *statement { return (&statement{}).add(text, args...) }

// add appends text with one ? for each argument.
func (s *statement) add(text string, args ...any) *statement {
	for _, arg := range args {
		s.args = append(s.args, plain(arg))
	}
	s.text.WriteString(text)
	return s
}

// append appends another statement with its arguments.
func (s *statement) append(o *statement) *statement {
	s.text.WriteString(o.text.String())
	s.args = append(s.args, o.args...)
	return s
}

// sql returns the text as the server reads it: with $1, $2 … in place of each ?.
func (s *statement) sql() string {
	var out strings.Builder
	n := 0
	for part := range strings.SplitSeq(s.text.String(), "?") {
		if n > 0 {
			out.WriteString("$" + strconv.Itoa(n))
		}
		out.WriteString(part)
		n++
	}
	return out.String()
}

// and appends a condition to a statement that ends with another one.
func (s *statement) and(condition string, args ...any) *statement {
	return s.add(" AND "+condition, args...)
}

// equal appends that a column has a value. It appends nothing for an empty value.
func (s *statement) equal(column, value string) *statement {
	if value == "" {
		return s
	}
	return s.and(column+" = ?", value)
}

// sameText is the condition that a column has a text that may be too long for an index: the index has its hash.
func sameText(column, text string) (condition string, args []any) {
	return "hashtextextended(" + column + ", 0) = hashtextextended(?::text, 0) AND " + column + " = ?", []any{text, text}
}

// canonicalKey is the key under which a project is stored. Its argument is the caller's key, twice.
const canonicalKey = "coalesce((SELECT known FROM project_alias WHERE key = ?::text), ?::text)"

// project appends that a column has the key of a project. It appends nothing for an empty key.
func (s *statement) project(column, key string) *statement {
	if key == "" {
		return s
	}
	return s.and(column+" = "+canonicalKey, key, key)
}

// session appends that a column has the number of a session. It appends nothing for an empty id.
func (s *statement) session(column, id string) *statement {
	if id == "" {
		return s
	}
	return s.and(column+" = (SELECT number FROM session WHERE id = ?)", id)
}

// page appends the limit and the offset of a page. 0 rows mean mem.DefaultLimit.
func (s *statement) page(rows, offset int) *statement {
	return s.add(" LIMIT ? OFFSET ?", stored.LimitOr(rows), max(offset, 0))
}

// plain is an argument as the server takes it.
func plain(arg any) any {
	switch v := arg.(type) {
	case nil, time.Time, []byte:
		return v
	case string:
		return stored.PlainText(v)
	case []string:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = stored.PlainText(s)
		}
		return out
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return stored.PlainText(v.String())
	}
	return arg
}

// texts are values of a named type of strings.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// querier runs statements: the pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// rows reads every row of a statement. It skips rows that scan finds unreadable, so that one bad row does not hide the
// others.
func rows[T any](ctx context.Context, db querier, s *statement, scan func(pgx.Rows) (T, error)) ([]T, error) {
	rs, err := db.Query(ctx, s.sql(), s.args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []T
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
	return out, rs.Err()
}

// first reads the first row of a statement. found is false if there is none.
func first[T any](ctx context.Context, db querier, s *statement, scan func(pgx.Rows) (T, error)) (v T, found bool,
	err error,
) {
	all, err := rows(ctx, db, s, scan)
	if len(all) == 0 {
		return v, false, err
	}
	return all[0], true, err
}

// into scans a row into the fields of a value that f names, in the order of the columns.
func into[T any](f func(v *T) []any) func(pgx.Rows) (T, error) {
	return func(r pgx.Rows) (v T, err error) {
		err = r.Scan(f(&v)...)
		return v, err
	}
}

// one scans a single column.
func one[T any](r pgx.Rows) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// document scans a single column with a document.
func document[T any](what string) func(pgx.Rows) (T, error) {
	return func(r pgx.Rows) (v T, err error) {
		var doc string
		if err := r.Scan(&doc); err != nil {
			return v, err
		}
		return stored.Decode[T](what, doc)
	}
}

// get scans the first row of a statement; pgx.ErrNoRows if there is none.
func get(ctx context.Context, db querier, s *statement, dest ...any) error {
	return db.QueryRow(ctx, s.sql(), s.args...).Scan(dest...)
}

// storedTime scans a stored time.
type storedTime time.Time

// timeAt is where to scan a stored time into t.
func timeAt(t *time.Time) *storedTime { return (*storedTime)(t) }

// ScanInt64 implements pgtype.Int64Scanner.
func (t *storedTime) ScanInt64(v pgtype.Int8) error {
	*t = storedTime(stored.TimeOf(v.Int64))
	return nil
}

// resolveID returns the number of the row that an exact id or a unique prefix of one names. more appends conditions
// on table m.
func resolveID(ctx context.Context, db querier, table, ref string, more func(*statement) *statement) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	if more == nil {
		more = func(s *statement) *statement { return s }
	}
	base := "SELECT m.number FROM " + table + " m WHERE "
	exact, found, err := first(ctx, db, more(query(base+"m.id = ?", ref)).add(" ORDER BY m.number DESC LIMIT 1"),
		one[int64])
	if found || err != nil {
		return exact, err
	}
	all, err := rows(ctx, db, more(query(base+"m.id > ? AND m.id < ?", ref, stored.Above(ref))).add(" LIMIT 2"),
		one[int64])
	if err != nil {
		return 0, err
	}
	n, err := stored.Only(all)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", ref, err)
	}
	return n, nil
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
