package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// A label and its value may be apart: in two cells of a table, two items of a list, two lines, two elements of HTML, or
// two members of an object. As much other text has that form, the value must look like a secret by itself.

const (
	maxLabelWords = 4  // words before the name in its label
	maxLabelNote  = 24 // bytes of a note in brackets after it
)

// findLabelled finds the value of the label that contains the name s[left:right].
func (a *assignment) findLabelled(s string, left, right int) (from, to int, ok bool) {
	i := labelEnds(s, right)
	if i == len(s) || strings.IndexByte(" \t\r\n.<|,({[", s[i]) < 0 && separatorOf(s[i:]) == "" {
		return 0, 0, false
	}
	before, whole := labelBefore(s, left)
	if !whole {
		return 0, 0, false
	}
	switch rest := ascii.SkipAny(s, i, " \t\r", 64); {
	case rest == len(s):
		return 0, 0, false
	case s[rest] == '<':
		if from = afterElements(s, rest); from == rest {
			from++ // a value in brackets
		}
	case strings.IndexByte("({[", s[rest]) >= 0:
		from = rest + 1
	case s[rest] == '\n' && before == ':':
		return a.findNextMember(s, rest)
	case s[rest] == '\n':
		from = nextItem(s, rest)
	case isBar(separatorOf(s[rest:])) && (before == '|' || before == '\n'):
		if line, _, _ := strings.Cut(s[rest:], "\n"); isRuler(firstCell(s[min(len(s), rest+len(line)+1):], "\n")) {
			return 0, 0, false // the label heads a column
		}
		from = ascii.SkipAny(s, rest+len(separatorOf(s[rest:])), " \t`*|", 32)
	case s[rest] == ',' && before == '"' || before == '\n' && strings.IndexByte(",;", s[rest]) >= 0 && rest == i:
		return a.findMember(s, left, rest)
	case before == '\n' && strings.HasPrefix(s[rest:], "...") || rest > i+1 || rest > i && s[i] == '\t':
		from = ascii.SkipAny(s, ascii.SkipAny(s, rest, ".", 64), " \t`", 64)
	default:
		return 0, 0, false
	}
	return a.labelled(s, from, a.class == token)
}

// labelEnds returns the end of the label whose name ends at s[:i]: after marks, a note in brackets and a colon.
func labelEnds(s string, i int) int {
	i = ascii.SkipAny(s, i, "*_`\"']", 4)
	if strings.HasPrefix(s[i:], " (") {
		if n := strings.IndexAny(s[i:min(len(s), i+maxLabelNote)], ")\n"); n > 0 && s[i+n] == ')' {
			i += n + 1
		}
	}
	if strings.HasPrefix(s[i:], " #") { // "Password #1"
		i = ascii.SkipAny(s, i+len(" #"), decimalDigits, 2)
	}
	if strings.HasPrefix(s[i:], " is:") {
		i += len(" is")
	}
	i = ascii.SkipAny(s, ascii.SkipAny(s, i, ":", 1), "*_`", 4)
	if i > 0 && s[i-1] == ':' && strings.HasPrefix(s[i:], ":=") {
		i += len(":=")
	}
	return i
}

// labelBefore returns the sign before the label whose name begins at s[left:]: '\n' for the start of a line, '|' for a
// cell, '>' for an element, '"' for a text. whole is false if the name is part of a longer text.
func labelBefore(s string, left int) (sign byte, whole bool) {
	words := 0
	for i := left - 1; i >= 0; i-- {
		switch c := s[i]; {
		case c == '\n' || c == '\r':
			return '\n', true
		case c == ':' && ascii.IsBlank(s[i+1]):
			return ':', true
		case c == '|' || c == '>' || c == '"' || c == '\'':
			return strings.NewReplacer("'", "\"").Replace(s[i : i+1])[0], true
		case c >= 0x80:
			if isBar(separatorOf(s[max(0, i-2):])) {
				return '|', true
			}
			return 0, false
		case c == ' ':
			if words++; words > maxLabelWords {
				return 0, false
			}
		case !ascii.IsWordByte(c) && strings.IndexByte("#*-+.)`\t&[]", c) < 0 || left-i > maxName:
			return 0, false
		}
	}
	return '\n', true
}

