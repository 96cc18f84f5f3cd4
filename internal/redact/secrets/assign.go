package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// An assignment gives a value to a name that suggests a secret: in code, a settings file, a command line, a URL or a
// sentence. Neither name nor value is enough; isSecret considers both.
type assignment struct {
	class   class
	name    string
	value   string
	quoted  bool
	strong  bool // the syntax allows no other text: a flag, NAME=value, a line of a settings file
	glued   bool // NAME=value without blanks
	prose   bool // "the password is …"
	owned   bool // "my password is …"
	braced  bool // the default of a shell variable: ${NAME:-value}
	listed  bool // a plain word may stand there as well
	inner   bool // the text of an XML element
	escaped bool // percent-encoded, as in a URL within a URL
	whole   bool // NAME=value between quotes
}

// class is the kind of secret that a name suggests.
type class = names.Class

const (
	noSecret = names.None
	password = names.Password
	token    = names.Token
	someKey  = names.SomeKey
)

const (
	maxName  = 64
	maxValue = 512
	maxLong  = 1024 // bytes of a token without quotes
)

// findAssignment reads the assignment whose name contains s[at:end] and returns the position of its value.
func findAssignment(s string, at, end int) (from, to int, ok bool) {
	var a assignment
	left, right := nameAround(s, at, end)
	a.name = s[left:right]
	if isResource(s, left) {
		return 0, 0, false
	}
	a.class = names.Classify(a.name)
	if a.name == "PWD" && (left > 0 && s[left-1] == ';' || assignsPWD(s, left, right)) {
		a.class = password
	}
	if a.class == noSecret {
		return 0, 0, false
	}
	apart := a
	if i, ok := a.readSeparator(s, left, right); ok {
		from, to = a.readValue(s, i)
		a.value = s[from:to]
		if !a.quoted && !a.strong { // the punctuation of a sentence
			a.value = strings.TrimRight(a.value, ".,:;!?")
			to = from + len(a.value)
		}
		if a.isSecret() {
			return from, to, true
		}
	}
	if from, to, ok = apart.findPaired(s, right); ok {
		return from, to, true
	}
	if from, to, ok = apart.findPrinted(s, left, right); ok {
		return from, to, true
	}
	if from, to, ok = apart.findLabelled(s, left, right); ok {
		return from, to, true
	}
	return apart.findInClause(s, left, right)
}

// assignsPWD reports whether PWD, which names the working directory of a shell, is a line of a settings file here.
func assignsPWD(s string, left, right int) bool {
	value, found := strings.CutPrefix(s[right:min(len(s), right+maxName)], " = ")
	value = firstWord(value)
	return found && beginsLine(s, left) && isPasswordLike(value) && !looksLikePath(value)
}

// findShortAssignment is findAssignment for a head of two letters and what follows them.
func findShortAssignment(s string, at, _ int) (from, to int, ok bool) {
	return findAssignment(s, at, at+2)
}

// nameAround returns the identifier that contains s[at:end].
func nameAround(s string, at, end int) (left, right int) {
	left, right = at, end
	for left > 0 && at-left < maxName && isNamePart(s[left-1]) {
		left--
	}
	if left < at && endsEscape(s[:left+1]) { // the n of an escaped newline
		left++
	}
	for right < len(s) && right-end < maxName && isNamePart(s[right]) {
		right++
	}
	return left, right
}

func isNamePart(c byte) bool { return ascii.IsWordByte(c) || c == '-' || c == '.' }

// isResource reports whether the word at s[left:] is part of a resource name, as in
// arn:aws:secretsmanager:eu-west-1:1:secret:db.
func isResource(s string, left int) bool {
	if left == 0 || s[left-1] != ':' {
		return false
	}
	from := left
	for from > 0 && left-from < maxValue && (isNamePart(s[from-1]) || s[from-1] == ':' || s[from-1] == '/') {
		from--
	}
	return ascii.HasAnyPrefix(s[from:left], resourcePrefixes[:])
}

// resourcePrefixes begin the names of cloud resources.
var resourcePrefixes = [...]string{"arn:", "aws:arn:", "urn:", "AWS::"}

// wordQuote returns the position of the quote that opens the word whose last part begins at s[left:], or -1 if there is
// none.
func wordQuote(s string, left int) int {
	for i := left - 1; i >= max(0, left-maxName) && s[i] > ' '; i-- {
		if isQuote(s[i]) {
			return i
		}
	}
	return -1
}

// isListed reports whether the quote at s[i] opens a word of a list that is not its first.
func isListed(s string, i int) bool {
	before := strings.TrimRight(s[max(0, i-maxName):i], " \t\r\n\\")
	return strings.HasSuffix(before, ",")
}

