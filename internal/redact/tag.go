package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTag limits the bytes from the '<' of a tag to the end of its name, and from there to the '>' of a closer. It keeps
// the search linear and the buffered text small.
const maxTag = 1024

// tag is the opener or closer of an envelope. The zero value is neither.
type tag struct {
	found   bool
	name    int // index in envelopes
	closing bool
}

func (t tag) is() bool { return t.found }

// nextTagStart returns the first offset at or after i where a tag may begin, or len(s).
func nextTagStart(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '<', '&', '\\':
			return i
		case 0xEF: // full-width and small forms of '<' begin with this byte
			return i
		}
	}
	return i
}

// parseTag parses a tag at the start of s, which begins with a byte that nextTagStart finds. It returns the number of
// bytes read: up to the end of the name for an opener, up to the '>' for a closer, and as far as the search may skip
// for other text. 0 means that s is too short to decide.
func parseTag(s string, final bool) (tag, int) {
	limit := min(len(s), maxTag)
	short := !final && len(s) < maxTag
	open := readChar(s)
	if open.short && short {
		return tag{}, 0
	}
	if !open.is('<') {
		return tag{}, max(open.size, 1)
	}
	name, closing, end, cut := readName(s[:limit], min(open.size, limit))
	if cut && short {
		return tag{}, 0
	}
	which := envelopeNamed(name)
	if short && which >= 0 && end < len(s) && isSlip(s[end]) && (end+1 == len(s) || readChar(s[end+1:]).short) {
		return tag{}, 0
	}
	if which < 0 || !endsName(s[end:]) {
		return tag{}, open.size
	}
	if !closing {
		return tag{found: true, name: which}, end
	}
	n, ok := closerEnd(s[:min(len(s), end+maxTag)], end)
	if !ok && !final && len(s) < end+maxTag {
		return tag{}, 0
	}
	if !ok { // a closer that never ends closes nothing
		return tag{}, open.size
	}
	return tag{found: true, name: which, closing: true}, n
}

// readName reads optional blanks and a slash, and then the name, which it folds. end is the offset after the name. cut
// reports that the name may continue after s.
func readName(s string, i int) (name string, closing bool, end int, cut bool) {
	var buf [32]byte
	letters := buf[:0]
	for i < len(s) && len(letters) < len(buf)-4 {
		c := readChar(s[i:])
		folded, ok := foldRune(c.r)
		switch {
		case c.short:
			return string(letters), closing, i, true
		case c.r == notOne:
			return string(letters), closing, i, false
		case ok && folded == "":
		case ok && isNameByte(folded[0]):
			letters = append(letters, folded...)
		case len(letters) == 0 && unicode.IsSpace(c.r):
		case len(letters) == 0 && !closing && ok && folded == "/":
			closing = true
		default:
			return string(letters), closing, i, false
		}
		i += c.size
	}
	return string(letters), closing, i, i >= len(s)
}

func isNameByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }

// endsName reports whether s begins with something that ends a tag's name: a blank, an attribute, the tag's end in any
// spelling, or the end of the text.
func endsName(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '>', '/', '\\', '&', '=':
		return true
	}
	if isSlip(s[0]) && len(s) > 1 && readChar(s[1:]).is('>') {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r) || foldsTo(r, '>') || foldsTo(r, '/') || foldsTo(r, ' ')
}

// isSlip reports whether c is a character that a typing error may leave before a tag's '>'.
func isSlip(c byte) bool { return strings.IndexByte(":;,.\"'`", c) >= 0 }

func foldsTo(r rune, want byte) bool {
	folded, ok := foldRune(r)
	return ok && len(folded) == 1 && folded[0] == want
}

// closerEnd returns the offset after the '>' of a closer whose name ends at i.
func closerEnd(s string, i int) (int, bool) {
	for i < len(s) {
		c := readChar(s[i:])
		if c.is('>') {
			return i + c.size, true
		}
		if c.is('<') {
			return 0, false
		}
		i += max(c.size, 1)
	}
	return 0, false
}

func envelopeNamed(name string) int {
	for i, e := range envelopes {
		if e == name {
			return i
		}
	}
	return -1
}
