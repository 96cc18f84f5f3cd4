package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// Some commands print only a secret, such as "pass show". Their output is a secret although it has no name beside it.
// In a text, the command follows a shell prompt; in an event, command and output are two members.

// findPrinted returns the position of the output of the command whose line contains the name s[left:right].
func (a *assignment) findPrinted(s string, left, right int) (from, to int, ok bool) {
	if a.class == someKey {
		return 0, 0, false
	}
	line := s[max(0, left-commandLine):left]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	n := strings.IndexByte(s[right:min(len(s), right+commandLine)], '\n')
	if n < 0 || names.IsSource(s[left:right]) || !isPrinting(line+s[left:right]) || !isPassedOn(s[right:right+n]) {
		return 0, 0, false
	}
	from = right + n + 1
	for to = from; to < len(s) && to-from < maxValue && s[to] > ' '; {
		to++
	}
	if end := ascii.SkipAny(s, to, "\r", 1); end < len(s) && s[end] != '\n' {
		return 0, 0, false
	}
	v := s[from:to]
	return from, to, len(v) >= 6 && isPasswordLike(v) && !looksLikeCode(v) && !looksLikePath(v) &&
		!strings.ContainsAny(v, ":,") &&
		(!strings.Contains(v, "/") || len(v) >= 24 && isManyCased(v))
}

// isPassedOn reports whether the rest of a command line passes the command's output on unchanged.
func isPassedOn(rest string) bool {
	for part := range strings.SplitSeq(rest, "| ") {
		switch word, _, _ := strings.Cut(part, " "); strings.TrimRight(word, "\r\"'") {
		case "wc", "grep", "sort", "uniq", "sha256sum", "md5sum", "less":
			return false
		}
	}
	return true
}

// isPrinting reports whether a line is a shell prompt with a command that may print a secret.
func isPrinting(line string) bool {
	at := -1
	for _, prompt := range [...]string{"$ ", "# ", "% ", "> ", "❯ "} {
		if n := strings.Index(line, prompt); n >= 0 && (at < 0 || n+len(prompt) < at) {
			at = n + len(prompt)
		}
	}
	if at < 0 {
		return false
	}
	line = line[at:]
	line = line[strings.LastIndexAny(line, ";&")+1:] // the last of several
	command, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	return names.PrintsSecrets(command[strings.LastIndexByte(command, '/')+1:])
}

// FindPrinted returns the secret at the start of a command's output, if the command may print secrets.
func (f *Finder) FindPrinted(command, output string) (Span, bool) {
	if command == "" || len(command) > commandLine || len(output) > maxValue {
		return Span{}, false
	}
	shown := "$ " + strings.TrimRight(command, "\n") + "\n"
	for _, p := range f.Find(shown + output) {
		if p.From == len(shown) {
			return Span{To: p.To - len(shown), Kind: p.Kind}, true
		}
	}
	return Span{}, false
}