// isMemberValue reports whether the quoted word whose last part begins at s[left:] is the value of a member.
func isMemberValue(s string, left int) bool {
	q := wordQuote(s, left)
	return q >= 0 && strings.HasSuffix(strings.TrimRight(s[max(0, q-maxName):q], " \t\\"), ":")
}

// readSeparator reads the text between name and value and returns where the value begins.
func (a *assignment) readSeparator(s string, left, right int) (int, bool) {
	i := ascii.SkipAny(s, right, "\"'`\\])*", 6)
	closed := i > right                 // the name was quoted
	if strings.HasPrefix(s[i:], "[]") { // an array of C
		i += len("[]")
	}
	if ascii.HasFoldPrefix(s[i:], "%5d") {
		i += len("%5d")
	}
	flag := strings.HasPrefix(a.name, "-")
	start := i
	i = ascii.SkipAny(s, i, " \t", 16)
	blank := i > start
	if i >= len(s) {
		return 0, false
	}
	switch c := s[i]; {
	case ascii.HasFoldPrefix(s[i:], "%3d"):
		a.strong, a.escaped = true, true
		return i + len("%3d"), true
	case strings.HasPrefix(s[right:], "'s "):
		a.prose = true
		return right + len("'s "), true
	case i == right && left >= 2 && s[left-2:left] == "${" && ascii.HasAnyPrefix(s[i:], defaultOperators[:]):
		a.strong, a.braced = true, true
		i = ascii.SkipAny(s, i, ":-=", 2)
		return i, i < len(s) && s[i] != '?' && s[i] != '+'
	case c == '=' || c == ':':
		return a.readSign(s, left, right, i)
	case c == '<' && strings.HasPrefix(s[i:], "<<"):
		a.strong = true
		at := blockText(s, i)
		return at, at > i
	case c == '<' && strings.HasPrefix(s[i:], "<- "), c == '{' && !blank && !closed:
		a.listed = c == '{'
		i = ascii.SkipAny(s, i, "<- {", 4)
		return i, i < len(s) && isQuote(s[i])
	case c == '!' && strings.HasPrefix(s[i:], "!="):
		return ascii.SkipAny(s, i+2, "= \t", 8), true
	case c == ',' && closed && wordQuote(s, left) >= 0 && !isMemberValue(s, left), c == '(' && !blank && !closed:
		a.listed = c == ',' && !flag && isListed(s, wordQuote(s, left))
		blanks := " \t\\"
		if flag {
			blanks += "\r\n" // the arguments of a command, one a line
		}
		i = ascii.SkipAny(s, i+1, blanks, 32)
		return i, i < len(s) && isQuote(s[i])
	case c == '>' && opensElement(s, left), c == '>' && (s[i-1] == '"' || s[i-1] == '\''):
		a.strong, a.inner = true, true
		return innerText(s, i+1), true
	case blank && left > 0 && (s[left-1] == '<' || closed && s[left-1] == '"' || s[left-1] == ':') && attributes(s, i) > i:
		a.strong, a.listed, a.inner = true, true, true
		return innerText(s, attributes(s, i)), true
	case blank && c == '(':
		return a.readGroup(s, left, right, i)
	case blank && dashSize(s[i:]) > 0:
		a.prose = true
		return ascii.SkipAny(s, i+dashSize(s[i:]), " \t", 4), true
	case c == '<' && strings.HasPrefix(s[i:], "</") && a.class == password && !strings.HasPrefix(s[i:], "</th><th"):
		a.strong, a.listed = true, true
		return afterTags(s, i), true
	case c == ',' && a.class == password && !closed:
		return a.readComma(s, left, i)
	case isBar(separatorOf(s[i:])) && (isCell(s, left) || c != '|' && beginsLine(s, left)):
		a.strong = true
		return ascii.SkipAny(s, i+len(separatorOf(s[i:])), " \t", 16), true
	case blank && flag:
		a.strong = true
		return i, !closed && !names.IsOption(firstWord(s[i:min(len(s), i+maxName)]))
	case blank:
		a.owned = names.IsOwner(wordBefore(s, left))
		if a.class == password && isBareLine(s, left, i, a.name) {
			a.strong = true
			return i, true
		}
		return a.readSentence(s, i, !isAlsoVerb(s, left, a.name))
	}
	return 0, false
}

