//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// statement is SurrealQL and its arguments. Values of callers become arguments and never part of the text.
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

// surql returns the text as the server reads it: with $p1, $p2 … in place of each ?.
func (s *statement) surql() string {
	var out strings.Builder
	n := 0
	for part := range strings.SplitSeq(s.text.String(), "?") {
		if n > 0 {
			out.WriteString("$p" + strconv.Itoa(n))
		}
		out.WriteString(part)
		n++
	}
	return out.String()
}

// params are the arguments by their names in surql.
func (s *statement) params() map[string]any {
	out := make(map[string]any, len(s.args))
	for i, arg := range s.args {
		out["p"+strconv.Itoa(i+1)] = arg
	}
	return out
}

// and appends a condition to a statement that ends with another one.
func (s *statement) and(condition string, args ...any) *statement {
	return s.add(" AND "+condition, args...)
}

// equal appends that a field has a value. It appends nothing for an empty value.
func (s *statement) equal(field, value string) *statement {
	if value == "" {
		return s
	}
	return s.and(field+" = ?", value)
}

// newest returns a statement that reads the numbers of the newest records of a table that meet a condition.
//
// Nothing else has a limit together with a condition or an order: where SurrealDB 3.0 reads an index, or in a
// transaction, it takes the limit before the rest of the condition and before the order, and rows are missing. Here it
// reads the table, from its end.
func newest(table, key string, where *statement, rows, offset int) *statement {
	return query("SELECT id, "+key+" FROM "+table+" WITH NOINDEX WHERE ").append(where).
		add(" ORDER BY id DESC LIMIT ? START ?", rows, offset)
}

// cutOut returns a page of a list. 0 rows mean mem.DefaultLimit.
func cutOut[T any](list []T, rows, offset int) []T {
	from := min(max(offset, 0), len(list))
	return list[from:min(len(list), from+stored.LimitOr(rows))]
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
	slices.SortFunc(found, func(a, b row) int { return cmp.Compare(place[a.number(key)], place[b.number(key)]) })
	return found, err
}

// numbersOf are the numbers of rows.
func numbersOf(all []row) []int64 {
	out := make([]int64, len(all))
	for i, r := range all {
		out[i] = r.number("number")
	}
	return out
}

// scanned scans rows, and skips those that are unreadable.
func scanned[T any](all []row, scan func(row) (T, error)) (out []T, err error) {
	for _, r := range all {
		v, err := scan(r)
		if errors.Is(err, errUnreadable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// put returns the statement that writes a record, new or not.
func put(table string, key any, fields map[string]any) *statement {
	return query("UPSERT type::record('"+table+"', ?) CONTENT ? RETURN NONE", key, fields)
}

// keyOf is the key of a record that is known by some texts.
func keyOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// plain is an argument as the server takes it: of no named type, and text without what UTF-8 does not have. Documents
// escape both, so that only fields that are compared differ.
func plain(arg any) any {
	switch v := arg.(type) {
	case nil, []byte, bool, int, int64, float64, []int64, []float64:
		return v
	case string:
		return plainText(v)
	case []string:
		return texts(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = plain(value)
		}
		return out
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.String:
		return plainText(v.String())
	case reflect.Int:
		return v.Int()
	default:
		return arg
	}
}

func plainText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// texts are values of a type of strings, as the server takes them; none is an empty list.
func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = plainText(string(v))
	}
	return out
}

// row is a record, or what a statement made of one.
type row map[string]any

func (r row) text(name string) string {
	s, _ := r[name].(string)
	return s
}

func (r row) number(name string) int64 {
	switch v := r[name].(type) {
	case int64:
		return v
	case uint64:
		return int64(v)
	case float64:
		return int64(v)
	case float32:
		return int64(v)
	case int:
		return int64(v)
	}
	return 0
}

func (r row) count(name string) int { return int(r.number(name)) }

func (r row) float(name string) float64 {
	switch v := r[name].(type) { // the server sends the shortest form that is exact
	case float64:
		return v
	case float32:
		return float64(v)
	}
	return float64(r.number(name))
}

func (r row) flag(name string) bool {
	v, _ := r[name].(bool)
	return v
}

func (r row) time(name string) time.Time { return stored.TimeOf(r.number(name)) }

func (r row) bytes(name string) []byte {
	b, _ := r[name].([]byte)
	return b
}

func (r row) texts(name string) []string {
	list, _ := r[name].([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// session is the number of a session as package stored has it: nil for none.
func (r row) session() any {
	if n := r.number("session"); n != 0 {
		return n
	}
	return nil
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
	return func(r row) (int64, error) { return r.number(name), nil }
}

func text(name string) func(row) (string, error) {
	return func(r row) (string, error) { return r.text(name), nil }
}

// document scans field doc.
func document[T any](what string) func(row) (T, error) {
	return func(r row) (T, error) { return decode[T](what, r.text("doc")) }
}

// decode decodes a stored document.
func decode[T any](what, doc string) (v T, err error) {
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return v, fmt.Errorf("%w: %s: %w", errUnreadable, what, err)
	}
	return v, nil
}

// countOf returns how many rows of a table meet a condition.
func countOf(ctx context.Context, db querier, table string, where *statement) (int, error) {
	r, _, err := first(ctx, db, query("SELECT count() AS n FROM "+table+" WHERE ").append(where).add(" GROUP ALL"), whole)
	return r.count("n"), err
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
	exact, err := rows(ctx, db, more(query(base+"ref = ?", plainText(ref))), number("number"))
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

// selectRecords returns a statement that reads fields of the numbered records of a table that exist, in any order. The
// numbers are at least one.
func selectRecords(fields, table string, numbers []int64) *statement {
	q := query("SELECT " + fields + " FROM ")
	for i, n := range numbers {
		if i > 0 {
			q.add(", ")
		}
		q.add(table + ":" + strconv.FormatInt(n, 10))
	}
	return q
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
		if n := r.number("session"); n != 0 {
			numbers = append(numbers, n)
		}
	}
	out := map[int64]string{}
	if len(numbers) == 0 {
		return out, nil
	}
	found, err := db.run(ctx, query("SELECT number, sid FROM session WHERE number IN ?", numbers))
	for _, r := range found {
		out[r.number("number")] = r.text("sid")
	}
	return out, err
}
