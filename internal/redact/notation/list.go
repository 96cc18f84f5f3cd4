package notation

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Characters as numbers: lists of character codes in code, and dumps of bytes in hex. Each is read as a whole, so
// a list counts only if it is long and all of it is text.

const (
	minCodes = 6   // characters of a list; fewer are seldom a text
	maxCodes = 512 // characters of a list or a dump that are read
	maxLine  = 256 // bytes of a line of a dump
)

// readList reads the list of characters at the sign s[at:] into x.pending, if there is one that begins at or after
// least.
func (x *notations) readList(at, class, least int) bool {
	s := x.s
	switch sign := signs[min(class, len(signs)-1)]; {
	case class == len(signs):
		return false
	case sign == "0: ", sign == "0  ":
		x.pending = dump(s, at, least)
	case strings.IndexByte("([{", sign[len(sign)-1]) >= 0 && sign[0] != '.':
		x.pending = codes(s, at+len(sign), least)
	}
	return len(x.pending) > 0
}

// codes reads the list of character codes whose first is at s[at:]. It stands for a quoted text in place of the
// expression that it is part of.
func codes(s string, at, least int) []piece {
	out := []piece{{}}
	end := at
	for at < len(s) && len(out) <= maxCodes {
		c, n := code(s[at:])
		if n == 0 {
			break
		}
		out = append(out, piece{at: at, size: n, plain: c})
		end = at + n
		at = ascii.SkipAny(s, end, " \t\r\n,+&.)(CHRchr$WwL", 24)
	}
	if len(out) <= minCodes {
		return nil
	}
	// Separators belong to the code before them.
	for i := 1; i+1 < len(out); i++ {
		out[i].size = out[i+1].at - out[i].at
	}
	from := expression(s, out[1].at)
	if from < least {
		return nil
	}
	out[0] = piece{at: from, size: out[1].at - from, plain: '"'}
	return append(out, piece{at: end, size: ascii.SkipAny(s, end, ", 0x)}];", 8) - end, plain: '"'})
}

// code reads a character code in decimal or hex, or a literal of one character.
func code(s string) (c byte, size int) {
	if len(s) > 2 && s[0] == '\'' && s[2] == '\'' && s[1] > ' ' && s[1] < 0x7F {
		return s[1], 3
	}
	base, digits, n := 10, ascii.IsDigit, 0
	if strings.HasPrefix(s, "0x") {
		base, digits, n = 16, ascii.IsHex, len("0x")
	}
	first, value := n, 0
	for n < len(s) && n-first < 4 && digits(s[n]) {
		value = value*base + int(hexValue(s[n]))
		n++
	}
	if n == first || value <= ' ' || value >= 0x7F {
		return 0, 0
	}
	return byte(value), n
}

// expression returns where the expression begins that contains s[at:]: after the sign that assigns it, on its line.
func expression(s string, at int) int {
	const reach = 64
	from := at
	for from > 0 && at-from < reach && strings.IndexByte("=:\n;,", s[from-1]) < 0 {
		from--
	}
	return ascii.SkipAny(s, from, " \t", 8)
}

// dump reads the dump of bytes whose first line has its offset at s[at:] or before it. The rest of a line shows its
// bytes as text, and belongs to each of them.
func dump(s string, at, least int) []piece {
	const reach = 32
	line := max(0, at-reach) + strings.LastIndexByte(s[max(0, at-reach):at], '\n') + 1
	line = ascii.SkipAny(s, line, " \t|", 16)
	if line < least || line > 0 && ascii.IsWordByte(s[line-1]) {
		return nil
	}
	var out []piece
	for len(out) <= maxCodes {
		end := min(len(s), line+maxLine)
		if n := strings.IndexByte(s[line:end], '\n'); n >= 0 {
			end = line + n
		}
		bytes := bytesOf(s[line:end], line)
		if len(bytes) == 0 {
			break
		}
		for i := range bytes {
			bytes[i].reach = end - bytes[i].at
		}
		bytes[len(bytes)-1].size = bytes[len(bytes)-1].reach
		if n := len(out); n > 0 {
			out[n-1].size = bytes[0].at - out[n-1].at
		} else { // its offset
			out = append(out, piece{at: line, size: bytes[0].at - line})
		}
		out = append(out, bytes...)
		if line = end + 1; line >= len(s) {
			break
		}
	}
	return out
}

// bytesOf returns the bytes of a line of a dump that begins at offset: eight digits, the bytes in groups, and a column
// of text apart from them. A byte that is no visible character of ASCII counts as a line break.
func bytesOf(line string, offset int) []piece {
	at := ascii.SkipAny(line, 0, "0123456789abcdefABCDEF", 16)
	if at < 7 {
		return nil
	}
	at = ascii.SkipAny(line, at, ":", 1)
	var out []piece
	for len(out) < 32 {
		next := ascii.SkipAny(line, at, " ", 2)
		if next+2 > len(line) || !ascii.IsHex(line[next]) || !ascii.IsHex(line[next+1]) || len(out) >= 16 ||
			next-at == 2 && len(out) != 8 && len(out) > 0 {
			break
		}
		c := hexValue(line[next])<<4 | hexValue(line[next+1])
		if c < ' ' || c >= 0x7F {
			c = '\n'
		}
		out = append(out, piece{at: offset + next, size: 2, plain: c})
		at = next + 2
	}
	for i := 0; i+1 < len(out); i++ {
		out[i].size = out[i+1].at - out[i].at
	}
	return out
}

// softBreak returns the size of the line break that mail puts into a long line at s[at:], or 0.
func (x *notations) softBreak(at int) int {
	s, next := x.s, at+len("=\n")
	if at == 0 || next == len(s) || !ascii.IsToken(s[at-1]) || !ascii.IsToken(s[next]) {
		return 0
	}
	if x.mail == 0 {
		x.mail = -1
		for _, sign := range [...]string{"uoted-printable", "=3D", "=C3=", "=E2="} {
			if strings.Contains(s, sign) {
				x.mail = 1
			}
		}
	}
	if x.mail < 0 {
		return 0
	}
	return next - at
}