// readSign reads the = or : at s[i] and the signs, tags and line ends after it.
func (a *assignment) readSign(s string, left, right, i int) (int, bool) {
	c := s[i]
	next := ascii.SkipAny(s, i, "=:>~", 3)
	a.strong = strongPlace(s, left, i, next, a.name, strings.HasPrefix(a.name, "-"))
	a.glued = c == '=' && !ascii.IsBlank(s[i-1]) && next < len(s) && !ascii.IsBlank(s[next])
	a.whole = a.glued && i == right && left > 0 && isQuote(s[left-1])
	i = ascii.SkipAny(s, next, "*", 2)
	i = ascii.SkipAny(s, i, " \t", 16)
	if i < len(s) && s[i] == '<' && a.class == password {
		a.listed = true
		i = afterTags(s, i)
	}
	if at := nextLine(s, i); c == ':' && a.class == password && at > i && beginsLine(s, left) {
		a.strong, a.listed = true, true
		return at, true
	}
	if at := blockText(s, i); at > i {
		a.strong = true
		return at, true
	}
	if a.whole && i < len(s) && s[i] == s[left-1] { // the quote that closes "NAME="
		return i, false
	}
	return a.afterType(s, i, c), i < len(s)
}

// readGroup reads the parenthesis at s[i] after a name, and the sign after it: "password (default): …".
func (a *assignment) readGroup(s string, left, right, i int) (int, bool) {
	inner, _, _ := strings.Cut(s[i:min(len(s), i+24)], ")")
	i += len(inner) + 1
	if i >= len(s) || s[i] != ':' {
		return 0, false
	}
	return a.readSign(s, left, right, i)
}

// opensElement reports whether s[left:] is the name of an element of XML, maybe after the prefix of its name space.
func opensElement(s string, left int) bool {
	if left > 1 && s[left-1] == ':' {
		for left--; left > 0 && ascii.IsWordByte(s[left-1]); {
			left--
		}
	}
	return left > 0 && s[left-1] == '<'
}

// defaultOperators stand between a shell variable and its default value.
var defaultOperators = [...]string{":-", ":=", "-", "=", ":"}

// promptPhrases stand between a clause about a password and the clause that gives it.
var promptPhrases = [...]string{", use ", ", type ", ", enter ", ", it's ", ", it is ", ", nimm "}

// readComma reads the comma at s[i] after a name: ", use …", or the next argument of a call.
func (a *assignment) readComma(s string, left, i int) (int, bool) {
	for _, phrase := range promptPhrases {
		if strings.HasPrefix(s[i:], phrase) {
			a.prose = true
			return i + len(phrase), true
		}
	}
	a.listed = true
	i = ascii.SkipAny(s, i+1, " ", 2)
	return i, left > 0 && s[left-1] == '(' && i < len(s) && isQuote(s[i])
}

// dashSize returns the size of the dash or arrow, with the blank after it, that s begins with; 0 if there is none.
func dashSize(s string) int {
	for _, dash := range [...]string{"- ", "– ", "— ", "→ ", "-> ", "… ", "• ", "⇒ ", "» ", "=> ", "▸ "} {
		if strings.HasPrefix(s, dash) {
			return len(dash)
		}
	}
	return 0
}

// wordBefore returns the last word of s[:i], without the blanks after it.
func wordBefore(s string, i int) string {
	s = strings.TrimRight(s[max(0, i-24):i], " \t")
	return s[strings.LastIndexAny(s, " \t\n\"'(,:")+1:]
}

// strongPlace reports whether name and separator s[sep:next] are written as in a settings file or an environment: the
// name is the first word of its line, or NAME=value has no blanks.
func strongPlace(s string, left, sep, next int, name string, flag bool) bool {
	if flag {
		return true
	}
	glued := next < len(s) && s[sep] == '=' && next == sep+1 && !ascii.IsBlank(s[next]) && !ascii.IsBlank(s[sep-1])
	if glued && (name == strings.ToUpper(name) || left > 0 && strings.IndexByte("?&;", s[left-1]) >= 0) {
		return true
	}
	return beginsLine(s, left) && (glued || endsLine(s, next))
}

// numberSigns follow the number of a line.
var numberSigns = [...]string{"→", ":", "\t", "|", ".", ")"}

// beginsLine reports whether only signs, a line number and words that set a variable precede s[left:] on its line.
func beginsLine(s string, left int) bool {
	line := s[max(0, left-maxName):left]
	n, escaped := strings.LastIndexByte(line, '\n'), strings.LastIndex(line, `\n`)
	switch {
	case escaped > n:
		line = line[escaped+len(`\n`):]
	case n >= 0:
		line = line[n+1:]
	case left > maxName:
		return false
	}
	line = strings.TrimLeft(line, " \t+-><*/")
	if rest := strings.TrimLeft(line, "0123456789"); len(rest) < len(line) && ascii.HasAnyPrefix(rest, numberSigns[:]) {
		line = strings.TrimLeft(strings.TrimPrefix(rest, "→"), ":\t|.) ")
	}
	line = strings.TrimPrefix(line, "- ")
	line = strings.TrimPrefix(line, "export ")
	line = strings.TrimPrefix(line, "set ")
	return strings.Trim(line, "\"'#; \t+") == ""
}

