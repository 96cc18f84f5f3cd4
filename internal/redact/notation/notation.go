// Package notation rewrites a text in plain ASCII notation, and maps positions in it back to the text. It knows
// nothing of
// what is searched for in the text.
//
// Start reading at [Plain].
package notation

import (
	"sort"
	"strings"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
)

// A text may write its characters in another notation: ANSI colour sequences or invisible characters between them,
// full-width forms, look-alikes from other scripts, entities of HTML, escapes of URLs and strings, or one literal in
// two parts. So the text is also searched in plain notation, and the positions of what is found are mapped back.

// Offsets maps byte Offsets of a plain text to the original.
type Offsets []offsetPair

// offsetPair is one run of text: offset plain in the plain text is offset whole in the original. If size is not 0, the
// run is one byte that stands for size bytes.
type offsetPair struct{ plain, whole, size int }

func (p Offsets) run(i int) offsetPair {
	return p[sort.Search(len(p), func(n int) bool { return p[n].plain > i })-1]
}

// From returns the offset in the original of the byte at i.
func (p Offsets) From(i int) int {
	r := p.run(i)
	return r.whole + i - r.plain
}

// To returns the end in the original of the byte before i.
func (p Offsets) To(i int) int {
	r := p.run(i - 1)
	if r.size > 0 {
		return r.whole + r.size
	}
	return r.whole + i - r.plain
}

const notationReach = 2 << 10 // bytes around a character in another notation that are searched

// Plain returns s in plain notation, and nil Offsets if it already is. Text far from any other notation is left
// out.
func Plain(s string) (string, Offsets) {
	if len(s) < 64 && !mayHaveNotation(s) {
		return s, nil
	}
	x := notations{s: s}
	p := x.find(0)
	if p.at == len(s) {
		return s, nil
	}
	var b strings.Builder
	var runs Offsets
	add := func(run offsetPair) {
		if len(runs) > 0 && runs[len(runs)-1].plain == run.plain {
			runs = runs[:len(runs)-1]
		}
		runs = append(runs, run)
	}
	last := max(0, p.at-notationReach)
	add(offsetPair{0, last, 0})
	for p.at < len(s) {
		b.WriteString(s[last:p.at])
		if p.plain != 0 {
			add(offsetPair{b.Len(), p.at, max(p.size, p.reach)})
			b.WriteByte(p.plain)
		}
		last = p.at + p.size
		p = x.find(last)
		add(offsetPair{b.Len(), last, 0})
		if p.at > last+2*notationReach {
			b.WriteString(s[last : last+notationReach])
			last += notationReach
			add(offsetPair{b.Len(), last, 1})
			b.WriteByte('\n')
			last = max(last, p.at-notationReach)
			if p.at == len(s) {
				return b.String(), runs
			}
			add(offsetPair{b.Len(), last, 0})
		}
	}
	b.WriteString(s[last:])
	return b.String(), runs
}

// mayHaveNotation is a fast check of a short text.
func mayHaveNotation(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf, c == '&', c == '%', c == '\\', c == '+', c == 0x1B, c == '(', c == '[', c == '{', c == '.',
			c == '\n':
			return true
		}
	}
	return false
}

// signs are the ASCII texts with which another notation begins, or that it contains.
var signs = [...]string{
	"\x1b[", "&", "%", `\u`, `\x`, "+", "\\\n", "' . '", `" . "`, "' .. '", `" .. "`, ".concat(", "'\n", "\"\n", "=\n",
	"harCode(", "hr(", "([", " [", "byte{", "] = {", "[]{", "0: ", "0  ",
}

// piece is a part of a text that is in another notation.
type piece struct {
	at, size int
	reach    int  // bytes that a secret takes which ends here, if more than size
	plain    byte // the ASCII character that it stands for, 0 for none
}

// notations finds the characters of a text that are in another notation.
type notations struct {
	s       string
	next    [len(signs) + 1]int // the next place of each sign and of a character outside ASCII
	used    bool
	pending []piece // of a list that was read as a whole
	mail    int     // whether the text is encoded as in mail: 0 for not known yet, 1 for yes, -1 for no
}

