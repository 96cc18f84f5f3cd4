package chars

import (
	"strings"
	"unicode/utf8"
)

// minTrace is the shortest line, in characters, that identifies a text. Shorter
// lines, such as "go test", occur in every session.
const minTrace = 12

// TraceLines returns the folded lines of a text that are long enough to identify it.
func TraceLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimSuffix(Fold(line), "…"))
		if utf8.RuneCountInString(line) >= minTrace {
			out = append(out, line)
		}
	}
	return out
}

// maxLead is the smallest number of characters at which a text is clipped where
// it is shown on one line.
const maxLead = 60

// TracesOfText returns the folded lines that identify a prompt or a handoff after
// its session is erased: its lines, and its beginning as it is shown clipped.
func TracesOfText(text string) []string {
	out := TraceLines(text)
	if lead := []rune(Fold(text)); len(lead) > maxLead {
		out = append(out, strings.TrimSpace(string(lead[:maxLead])))
	}
	return out
}

// Fold normalises text that may be wrapped, escaped or formatted differently:
// it returns one line without backslashes and Markdown characters.
func Fold(s string) string { return Line(StripMarkup(s)) }

// StripMarkup returns s without backslashes and Markdown characters.
func StripMarkup(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) { // the removed characters have one byte each
		switch c := s[i]; c {
		case '\\', '*', '_', '#', '>', '`':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
