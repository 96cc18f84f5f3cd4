package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTag bounds, in bytes, how far a tag may stretch from its '<' to the end of its name, and again from there to
// the '>' of a closer. It keeps the search linear and a stream's carry small.
const maxTag = 1024

// tag is an envelope's opener or closer; the zero value is neither.
type tag struct {
	found   bool
	name    int // index in envelopes
	closing bool
}

func (t tag) is() bool { return t.found }

// nextTagStart returns the next place at or after i where a tag may begin, or len(s).
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

// parseTag reads a tag at the head of s, which begins with one of the bytes of nextTagStart. It returns how many
// bytes are read: for an opener up to the end of its name, since the rest of it is hidden anyway; for a closer up to
// its '>'; for anything else how far the search may skip. 0 means that s is too short to tell and more is to come.
func parseTag(s string, final bool) (tag, int) {
	limit := min(len(s), maxTag)
	short := !final && len(s) < maxTag
	open := readAngle(s, '<')
	if open.len == 0 {
		if short && open.short {
			return tag{}, 0
		}
		return tag{}, open.skip
	}
	name, closing, end := readName(s[:limit], min(open.len, limit))
	if end == limit && short {
		return tag{}, 0
	}
	which := envelopeNamed(name)
	if which < 0 || !endsName(s[end:]) {
		return tag{}, open.len
	}
	if !closing {
		return tag{found: true, name: which}, end
	}
	n, ok := closerEnd(s[:min(len(s), end+maxTag)], end)
	if !ok && !final && len(s) < end+maxTag {
		return tag{}, 0
	}
	if !ok { // a closer that never ends closes nothing
		return tag{}, open.len
	}
	return tag{found: true, name: which, closing: true}, n
}

// angle is what readAngle found: the length of a bracket in bytes, or, when that is 0, how many bytes cannot begin
// one, and whether the text was too short to tell.
type angle struct {
	len, skip int
	short     bool
}

// readAngle reads one '<' or '>' (want) in any spelling a text may hold: plain, full width, as an HTML entity, or as
// an escape of JSON, however often escaped.
func readAngle(s string, want byte) angle {
	switch s[0] {
	case want:
		return angle{len: 1}
	case '&':
		return readEntity(s, want)
	case '\\':
		return readEscape(s, want)
	case 0xEF:
		if len(s) < 3 {
			return angle{skip: 1, short: true}
		}
		if r, size := utf8.DecodeRuneInString(s); foldsTo(r, want) {
			return angle{len: size}
		}
	}
	return angle{skip: 1}
}

func foldsTo(r rune, want byte) bool {
	folded, ok := foldRune(r)
	return ok && len(folded) == 1 && folded[0] == want
}

func readEntity(s string, want byte) angle {
	rest := s[1:]
	for hasFold(rest, "amp;") && len(s)-len(rest) < maxTag/2 {
		rest = rest[len("amp;"):]
	}
	forms := [...]string{"lt", "#60", "#x3c"}
	if want == '>' {
		forms = [...]string{"gt", "#62", "#x3e"}
	}
	for _, form := range forms {
		if hasFold(rest, form) {
			rest = strings.TrimPrefix(rest[len(form):], ";")
			return angle{len: len(s) - len(rest)}
		}
	}
	return angle{skip: 1, short: len(rest) < len("#x3c;")}
}

func readEscape(s string, want byte) angle {
	run := 0
	for run < len(s) && s[run] == '\\' {
		run++
	}
	forms := [...]string{"u003c", "x3c"}
	if want == '>' {
		forms = [...]string{"u003e", "x3e"}
	}
	for _, form := range forms {
		if run <= maxTag/2 && hasFold(s[run:], form) {
			return angle{len: run + len(form)}
		}
	}
	return angle{skip: run, short: len(s)-run < len("u003c")}
}

// readName reads what follows '<': blanks, perhaps a slash, the name; folded. end is where the name stops.
func readName(s string, i int) (name string, closing bool, end int) {
	var buf [32]byte
	letters := buf[:0]
	for i < len(s) && len(letters) < len(buf)-4 {
		r, size := utf8.DecodeRuneInString(s[i:])
		folded, ok := foldRune(r)
		switch {
		case ok && folded == "":
		case ok && isNameByte(folded[0]):
			letters = append(letters, folded...)
		case len(letters) == 0 && (unicode.IsSpace(r) || escapesSlash(s[i:])):
		case len(letters) == 0 && !closing && ok && folded == "/":
			closing = true
		default:
			return string(letters), closing, i
		}
		i += size
	}
	return string(letters), closing, i
}

// escapesSlash reports whether s begins with a backslash that, in JSON, belongs to the slash after it.
func escapesSlash(s string) bool {
	return len(s) > 1 && s[0] == '\\' && (s[1] == '/' || s[1] == '\\')
}

func isNameByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }

// endsName reports whether a tag's name may end before s: at a blank, an attribute's or the tag's end in any
// spelling, or the end of the text.
func endsName(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '>', '/', '\\', '&', '=':
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r) || foldsTo(r, '>') || foldsTo(r, '/') || foldsTo(r, ' ')
}

// closerEnd finds the '>' of a closer whose name ends at i.
func closerEnd(s string, i int) (int, bool) {
	for i < len(s) {
		gt := readAngle(s[i:], '>')
		if gt.len > 0 {
			return i + gt.len, true
		}
		if readAngle(s[i:], '<').len > 0 {
			return 0, false
		}
		i += gt.skip
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

// foldRune gives the ASCII a reader would take r for inside a tag: compatibility forms folded, letters lower case,
// '_' as '-', and nothing at all for what cannot be seen. ok is false for what has no such reading.
func foldRune(r rune) (folded string, ok bool) {
	const ascii = "abcdefghijklmnopqrstuvwxyz"
	switch {
	case r >= 'a' && r <= 'z':
		return ascii[r-'a' : r-'a'+1], true
	case r >= 'A' && r <= 'Z':
		return ascii[r-'A' : r-'A'+1], true
	case r == '-' || r == '_':
		return "-", true
	case r == '/':
		return "/", true
	case r < utf8.RuneSelf:
		if r >= '0' && r <= '9' {
			return "0123456789"[r-'0' : r-'0'+1], true
		}
		return "", r < ' ' && !unicode.IsSpace(r) || r == 0x7F
	case r == utf8.RuneError:
		return "", false
	case unseen(r):
		return "", true
	}
	folded = norm.NFKC.String(string(r))
	if len(folded) > 4 {
		return "", false
	}
	for i := range len(folded) {
		if folded[i] >= utf8.RuneSelf {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ToLower(folded), "_", "-"), folded != ""
}

// unseen reports whether r takes no room on a screen: zero-width and bidi characters, joiners, fillers, variation
// selectors, tag characters.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hasFold reports whether s begins with prefix, which is lower-case ASCII, in any ASCII case.
func hasFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