// find returns the next piece in another notation at or after i. Without one it is at the end of the text.
func (x *notations) find(i int) piece {
	if len(x.pending) > 0 {
		p := x.pending[0]
		x.pending = x.pending[1:]
		return p
	}
	for class := range x.next {
		if !x.used || x.next[class] < i {
			x.advance(class, i)
		}
	}
	x.used = true
	for {
		at, class := len(x.s), 0
		for c, place := range x.next {
			if place < at {
				at, class = place, c
			}
		}
		if at == len(x.s) {
			return piece{at: at}
		}
		if x.readList(at, class, i) {
			return x.find(i)
		}
		if from, n, plain := x.read(at, class); n > 0 && from >= i {
			return piece{at: from, size: n, plain: plain}
		}
		x.advance(class, at+1)
	}
}

// advance moves to the next place of a sign at or after i.
func (x *notations) advance(class, i int) {
	n := -1
	if i < len(x.s) {
		if class == len(signs) {
			n = indexWide(x.s[i:])
		} else {
			n = strings.Index(x.s[i:], signs[class])
		}
	}
	if x.next[class] = len(x.s); n >= 0 {
		x.next[class] = i + n
	}
}

// indexWide returns the index of the first byte of s that is not ASCII, or -1.
func indexWide(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if (s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7])&0x80 != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// read reads the character at s[at:], whose first byte is in a class. It returns where it begins, which for the joint
// of two literals is before its sign, and size 0 if it is in plain notation.
func (x *notations) read(at, class int) (from, size int, plain byte) {
	s := x.s
	switch {
	case class == len(signs):
		r, n := utf8.DecodeRuneInString(s[at:])
		if plain, ok := plainRune(r); ok {
			return at, n, plain
		}
		if letter := lookalike(r); letter != 0 && isInMixedWord(s, at) {
			return at, n, letter
		}
		return at, 0, 0
	case s[at] == '+':
		from, size = joint(s, at, 1)
		return from, size, 0
	case s[at] == '=':
		return at, x.softBreak(at), 0
	case isQuote(s[at]):
		from, size = joint(s, at+1, len(signs[class])-2)
		return from, size, 0
	case strings.HasPrefix(s[at:], ".concat("):
		from, size = joint(s, at, len(".concat("))
		return from, size, 0
	case strings.HasPrefix(s[at:], "\\\n"):
		return at, continuation(s, at), 0
	case s[at] == '&':
		if size, plain = entity(s[at:]); size == 0 {
			at, size = joint(s, at, 1)
		}
	case s[at] == '%':
		size, plain = escape(s[at:])
	case s[at] == '\\':
		for n := 0; n < 3 && at > 0 && s[at-1] == '\\'; n++ {
			at--
		}
		size, plain = escape(s[at:])
	default:
		size = sizeOfANSI(s[at:])
	}
	return at, size, plain
}

// sizeOfANSI returns the size of the ANSI escape sequence that s begins with, or 0.
func sizeOfANSI(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	n := len("\x1b[")
	for n < len(s) && s[n] >= ' ' && s[n] < '@' {
		n++
	}
	if n < len(s) && s[n] >= '@' && s[n] <= '~' {
		n++
	}
	return n
}

// namedEntities are the entities of HTML that stand for a sign between a name and its value, or in a password.
var namedEntities = [...]struct {
	name  string
	plain byte
}{
	{"quot;", '"'},
	{"apos;", '\''},
	{"lt;", '<'},
	{"gt;", '>'},
	{"equals;", '='},
	{"colon;", ':'},
	{"nbsp;", ' '},
	{"lowbar;", '_'},
	{"UnderBar;", '_'},
	{"dash;", '-'},
	{"hyphen;", '-'},
	{"period;", '.'},
	{"excl;", '!'},
	{"num;", '#'},
	{"dollar;", '$'},
	{"commat;", '@'},
	{"sol;", '/'},
	{"plus;", '+'},
	{"ast;", '*'},
	{"quest;", '?'},
	{"vert;", '|'},
	{"Tab;", '\t'},
	{"NewLine;", '\n'},
	{"semi;", ';'},
	{"comma;", ','},
	{"grave;", '`'},
	{"amp;", '&'},
	{"shy;", 0},
	{"zwnj;", 0},
	{"zwj;", 0},
	{"ZeroWidthSpace;", 0},
	{"lrm;", 0},
	{"rlm;", 0},
	{"NoBreak;", 0},
}

