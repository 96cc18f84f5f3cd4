package redact

import (
	"unicode/utf16"
	"unicode/utf8"
)

// readString reads the rest of a string into w.text, unescaped. It stops early, with done false, once w.text holds
// hold bytes; 0 means never. Control characters that JSON wants escaped are taken as they are.
func (w *walker) readString(hold int) (done bool, err error) {
	in := &w.in
	w.highEnd = 0
	for {
		if in.pos == len(in.buf) {
			if err := in.fill(); err != nil {
				return false, err
			}
		}
		plain := plainRun(in.buf[in.pos:])
		w.text = append(w.text, in.buf[in.pos:in.pos+plain]...)
		in.pos += plain
		if in.pos < len(in.buf) {
			c := in.buf[in.pos]
			in.pos++
			if c == '"' {
				return true, nil
			}
			if err := w.unescape(); err != nil {
				return false, err
			}
		}
		if hold > 0 && len(w.text) >= hold && w.highEnd != len(w.text) {
			return false, nil
		}
	}
}

// skipString reads the rest of a string and keeps nothing.
func (w *walker) skipString() error {
	in := &w.in
	for {
		if in.pos == len(in.buf) {
			if err := in.fill(); err != nil {
				return err
			}
		}
		in.pos += plainRun(in.buf[in.pos:])
		if in.pos == len(in.buf) {
			continue
		}
		c := in.buf[in.pos]
		in.pos++
		if c == '"' {
			return nil
		}
		w.text = w.text[:0]
		if err := w.unescape(); err != nil {
			return err
		}
	}
}

// plainRun returns how many bytes of b come before a quote or a backslash.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}

// unescape reads what follows a backslash and appends it to w.text. Half of a surrogate pair becomes U+FFFD.
func (w *walker) unescape() error {
	c, err := w.in.next()
	if err != nil {
		return err
	}
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return w.unescapeUnicode()
	default:
		return errSyntax
	}
	w.text = append(w.text, c)
	return nil
}

// unescapeUnicode reads the four digits of a \u escape. A high surrogate is written as U+FFFD and taken back when its
// low half follows directly.
func (w *walker) unescapeUnicode() error {
	r, err := w.hex4()
	if err != nil {
		return err
	}
	if pair := utf16.DecodeRune(w.high, r); pair != utf8.RuneError && w.highEnd == len(w.text) {
		w.text = utf8.AppendRune(w.text[:len(w.text)-len("\uFFFD")], pair)
		return nil
	}
	w.text = utf8.AppendRune(w.text, r) // U+FFFD for a surrogate
	if utf16.IsSurrogate(r) {
		w.high, w.highEnd = r, len(w.text)
	}
	return nil
}

func (w *walker) hex4() (rune, error) {
	var r rune
	for range 4 {
		c, err := w.in.next()
		if err != nil {
			return 0, err
		}
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case isHex(c):
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, errSyntax
		}
	}
	return r, nil
}

// writeString writes s as a value and returns where that begins. If the object is nearly full it writes as much of s
// as finds room.
func (w *walker) writeString(s string) (from int) {
	if w.limit > 0 {
		n := quotedPrefix(s, w.roomLeft(len(s)))
		if n < len(s) {
			w.cut = true
			s = s[:n]
		}
	}
	w.begin()
	from = len(w.out)
	w.out = appendQuoted(w.out, s)
	return from
}

// roomLeft returns how many bytes a string of n bytes may take; as room does.
func (w *walker) roomLeft(n int) int {
	limit := w.limit - lateRoom
	if len(w.stack) == 1 && n <= shortText {
		limit = w.limit - maxDepth
	}
	if f := w.top(); f != nil && !f.array {
		n = 6*len(f.key) + 4
	} else {
		n = 4
	}
	return max(0, limit-len(w.out)-n)
}

// quotedPrefix returns how much of s takes at most limit bytes when quoted.
func quotedPrefix(s string, limit int) int {
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

// appendQuoted appends s as a string of JSON; bytes that are no UTF-8 become U+FFFD.
func appendQuoted(b []byte, s string) []byte {
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

// wellFormed returns text with U+FFFD in place of each byte that is no UTF-8.
func wellFormed(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return string([]rune(string(text)))
}

// partialRune returns how many bytes at the end of b begin a character whose rest is still to come.
func partialRune(b []byte) int {
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
