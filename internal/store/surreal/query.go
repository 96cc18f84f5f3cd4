//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

type (
	statement = surql.Statement
	row       = surql.Row
)

func query(text string, args ...any) *statement { return surql.Query(text, args...) }

func put(table string, key any, fields map[string]any) *statement {
	return surql.Put(table, key, fields)
}

func keyOf(parts ...string) string { return surql.KeyOf(parts...) }

func texts[T ~string](list []T) []string { return surql.Texts(list) }

func selectRecords(fields, table string, numbers []int64) *statement {
	return surql.SelectRecords(fields, table, numbers)
}

// descending sorts numbers, the highest first.
func descending(a, b int64) int { return cmp.Compare(b, a) }

// inTurn reads fields of numbered records of a table, in the order of the numbers.
func inTurn(ctx context.Context, db querier, fields, table, key string, numbers []int64) ([]row, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	found, err := db.run(ctx, selectRecords(fields, table, numbers))
	place := make(map[int64]int, len(numbers))
	for i, n := range numbers {
		place[n] = i
	}
	slices.SortFunc(found, func(a, b row) int { return cmp.Compare(place[a.Number(key)], place[b.Number(key)]) })
	return found, err
}

// numbersOf are the numbers of rows.
func numbersOf(all []row) []int64 { return numbersIn(all, "number") }

// numbersIn are the values of a field with a number.
func numbersIn(all []row, name string) []int64 {
	out := make([]int64, len(all))
	for i, r := range all {
		out[i] = r.Number(name)
	}
	return out
}

// scanned scans rows, and skips those that are unreadable.
func scanned[T any](all []row, scan func(row) (T, error)) (out []T, err error) {
	for _, r := range all {
		v, err := scan(r)
		if errors.Is(err, stored.ErrUnreadable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// numberOf is a number of a session as it is stored: 0 for none.
func numberOf(session any) int64 {
	n, _ := session.(int64)
	return n
}

// querier runs statements: the database or a transaction. It returns the rows of the last one.
type querier interface {
	run(ctx context.Context, s *statement) ([]row, error)
}

// rows reads every row of a statement. It skips rows that scan finds unreadable, so that one bad row does not hide the
// others.
func rows[T any](ctx context.Context, db querier, s *statement, scan func(row) (T, error)) ([]T, error) {
	all, err := db.run(ctx, s)
	if err != nil {
		return nil, err
	}
	return scanned(all, scan)
}

// first reads the first row of a statement. found is false if there is none.
func first[T any](ctx context.Context, db querier, s *statement, scan func(row) (T, error)) (v T, found bool,
	err error,
) {
	all, err := rows(ctx, db, s, scan)
	if len(all) == 0 {
		return v, false, err
	}
	return all[0], true, err
}

// whole scans a row as it is.
func whole(r row) (row, error) { return r, nil }

// number scans a field with a number, text one with a text.
func number(name string) func(row) (int64, error) {
	return func(r row) (int64, error) { return r.Number(name), nil }
}

func text(name string) func(row) (string, error) {
	return func(r row) (string, error) { return r.Text(name), nil }
}

// document scans field doc.
func document[T any](what string) func(row) (T, error) {
	return func(r row) (T, error) { return stored.Decode[T](what, r.Text("doc")) }
}

// countOf returns how many rows of a table meet a condition.
func countOf(ctx context.Context, db querier, table string, where *statement) (int, error) {
	r, _, err := first(ctx, db, query("SELECT count() AS n FROM "+table+" WHERE ").Append(where).Add(" GROUP ALL"), whole)
	return r.Count("n"), err
}

// mostUnited is how many values of a list the server finds by an index. For a longer list it reads the whole table.
const mostUnited = 32

// among runs a statement for each part of a list that is short enough for an index, and returns the rows of all.
func among[T cmp.Ordered](ctx context.Context, db querier, values []T, of func(part []T) *statement) (out []row,
	err error,
) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	for part := range slices.Chunk(values, mostUnited) {
		found, err := db.run(ctx, of(part))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// resolveID returns the number of the row that an exact id or a unique prefix of one names. more appends conditions.
func resolveID(ctx context.Context, db querier, table, ref string, more func(*statement) *statement) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	if more == nil {
		more = func(s *statement) *statement { return s }
	}
	base := "SELECT number FROM " + table + " WHERE "
	exact, err := rows(ctx, db, more(query(base+"ref = ?", stored.PlainText(ref))), number("number"))
	if len(exact) > 0 || err != nil {
		return slices.Max(append(exact, 0)), err
	}
	all, err := rows(ctx, db, more(query(base+"ref > ? AND ref < ?", ref, stored.Above(ref))), number("number"))
	if err != nil {
		return 0, err
	}
	n, err := stored.Only(all)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", ref, err)
	}
	return n, nil
}

// canonical returns the key under which a project is stored.
func canonical(ctx context.Context, db querier, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	known, found, err := first(ctx, db, query("SELECT known FROM type::record('project_alias', ?)", keyOf(key)),
		text("known"))
	if found {
		return known, err
	}
	return key, err
}

// noSession is a number that no session has, and no row for one.
const noSession = -1

// sessionNumber returns the number of the session with an id, noSession if there is none.
func sessionNumber(ctx context.Context, db querier, id string) (int64, error) {
	n, found, err := first(ctx, db, query("SELECT number FROM session WHERE sid = ?", id), number("number"))
	if !found {
		n = noSession
	}
	return n, err
}

// sessionIDs returns the ids of sessions by their numbers.
func sessionIDs(ctx context.Context, db querier, all []row) (map[int64]string, error) {
	var numbers []int64
	for _, r := range all {
		if n := r.Number("session"); n != 0 {
			numbers = append(numbers, n)
		}
	}
	out := map[int64]string{}
	if len(numbers) == 0 {
		return out, nil
	}
	found, err := db.run(ctx, selectRecords("number, sid", "session", numbers))
	for _, r := range found {
		out[r.Number("number")] = r.Text("sid")
	}
	return out, err
}

// run implements querier.
func (s *database) run(ctx context.Context, q *statement) (out []row, err error) {
	a, err := s.link.Get(ctx)
	if err != nil {
		return nil, err
	}
	err = s.link.Call(ctx, a, func(ctx context.Context) (err error) {
		out, err = surql.Send(ctx, a.DB, q)
		return err
	})
	return out, err
}
