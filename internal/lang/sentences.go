package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
)

// WithoutEmphasis removes bold markup outside code.
func WithoutEmphasis(t string) string {
	if !strings.Contains(t, "**") && !strings.Contains(t, "__") {
		return t
	}
	parts := strings.Split(t, "`")
	for i, part := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "**", ""), "__", "")
		}
	}
	return strings.Join(parts, "`")
}

// IsBoldLine reports whether a line is nothing but bold: a heading.
func IsBoldLine(t string) bool {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(t, ":"), "**")
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(strings.TrimSuffix(inner, ":"), "**")
	return ok && !strings.Contains(inner, "**") && len(inner) < 60
}

// TrimListMark removes the list mark of a line and reports whether it had one. An
// unticked box stays.
func TrimListMark(t string) (string, bool) {
	rest := strings.TrimLeft(t, "-*•+")
	if n := len(t) - len(rest); n == 1 || n == len("•") && strings.HasPrefix(t, "•") {
		if trimmed := strings.TrimLeft(rest, " "); trimmed != rest {
			return strings.TrimPrefix(strings.TrimPrefix(trimmed, "[x] "), "[X] "), true
		}
	}
	digits := strings.TrimLeft(t, "0123456789")
	if n := len(t) - len(digits); n > 0 && n < 4 && len(digits) > 1 && (digits[0] == '.' || digits[0] == ')') &&
		digits[1] == ' ' {
		return strings.TrimSpace(digits[1:]), true
	}
	return t, false
}

// StartsSentence reports whether a text begins as a sentence does: not in lower case.
func StartsSentence(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r) || r == '`' || chars.Wide(r)
}

// SplitSentences cuts a line after ., ! and ? that end a sentence: a space and a capital
// or a wide character follows, or any letter where the word before is no
// abbreviation. A full stop inside a name or a number ends nothing.
func SplitSentences(line string) []string {
	var out []string
	rs := []rune(line)
	start, code := 0, false
	for i, r := range rs {
		if r == '`' {
			code = !code
		}
		end := strings.ContainsRune("。！？", r)
		if strings.ContainsRune(".!?", r) {
			end = i+1 == len(rs) ||
				i+2 < len(rs) && rs[i+1] == ' ' &&
					(unicode.IsUpper(rs[i+2]) && !abbreviated(rs[start:i]) || strings.ContainsRune("`¿¡", rs[i+2]) ||
						chars.Wide(rs[i+2]) || unicode.IsLower(rs[i+2]) && wholeWord(rs[start:i]))
		}
		if end && !code {
			if s := strings.TrimSpace(string(rs[start : i+1])); s != "" {
				out = append(out, s)
			}
			start = i + 1
		}
	}
	if s := strings.TrimSpace(string(rs[start:])); s != "" {
		out = append(out, s)
	}
	return out
}

// abbreviated reports whether a text ends with an abbreviation that never ends a
// sentence: "Postgres vs. SQLite".
func abbreviated(rs []rune) bool {
	words := strings.Fields(strings.ToLower(string(rs[max(0, len(rs)-8):])))
	return len(words) > 0 &&
		ContainsAny(
			"|vs|e.g|i.e|cf|mr|mrs|dr|fig|z.b|d.h|bzw|ggf|vgl|nr|p.ej|",
			"|"+strings.TrimLeft(words[len(words)-1], "(")+"|",
		)
}

// wholeWord reports whether a text ends with code, or a word that is no abbreviation.
func wholeWord(rs []rune) bool {
	if len(rs) > 0 && rs[len(rs)-1] == '`' {
		return true
	}
	n := 0
	for n < len(rs) && unicode.IsLetter(rs[len(rs)-1-n]) {
		n++
	}
	if n < 4 || n < len(rs) && rs[len(rs)-1-n] != ' ' && rs[len(rs)-1-n] != '-' {
		return false
	}
	switch strings.ToLower(string(rs[len(rs)-n:])) {
	case "approx", "resp", "evtl", "inkl", "etwa", "vers", "usually":
		return false
	}
	return true
}

// CueText normalizes a sentence for the search of cue words: lower case, one line, a
// space at both ends, no quoted text. Backticks of code stay.
func CueText(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	var until rune
	for _, r := range strings.ToLower(s) {
		switch {
		case until != 0:
			if r == until {
				until = 0
			}
			if r != '`' {
				continue
			}
		case r == '`':
			until = '`'
		case r == '"':
			until = '"'
			continue
		case strings.ContainsRune("“„", r):
			until = '”'
			if strings.ContainsRune(s, '“') && r == '„' {
				until = '“'
			}
			continue
		case r == '«':
			until = '»'
			continue
		case r == '’':
			r = '\''
		case strings.ContainsRune("()[]—–…\t\n\r", r):
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte(' ')
	if until != 0 && until != '`' { // an unclosed quotation mark does not quote
		return " " + strings.ToLower(chars.Line(s)) + " "
	}
	l := " " + chars.Line(b.String()) + " "
	if strings.Contains(l, "nt ") {
		l = strings.NewReplacer(" dont ", " don't ", " doesnt ", " doesn't ", " didnt ", " didn't ", " isnt ", " isn't ",
			" arent ", " aren't ", " wasnt ", " wasn't ", " wont ", " won't ", " cant ", " can't ").
			Replace(l)
	}
	return l
}

// ContainsAny reports whether s contains any of the words.
func ContainsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// HasAnyPrefix reports whether s, without leading space, begins with any of the words.
func HasAnyPrefix(s string, words ...string) bool {
	s = strings.TrimSpace(s)
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// Width returns the length of a text in characters; a character of a script without
// spaces counts twice.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if chars.Wide(r) {
			n++
		}
	}
	return n
}
