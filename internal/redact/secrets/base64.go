package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
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
		for last >= from && isBase64Byte(s[last]) {
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
			to = skipAny(s, to, "=", 2)
			found = append(found, Span{from + offset, to + offset, inner[0].Kind, inner[0].sure})
		}
		from = to
	}
	return found
}

// unwrap decodes a run of base64 or hex digits and returns the secrets of the text; none if it is not text.
func (f *Finder) unwrap(run string, layers int) []Span {
	if len(run) > maxBase64 {
		return nil
	}
	decode := decoded
	if digits := strings.TrimPrefix(run, "0x"); isAll(digits[:probeBytes], isHex) {
		run, decode = digits, decodedHex
	}
	if !isVisible(decode(run[:probeBytes])) {
		return nil
	}
	text := decode(strings.NewReplacer("\n", "", "\r", "", `\n`, "").Replace(run))
	if !isVisible(text) || !utf8.ValidString(text) {
		return nil
	}
	return f.findWithin(text, layers-1)
}

// decodedHex decodes hex digits. The last of an odd number is left out.
func decodedHex(s string) string {
	raw, err := hex.DecodeString(s[:len(s)-len(s)%2])
	if err != nil {
		return ""
	}
	return string(raw)
}

// decoded decodes s, which may end at any byte.
func decoded(s string) string {
	raw, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if err != nil {
		return ""
	}
	if rest := len(s) % 4; rest > 1 {
		last, _ := base64.RawStdEncoding.DecodeString(s[len(s)-rest:]) // empty if the end is malformed
		raw = append(raw, last...)
	}
	return string(raw)
}

// isVisible reports whether s has no byte that is unusual in text.
func isVisible(s string) bool {
	return isAll(s, func(c byte) bool { return c >= ' ' && c != 0x7F || strings.IndexByte("\n\r\t\x1b", c) >= 0 })
}

func runEnd(s string, i int) int {
	for i < len(s) && isBase64Byte(s[i]) {
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
