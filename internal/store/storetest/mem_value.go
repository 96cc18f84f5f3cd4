package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

// short is a row's id: its number in base 32 behind the prefix of its kind.
func short(prefix string, n int64) string {
	s := ""
	for ; n > 0; n /= 32 {
		s = digits[n%32:n%32+1] + s
	}
	return prefix + s
}

// next gives a number that was never given before.
func (s *Mem) next(prefix string) int64 {
	s.last[prefix]++
	return s.last[prefix]
}

// clean is the time as a store gives it back: in UTC, without a monotonic part.
func clean(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).UTC()
}

// keep sets a field to a value that says something.
func keep(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func ternary[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

func hasPrefix(s, prefix string) bool { return prefix != "" && strings.HasPrefix(s, prefix) }

// backwards returns the newest first.
func backwards[T any](v []T) []T {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}

// page cuts a result as a query asks.
func page[T any](v []T, offset, limit, byDefault int) []T {
	if limit <= 0 {
		limit = byDefault
	}
	v = v[min(max(offset, 0), len(v)):]
	return v[:min(limit, len(v))]
}

// pick finds by exact id or unique prefix.
func pick[T any](all []T, ref string, id func(T) string) (none T, err error) {
	var found []T
	for _, v := range backwards(all) {
		if id(v) == ref {
			return v, nil
		}
		if hasPrefix(id(v), ref) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, fmt.Errorf("%s: %w", ref, mem.ErrNotFound)
	default:
		return none, fmt.Errorf("%s: %w", ref, mem.ErrAmbiguous)
	}
}

func isAmbiguous(err error) bool { return errors.Is(err, mem.ErrAmbiguous) }

// union returns the members of a, then the new ones of b.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
