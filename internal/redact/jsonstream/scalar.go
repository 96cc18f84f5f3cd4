package jsonstream

import (
	"errors"
	"io"

	"remanence/internal/redact/ascii"
)

// ReadScalar reads the number or the literal that begins with c. For a number of more than limit bytes it returns ""; a
// limit of 0 means no limit.
func (r *Reader) ReadScalar(c byte, limit int) (string, error) {
	switch c {
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	}
	if c != '-' && !ascii.IsDigit(c) {
		return "", ErrSyntax
	}
	return r.number(c, limit)
}

func (r *Reader) literal(word string) (string, error) {
	for i := 1; i < len(word); i++ {
		c, err := r.next()
		if err == nil && c != word[i] {
			err = ErrSyntax
		}
		if err != nil {
			return "", err
		}
	}
	return word, nil
}

func (r *Reader) number(c byte, limit int) (string, error) {
	r.Text = append(r.Text[:0], c)
	for {
		c, err := r.peek()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if !ascii.IsDigit(c) && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			break
		}
		r.pos++
		if limit == 0 || len(r.Text) <= limit {
			r.Text = append(r.Text, c)
		}
	}
	switch {
	case limit > 0 && len(r.Text) > limit:
		return "", nil
	case !isNumber(r.Text):
		return "", ErrSyntax
	}
	return string(r.Text), nil
}

// isNumber reports whether s is a number of JSON.
func isNumber(s []byte) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && ascii.IsDigit(s[i]) {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}
