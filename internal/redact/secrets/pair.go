package secrets

import "strings"

// A name and its value may stand apart: as two lines or attributes of one record, as a fall-back behind the variable
// that should have held it. For the columns of a table see columns.

const (
	pairReach = 120     // bytes behind a name in which its value is looked for
	maxRecord = 2 << 10 // bytes of a record with one column a line
)

// pairLinks are the words between a name and a value that stands apart from it. The first few may also follow a name in
// a row of words, as flags do.
var pairLinks = [...]string{
	"--value", "--body", "--secret-string", "<<<", "value", "Value", "default", "Default", "<string>", "??", "||",
	".type(", ".fill(",
	".send_keys(", ".sendKeys(", "-Value", "-b", ".toBe(", ".toEqual(",
}

const looseLinks = 4

// paired reads the value that belongs to the name that ends at s[right] and stands apart from it.
func (a *assignment) paired(s string, right int) (from, to int, ok bool) {
	rest := s[right:min(len(s), right+pairReach)]
	links := pairLinks[:]
	if len(rest) > 1 && isBlank(rest[0]) && isWordByte(rest[1]) {
		links = links[:looseLinks]
	}
	for _, link := range links {
		n := strings.Index(rest, link)
		if n < 0 || strings.Contains(strings.Replace(rest[:n], "name>", "", 1), "name") ||
			strings.Count(rest[:n], "\n") > pairLines(link) {
			continue
		}
		i, ok := a.linked(s, right+n, link)
		if ok && a.takes(s, i) {
			from, to = a.readValue(s, i)
			a.value = s[from:to]
			return from, to, a.judge()
		}
	}
	return 0, 0, false
}

// pairLines is how many lines a name and its value may be apart.
func pairLines(link string) int {
	if link[0] == '.' { // a call on what the name has found
		return 0
	}
	return 3
}

// linked reads a link at s[i:] with its punctuation and returns where the value begins.
func (a *assignment) linked(s string, i int, link string) (int, bool) {
	next := i + len(link)
	switch {
	case link[0] == '-': // a flag
		a.strong = true
		return skipAny(s, next, " =", 4), next < len(s) && (isBlank(s[next]) || s[next] == '=')
	case !isLetter(link[0]):
		a.strong, a.listed = link[0] == '<', strings.HasPrefix(link, ".to")
		return skipAny(s, next, " \t", 4), true
	case isWordByte(s[i-1]) && !(link == "Value" && isLower(s[i-1])): // "ParameterValue"
		return 0, false
	}
	next = skipAny(s, next, "\"'\\", 6)
	next = skipAny(s, next, " \t", 8)
	if next >= len(s) || strings.IndexByte(":=(>", s[next]) < 0 || s[next] == '>' && isWordByte(s[i-1]) {
		return 0, false
	}
	a.strong = s[next] == ':' && endsLine(s, next+1) || s[next] == '>' || s[next] == '=' && isLower(s[i-1])
	return skipAny(s, next+1, " \t", 8), true
}

// takes reports whether a value may begin at s[i:]: without a strong place it is between quotes.
func (a *assignment) takes(s string, i int) bool {
	q := skipAny(s, i, "\\", 4)
	return i < len(s) && (a.strong || q < len(s) && isQuote(s[q]))
}

// isCell reports whether the name that begins at s[left:] fills the cell of a table from its start.
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