const maxEntity = 24 // bytes of an entity

// entity reads the entity of HTML that s begins with. The & of an entity may itself be an entity.
func entity(s string) (size int, plain byte) {
	if len(s) < 3 || s[1] != '#' && (!ascii.IsLetter(s[1]) || strings.IndexByte(s[:min(len(s), maxEntity)], ';') < 0) {
		return 0, 0
	}
	n := len("&")
	for strings.HasPrefix(s[n:], "amp;") && n < 16 && (strings.HasPrefix(s[n+4:], "#") || namedEntity(s[n+4:]) > 0) {
		n += len("amp;")
	}
	if i := namedEntity(s[n:]); i > 0 {
		e := namedEntities[i-1]
		return n + len(e.name), e.plain
	}
	if !strings.HasPrefix(s[n:], "#") {
		return 0, 0
	}
	n++
	base, digits := rune(10), ascii.IsDigit
	if n < len(s) && s[n]|0x20 == 'x' {
		base, digits = 16, ascii.IsHex
		n++
	}
	code, first := rune(0), n
	for n < len(s) && n-first < 8 && digits(s[n]) {
		code = code*base + rune(hexValue(s[n]))
		n++
	}
	if n == first || code < 0 || code > utf8.MaxRune {
		return 0, 0
	}
	n = ascii.SkipAny(s, n, ";", 1)
	if code < utf8.RuneSelf {
		return n, byte(code)
	}
	plain, ok := plainRune(code)
	if !ok {
		return 0, 0
	}
	return n, plain
}

// namedEntity returns the index in namedEntities, from 1, of the name that s begins with, or 0.
func namedEntity(s string) int {
	for i := range namedEntities {
		if strings.HasPrefix(s, namedEntities[i].name) {
			return i + 1
		}
	}
	return 0
}

