package redact

import "strings"

// An assignment gives a value to a name that says secret: in code, in a settings file, on a command line, in a URL,
// in a sentence. The name alone proves nothing and neither does the value; judge weighs both.
type assignment struct {
	class  class
	name   string
	value  string
	quoted bool
	strong bool // written so that the value stands for itself: a flag, NAME=value, a line of a settings file
	prose  bool // "the password is …"
	owned  bool // "my password is …"
}

// class is the sort of secret that a name speaks of.
type class uint8

const (
	noSecret class = iota
	password       // may be a word
	token          // random letters and digits
)

const (
	maxName  = 64
	maxValue = 512
)

// findAssignment reads the assignment round a name's word at s[at:end] and returns the place of its value.
func findAssignment(s string, at, end int) (from, to int, ok bool) {
	var a assignment
	left, right := nameRound(s, at, end)
	a.name = s[left:right]
	a.class = classify(a.name)
	if a.class == noSecret {
		return 0, 0, false
	}
	i, ok := a.separator(s, left, right)
	if !ok {
		return 0, 0, false
	}
	from, to = a.readValue(s, i)
	a.value = s[from:to]
	if !a.quoted && !a.strong { // the end of a sentence is not its last word's
		a.value = strings.TrimRight(a.value, ".,:;!?")
		to = from + len(a.value)
	}
	return from, to, a.judge()
}

// findShortAssignment is findAssignment for a head of two letters and what follows them.
func findShortAssignment(s string, at, _ int) (from, to int, ok bool) {
	return findAssignment(s, at, at+2)
}

// nameRound returns the identifier that holds s[at:end].
func nameRound(s string, at, end int) (left, right int) {
	left, right = at, end
	for left > 0 && at-left < maxName && isNamePart(s[left-1]) {
		left--
	}
	if left < at && endsEscape(s[:left+1]) { // the n of an escaped newline is not the name's
		left++
	}
	for right < len(s) && right-end < maxName && isNamePart(s[right]) {
		right++
	}
	return left, right
}

func isNamePart(c byte) bool { return isWordByte(c) || c == '-' || c == '.' }

// separator reads what stands between name and value and returns where the value begins.
func (a *assignment) separator(s string, left, right int) (int, bool) {
	i := skipAny(s, right, "\"'`\\])*", 6)
	closed := i > right // the name was quoted
	flag := strings.HasPrefix(a.name, "-")
	start := i
	i = skipAny(s, i, " \t", 16)
	blank := i > start
	if i >= len(s) {
		return 0, false
	}
	switch c := s[i]; {
	case c == '=' || c == ':':
		next := skipAny(s, i, "=:>~", 3)
		a.strong = strongPlace(s, left, i, next, a.name, flag)
		i = skipAny(s, next, " \t", 16)
		return a.afterType(s, i, c), i < len(s)
	case c == '!' && strings.HasPrefix(s[i:], "!="):
		return skipAny(s, i+2, "= \t", 8), true
	case c == ',' && closed, c == '(' && !blank && !closed:
		i = skipAny(s, i+1, " \t\\", 8)
		return i, i < len(s) && isQuote(s[i])
	case c == '>' && left > 0 && s[left-1] == '<': // an element of XML
		a.strong = true
		return i + 1, true
	case blank && flag:
		a.strong = true
		return i, true
	case blank:
		a.owned = isOwner(wordBefore(s, left))
		return a.sentence(s, i)
	}
	return 0, false
}

// wordBefore returns the word that ends, a blank apart, at s[:i].
func wordBefore(s string, i int) string {
	s = strings.TrimRight(s[max(0, i-24):i], " \t")
	return s[strings.LastIndexAny(s, " \t\n\"'(,:")+1:]
}

