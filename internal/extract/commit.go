package extract

import (
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/shell"
)

// maxSubject is the length of a commit's subject, in characters.
const maxSubject = 160

// Commit is a commit as git reported it to the agent.
type Commit struct {
	Hash    string // abbreviated
	Subject string
}

// Commits returns the commits that a command line made, in order, read from what git printed: "[main 1a2b3c4] Fix the
// clock". There are none if the command runs no git commit.
func Commits(command, output string) []Commit {
	if !slices.ContainsFunc(shell.Words(command), func(words []string) bool {
		git := slices.Index(words, "git")
		return git >= 0 && slices.Contains(words[git:], "commit")
	}) {
		return nil
	}
	var out []Commit
	for line := range strings.Lines(output) {
		head, subject, cut := strings.Cut(strings.TrimSpace(line), "] ")
		words := strings.Fields(strings.TrimPrefix(head, "["))
		if !cut || !strings.HasPrefix(head, "[") || len(words) < 2 {
			continue
		}
		if hash := words[len(words)-1]; len(hash) >= 7 && strings.Trim(hash, "0123456789abcdef") == "" {
			out = append(out, Commit{hash, chars.Clip(chars.Line(subject), maxSubject)})
		}
	}
	return out
}

// QuietCommit reports whether a command line that worked made a commit of which git printed no line, as with -q, and
// returns the subject that the line gives it, if any. A commit whose exit status is hidden may have failed.
func QuietCommit(command, output string) (subject string, ok bool) {
	at := strings.Index(command, "commit")
	made := slices.ContainsFunc(shell.Words(command), func(words []string) bool {
		git := slices.Index(words, "git")
		return git >= 0 && shell.Subcommand(words[git+1:]) == "commit" && !slices.Contains(words, "--dry-run")
	})
	if !made || len(Commits(command, output)) > 0 || shell.HidesCommit(command) {
		return "", false
	}
	for line := range strings.Lines(strings.ToLower(output)) {
		if strings.Contains(line, "nothing to commit") || strings.Contains(line, "no changes added") ||
			strings.Contains(line, "fail") && strings.Contains(line, "commit") {
			return "", false
		}
	}
	for _, flag := range []string{"-m ", "-am ", "-qm ", "--message=", "--message "} {
		_, text, has := strings.Cut(command[at:], " "+flag)
		if !has || text == "" {
			continue
		}
		if quote := text[:1]; strings.HasPrefix(text, `"$(cat <<`) {
			_, text, _ = strings.Cut(text, "\n")
		} else if quote == `"` || quote == "'" {
			text, _, _ = strings.Cut(text[1:], quote)
		}
		text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
		return chars.Clip(chars.Line(text), maxSubject), true
	}
	return "", true
}

// MakesCommitOf reports whether a call made the commit that a command failed to make: one with the same subject.
func MakesCommitOf(failed string, c Call) bool {
	if !strings.Contains(failed, "git commit") || !strings.Contains(c.Command, "commit") {
		return false
	}
	made := Commits(c.Command, c.Output)
	if subject, ok := QuietCommit(c.Command, c.Output); ok && subject != "" {
		made = append(made, Commit{Subject: subject})
	}
	return slices.ContainsFunc(made, func(m Commit) bool { return strings.Contains(failed, m.Subject) })
}

// maxCommitWords is the length of a prompt that only asks for a commit, in words.
const maxCommitWords = 4

// AsksToCommit reports whether a prompt asks to commit or to push what was done, and for nothing else: "commit this",
// "commit and push". The commands have one name in every language.
func AsksToCommit(prompt string) bool {
	words := strings.Fields(strings.ToLower(prompt))
	return len(words) <= maxCommitWords && slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"commit", "push", "committen"}, strings.Trim(w, ".!,"))
	}) && len(codeNames(prompt)) == 0 && !Asks(prompt)
}

// ReportsCommit reports whether a statement only says that work was committed, which the commit's subject says better.
func ReportsCommit(statement string) bool {
	l := strings.ToLower(statement)
	return strings.HasPrefix(strings.Trim(l, "*_` "), "commit") ||
		strings.Contains(l, "commit") && len([]rune(l)) < 2*MinStatement
}
