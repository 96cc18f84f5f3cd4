package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// Secrets on command lines, where the letter of a flag has a meaning of its own for each command.

const (
	commandLine = 256  // bytes of a command's line that are searched
	commandAll  = 1024 // likewise of a command that continues on further lines
)

// commandAfter returns the rest of the simple command whose head ends at s[:end].
func commandAfter(s string, end int) string {
	line, first := s[end:min(len(s), end+commandAll)], commandLine
	for i := range len(line) {
		switch {
		case line[i] == '|' || line[i] == ';' || line[i] == '\n' && !isContinued(s, end+i):
			return line[:i]
		case line[i] == '\n':
			first = i + commandLine
		case i == first:
			return line[:i]
		}
	}
	return line
}

// isContinued reports whether a shell continues the line that ends at s[i] on the next one.
func isContinued(s string, i int) bool {
	return strings.HasSuffix(strings.TrimSuffix(s[:i], "\r"), "\\")
}

// findGluedPassword finds -pSECRET, as the MySQL tools take it.
func findGluedPassword(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	for i := 0; ; {
		n := indexFlag(line[i:])
		if n < 0 {
			return 0, 0, false
		}
		i += n + len(" -p")
		if from, to, ok = flagValue(s, end+i, end+len(line)); ok && !strings.HasPrefix(s[from:to], "-") {
			return from, to, true
		}
	}
}

// indexFlag returns the position of -p, also in a list of quoted arguments.
func indexFlag(line string) int {
	first := -1
	for _, flag := range [...]string{" -p", "\"-p", "'-p"} {
		if n := strings.Index(line, flag); n >= 0 && (first < 0 || n < first) {
			first = n
		}
	}
	return first
}

// findSpacedPassword finds -p SECRET.
func findSpacedPassword(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	i := strings.Index(line, " -p")
	if i < 0 {
		return 0, 0, false
	}
	return flagValue(s, end+ascii.SkipAny(line, i+len(" -p"), " =:", 4), end+len(line))
}

// findUserPassword finds the password of -u user:SECRET, as HTTP clients take it.
func findUserPassword(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	for _, flag := range [...]string{" -u", " --user", " --proxy-user", " -U", " -a ", " --auth", lettersWith(line, 'u')} {
		if flag != "" && strings.HasSuffix(s[:end], " ") && strings.HasPrefix(line, flag[1:]) { // the head includes the blank
			flag = flag[1:]
		}
		i := strings.Index(line, flag)
		if i < 0 || flag == "" {
			continue
		}
		from, to, ok = flagValue(s, end+ascii.SkipAny(line, i+len(flag), " =", 4), end+len(line))
		if !ok {
			continue
		}
		user, password, found := strings.Cut(s[from:to], ":")
		if found && password == "" && isVendorKey(user, false) { // a key in place of the user
			return from, from + len(user), true
		}
		if found && user != "" && !strings.HasPrefix(password, "//") && notPlaceholder(password) {
			return from + len(user) + 1, to, true
		}
	}
	return 0, 0, false
}

// lettersWith returns the one-letter flags, written as one, that end with the letter c, such as " -sku", or "".
func lettersWith(line string, c byte) string {
	for rest := line; ; {
		n := strings.Index(rest, " -")
		if n < 0 {
			return ""
		}
		rest = rest[n:]
		end := len(" -")
		for end < len(rest) && ascii.IsLetter(rest[end]) {
			end++
		}
		if end > len(" -x") && end < len(rest) && rest[end] == ' ' && rest[end-1] == c {
			return rest[:end]
		}
		rest = rest[1:]
	}
}

// findPasswordFlag finds -p SECRET after -u USER of any command, except those where -p has another meaning.
func findPasswordFlag(s string, at, end int) (from, to int, ok bool) {
	line := s[max(0, at-commandLine):at]
	line = line[strings.LastIndexAny(line, "\n;|&")+1:]
	if strings.Contains(line, "mysql") || strings.Contains(line, "mariadb") || strings.Contains(line, "mkdir") ||
		strings.Contains(line, "compose") || strings.Contains(line, "sudo ") {
		return 0, 0, false
	}
	user := max(strings.LastIndex(line, " -u "), strings.LastIndex(line, " --user"), strings.LastIndex(line, " -U "))
	if user < 0 || strings.HasPrefix(line[user+len(" -u"):], " -") {
		return 0, 0, false
	}
	from, to, ok = flagValue(s, ascii.SkipAny(s, end, " ", 4), end+len(commandAfter(s, end)))
	v := s[from:to]
	return from, to, ok && len(v) >= 6 && isPasswordLike(v) && !names.IsVersion(v) && !strings.ContainsAny(v, ":/")
}

