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

// stamp is how a time is stored. One so far away that nanoseconds do not reach it
// counts as the farthest that they reach.
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

// moment is the time that stamp stored.
func moment(n int64) time.Time {
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

// text writes v as JSON, letters as they are, so that erasing finds them.
func text(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// list writes a list as JSON, an empty one as nothing.
func list[T any](v []T) string {
	if len(v) == 0 {
		return ""
	}
	s, _ := text(v) // strings and structs of strings always can be written
	return s
}

// array writes values for json_each.
func array[T ~string | ~int64](v []T) string {
	if len(v) == 0 {
		return "[]"
	}
	s, _ := text(v)
	return s
}

// unlist reads what list wrote.
func unlist[S ~[]T, T any](s string, into *S) error {
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), into); err != nil {
		return fmt.Errorf("stored list: %w", err)
	}
	return nil
}

// fileSize returns 0 for a file that is not there.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
