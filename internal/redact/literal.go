package redact

import (
	"errors"
	"io"
)

func (w *walker) number(c byte) error {
	w.text = append(w.text[:0], c)
	for {
		c, err := w.in.peek()
		if errors.Is(err, io.EOF) && len(w.stack) == 0 {
			break
		}
		if err != nil {
			return err
		}
		if !isDigit(c) && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			break
		}
		w.in.pos++
		if w.limit == 0 || len(w.text) <= maxNumber {
			w.text = append(w.text, c)
		}
	}
	switch {
	case w.limit > 0 && len(w.text) > maxNumber:
		w.cut = true
		w.literalText("null")
	case !isNumber(w.text):
		return errSyntax
	default:
		w.literalText(string(w.text))
	}
	return nil
}

func (w *walker) literal(c byte) error {
	word := ""
	switch c {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return errSyntax
	}
	for i := 1; i < len(word); i++ {
		c, err := w.in.next()
		if err != nil {
			return err
		}
		if c != word[i] {
			return errSyntax
		}
	}
	w.literalText(word)
	return nil
}

func (w *walker) literalText(s string) {
	if w.muted() {
		return
	}
	if !w.room(len(s)) {
		w.cut = true
		return
	}
	w.raw(s)
}

// isNumber reports whether s is a number of JSON.
func isNumber(s []byte) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && isDigit(s[i]) {
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

// levels is a stack of container kinds, one bit each.
type levels struct {
	bits []uint64
	n    int
}

func (l *levels) push(array bool) error {
	if l.n == maxLevels {
		return errDeep
	}
	if l.n>>6 == len(l.bits) {
		l.bits = append(l.bits, 0)
	}
	l.bits[l.n>>6] &^= 1 << (l.n & 63)
	if array {
		l.bits[l.n>>6] |= 1 << (l.n & 63)
	}
	l.n++
	return nil
}

func (l *levels) pop() { l.n-- }

func (l *levels) top() bool { return l.bits[(l.n-1)>>6]>>((l.n-1)&63)&1 == 1 }
