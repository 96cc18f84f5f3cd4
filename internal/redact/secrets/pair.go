package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Name and value may be apart: two lines or attributes of one record, or a default after the variable of the
// environment. For the columns of a table see column.go.

const (
	pairReach = 120     // bytes after a name in which its value is searched
	maxRecord = 2 << 10 // bytes of a record with one column per line
)

// pairLinks are the words between a name and a value apart from it. The first looseLinks may also follow a name in a
// row of words, as flags do.
var pairLinks = [...]string{
	"--value", "--body", "--secret-string", "<<<", "value", "Value", "default", "Default", "<string>", "??", "||",
	".type(", ".fill(", ".send_keys(", ".sendKeys(", "-Value", "-b", ".toBe(", ".toEqual(",
}

const looseLinks = 4

// findPaired finds the value apart from its name, which ends at s[:right].
func (a *assignment) findPaired(s string, right int) (from, to int, ok bool) {
	rest := s[right:min(len(s), right+pairReach)]
	links := pairLinks[:]
	opened := right > len(a.name) && s[right-len(a.name)-1] == '<' // an element with attributes
	if !opened && len(rest) > 1 && ascii.IsBlank(rest[0]) && ascii.IsWordByte(rest[1]) {
		links = links[:looseLinks]
	}
	for _, link := range links {
		n := strings.Index(rest, link)
		if n < 0 || strings.Contains(strings.Replace(rest[:n], "name>", "", 1), "name") ||
			strings.Count(rest[:n], "\n") > pairLines(link) {
			continue
		}
		i, ok := a.readLink(s, right+n, link)
		if ok && a.takes(s, i) {
			from, to = a.readValue(s, i)
			a.value = s[from:to]
			return from, to, a.isSecret()
		}
	}
	return 0, 0, false
}

// pairLines returns how many lines may be between a name and its value.
func pairLines(link string) int {
	if link[0] == '.' { // a method call after the name
		return 0
	}
	return 3
}

// readLink reads the link at s[i:] with its punctuation and returns the start of the value.
func (a *assignment) readLink(s string, i int, link string) (int, bool) {
	next := i + len(link)
	switch {
	case link[0] == '-': // a flag
		a.strong = true
		return ascii.SkipAny(s, next, " =", 4), next < len(s) && (ascii.IsBlank(s[next]) || s[next] == '=')
	case !ascii.IsLetter(link[0]):
		a.strong, a.listed = link[0] == '<', strings.HasPrefix(link, ".to")
		return ascii.SkipAny(s, next, " \t", 4), true
	case ascii.IsWordByte(s[i-1]) && !(link == "Value" && ascii.IsLower(s[i-1])): // "ParameterValue"
		return 0, false
	}
	next = ascii.SkipAny(s, next, "\"'\\", 6)
	next = ascii.SkipAny(s, next, " \t", 8)
	if next >= len(s) || strings.IndexByte(":=(>", s[next]) < 0 || s[next] == '>' && ascii.IsWordByte(s[i-1]) {
		return 0, false
	}
	a.strong = s[next] == ':' && endsLine(s, next+1) || s[next] == '>' || s[next] == '=' && ascii.IsLower(s[i-1])
	return ascii.SkipAny(s, next+1, " \t", 8), true
}

// takes reports whether a value may begin at s[i:]: it must be quoted unless the syntax is strong.
func (a *assignment) takes(s string, i int) bool {
	q := ascii.SkipAny(s, i, "\\", 4)
	return i < len(s) && (a.strong || q < len(s) && isQuote(s[q]))
}

// isCell reports whether the name that begins at s[left:] begins a cell of a table.
func isCell(s string, left int) bool {
	before := strings.TrimRight(s[max(0, left-maxValue):left], " `*")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if line == "" && strings.Contains(s[max(0, left-maxRecord):left], "-[ RECORD ") { // one column a line
		return true
	}
	if only := strings.Trim(line, " "); only == bars[1] || only == bars[2] {
		return true
	}
	return strings.HasSuffix(line, "|") && strings.HasPrefix(strings.TrimLeft(line, " "), "|") &&
		!strings.HasSuffix(line, "||")
}
