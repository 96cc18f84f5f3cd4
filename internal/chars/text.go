package chars

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens estimates the number of a model's tokens in s: a quarter of the
// characters, rounded up. Each [Wide] character counts as one token.
func Tokens(s string) int {
	narrow, wide := 0, 0
	for _, r := range s {
		if Wide(r) {
			wide++
		} else {
			narrow++
		}
	}
	return wide + (narrow+3)/4
}

// Wide reports whether r belongs to a script that is written without spaces
// between words.
func Wide(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// UTF16Len returns the length of s in UTF-16 code units, the length of a JavaScript string.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// Thousands formats n with commas between groups of three digits.
func Thousands(n int) string {
	if n < 0 {
		return "-" + Thousands(-n)
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Clip cuts s to at most max characters. A cut text ends with an ellipsis, which is counted.
func Clip(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	if max < 1 {
		return ""
	}
	n := 0
	for i := range s {
		if n == max-1 {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return s
}

// IsClientText reports whether the client, and not the person, wrote a text in the
// user role: local commands and their output, hook feedback, notices.
func IsClientText(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range [...]string{
		"<command-name>", "<command-message>", "<command-args>", "<local-command-",
		"<bash-input>", "<bash-stdout>", "<bash-stderr>", "<task-notification>",
		"Stop hook feedback:",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return IsInterruption(text)
}

// IsInterruption reports whether a text in the user role is the client's note that the person interrupted the turn.
func IsInterruption(text string) bool { return strings.HasPrefix(text, "[Request interrupted by user") }

// WithoutPlanNote returns a prompt without the paragraph that Claude Code adds to a plan that the person accepted. It
// points the model to the transcript of the planning session.
func WithoutPlanNote(prompt string) string {
	const plan, note = "Implement the following plan:", "\nIf you need specific details from before exiting plan mode"
	if !strings.HasPrefix(strings.TrimSpace(prompt), plan) {
		return prompt
	}
	if i := strings.LastIndex(prompt, note); i >= 0 {
		return strings.TrimSpace(prompt[:i])
	}
	return prompt
}

// Erased stands in stored text for each line that held erased words.
const Erased = "[erased]"

// Line folds s into one line: runs of white space become one space.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// WithoutClock returns a line without the date and the time that it begins with.
func WithoutClock(line string) string {
	for {
		word, rest, ok := strings.Cut(line, " ")
		if !ok || strings.Trim(word, "0123456789:.,-TZ[]") != "" ||
			strings.Count(strings.Trim(word, ":"), ":") < 2 && strings.Count(word, "-") != 2 {
			return line
		}
		line = strings.TrimSpace(rest)
	}
}

// FirstLine returns the first line of s that holds more than white space.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if t := strings.TrimSpace(line); t != "" {
			return t
		}
	}
	return ""
}

// HasConflictMarkers reports whether s contains git conflict markers. Markers in a code
// fence are ignored.
func HasConflictMarkers(s string) bool {
	marks := []string{"<<<<<<< ", "=======", ">>>>>>> "}
	next, fenced := 0, false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case next == 0 && strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
		case next == 1 && line == marks[1], next != 1 && strings.HasPrefix(line, marks[next]):
			next++
		}
		if next == len(marks) {
			return true
		}
	}
	return false
}
