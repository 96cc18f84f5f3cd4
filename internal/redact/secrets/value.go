package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// The start and the end of a value.

// readValue returns the position of the value at s[i:], without quotes and string prefixes.
func (a *assignment) readValue(s string, i int) (from, to int) {
	if from, to, ok := a.readEnclosed(s, i); ok {
		a.quoted = true
		return from, to
	}
	if i+1 < len(s) && (s[i] == '{' || s[i] == '[') && isQuote(s[i+1]) && a.name != "" { // the first of several
		a.listed = true
		i++
	}
	if q := skipHash(s, i); a.class == password && q > i {
		i = q
	}
	for _, conversion := range conversions {
		if q := i + len(conversion); strings.HasPrefix(s[i:], conversion) && q < len(s) && isQuote(s[q]) {
			i = q
		}
	}
	if i+1 < len(s) && strings.IndexByte("bfruNEL@$", s[i]) >= 0 && isQuote(s[i+1]) {
		i++
	}
	slashes := ascii.SkipAny(s, i, "\\", 8) - i
	q := i + slashes
	if q < len(s) && isQuote(s[q]) {
		a.quoted = true
		if triple := strings.Repeat(s[q:q+1], 3); strings.HasPrefix(s[q:], triple) {
			q += 2
		}
		return q + 1, closingQuote(s, q+1, s[q], slashes)
	}
	stops := "\"'`,;<>|&)\\"
	if a.strong {
		stops = "\"'`<>|&;\\"
	}
	if a.braced {
		stops += "}"
	}
	to = i
	limit := i + maxValue
	if a.class != password {
		limit = i + maxLong
	}
	if n := strings.Index(s[i:min(len(s), limit)], "%26"); a.escaped && n >= 0 {
		limit = i + n
	}
	mayGoOn := a.class == password || a.name == "credentials"
	for to < min(len(s), limit) && s[to] > ' ' && (strings.IndexByte(stops, s[to]) < 0 || mayGoOn &&
		continuesAfter(s, to)) {
		to++
	}
	if a.strong {
		to = groupsEnd(s, i, to)
	}
	return i, withoutClosers(s, i, to)
}

// skipHash returns the start of the argument of a hash function called at s[i:], or i if there is none.
func skipHash(s string, i int) int {
	end := i
	for end < len(s) && end-i < maxName && (isNamePart(s[end]) || s[end] == ':') {
		end++
	}
	name := ascii.Lower(s[i:end])
	if end+1 < len(s) && s[end] == '(' && isQuote(s[end+1]) &&
		(strings.Contains(name, "hash") || strings.Contains(name, "crypt")) {
		return end + 1
	}
	return i
}

// conversions may precede the quoted text of a value.
var conversions = [...]string{
	"[]byte(", "Some(", "string(", "std::string(", "String(", "new String(", "SecretStr(", "Secret(", "Buffer.from(",
	"bytes(", "bytes.fromhex(", "new TextEncoder().encode(",
}

// readEnclosed reads a value that ends with the XML element that contains it, or with the quotes around NAME=value.
func (a *assignment) readEnclosed(s string, i int) (from, to int, ok bool) {
	rest := s[i:min(len(s), i+maxValue)]
	switch {
	case a.inner:
		n := strings.IndexAny(rest, "<\n")
		return i, i + n, n > 0 && strings.HasPrefix(rest[n:], "</")
	case a.whole && a.class == password:
		q := i - 1
		for q > 0 && (isNamePart(s[q]) || s[q] == '=') {
			q--
		}
		slashes := q - len(strings.TrimRight(s[:q], `\`))
		to = closingQuote(s, i, s[q], slashes)
		v := s[i:to]
		return i, to, isQuote(s[q]) && to < len(s) && v != "" && v[0] != '%' && !strings.ContainsAny(v, " \t\n;") &&
			!strings.Contains(v, "&")
	}
	return 0, 0, false
}

// withoutClosers returns the end of the value s[from:to] without brackets that were opened before its name.
func withoutClosers(s string, from, to int) int {
	line := s[max(0, from-maxValue):from]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for to > from+1 {
		open := byte('{')
		switch s[to-1] {
		case ']':
			open = '['
		case ')':
			open = '('
		case '}':
		default:
			return to
		}
		if strings.IndexByte(line, open) < 0 || strings.IndexByte(s[from:to], open) >= 0 {
			break
		}
		to--
	}
	return to
}

// groupsEnd returns the end of a value of four or six groups of four letters or digits, separated by blanks, as
// services show app passwords. For any other value it returns to.
func groupsEnd(s string, from, to int) int {
	const group = 4
	end, n := from, 0
	for end+group <= len(s) && ascii.All(s[end:end+group], func(c byte) bool {
		return ascii.IsLetter(c) ||
			ascii.IsDigit(c)
	}) {
		n++
		end += group
		if end == len(s) || s[end] != ' ' {
			break
		}
		end++
	}
	if (n == 4 || n == 6) && (end == len(s) || s[end] < ' ') {
		return end
	}
	return to
}

// continuesAfter reports whether an unquoted value continues after the sign at s[i]: the rest of a word follows, and
// not another name with its value.
func continuesAfter(s string, i int) bool {
	if strings.IndexByte(",&;", s[i]) < 0 {
		return false
	}
	rest := i + 1
	for rest < len(s) && rest-i < maxName && s[rest] > ' ' && !isQuote(s[rest]) {
		if strings.IndexByte("=:()[]{}<>\\", s[rest]) >= 0 {
			return false
		}
		rest++
	}
	return rest > i+1 && (rest == len(s) || s[rest] <= ' ')
}

// closingQuote returns the end of a quoted value whose opening quote has so many backslashes before it.
func closingQuote(s string, i int, quote byte, slashes int) int {
	limit := min(len(s), i+8*maxValue)
	run := 0
	for j := i; j < limit; j++ {
		switch {
		case s[j] == '\\':
			run++
			continue
		case s[j] == quote && run <= slashes:
			return j - run
		case s[j] == '\n' || s[j] == '\r':
			return j
		}
		run = 0
	}
	return limit
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n\"'`,;<>|)"); i >= 0 {
		return s[:i]
	}
	return s
}

// wholeWord returns the text before the first blank of s, without the signs that end a clause.
func wholeWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n\"'`"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, ".,:;)!?")
}

// endsLine reports whether the rest of the line at s[i:] is a single word.
func endsLine(s string, i int) bool {
	i = ascii.SkipAny(s, i, " \t", 16)
	stop := i
	for stop < len(s) && stop-i < maxLong && s[stop] > ' ' {
		stop++
	}
	if stop == i {
		return false
	}
	if strings.Contains(s[i:stop], `\n`) {
		return true
	}
	blank := stop
	stop = ascii.SkipAny(s, stop, " \t\r", 16)
	return stop == len(s) || s[stop] == '\n' || stop > blank && (s[stop] == '#' || strings.HasPrefix(s[stop:], "//"))
}
