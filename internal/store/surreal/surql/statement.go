//go:build surreal || backends

// Package surql makes statements of SurrealQL, sends them over a connection that is made again after it broke, and
// reads their answers. It knows where a server is and what its errors mean, and nothing about what is stored.
//
// Start reading at [Link] and [Statement].
package surql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"remanence/internal/store/stored"
)

// Statement is SurrealQL and its arguments. Values of callers become arguments and never part of the text.
type Statement struct {
	text strings.Builder
	args []any
}

// Query returns a statement of a text with one ? for each argument.
func Query(text string, args ...any) *Statement { return (&Statement{}).Add(text, args...) }

// Add appends text with one ? for each argument.
func (s *Statement) Add(text string, args ...any) *Statement {
	for _, arg := range args {
		s.args = append(s.args, plain(arg))
	}
	s.text.WriteString(text)
	return s
}

// Append appends another statement with its arguments.
func (s *Statement) Append(o *Statement) *Statement {
	s.text.WriteString(o.text.String())
	s.args = append(s.args, o.args...)
	return s
}

// surql returns the text as the server reads it: with $p1, $p2 … in place of each ?.
func (s *Statement) surql() string {
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
func (s *Statement) params() map[string]any {
	out := make(map[string]any, len(s.args))
	for i, arg := range s.args {
		out["p"+strconv.Itoa(i+1)] = arg
	}
	return out
}

// And appends a condition to a statement that ends with another one.
func (s *Statement) And(condition string, args ...any) *Statement {
	return s.Add(" AND "+condition, args...)
}

// Equal appends that a field has a value. It appends nothing for an empty value.
func (s *Statement) Equal(field, value string) *Statement {
	if value == "" {
		return s
	}
	return s.And(field+" = ?", value)
}

// Newest returns a statement that reads the numbers of the newest records of a table that meet a condition.
//
// Nothing else has a limit together with a condition or an order: where SurrealDB 3.0 reads an index, or in a
// transaction, it takes the limit before the rest of the condition and before the order, and rows are missing. Here it
// reads the table, from its end.
func Newest(table, key string, where *Statement, rows, offset int) *Statement {
	return Query("SELECT id, "+key+" FROM "+table+" WITH NOINDEX WHERE ").Append(where).
		Add(" ORDER BY id DESC LIMIT ? START ?", rows, offset)
}

// Put returns the statement that writes a record, new or not.
func Put(table string, key any, fields map[string]any) *Statement {
	return Query("UPSERT type::record('"+table+"', ?) CONTENT ? RETURN NONE", key, fields)
}

// KeyOf is the key of a record that is known by some texts.
func KeyOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// plain is an argument as the server takes it: of no named type, and plain text.
func plain(arg any) any {
	switch v := arg.(type) {
	case nil, []byte, bool, int, int64, float64, []int64, []float64:
		return v
	case string:
		return stored.PlainText(v)
	case []string:
		return Texts(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = plain(value)
		}
		return out
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.String:
		return stored.PlainText(v.String())
	case reflect.Int:
		return v.Int()
	default:
		return arg
	}
}

// Texts are values of a type of strings, as the server takes them; none is an empty list.
func Texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = stored.PlainText(string(v))
	}
	return out
}

// Row is a record, or what a statement made of one.
type Row map[string]any

// Text is a field with a text.
func (r Row) Text(name string) string {
	s, _ := r[name].(string)
	return s
}

// Number is a field with a number.
func (r Row) Number(name string) int64 {
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

// Count is a field with a number.
func (r Row) Count(name string) int { return int(r.Number(name)) }

// Float is a field with a fraction.
func (r Row) Float(name string) float64 {
	switch v := r[name].(type) { // the server sends the shortest form that is exact
	case float64:
		return v
	case float32:
		return float64(v)
	}
	return float64(r.Number(name))
}

// Flag is a field that is true or false.
func (r Row) Flag(name string) bool {
	v, _ := r[name].(bool)
	return v
}

// Time is a field with a stored time.
func (r Row) Time(name string) time.Time { return stored.TimeOf(r.Number(name)) }

// Bytes is a field with bytes.
func (r Row) Bytes(name string) []byte {
	b, _ := r[name].([]byte)
	return b
}

// Texts is a field with a list of texts.
func (r Row) Texts(name string) []string {
	list, _ := r[name].([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Session is the number of a session as package stored has it: nil for none.
func (r Row) Session() any {
	if n := r.Number("session"); n != 0 {
		return n
	}
	return nil
}

// SelectRecords returns a statement that reads fields of the numbered records of a table that exist, in any order. The
// numbers are at least one.
func SelectRecords(fields, table string, numbers []int64) *Statement {
	q := Query("SELECT " + fields + " FROM ")
	for i, n := range numbers {
		if i > 0 {
			q.Add(", ")
		}
		q.Add(table + ":" + strconv.FormatInt(n, 10))
	}
	return q
}
