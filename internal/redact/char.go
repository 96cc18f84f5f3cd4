package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
)

// notOne is the result of reading text that spells no character.
const notOne rune = -1

// char is one character of a text in any spelling: plain, as an HTML entity, or as an escape of JSON, possibly escaped
// several times, because texts are quoted in one another.
type char struct {
	r     rune // notOne if the text spells no character
	size  int  // bytes of the spelling; for notOne, bytes that cannot begin one
	short bool // the text ends before that is certain
}

// is reports whether c looks like the ASCII character want.
func (c char) is(want byte) bool {
	return c.r == rune(want) || c.r >= utf8.RuneSelf && foldsTo(c.r, want)
}

// readChar reads the character at the head of s, which is not empty.
func readChar(s string) char {
	c := readPlain(s)
	for c.r == '&' && c.size < maxTag/2 {
		next, n, short := entity(s[c.size:])
		switch {
		case short:
			return char{r: notOne, size: c.size, short: true}
		case n == 0:
			return char{r: '&', size: c.size}
		}
		c.r, c.size = next, c.size+n
	}
	return c
}

// readPlain is readChar without entities.
func readPlain(s string) char {
	if s[0] == '\\' {
		return readEscape(s)
	}
	r, size := utf8.DecodeRuneInString(s)
	return char{r: r, size: size}
}

const maxEntity = 10 // bytes of an entity without its '&' and ';'

// entity reads an entity after its '&'. The ';' may be missing. n is 0 if there is none; short reports that s ends
// before that is certain.
func entity(s string) (r rune, n int, short bool) {
	r, n = namedEntity(s)
	if n == 0 {
		r, n = numberedEntity(s)
	}
	if n == len(s) && !strings.HasSuffix(s, ";") && len(s) < maxEntity {
		return 0, 0, true
	}
	return r, n, false
}

func namedEntity(s string) (r rune, n int) {
	for _, e := range [...]struct {
		name string
		r    rune
	}{
		{"amp;", '&'},
		{"lt", '<'},
		{"gt", '>'},
		{"sol", '/'},
		{"nbsp", ' '},
		{"newline", '\n'},
		{"tab", '\t'},
		{"shy", '\u00ad'},
		{"zwnj", '\u200c'},
		{"zwj", '\u200d'},
	} {
		if hasFold(s, e.name) {
			return e.r, len(e.name) + semicolon(s[len(e.name):])
		}
		if len(s) < len(e.name) && hasFold(e.name, s) { // its beginning
			return 0, len(s)
		}
	}
	return 0, 0
}

func numberedEntity(s string) (r rune, n int) {
	if s == "" || s[0] != '#' {
		return 0, 0
	}
	digits, base, is := 1, 10, ascii.IsDigit
	if hasFold(s[1:], "x") {
		digits, base, is = 2, 16, ascii.IsHex
	}
	end := digits
	for end < len(s) && end < maxEntity && is(s[end]) {
		end++
	}
	code, err := strconv.ParseUint(s[digits:end], base, 31)
	if err != nil {
		if end == len(s) {
			return 0, end
		}
		return 0, 0
	}
	return rune(code), end + semicolon(s[end:])
}

func semicolon(s string) int {
	if strings.HasPrefix(s, ";") {
		return 1
	}
	return 0
}

const longestEscape = len(`U0001d429`) // after its backslashes; a surrogate pair is longer

func readEscape(s string) char {
	run := 0
	for run < len(s) && s[run] == '\\' {
		run++
	}
	none := char{r: notOne, size: run, short: len(s)-run < longestEscape}
	if run == len(s) || run > maxTag/2 {
		return none
	}
	switch s[run] {
	case 'u':
		r, n := unicodeEscape(s[run:], run)
		if torn := utf16.IsSurrogate(r) && len(s) < run+n+run+n; n == 0 || torn {
			none.short = none.short || torn
			return none
		}
		return char{r: r, size: run + n}
	case 'U':
		if run+9 <= len(s) && ascii.All(s[run+1:run+9], ascii.IsHex) {
			return char{r: hexRune(s[run+1 : run+9]), size: run + 9}
		}
		return none
	case 'x':
		if run+3 <= len(s) && ascii.All(s[run+1:run+3], ascii.IsHex) {
			return char{r: hexRune(s[run+1 : run+3]), size: run + 3}
		}
		return none
	case 'n', 'r', 't', 'f', 'v':
		return char{r: ' ', size: run + 1}
	case '/':
		return char{r: '/', size: run + 1}
	}
	none.short = false
	return none
}

// unicodeEscape reads uXXXX, and the other half of a surrogate pair, which follows after as many backslashes.
func unicodeEscape(s string, backslashes int) (r rune, n int) {
	if len(s) < 5 || !ascii.All(s[1:5], ascii.IsHex) {
		return 0, 0
	}
	r = hexRune(s[1:5])
	low := 5 + backslashes
	if utf16.IsSurrogate(r) && len(s) >= low+5 && s[5:low] == strings.Repeat(`\`, backslashes) && s[low] == 'u' &&
		ascii.All(s[low+1:low+5], ascii.IsHex) {
		if pair := utf16.DecodeRune(r, hexRune(s[low+1:low+5])); pair != utf8.RuneError {
			return pair, low + 5
		}
	}
	return r, 5
}

// hexRune returns the character whose code is written in hex digits.
func hexRune(digits string) rune {
	code, _ := strconv.ParseUint(digits, 16, 31) // they are hex
	return rune(code)
}

// hasFold reports whether s begins with prefix, which is ASCII, ignoring case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
