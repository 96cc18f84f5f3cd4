// Package stored holds what all back ends do in the same way: which rows a batch writes ([Entry]), what a purge erases
// ([Erasure]), the form of stored times and JSON documents, the words that a memory is found by ([WordIndex]) with
// their scores ([Scoring]), and how secrets are removed from a record. It knows no database: a [Writer] and an [Eraser]
// have the statements. Start at [Entry].
package stored

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/mem"
)

// Stamp is the stored form of a time: nanoseconds since 1970, 0 for the zero time.
// Times out of their range are stored as the nearest time in it.
func Stamp(t time.Time) int64 {
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

// TimeOf is the time of a stamp.
func TimeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Storable returns a time as it can be stored: in UTC, and within the range of stored times.
func Storable(t time.Time) time.Time { return TimeOf(Stamp(t)) }

// FirstOf returns the first time that is set.
func FirstOf(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// Text encodes v as JSON without escaping letters, so that a purge finds them.
func Text(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// PlainText is a text as a database server takes it: valid UTF-8 without zero bytes. What it cannot hold is replaced.
// Documents escape both, so that only what is compared differs.
func PlainText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// Cut returns the beginning of a text that is longer than some bytes.
func Cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// SearchBody is the indexed text of a memory besides its title. A title that is the
// beginning of the body is indexed once.
func SearchBody(m mem.Memory) string {
	parts := append([]string{strings.TrimPrefix(m.Body, m.Title), m.Invariant}, m.Facts...)
	if t := m.Summary; t != nil {
		parts = append(parts, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	return strings.Join(parts, "\n")
}

// SearchIdent holds the names of the things that a memory is about.
func SearchIdent(m mem.Memory) string {
	parts := append([]string{m.Index, m.Command}, m.Tags...)
	return strings.Join(append(append(parts, m.Concepts...), m.Files...), "\n")
}

// SearchChanged reports whether a memory is found by other words, files or tags than before.
func SearchChanged(old, now mem.Memory) bool {
	return old.Title != now.Title || SearchBody(old) != SearchBody(now) || SearchIdent(old) != SearchIdent(now) ||
		!slices.Equal(old.Files, now.Files) || !slices.Equal(old.Tags, now.Tags)
}

// VectorChanged reports whether a memory has another text than the one that its vector was made from.
func VectorChanged(old, now mem.Memory) bool {
	a, b := old.Summary, now.Summary
	return !old.SameText(now) || !slices.Equal(old.Facts, now.Facts) || a != b && (a == nil || b == nil || *a != *b)
}

// TombstoneID is the id of the event that stores when data of a session was last erased. It does not contain the
// session's id.
func TombstoneID(session string) string {
	sum := sha256.Sum256([]byte("erased session " + session))
	return "x_" + hex.EncodeToString(sum[:16])
}
