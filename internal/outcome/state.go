package outcome

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/lang"
)

// Bounds of what is said of a piece of work, in characters.
const (
	maxTitle   = 240
	maxCommand = 50
	namedFiles = 2 // files
	maxTags    = 3
	maxLeft    = 120 // of the title of a piece of work in a line of several
	newest     = 3   // pieces of such a line

	leastSubject = 3 // words of a subject that says by itself what was done
)

// title says what a piece of work was: by the subjects of its commits that may be said, and by what came of its turns
// if none has at least leastSubject words. An interrupted turn has no result, whatever it said, and that of a turn
// which only committed is the subject.
func (s *Session) title(p *Piece, may func(Command) bool) string {
	var parts []string
	add := func(part string) {
		if part = strings.TrimSuffix(part, "."); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for _, c := range p.commits {
		if !may(c) {
			continue
		}
		for _, made := range c.commits {
			add(made.Subject)
		}
		add(c.subject)
	}
	subjects := len(parts)
	turns := p.turns
	if slices.ContainsFunc(parts, func(subject string) bool { return len(strings.Fields(subject)) >= leastSubject }) {
		turns = nil
	}
	for _, t := range turns {
		commits := func(c Command) bool { return c.prompt == t.Prompt }
		if s.interrupted(t.Prompt) || subjects > 0 && len(t.Files) == 0 && slices.ContainsFunc(p.commits, commits) {
			continue
		}
		for part := range strings.SplitSeq(t.Text, "; ") {
			if !strings.HasPrefix(part, extract.CommittedPrefix) &&
				(subjects == 0 || !strings.HasPrefix(part, extract.PlannedPrefix)) {
				add(part)
			}
		}
	}
	return extract.WholeTitle(strings.Join(parts, "; "), maxTitle)
}

// Changed says which files a piece of work changed, and what the person had asked for.
func (p Piece) Changed(asked string) string {
	text := extract.ChangedPrefix + strings.Join(p.files[:min(len(p.files), namedFiles)], ", ")
	if more := len(p.files) - namedFiles; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(p.files) == 0 { // a commit of what the session did not change
		text = "a commit"
	}
	if asked != "" {
		text += "; asked for: " + asked
	}
	return text
}

// TitleFor says what a piece of work was. asked is what the person had asked for: it is added if neither a commit nor a
// plan names the work, and what the agent said of it does not.
func (p Piece) TitleFor(asked string) string {
	if p.Title == "" {
		return p.Changed(asked)
	}
	about := topics(asked, asked)
	if len(p.commits) > 0 || strings.HasPrefix(p.Title, extract.PlannedPrefix) ||
		2*shared(about, topics(p.Title, asked)) >= len(about) {
		return p.Title
	}
	return p.Title + "; asked for: " + extract.WholeTitle(asked, maxAsked)
}

// maxAsked is how much is shown of what the person had asked for, in characters.
const maxAsked = 100

// state says where a piece of work stands: what was committed and pushed, and what was delivered and checked without
// success.
func (s *Session) state(p *Piece, next time.Time) string {
	var parts []string
	last := s.lastEdit(p)
	switch {
	case len(p.commits) > 0:
		hashes := s.hashes(p)
		if len(hashes) == 0 {
			for _, made := range p.commits {
				for _, l := range s.byTheirSubject(made) {
					hashes = append(hashes, short(l.ID))
				}
			}
		}
		said := committed(hashes)
		if dir := s.elsewhere(p.commits[0]); dir != "" {
			said += " in " + path.Base(dir)
		} else {
			said += s.without(p)
		}
		parts = append(append(parts, said), s.made(p)...)
		again := last.After(p.At) && !slices.ContainsFunc(s.Commands, func(a Command) bool {
			return a.committed && a.at.After(last)
		})
		if _, _, all := s.logged(p); again && !all {
			parts = append(parts, "changed again since")
		}
	case s.Repository && slices.ContainsFunc(p.files, func(f string) bool { return !s.ignores(f) }):
		parts = append(parts, s.notCommitted(p, last))
	}
	parts = append(parts, s.delivered(p, next)...)
	return strings.Join(append(parts, s.failing(p.Since, next)...), ", ")
}

// without names the changed files that the commits of a piece of work do not hold, and no later one of the repository.
func (s *Session) without(p *Piece) string {
	missing := slices.DeleteFunc(slices.Clone(p.missing), func(f string) bool {
		_, later := s.firstWith(p, f)
		return later || s.clean(f)
	})
	n := len(missing)
	if n == 0 || s.Log == nil && s.Head != "" && !slices.ContainsFunc(s.hashes(p), func(hash string) bool {
		return strings.HasPrefix(s.Head, hash) // nothing was committed since
	}) {
		return ""
	}
	names := strings.Join(missing[:min(n, namedFiles)], " and ")
	if n > namedFiles {
		names = fmt.Sprintf("%s and %d more", missing[0], n-1)
	}
	return fmt.Sprintf(" with %d of %d files, not %s", len(p.files)-n, len(p.files), names)
}

// notCommitted says where changed files stand that the agent did not commit.
func (s *Session) notCommitted(p *Piece, last time.Time) string {
	hashes, _, all := s.logged(p)
	switch {
	case all && len(hashes) > 0:
		return committed(hashes)
	case len(hashes) > 0:
		return committed(hashes) + " in part"
	}
	for _, a := range s.Commands {
		if a.failed && !a.committed && strings.Contains(a.line, "git commit") && a.at.After(last) {
			return commitFailed
		}
	}
	switch {
	case !slices.ContainsFunc(p.files, func(f string) bool { return !s.clean(f) }):
		return "undone or stashed since"
	case s.logOf(p) == nil && !s.sameHead(p):
		return byAgent
	}
	return "not committed"
}

// commitFailed is the state of work that the agent tried to commit.
const commitFailed = "not committed: the commit failed"

// byAgent is the state of work of which it is not known whether the person committed it.
const byAgent = "not committed by the agent"

// sameHead reports whether no commit was made since a piece of work was changed last.
func (s *Session) sameHead(p *Piece) bool {
	return s.Head != "" && !slices.ContainsFunc(s.Edits, func(e Edit) bool {
		return slices.Contains(p.files, e.File) && e.Head != s.Head
	})
}

// Left says what is left to do of a piece of work, and of which one; empty if that is nothing, or not known.
func (p Piece) Left() string {
	state := strings.TrimPrefix(strings.TrimPrefix(p.State, byAgent), ", ")
	if !Unfinished(state) {
		return ""
	}
	title := strings.TrimPrefix(p.Title, extract.PlannedPrefix)
	return state + ": " + cmp.Or(extract.WholeTitle(title, maxLeft), p.Changed(""))
}

// Newest returns the newest of some pieces of work with their state, newest first, in one line; empty without any.
func Newest(pieces []Piece) string {
	var out []string
	for _, piece := range slices.Backward(pieces) {
		text := cmp.Or(extract.WholeTitle(piece.Title, maxLeft), piece.Changed(""))
		if piece.State != "" {
			text += " (" + piece.State + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out[:min(len(out), newest)], "; ")
}

// logged returns the abbreviated hashes of the first commits of the repository that hold the files of a piece of work
// as it left them, and the time of the last of them, and reports whether nothing else of the files is left to commit.
func (s *Session) logged(p *Piece) (hashes []string, at time.Time, all bool) {
	if s.logOf(p) == nil {
		return nil, at, false
	}
	all = len(p.files) > 0
	for _, f := range p.files {
		if s.ignores(f) {
			continue
		}
		found, ok := s.firstWith(p, f)
		if !ok { // a file that was renamed or undone since has nothing to commit
			all = all && s.clean(f)
			continue
		}
		hashes = extract.AppendNew(hashes, short(found.ID), maxFiles)
		if found.At.After(at) {
			at = found.At
		}
	}
	return hashes, at, all
}

// firstWith returns the first commit of the repository that holds a file as a piece of work left it.
func (s *Session) firstWith(p *Piece, file string) (found Logged, ok bool) {
	log := s.logOf(p)
	if log == nil {
		return found, false
	}
	last := time.Time{}
	for _, e := range s.Edits {
		if e.File == file && e.Last.After(last) {
			last = e.Last
		}
	}
	for _, c := range log.byFile[file] { // newest first
		if c.At.Before(last.Truncate(time.Second)) {
			break
		}
		found, ok = c, true
	}
	return found, ok
}

// logOf returns the log of the repository if it reaches back to the beginning of a piece of work, else nil.
func (s *Session) logOf(p *Piece) *Log {
	if s.Log == nil || p.Since.Before(s.Log.from) {
		return nil
	}
	return s.Log
}

// ignores reports whether the repository is known to ignore a file.
func (s *Session) ignores(file string) bool { return s.Log != nil && s.Log.ignored[file] }

// clean reports whether a file is known to be as it is in the commit that is checked out, or the repository ignores it.
func (s *Session) clean(file string) bool {
	return s.ignores(file) || !s.Elsewhere && s.Log != nil && s.Log.changed != nil && !s.Log.changed[file]
}

// byTheirSubject returns what the repository has of the commits of a command that have their subjects.
func (s *Session) byTheirSubject(made Command) (out []Logged) {
	if s.Log == nil {
		return nil
	}
	subjects := []string{made.subject}
	for _, c := range made.commits {
		subjects = append(subjects, c.Subject)
	}
	for _, subject := range subjects {
		all := s.Log.bySubject[subject]
		i := slices.IndexFunc(all, func(c Logged) bool { return c.At.Sub(made.at).Abs() < longestCommit })
		if i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

// longestCommit is how long a commit may take with the hooks that check it.
const longestCommit = 15 * time.Minute

// short abbreviates a hash.
func short(id string) string { return id[:min(len(id), 7)] }

// lastEdit returns when a file of a piece of work was changed last.
func (s *Session) lastEdit(p *Piece) (at time.Time) {
	for _, e := range s.Edits {
		if e.Last.After(at) && slices.Contains(p.files, e.File) {
			at = e.Last
		}
	}
	return at
}

// hashes returns the abbreviated hashes of the commits of a piece of work that git reported and no rebase replaced.
func (s *Session) hashes(p *Piece) (out []string) {
	for _, made := range p.commits {
		if slices.ContainsFunc(s.Commands, func(c Command) bool { return c.rebased && !c.at.Before(made.at) }) {
			continue
		}
		for _, c := range made.commits {
			out = append(out, c.Hash)
		}
	}
	return out
}

// committed says that commits hold a piece of work; without hashes they are not known.
func committed(hashes []string) string {
	if n := len(hashes); n > 2 {
		return fmt.Sprintf("%d commits, %s to %s", n, hashes[0], hashes[n-1])
	}
	return strings.TrimSpace(extract.CommittedPrefix + strings.Join(hashes, " and "))
}

// delivered says whether a piece of work was pushed, and what else was to hand it over without success. A push takes
// earlier commits with it.
func (s *Session) delivered(p *Piece, next time.Time) (out []string) {
	pushed, handsOver := "", len(p.commits) == 0 && len(p.files) == 0 // and nothing else
	held, from := len(p.commits) > 0, p.At
	if hashes, at, all := s.logged(p); !held && all && len(hashes) > 0 {
		held, from = true, at
	}
	failed := map[string]string{} // the command, by what it does
	var order []string
	remote := ""
	for _, a := range s.Commands {
		switch {
		case a.remote != "" && pushed != "":
			remote = a.remote
		case a.delivery == "" || a.at.Before(p.Since):
		case a.delivery == "push" && held:
			if a.at.Before(from) || pushed == "pushed" {
				continue
			}
			if pushed = "pushed"; a.failed {
				pushed = "push failed"
			}
		case a.delivery == "merge" && !a.failed && held && pushed == "pushed":
			pushed = "pushed and merged"
		case a.delivery == "push" && !handsOver, !a.at.Before(next):
		case a.failed:
			order, failed[a.delivery] = extract.AppendNew(order, a.delivery, len(s.Commands)), a.line
		default:
			delete(failed, a.delivery)
		}
	}
	if pushed != "" {
		out = append(out, pushed)
	}
	out = append(out, s.tagged(p, next)...)
	if remote == checksFailed && pushed != "" {
		out = append(out, remote)
	}
	for _, kind := range order {
		if command := failed[kind]; command != "" {
			out = append(out, "`"+ShortCommand(command, maxCommand)+"` failed")
		}
	}
	return out
}

// tagged says which tags were made and released after the commits of a piece of work, and whether they were pushed.
func (s *Session) tagged(p *Piece, next time.Time) (out []string) {
	for i, a := range s.Commands {
		if a.failed || a.at.Before(p.Since) || !a.at.Before(next) || s.elsewhere(a) != "" {
			continue
		}
		for _, tag := range a.git.Tags {
			said := "tag " + tag
			if slices.ContainsFunc(s.Commands[i:], func(b Command) bool {
				return !b.failed && (b.git.PushTags || slices.ContainsFunc(b.git.Pushed, func(ref string) bool {
					return strings.TrimPrefix(ref, "refs/tags/") == tag
				}))
			}) {
				said += " pushed"
			}
			out = extract.AppendNew(out, said, maxTags)
		}
		if a.git.Release != "" {
			out = extract.AppendNew(out, "released "+a.git.Release, maxTags)
		}
	}
	return out
}

// failing names the checks of a time that failed last. Which part of a line failed is not known: it counts until a
// command checks one thing of it that did not fail, or of which that is not known.
func (s *Session) failing(from, until time.Time) (out []string) {
	var last []Command
	for _, a := range s.Commands {
		if len(a.checks) == 0 || a.at.Before(from) || !a.at.Before(until) {
			continue
		}
		last = slices.DeleteFunc(last, func(old Command) bool {
			return slices.ContainsFunc(old.checks, func(kind string) bool { return slices.Contains(a.checks, kind) })
		})
		if a.fails {
			last = append(last, a)
		}
	}
	for _, a := range last {
		out = extract.AppendNew(out, "`"+ShortCommand(a.line, maxCommand)+"` fails", 2)
	}
	return out
}

// Committed reports whether the agent committed all that it changed, after a call of Pieces.
func (p Piece) Committed() bool {
	return len(p.commits) > 0 && !lang.ContainsAny(p.State, "not committed", " in part", " files, not ", "changed again")
}

// Unfinished reports whether a state says that something is left to do.
func Unfinished(state string) bool {
	left := []string{"not committed", " in part", " files, not ", "changed again", "failed", "fails"}
	return slices.ContainsFunc(left, func(says string) bool { return strings.Contains(state, says) })
}

// Undelivered says what a session without pieces of work did not hand over, after a call of Pieces.
func (s *Session) Undelivered(until time.Time) string {
	return strings.Join(s.delivered(&Piece{}, until), ", ")
}

// ShortCommand returns a command without the text of a here-document or of a message, of at most so many characters.
func ShortCommand(command string, most int) string {
	for _, mark := range []string{` "$(cat <<`, " <<"} {
		command, _, _ = strings.Cut(command, mark)
	}
	return chars.Clip(command, most)
}
