package secrets

import (
	"strings"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/notation"
)

// Files with secrets are often encoded in base64: keys in a settings file, a .env file in a variable, Docker logins in
// a manifest. A run of base64 or of hex digits is a secret if the decoded text contains one.

const (
	minBase64     = 26       // bytes; a shorter run is too short to contain a key
	maxBase64     = 64 << 10 // bytes; a longer run is usually an image or a program
	minBase64Line = 60       // bytes of a line that may continue on the next one
	probeBytes    = 24       // bytes of a run that show whether it is text

	maxBase64Layers = 3 // nested encodings; each may double the work
)

// base64Secrets finds runs of base64 in s that contain secrets.
func (f *Finder) base64Secrets(s string, offset int, found []Span, layers int) []Span {
	from := 0 // start of a run that may include i
	for i := minBase64 - 1; i < len(s); i = from + minBase64 - 1 {
		last := i
		for last >= from && ascii.IsBase64(s[last]) {
			last--
		}
		if last >= from { // no run of at least minBase64 bytes includes this offset
			from = last + 1
			continue
		}
		to := runEnd(s, i)
		for line := to - from; line >= minBase64Line; {
			next := to + newline(s[to:])
			end := runEnd(s, next)
			if next == to || end == next {
				break
			}
			line, to = end-next, end
		}
		if inner := f.unwrap(s[from:to], layers); len(inner) > 0 {
			to = ascii.SkipAny(s, to, "=", 2)
			found = append(found, Span{from + offset, to + offset, inner[0].Kind, inner[0].sure})
		} else if first, last := wholeToken(s, from, to); isBareKey(s, first, last) {
			found = append(found, Span{first + offset, last + offset, "key", false})
		}
		from = to
	}
	return found
}

// wholeToken extends a run of base64 by the other bytes of a token around it.
func wholeToken(s string, from, to int) (first, last int) {
	isPart := func(c byte) bool { return ascii.IsBase64(c) || c == '-' || c == '_' }
	for first = from; first > 0 && from-first < maxBareKey && isPart(s[first-1]); {
		first--
	}
	for last = to; last < len(s) && last-to < maxBareKey && isPart(s[last]); {
		last++
	}
	return first, ascii.SkipAny(s, last, "=", 2)
}

// unwrap decodes a run of base64 or hex digits and returns the secrets of the text; none if it is not text.
func (f *Finder) unwrap(run string, layers int) []Span {
	if len(run) > maxBase64 {
		return nil
	}
	decode, probe := notation.DecodeBase64, notation.IsBase64Text
	if digits := strings.TrimPrefix(run, "0x"); ascii.All(digits[:probeBytes], ascii.IsHex) {
		run, decode, probe = digits, notation.DecodeHex, notation.IsHexText
	}
	if !probe(run[:probeBytes]) {
		return nil
	}
	text := decode(strings.NewReplacer("\n", "", "\r", "", `\n`, "").Replace(run))
	if !notation.IsVisible(text) || !utf8.ValidString(text) {
		return nil
	}
	return f.findWithin(text, layers-1)
}

func runEnd(s string, i int) int {
	for i < len(s) && ascii.IsBase64(s[i]) {
		i++
	}
	return i
}

// newline returns the length of the line break at the start of s.
func newline(s string) int {
	for _, end := range [...]string{"\n", "\r\n", `\n`} {
		if strings.HasPrefix(s, end) {
			return len(end)
		}
	}
	return 0
}