// strongPlace reports whether name and separator s[sep:next] stand as in a settings file or an environment: nothing
// but the name before them on the line, or NAME=value without blanks.
func strongPlace(s string, left, sep, next int, name string, flag bool) bool {
	if flag {
		return true
	}
	glued := next < len(s) && s[sep] == '=' && next == sep+1 && !isBlank(s[next]) && !isBlank(s[sep-1])
	if glued && (name == strings.ToUpper(name) || left > 0 && strings.IndexByte("?&;", s[left-1]) >= 0) {
		return true
	}
	line := s[max(0, left-maxName):left]
	if n := strings.LastIndexByte(line, '\n'); n >= 0 {
		line = line[n+1:]
	} else if left > maxName {
		return false
	}
	line = strings.TrimLeft(line, " \t")
	line = strings.TrimPrefix(line, "- ")
	line = strings.TrimPrefix(line, "export ")
	line = strings.TrimPrefix(line, "set ")
	return strings.Trim(line, "\"'#; \t") == "" && (glued || endsLine(s, next))
}

// endsLine reports whether what follows s[i:] on the line is one word.
func endsLine(s string, i int) bool {
	i = skipAny(s, i, " \t", 16)
	stop := i
	for stop < len(s) && stop-i < maxValue && s[stop] > ' ' {
		stop++
	}
	stop = skipAny(s, stop, " \t\r", 16)
	return stop > i && (stop == len(s) || s[stop] == '\n')
}

// afterType skips the type that some languages put between name and value: "token: string = …".
func (a *assignment) afterType(s string, i int, sep byte) int {
	if sep != ':' {
		return i
	}
	j := skipAny(s, i, "&", 1)
	for j < len(s) && j-i < 24 && (isWordByte(s[j]) || s[j] == '.') {
		j++
	}
	if j == i {
		return i
	}
	j = skipAny(s, j, " \t", 4)
	if j < len(s) && s[j] == '=' && !strings.HasPrefix(s[j:], "==") {
		a.strong = false
		return skipAny(s, j+1, " \t", 8)
	}
	return i
}

// sentence reads " is ", " for the server is ", or nothing but the blank before a value.
func (a *assignment) sentence(s string, i int) (int, bool) {
	line := s[i:min(len(s), i+nearby)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	bare := a.name != "pass" // also a verb
	a.owned = a.owned && bare
	if line != "" && isQuote(line[0]) {
		return i, bare
	}
	for _, verb := range [...]string{"is ", "was ", "ist ", "= ", "is: ", "should be ", "will be ", "set to "} {
		if hasFold(line, verb) {
			a.prose = true
			return i + skipAny(line, len(verb), " \t", 8), true
		}
	}
	for _, link := range [...]string{"for ", "to ", "of ", "on ", "in ", "string "} {
		if !hasFold(line, link) {
			continue
		}
		for _, verb := range [...]string{" is ", " is: ", ": ", " = "} {
			if n := strings.Index(line, verb); n >= 0 {
				a.prose = verb != " = "
				return i + n + len(verb), true
			}
		}
		return 0, false
	}
	a.prose = true
	word := firstWord(s[i:min(len(s), i+maxValue)])
	if a.class == token {
		return i, len(word) >= 20 && isRandom(word)
	}
	return i, bare && isMixed(word) && !isAlgorithm(word)
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n\"'`,;<>|)"); i >= 0 {
		return s[:i]
	}
	return s
}

// readValue returns the place of the value at s[i:], without quotes and string prefixes.
func (a *assignment) readValue(s string, i int) (from, to int) {
	if i+1 < len(s) && strings.IndexByte("bfru@L", s[i]) >= 0 && isQuote(s[i+1]) {
		i++
	}
	slashes := skipAny(s, i, "\\", 8) - i
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
	to = i
	for to < len(s) && to-i < maxValue && s[to] > ' ' && strings.IndexByte(stops, s[to]) < 0 {
		to++
	}
	return i, to
}

// closingQuote finds the quote that ends a value opened by quote behind so many backslashes.
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
