package inject

import (
	"strings"

	"remanence/internal/chars"
)

// StateLineTokens is the most that a nudge may take, maxField the most characters
// that each of its fields may.
const (
	StateLineTokens = 60
	maxField        = 80
)

// StateLine is the one line that says where the work stands. Fields that are not
// known are left out; nothing known gives an empty line. tail is a fixed
// hint of ours for its end, which may be empty.
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

// none reports whether a field says that there is nothing to say.
func none(s string) bool {
	switch strings.ToLower(strings.Trim(s, " .-\t\r\n")) {
	case "", "none", "nothing", "n/a":
		return true
	}
	return false
}
