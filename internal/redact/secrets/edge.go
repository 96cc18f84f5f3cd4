package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// edge restricts the character before the head of a rule.
type edge uint8

const (
	edgeAny   edge = iota
	edgeWord       // no letter, digit or '_'
	edgeToken      // nor '-', '+' or '.': for heads that are also the end of longer words
	edgeDigit      // only a digit
)

func (e edge) allows(s string, at int) bool {
	if at == 0 {
		return e != edgeDigit
	}
	c := s[at-1]
	switch e {
	case edgeAny:
		return true
	case edgeDigit:
		return ascii.IsDigit(c)
	case edgeToken:
		if c == '-' || c == '+' || c == '.' {
			return c != '.' && (at == 1 || s[at-2] == '\n') // a line of a patch
		}
	}
	return !ascii.IsWordByte(c) || endsEscape(s[:at])
}

// endsEscape reports whether s ends with the escape of a character that is no letter, as in text that was quoted once
// more: \n, \u003d, %3D, or a terminal colour.
func endsEscape(s string) bool {
	n := len(s)
	switch {
	case n >= 2 && s[n-2] == '\\' && strings.IndexByte("abfnrtv", s[n-1]) >= 0:
		return true
	case n >= 3 && s[n-3] == '%' && ascii.All(s[n-2:], ascii.IsHex):
		return true
	case n >= 6 && s[n-6:n-4] == `\u` && ascii.All(s[n-4:], ascii.IsHex):
		return true
	case n >= 4 && s[n-4:n-2] == `\x` && ascii.All(s[n-2:], ascii.IsHex):
		return true
	}
	return endsColour(s)
}

// endsColour reports whether s ends with ESC [ … m. The escape character may itself be escaped.
func endsColour(s string) bool {
	body, ok := strings.CutSuffix(s, "m")
	if !ok {
		return false
	}
	body = body[max(0, len(body)-24):]
	open := strings.LastIndexByte(body, '[')
	if open < 0 || !ascii.All(body[open+1:], func(c byte) bool { return ascii.IsDigit(c) || c == ';' }) {
		return false
	}
	for _, esc := range [...]string{"\x1b", `\u001b`, `\u001B`, `\x1b`, `\x1B`, `\033`, `\e`} {
		if strings.HasSuffix(body[:open], esc) {
			return true
		}
	}
	return false
}

const maxGlued = 16 // bytes of a word to which a token is glued

// mayBeGlued reports whether a token of the rule may begin at s[at:] although a word ends there, as in deployAKIA….
// Not so within a long run, which may be anything in base64.
func (r *rule) mayBeGlued(s string, at int) bool {
	if !r.sure && r.left != edgeToken || r.left == edgeDigit {
		return false
	}
	from := at
	for from > 0 && ascii.IsToken(s[from-1]) {
		if from--; at-from > maxGlued {
			return false
		}
	}
	return true
}

// isGluedToken reports whether v, which follows a word without a sign, is no part of it.
func isGluedToken(v string) bool {
	if len(v) >= 28 {
		return isManyCased(v) && entropy(v) >= 3.8
	}
	return len(v) == 20 && ascii.All(v, func(c byte) bool {
		return ascii.IsUpper(c) ||
			ascii.IsDigit(c)
	}) && entropy(v) >= 3
}