// nextItem returns the start of the text of the next line or item, after the line that ends at s[i:].
func nextItem(s string, i int) int {
	for range 4 {
		i = ascii.SkipAny(s, i, "\r\n", 6)
		line, _, _ := strings.Cut(s[i:min(len(s), i+maxValue)], "\n")
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "```") && (text == "" || strings.Trim(text, "=-~^") != "") {
			break
		}
		i += len(line)
	}
	i = ascii.SkipAny(s, i, " \t>", 32)
	if mark := ascii.SkipAny(s, i, "-*+:•", 1); mark < len(s) && ascii.IsBlank(s[mark]) {
		i = ascii.SkipAny(s, mark, " \t", 8)
	}
	return ascii.SkipAny(s, i, "`*\"'", 3)
}

// afterElements returns the start of the text after the elements of HTML that end and begin at s[i:], or i if they
// begin no value.
func afterElements(s string, i int) int {
	next := i
	for next < len(s) && s[next] == '<' {
		n := strings.IndexByte(s[next:min(len(s), next+maxLabelTag)], '>')
		if n < 0 {
			return i
		}
		tag := ascii.Lower(s[next : next+n])
		if next == i && !strings.HasPrefix(tag, "</") || strings.HasPrefix(tag, "<th") || strings.HasPrefix(tag, "<input") {
			return i
		}
		next = ascii.SkipAny(s, next+n+1, ": \t\r\n", 64)
	}
	return next
}

const maxLabelTag = 128 // bytes of an element

// findMember finds the value in the next cell of a line of comma-separated values, or in the next members of an object
// of which the label is a member: {"label": "API key", "content": "…"}.
func (a *assignment) findMember(s string, left, comma int) (from, to int, ok bool) {
	i := ascii.SkipAny(s, comma+1, " \t\r\n\\", 48)
	if from, to, ok = a.labelled(s, ascii.SkipAny(s, i, "\"'", 1), false); ok && !strings.Contains(s[comma:i], "\n") {
		end := ascii.SkipAny(s, to, "\"'", 1)
		return from, to, end == len(s) || strings.IndexByte("\r\n]),", s[end]) >= 0
	}
	if !isMemberValue(s, left) {
		return 0, 0, false
	}
	return a.findNextMember(s, i)
}

// findNextMember finds the value of one of the next members, which begin at s[i:].
func (a *assignment) findNextMember(s string, i int) (from, to int, ok bool) {
	for range 3 {
		rest := s[i:min(len(s), i+pairReach)]
		n := strings.IndexAny(rest, ":}")
		if n < 0 || rest[n] == '}' {
			break
		}
		if from, to, ok = a.labelled(s, ascii.SkipAny(s, i+n+1, " \t\"'\\", 8), false); ok {
			return from, to, true
		}
		next := strings.IndexAny(rest[n:], ",\n")
		if next < 0 {
			break
		}
		i += n + next + 1
	}
	return 0, 0, false
}

// labelled reads the value at s[i:] and reports whether it looks like a secret by itself.
func (a *assignment) labelled(s string, i int, uuid bool) (from, to int, ok bool) {
	to = i
	for to < len(s) && to-i < maxLong && s[to] > ' ' && strings.IndexByte("\"'`<|", s[to]) < 0 {
		to++
	}
	v := strings.TrimRight(s[i:to], ",;")
	to = i + len(v)
	rest := ascii.SkipAny(s, to, "\"'`*,; \t\r", 16)
	if rest < len(s) && strings.IndexByte("\n<>|})]", s[rest]) < 0 && rest < to+2 && separatorOf(s[rest:]) == "" {
		return 0, 0, false // one word of several
	}
	if a.class == password {
		return i, to, isStrongPassword(v) && !names.IsAlgorithm(v) && !looksLikePath(v)
	}
	return i, to, isVendorKey(v, uuid) && entropy(v) >= 3
}
