package jsonstream

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
)

// ReadString reads the rest of a string, after its quote, and appends it to Text. It stops early, with done false, once
// Text holds hold bytes; 0 means never. Control characters that JSON wants escaped are taken as they are.
func (r *Reader) ReadString(hold int) (done bool, err error) {
	r.highEnd = 0
	for {
		if r.pos == len(r.buf) {
			if err := r.fill(); err != nil {
				return false, err
			}
		}
		plain := plainRun(r.buf[r.pos:])
		r.Text = append(r.Text, r.buf[r.pos:r.pos+plain]...)
		r.pos += plain
		if r.pos < len(r.buf) {
			c := r.buf[r.pos]
			r.pos++
			if c == '"' {
				return true, nil
			}
			if err := r.unescape(); err != nil {
				return false, err
			}
		}
		if hold > 0 && len(r.Text) >= hold && r.highEnd != len(r.Text) {
			return false, nil
		}
	}
}

// SkipString reads the rest of a string and keeps nothing.
func (r *Reader) SkipString() error {
	for {
		if r.pos == len(r.buf) {
			if err := r.fill(); err != nil {
				return err
			}
		}
		r.pos += plainRun(r.buf[r.pos:])
		if r.pos == len(r.buf) {
			continue
		}
		c := r.buf[r.pos]
		r.pos++
		if c == '"' {
			return nil
		}
		r.Text = r.Text[:0]
		if err := r.unescape(); err != nil {
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

// unescape reads what follows a backslash and appends it to Text. Half of a surrogate pair becomes U+FFFD.
func (r *Reader) unescape() error {
	c, err := r.next()
	if err != nil {
		return err
	}
	if c == 'u' {
		return r.unescapeUnicode()
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return ErrSyntax
	}
	r.Text = append(r.Text, "\"\\/\b\f\n\r\t"[i])
	return nil
}

// unescapeUnicode reads the four digits of a \u escape. A high surrogate is written as U+FFFD and taken back when its
// low half follows directly.
func (r *Reader) unescapeUnicode() error {
	half, err := r.hex4()
	if err != nil {
		return err
	}
	if pair := utf16.DecodeRune(r.high, half); pair != utf8.RuneError && r.highEnd == len(r.Text) {
		r.Text = utf8.AppendRune(r.Text[:len(r.Text)-len("\uFFFD")], pair)
		return nil
	}
	r.Text = utf8.AppendRune(r.Text, half) // U+FFFD for a surrogate
	if utf16.IsSurrogate(half) {
		r.high, r.highEnd = half, len(r.Text)
	}
	return nil
}

func (r *Reader) hex4() (rune, error) {
	var v rune
	for range 4 {
		c, err := r.next()
		if err != nil {
			return 0, err
		}
		switch lower := c | 0x20; {
		case ascii.IsDigit(c):
			v = v<<4 | rune(c-'0')
		case lower >= 'a' && lower <= 'f':
			v = v<<4 | rune(lower-'a'+10)
		default:
			return 0, ErrSyntax
		}
	}
	return v, nil
}
