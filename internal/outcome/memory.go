package outcome

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/shell"
)

// Take adds a memory of the session: a summary of a turn, a change, or a command that failed. Others say nothing here.
func (s *Session) Take(m mem.Memory) {
	switch m.Kind {
	case mem.Summary:
		if !strings.HasPrefix(m.Key, extract.SessionKey) {
			s.Turns = append(s.Turns, Turn{
				ID: m.ID, Prompt: m.Source.PromptID, Text: Text(m), At: m.Created, Files: m.Modified,
			})
		}
	case mem.Change:
		for _, f := range m.Modified {
			s.Edits = append(s.Edits, Edit{
				ID: m.ID, Prompt: m.Source.PromptID, File: f, First: m.Created, Last: lastTime(m),
				Written: m.Tool == mem.ToolWrite, Head: m.Commit,
			})
		}
	case mem.Command:
		c, ok := Read(Call{At: lastTime(m), Prompt: m.Source.PromptID, Line: m.Command, Output: m.Body, Failed: true})
		if ok && strings.HasPrefix(m.Key, "failed:") && (!m.Resolved || c.committed) {
			s.Commands = append(s.Commands, c)
		}
	}
}

// Call adds a call of a shell that worked. It returns what the command did; ok is false if that is of no use.
func (s *Session) Call(ev mem.Event, call extract.Call) (c Command, ok bool) {
	s.Ran = append(s.Ran, call.Plain)
	c, ok = Read(Call{At: ev.At, Prompt: ev.PromptID, Cwd: ev.Cwd, Line: call.Command, Output: call.Output})
	if ok {
		s.Commands = append(s.Commands, c)
	}
	return c, ok
}

// Settled reports whether a failed command does not matter any more: it only showed something, it was to commit,
// which the state of the work tells, or what it checks passed later in the session.
func (s *Session) Settled(failed mem.Memory) bool {
	return len(shell.Work(failed.Command)) == 0 || s.Passed(failed)
}

// Passed reports whether what a failed command checks passed later in the session.
func (s *Session) Passed(failed mem.Memory) bool {
	kinds := shell.Checks(failed.Command)
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.at.After(lastTime(failed)) && slices.ContainsFunc(c.passed, func(kind string) bool {
			return slices.Contains(kinds, kind)
		})
	})
}

// Commands returns those that worked, of memories with the newest first, at most so many: without those that only show
// something or record work in git, and each once, however its output was filtered.
func Commands(ms []mem.Memory, most int) []string {
	out, seen := []string{}, map[string]int{}
	for _, m := range ms {
		if m.Kind != mem.Command || m.ExitCode != 0 {
			continue
		}
		work := shell.Work(m.Command)
		whole := "\n" + strings.Join(work, "\n")
		if i, ok := seen[whole]; ok && len(m.Command) < len(out[i]) {
			out[i] = m.Command
		}
		known := !slices.ContainsFunc(work, func(part string) bool { _, ok := seen[part]; return !ok })
		if known || len(out) == most {
			continue
		}
		for _, part := range append(work, whole) {
			if _, ok := seen[part]; !ok {
				seen[part] = len(out)
			}
		}
		out = append(out, m.Command)
	}
	return out
}

// lastTime returns when a call was captured last.
func lastTime(m mem.Memory) time.Time {
	if m.Repeats == 0 {
		return m.Created
	}
	return m.Updated
}

// Text returns what a recap says of a memory: more than its title, if that is cut to a line of a briefing or begins the
// body. The changed files and the fixed commands that an outcome names are left out, as they are sections of their own,
// and what the agent could not do itself.
func Text(m mem.Memory) string {
	text := cmp.Or(m.Title, m.Body)
	if m.Body != "" && (strings.HasSuffix(text, "…") || strings.HasPrefix(m.Body, text)) {
		text = m.Body
	}
	if m.Kind == mem.Summary && m.Summary != nil && m.Summary.Completed != "" {
		parts := slices.DeleteFunc(strings.Split(m.Summary.Completed, "; "), elsewhere)
		text = cmp.Or(strings.Join(parts, "; "), m.Title)
	}
	return extract.WholeTitle(text, maxTitle)
}

// elsewhere reports whether a part of an outcome stands in another section, as "changed fee.go, export.go", "`make`
// works now" and "fixed: `make`" do, or came to nothing.
func elsewhere(part string) bool {
	if files, ok := strings.CutPrefix(part, extract.ChangedPrefix); ok {
		first, _, _ := strings.Cut(files, ", ")
		return strings.ContainsAny(first, "./") && !strings.Contains(first, " ")
	}
	if strings.HasPrefix(part, "I can't ") || strings.HasPrefix(part, "I cannot ") {
		return true
	}
	command, ok := strings.CutPrefix(part, extract.FixedPrefix)
	if !ok {
		command, ok = strings.CutSuffix(part, extract.WorksNowSuffix)
	}
	return ok && len(command) > 2 && strings.Count(command, "`") == 2 && command[0] == '`' &&
		command[len(command)-1] == '`'
}

// Explains reports whether a fix is about a failure: it names the command, or a word of its error that is none of the
// command. Other fixes are what the agent said when the command worked, which may be about something else.
func Explains(fix string, failure mem.Memory) bool {
	_, text, _ := strings.Cut(failure.Title, "| Error: ")
	own := rank.Terms(failure.Command)
	found := slices.DeleteFunc(rank.Terms(text), func(term string) bool { return slices.Contains(own, term) })
	return NamesCommand(fix, failure.Command) || len(found) == 0 || extract.CountShared(found, rank.Terms(fix)) > 0
}

// NamesCommand reports whether a fix says how a command was made to work.
func NamesCommand(fix, command string) bool {
	return strings.Contains(fix, chars.Clip(command, leastNamed))
}

// leastNamed is how much of a command a fix names at least, in characters.
const leastNamed = 40

// OnlyPlanned reports whether a summary says no more than that a plan was written.
func OnlyPlanned(m mem.Memory) bool {
	text := Text(m)
	return strings.HasPrefix(text, extract.ChangedPrefix) && !strings.Contains(text, "; ") &&
		!slices.ContainsFunc(m.Modified, func(file string) bool { return !outsidePlan(file) })
}

// Commits reports whether a turn ran a command that was to commit, and changed nothing: a piece of work says what came
// of it.
func (s *Session) Commits(prompt string) bool {
	return len(s.changedIn(prompt)) == 0 && slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.prompt == prompt && strings.Contains(c.line, "git commit")
	})
}
