package jsonstream

import (
	"unicode/utf8"
)

// QuotedPrefix returns how much of s takes at most limit bytes when quoted.
func QuotedPrefix(s string, limit int) int {
	if 6*len(s)+2 <= limit {
		return len(s)
	}
	size := 2
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		size += quotedSize(r, n)
		if size > limit {
			return i
		}
		i += n
	}
	return len(s)
}

func quotedSize(r rune, n int) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < ' ':
		return 6
	case r == utf8.RuneError:
		return 3
	}
	return n
}

// AppendQuoted appends s as a string of JSON; bytes that are no UTF-8 become U+FFFD.
func AppendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b = append(b, s[from:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, "\uFFFD"...)
		}
		i++
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// WellFormed returns text with U+FFFD in place of each byte that is no UTF-8.
func WellFormed(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return string([]rune(string(text)))
}

// PartialRune returns how many bytes at the end of b begin a character whose rest is still to come.
func PartialRune(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
