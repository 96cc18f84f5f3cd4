package inject

import (
	"strings"

	"remanence/internal/chars"
)

// StateLineTokens is the largest size of a state line, and maxField that of each of its fields in characters.
const (
	StateLineTokens = 60
	maxField        = 80
)

// StateLine returns one line about the state of the work. Unknown fields are left out; without any field the line
// is empty. tail is a fixed hint for its end and may be empty.
func StateLine(phase, next, blocked, tail string) string {
	if none(blocked) {
		blocked = ""
	}
	for width := maxField; width > 0; width -= 8 {
		line := stateLine(width, phase, next, blocked, tail)
		if chars.Tokens(line) <= StateLineTokens {
			return line
		}
	}
	return ""
}

func stateLine(width int, phase, next, blocked, tail string) string {
	var fields []string
	for _, f := range []struct{ name, text string }{{"Phase", phase}, {"Next", next}, {"BLOCKED", blocked}} {
		if t := chars.Clip(Neutral(f.text), width); t != "" {
			fields = append(fields, f.name+": "+t)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	if tail != "" {
		fields = append(fields, Neutral(tail))
	}
	return HeadMemory + " " + strings.Join(fields, " | ")
}

// none reports whether a field contains a word for "nothing".
func none(s string) bool {
	switch strings.ToLower(strings.Trim(s, " .-\t\r\n")) {
	case "", "none", "nothing", "n/a":
		return true
	}
	return false
}