// findLastPassword finds the last argument of a command that hashes it.
func findLastPassword(s string, _, end int) (from, to int, ok bool) {
	line := strings.TrimRight(commandAfter(s, end), " \r\n\\\"'")
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return 0, 0, false
	}
	from, to, ok = flagValue(s, end+i+1, end+len(line))
	return from, to, ok && isPasswordLike(s[from:to]) && s[from] != '-' && !looksLikePath(s[from:to])
}

// findPipedLogin finds "user:password" that is the input of a command.
func findPipedLogin(s string, at, _ int) (from, to int, ok bool) {
	from, to, ok = findPipedPassword(s, at+1, at+1)
	return from, to, ok && isLogin(s[from:to])
}

// spacedFlag returns the position of the argument of a flag, such as " -P ", of the command whose head ends at s[:end].
func spacedFlag(s string, end int, flag string) (from, to int, ok bool) {
	if s[end-1] == ' ' { // the head includes the blank
		end--
	}
	line := commandAfter(s, end)
	i := strings.Index(line, flag)
	if i < 0 {
		return 0, 0, false
	}
	return flagValue(s, end+ascii.SkipAny(line, i+len(flag), " ", 4), end+len(line))
}

// findSambaPassword finds -U user%SECRET.
func findSambaPassword(s string, _, end int) (from, to int, ok bool) {
	from, to, ok = spacedFlag(s, end, " -U ")
	user, password, found := strings.Cut(s[from:to], "%")
	return from + len(user) + 1, to, ok && found && notPlaceholder(password)
}

// findSlashPassword finds /p:SECRET, /pass:SECRET, and the argument after /user:NAME.
func findSlashPassword(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	for _, flag := range [...]string{" /p:", " /pass:", " /password:", " /p "} {
		if i := strings.Index(line, flag); i >= 0 {
			return flagValue(s, end+i+len(flag), end+len(line))
		}
	}
	i := strings.Index(line, " /user:")
	if i < 0 {
		return 0, 0, false
	}
	before := line[:i]
	if word := before[strings.LastIndexByte(before, ' ')+1:]; !strings.ContainsAny(word, `\\/:`) && isPasswordLike(word) {
		return end + i - len(word), end + i, true
	}
	n := strings.IndexByte(line[i+1:], ' ')
	if n < 0 {
		return 0, 0, false
	}
	from, to, ok = flagValue(s, end+ascii.SkipAny(line, i+1+n, " ", 4), end+len(line))
	return from, to, ok && s[from] != '/'
}

// findBatchPassword finds the last argument of htpasswd -b, which takes the password as one.
func findBatchPassword(s string, _, end int) (from, to int, ok bool) {
	line := strings.TrimRight(commandAfter(s, end), " \r\\\"'")
	flags := false
	for word := range strings.FieldsSeq(line) {
		flags = flags || len(word) > 1 && word[0] == '-' && strings.Contains(word, "b")
	}
	i := strings.LastIndexByte(line, ' ')
	if !flags || i < 0 || strings.Count(line, " ") < 3 {
		return 0, 0, false
	}
	from, to, ok = flagValue(s, end+i+1, end+len(line))
	return from, to, ok && s[from] != '-'
}

// findPipedPassword finds the input of a command that reads a password: echo SECRET | sudo -S.
func findPipedPassword(s string, at, _ int) (from, to int, ok bool) {
	line := s[max(0, at-commandLine):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	pipe := strings.LastIndexByte(line, '|')
	if pipe < 0 {
		return findHereString(s, at)
	}
	for _, command := range [...]string{"echo ", "printf "} {
		i := strings.LastIndex(line[:pipe], command)
		if i < 0 {
			continue
		}
		i += len(command)
		for _, flag := range [...]string{"-n ", "-e ", "'%s' ", "'%s\\n' "} {
			if strings.HasPrefix(line[i:pipe], flag) {
				i += len(flag)
			}
		}
		start := at - len(line)
		return flagValue(s, start+i, start+pipe)
	}
	return 0, 0, false
}

// findHereString finds the argument of <<< in the command at s[at:].
func findHereString(s string, at int) (from, to int, ok bool) {
	line := commandAfter(s, at)
	i := strings.Index(line, "<<<")
	if i < 0 {
		return 0, 0, false
	}
	return flagValue(s, ascii.SkipAny(s, at+i+len("<<<"), " ", 2), at+len(line))
}

// flagValue reads one argument at s[i:limit], without its quotes.
func flagValue(s string, i, limit int) (from, to int, ok bool) {
	i = min(ascii.SkipAny(s, i, "\\", 4), limit)
	stops := " \t\"'\\"
	if i < limit && (s[i] == '\'' || s[i] == '"') {
		stops = s[i : i+1]
		i++
	}
	to = i
	for to < limit && strings.IndexByte(stops, s[to]) < 0 {
		to++
	}
	return i, to, notPlaceholder(s[i:to])
}
