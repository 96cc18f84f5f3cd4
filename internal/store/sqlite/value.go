package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

// stamp is the stored form of a time: nanoseconds since 1970, 0 for the zero time.
// Times out of their range are stored as the nearest time in it.
func stamp(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// timeOf is the time of a stamp.
func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// firstOf returns the first time that is set.
func firstOf(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// storedTime scans a stamp into a time.
type storedTime time.Time

// timeAt is where to scan a stored time into t.
func timeAt(t *time.Time) *storedTime { return (*storedTime)(t) }

// Scan implements sql.Scanner.
func (t *storedTime) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("stored time is a %T", v)
	}
	*t = storedTime(timeOf(n))
	return nil
}

// text encodes v as JSON without escaping letters, so that a purge finds them.
func text(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// list encodes a list as JSON, an empty one as "".
func list[T any](v []T) string {
	if len(v) == 0 {
		return ""
	}
	s, _ := text(v) // strings and structs of strings can always be encoded
	return s
}

// array encodes values for json_each.
func array[T ~string | ~int64](v []T) string {
	if len(v) == 0 {
		return "[]"
	}
	s, _ := text(v)
	return s
}

// unlist decodes the result of list.
func unlist[S ~[]T, T any](s string, into *S) error {
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), into); err != nil {
		return fmt.Errorf("stored list: %w", err)
	}
	return nil
}

// fileSize returns the size of a file, 0 if it does not exist.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