// escape reads %41, \u0041, \x41 or the like for a visible ASCII character at the start of s.
func escape(s string) (size int, plain byte) {
	n := 0
	switch {
	case s[0] == '%':
		n = len("%")
		for strings.HasPrefix(s[n:], "25") && n < 7 && len(s) > n+4 && ascii.IsHex(s[n+2]) &&
			ascii.IsHex(s[n+3]) { // encoded twice
			n += len("25")
		}
	default:
		n = ascii.SkipAny(s, 0, `\`, 4)
		if n == len(s) {
			return 0, 0
		}
		switch {
		case strings.HasPrefix(s[n:], "u00"):
			n += len("u00")
		case s[n] == 'x':
			n++
		default:
			return 0, 0
		}
	}
	if len(s) < n+2 || !ascii.IsHex(s[n]) || !ascii.IsHex(s[n+1]) {
		return 0, 0
	}
	plain = hexValue(s[n])<<4 | hexValue(s[n+1])
	if plain <= ' ' || plain >= 0x7F {
		return 0, 0
	}
	return n + 2, plain
}

func hexValue(c byte) byte {
	if ascii.IsDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// joint returns the end of one literal and the start of the next, which together are one text, around the size bytes
// of the sign between them: "a" + "b". Without a sign the next one is on the next line.
func joint(s string, sign, size int) (from, n int) {
	const reach = 64
	if sign == 0 || !isQuote(s[sign-1]) && strings.IndexByte(" \t\r\n\\", s[sign-1]) < 0 {
		return 0, 0
	}
	before := strings.TrimRight(s[max(0, sign-reach):sign], " \t\r\n\\")
	after := strings.TrimLeft(s[sign+size:min(len(s), sign+size+reach)], " \t\r\n")
	if before == "" || len(after) < 2 || !isQuote(after[0]) || before[len(before)-1] != after[0] ||
		!ascii.IsToken(after[1]) || size == 0 && (len(before) < 2 || !ascii.IsToken(before[len(before)-2])) {
		return 0, 0
	}
	from = max(0, sign-reach) + len(before) - 1
	to := min(len(s), sign+size+reach) - len(after) + 1
	return from, to - from
}

// continuation returns the size of the backslash at s[at], the end of the line and the blanks after it if the word
// before it goes on there, else 0.
func continuation(s string, at int) int {
	next := ascii.SkipAny(s, at+len("\\\n"), " \t", notationReach)
	if at == 0 || !ascii.IsToken(s[at-1]) || next == len(s) || !ascii.IsWordByte(s[next]) {
		return 0
	}
	return next - at
}

// plainRune returns the ASCII character that r looks like, 0 for an invisible one. ok is false if r looks like none.
func plainRune(r rune) (plain byte, ok bool) {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E: // full-width forms
		return byte(r - 0xFF01 + '!'), true
	case r >= 0x1D400 && r < 0x1D6A4: // mathematical letters
		return alphabet[(r-0x1D400)%52], true
	case r >= 0x1D7CE && r < 0x1D800:
		return '0' + byte((r-0x1D7CE)%10), true
	case r >= 0x24B6 && r <= 0x24E9: // letters in circles
		return alphabet[(r - 0x24B6)], true
	case r >= 0xE0000 && r <= 0xE007F, r >= 0xFE00 && r <= 0xFE0F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r >= 0x0300 && r <= 0x036F:
		return 0, true
	case r >= 0x2000 && r <= 0x200A:
		return ' ', true
	}
	switch r {
	case 0xAD, 0xFEFF, 0x180E, 0x034F, 0x061C, 0x115F, 0x1160, 0x3164, 0xFFA0:
		return 0, true
	case 0xA0, 0x202F, 0x205F, 0x3000:
		return ' ', true
	case '“', '”', '„', '‟', '«', '»', '″', '＂':
		return '"', true
	case '‘', '’', '‚', '‛', '‹', '›', '′':
		return '\'', true
	case '∶', '：', '︓', '﹕', 'ː', '꞉':
		return ':', true
	case '﹦', '꞊':
		return '=', true
	case '‐', '‑', '‒', '﹣', '−':
		return '-', true
	case '﹍', '﹎', '﹏', 'ˍ':
		return '_', true
	case '∣', '⏐', 'ǀ':
		return '|', true
	}
	return 0, false
}

// lookalike returns the letter that r, a letter of another script, looks like, or 0.
func lookalike(r rune) byte {
	if r > 0x2E7F && r != 'ꜱ' { // Chinese, Japanese, Korean
		return 0
	}
	for i, look := range lookalikeRunes {
		if r == look {
			return lookalikeLetters[i/3]
		}
	}
	return 0
}

// isInMixedWord reports whether the word around s[i] has ASCII letters as well.
func isInMixedWord(s string, i int) bool {
	const reach = 16
	for j := i - 1; j >= max(0, i-reach) && (s[j] >= utf8.RuneSelf || ascii.IsWordByte(s[j])); j-- {
		if ascii.IsLetter(s[j]) {
			return true
		}
	}
	for j := i; j < min(len(s), i+reach) && (s[j] >= utf8.RuneSelf || ascii.IsWordByte(s[j])); j++ {
		if ascii.IsLetter(s[j]) {
			return true
		}
	}
	return false
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// lookalikeRunes are letters of other scripts that look like those of lookalikeLetters, three for each.
var lookalikeRunes = [...]rune{
	'а', 'ɑ', 'α', 'с', 'ϲ', 'ᴄ', 'ԁ', 'ɗ', 'ⅾ', 'е', 'ҽ', 'ė', 'һ', 'հ', 'Ꮒ', 'і', 'ı', 'ι', 'ј', 'ϳ', 'յ', 'к', 'κ', 'ĸ',
	'ո', 'п', 'ƞ', 'о', 'ο', 'օ', 'р', 'ρ', '⍴', 'ѕ', 'ꜱ', 'ƽ', 'т', 'τ', 'ᴛ', 'у', 'ү', 'γ', 'ѡ', 'ԝ', 'ա', 'х', 'χ', 'ⅹ',
	'А', 'Α', 'Ꭺ', 'К', 'Κ', 'Ⲕ', 'І', 'Ι', 'Ӏ', 'Р', 'Ρ', 'Ꮲ', 'Ѕ', 'Տ', 'Ꮪ', 'Е', 'Ε', 'Ꭼ', 'Т', 'Τ', 'Ꭲ', 'О', 'Ο', 'Օ',
	'Х', 'Χ', 'Ⅹ', 'С', 'Ϲ', 'Ⅽ',
}

const lookalikeLetters = "acdehijknopstywxAKIPSETOXC"

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