// isBareLine reports whether a name and the value at s[i:] are a line of a settings file without a sign between them.
func isBareLine(s string, left, i int, name string) bool {
	if !beginsLine(s, left) || !endsLine(s, i) {
		return false
	}
	word := wholeWord(s[i:min(len(s), i+maxValue)])
	switch ascii.Lower(name) {
	case "requirepass", "masterauth", "bindpw", "rootpw":
		return true
	}
	return isMixed(word) && !names.IsAlgorithm(word) && !names.IsVersion(word) || isPassphrase(word) || isJumbled(word)
}

// isAlsoVerb reports whether the name may be a verb: "pass", unless its line mentions a user before it.
func isAlsoVerb(s string, left int, name string) bool {
	if ascii.Lower(name) != "pass" {
		return false
	}
	before := ascii.Lower(s[max(0, left-maxName):left])
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return !strings.Contains(before, "user") && !strings.Contains(before, "login")
}

// afterType skips the type that some languages put between name and value: "token: string = …".
func (a *assignment) afterType(s string, i int, sep byte) int {
	if sep != ':' {
		return i
	}
	j := ascii.SkipAny(s, i, "&", 1)
	for j < len(s) && j-i < 24 && (ascii.IsWordByte(s[j]) || s[j] == '.' || s[j] == '[' || s[j] == ']') {
		j++
	}
	if j == i {
		return i
	}
	blank := j
	j = ascii.SkipAny(s, j, " \t", 4)
	if j < len(s) && s[j] == '=' && !strings.HasPrefix(s[j:], "==") && (j > blank || j+1 < len(s) && isQuote(s[j+1])) {
		a.strong = false
		return ascii.SkipAny(s, j+1, " \t", 8)
	}
	return i
}

// verbs stand between the word for a secret and the secret, longer ones first.
var verbs = [...]string{
	"is set to ", "war mal ", "war ", "soll ", "muss ", "bitte: ", "changed from ", "is now ", "has been reset to ",
	"has been changed to ", "has been set to ", "was reset to ", "was changed to ", "was set to ", "should be ",
	"will be ", "set to ", "is ", "is: ", "was ", "ist ", "ist: ", "lautet ", "lautet: ", "= ", "è ", "es ", "est ", "é ",
}

// readSentence reads " is ", " for the server is ", or only the blank before a value.
func (a *assignment) readSentence(s string, i int, bare bool) (int, bool) {
	line := s[i:min(len(s), i+nearby)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	end := clauseEnd(bare || a.owned)
	a.owned = a.owned && bare
	if q := ascii.SkipAny(line, 0, "@", 1); q < len(line) && isQuote(line[q]) {
		return i, bare
	}
	line, _, _ = strings.Cut(line, end)
	for _, verb := range verbs {
		if ascii.HasFoldPrefix(line, verb) {
			a.prose = true
			return i + ascii.SkipAny(line, len(verb), " \t", 8), true
		}
	}
	if i, ok := a.setTo(s, i, line); ok && bare {
		return i, true
	}
	if _, after, found := strings.Cut(line, " "); found && ascii.HasAnyPrefix(after, signs[:]) && a.class == password {
		return i + len(line) - len(after) + 2, true // "PASSWORD elastic = …"
	}
	for _, link := range [...]string{
		"for ", "to ", "of ", "on ", "in ", "string ", "für ", "fürs ", "dafür ", "vom ", "von ", "zum ", "zur ", "des ",
		"der ",
	} {
		if !ascii.HasFoldPrefix(line, link) {
			continue
		}
		for _, verb := range [...]string{" is ", " is: ", " ist ", " lautet ", ": ", " = "} {
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
	word = wholeWord(s[i:min(len(s), i+maxValue)])
	return i, bare && isPasswordLike(word) && !names.IsVersion(word)
}

// clauseEnd returns the text that ends a clause about a secret. After a verb that is the end of any clause ("the tests
// pass in CI; run: …"), after a noun only the part of a turn's summary that names a command.
func clauseEnd(noun bool) string {
	if noun {
		return "; fixed: `"
	}
	return ";"
}

var signs = [...]string{"= ", ": "}

// setTo reads "to …", as in "set NAME to …" and "changed the password to …".
func (a *assignment) setTo(s string, i int, line string) (int, bool) {
	to := 0
	for _, link := range [...]string{"to ", "auf ", "bitte auf "} {
		if ascii.HasFoldPrefix(line, link) {
			to = len(link)
		}
	}
	if to == 0 {
		return 0, false
	}
	i += ascii.SkipAny(line, to, " \t", 4)
	q := ascii.SkipAny(s, i, "\"'`", 1)
	word := firstWord(s[q:min(len(s), q+maxValue)])
	if !isMixed(word) && !isPassphrase(word) || names.IsAlgorithm(word) {
		return 0, false
	}
	a.prose = true
	return i, len(word) >= 6
}
