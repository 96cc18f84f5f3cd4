package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// Files with secrets are handed about in base 64: keys in a settings file, a whole .env in a variable, the logins of
// Docker in a manifest. A run of it is a secret if what it holds has one.

const (
	wrappedLeast = 40       // bytes of base 64; a shorter run holds no more than its name tells
	wrappedMost  = 64 << 10 // likewise; what is longer is a picture or a program
	wrappedLine  = 60       // bytes of a line that goes on in the next one
	wrappedProbe = 32       // bytes that tell text from anything else

	wrappedLayers = 3 // of base 64 in base 64; without a bound each could double the work of the next
)

// wrapped looks for secrets within the runs of base 64 in s.
func (d *Door) wrapped(s string, offset int, found []span, layers int) []span {
	from := 0 // of the run that may go over i
	for i := wrappedLeast - 1; i < len(s); i = from + wrappedLeast - 1 {
		last := i
		for last >= from && isBase64Byte(s[last]) {
			last--
		}
		if last >= from { // no run that is long enough goes over this place
			from = last + 1
			continue
		}
		to := runEnd(s, i)
		for line := to - from; line >= wrappedLine; {
			next := to + newline(s[to:])
			end := runEnd(s, next)
			if next == to || end == next {
				break
			}
			line, to = end-next, end
		}
		if inner := d.unwrap(s[from:to], layers); len(inner) > 0 {
			to = skipAny(s, to, "=", 2)
			found = append(found, span{from + offset, to + offset, inner[0].kind, inner[0].sure})
		}
		from = to
	}
	return found
}

// unwrap returns the secrets of a text in base 64; none if it is no text.
func (d *Door) unwrap(run string, layers int) []span {
	if len(run) > wrappedMost || !isVisible(decoded(run[:wrappedProbe])) {
		return nil
	}
	text := decoded(strings.NewReplacer("\n", "", "\r", "", `\n`, "").Replace(run))
	if !isVisible(text) || !utf8.ValidString(text) {
		return nil
	}
	return d.within(text, layers-1)
}

// decoded returns what s, which may end anywhere, holds.
func decoded(s string) string {
	raw, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if err != nil {
		return ""
	}
	if rest := len(s) % 4; rest > 1 {
		last, _ := base64.RawStdEncoding.DecodeString(s[len(s)-rest:]) // none if it is no end
		raw = append(raw, last...)
	}
	return string(raw)
}

// isVisible reports whether s holds no byte that texts do not have.
func isVisible(s string) bool {
	return isAll(s, func(c byte) bool { return c >= ' ' && c != 0x7F || strings.IndexByte("\n\r\t\x1b", c) >= 0 })
}

func runEnd(s string, i int) int {
	for i < len(s) && isBase64Byte(s[i]) {
		i++
	}
	return i
}

// newline returns the size of the end of a line at the head of s.
func newline(s string) int {
	for _, end := range [...]string{"\n", "\r\n", `\n`} {
		if strings.HasPrefix(s, end) {
			return len(end)
		}
	}
	return 0
}
