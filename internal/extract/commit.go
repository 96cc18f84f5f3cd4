package extract

import (
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/shell"
)

// maxSubject is the length of a commit's subject, in characters.
const maxSubject = 100

// Commit returns the abbreviated hash and the subject of the commit that a command line made, read from what git
// printed: "[main 1a2b3c4] Fix the clock". ok is false if the command runs no git commit, or the output names none.
func Commit(command, output string) (hash, subject string, ok bool) {
	if !slices.ContainsFunc(shell.Words(command), func(words []string) bool {
		git := slices.Index(words, "git")
		return git >= 0 && slices.Contains(words[git:], "commit")
	}) {
		return "", "", false
	}
	for line := range strings.Lines(output) {
		head, subject, cut := strings.Cut(strings.TrimSpace(line), "] ")
		words := strings.Fields(strings.TrimPrefix(head, "["))
		if !cut || !strings.HasPrefix(head, "[") || len(words) < 2 {
			continue
		}
		if hash = words[len(words)-1]; len(hash) >= 7 && strings.Trim(hash, "0123456789abcdef") == "" {
			return hash, chars.Clip(chars.Line(subject), maxSubject), true
		}
	}
	return "", "", false
}

// ReportsCommit reports whether a statement only says that work was committed, which the commit's subject says better.
func ReportsCommit(statement string) bool {
	l := strings.ToLower(statement)
	return strings.HasPrefix(strings.Trim(l, "*_` "), "commit") ||
		strings.Contains(l, "commit") && len([]rune(l)) < 2*MinStatement
}
