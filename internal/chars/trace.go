package chars

import (
	"strings"
	"unicode/utf8"
)

// minTrace is how many characters a line needs to be recognised elsewhere.
// Shorter ones are everybody's: "go test" is in every session.
const minTrace = 12

func TraceLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimSuffix(Folded(line), "…"))
		if utf8.RuneCountInString(line) >= minTrace {
			out = append(out, line)
		}
	}
	return out
}

// maxLead is how many characters of a text are told at least, wherever it is
// told cut short.
const maxLead = 60

// TracesOfText are the lines, folded, by which other texts give away what was
// asked or handed on in a session once that is erased: its lines, and how it
// begins, as it is told in one line and cut short.
func TracesOfText(text string) []string {
	out := TraceLines(text)
	if lead := []rune(Folded(text)); len(lead) > maxLead {
		out = append(out, strings.TrimSpace(string(lead[:maxLead])))
	}
	return out
}

// Folded makes texts comparable that were wrapped, escaped or marked up
// differently: it is one line without backslashes and the signs of Markdown.
func Folded(s string) string { return Line(Unmarked(s)) }

// Unmarked is a text without backslashes and the signs of Markdown.
func Unmarked(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) { // by bytes: what is taken out has one each
		switch c := s[i]; c {
		case '\\', '*', '_', '#', '>', '`':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
