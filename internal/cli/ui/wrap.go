package ui

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is the number of cells within which the label at the beginning of a line ends.
const maxLabel = 28

// Wrap breaks a line at its blanks into lines of at most width cells; a word that is longer is left whole. Later lines
// begin where the text of the first one does: after its indentation, its list mark or its label, which two blanks end.
// Codes of styles take no room.
func Wrap(line string, width int) []string {
	hang := textColumn(line)
	if hang > width/2 {
		hang = 0
	}
	var out []string
	for {
		at := breakAt(line, hang, width)
		if at < 0 {
			return append(out, line)
		}
		out = append(out, strings.TrimRight(line[:at], " "))
		line = strings.Repeat(" ", hang) + strings.TrimLeft(line[at:], " ")
	}
}

// textColumn is the number of cells before the text of a line.
func textColumn(line string) int {
	plain := unstyled(line)
	text := strings.TrimLeft(plain, " ")
	indent := len(plain) - len(text)
	if strings.HasPrefix(text, "- ") {
		return indent + 2
	}
	label, rest, ok := strings.Cut(text, "  ")
	if n := Cells(label); ok && n < maxLabel {
		return indent + n + 2 + len(rest) - len(strings.TrimLeft(rest, " "))
	}
	return indent
}

// breakAt is the position of the blank at which a line is broken, the last after hang cells before which it fits into
// width, or else the first; -1 if the line fits, or has no such blank.
func breakAt(line string, hang, width int) int {
	at, col, word := -1, 0, false
	for i := 0; i < len(line); {
		if n := styleLen(line[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		switch {
		case r != ' ':
			col += cellsOf(r)
			word = word || col > hang
			if col > width && at >= 0 {
				return at
			}
		case word && col > width:
			return i
		default:
			if word {
				at = i
			}
			col++
		}
		i += size
	}
	return -1
}

// unstyled is a text without codes of styles.
func unstyled(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); {
		if n := styleLen(s[i:]); n > 0 {
			i += n
			continue
		}
		sb.WriteByte(s[i])
		i++
	}
	return sb.String()
}

// styleLen is the length of the code of a style with which s begins, 0 without one.
func styleLen(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}
