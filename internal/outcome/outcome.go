// Package outcome finds the pieces of work in what a session did, and where each of them stands: what was committed,
// pushed, published and checked, and what failed of that. It is pure: commits that the agent did not make
// are known from the log of the repository, if it is given one. Start with Session.Pieces.
package outcome

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/shell"
)

// Session is what a session did in a period.
type Session struct {
	Repository bool   // the project is one
	Root       string // directory that the agent was started in
	Elsewhere  bool   // that is in another checkout than the repository that was asked
	Head       string // hash of the commit that is checked out now; empty if it is not known
	Turns      []Turn // that were summarized
	Edits      []Edit
	Commands   []Command
	Log        *Log       // nil if the repository was not asked
	Exchanges  []Exchange // oldest first
	GoesOn     bool       // its last turn may not be over
	Partial    bool       // not all of its edits were read
	Ran        []string   // command lines
}

// Logged is a commit of the repository, by the agent or by a person.
type Logged struct {
	ID      string // full hash
	At      time.Time
	Subject string
	Files   []string // relative to the project
}

// History is what was read of a repository.
type History struct {
	Commits []Logged  // newest first
	Ignored []string  // files that it ignores
	From    time.Time // since when all commits are there; zero means that none was left out
	// Changed are the files that differ from the commit that is checked out, if Compared is set.
	Changed  []string
	Compared bool
}

// Log is a History for looking up: its commits, in lists with the newest first, and the files that it ignores.
type Log struct {
	byFile    map[string][]Logged
	bySubject map[string][]Logged
	ignored   map[string]bool
	changed   map[string]bool // nil if that is not known
	from      time.Time
}

// NewLog returns the log of a history.
func NewLog(h History) *Log {
	l := &Log{byFile: map[string][]Logged{}, bySubject: map[string][]Logged{}, ignored: map[string]bool{}, from: h.From}
	for _, f := range h.Ignored {
		l.ignored[f] = true
	}
	if h.Compared {
		l.changed = map[string]bool{}
		for _, f := range h.Changed {
			l.changed[f] = true
		}
	}
	for _, c := range h.Commits {
		l.bySubject[c.Subject] = append(l.bySubject[c.Subject], c)
		for _, f := range c.Files {
			l.byFile[f] = append(l.byFile[f], c)
		}
	}
	return l
}

// Turn is a prompt and all that followed until the agent stopped.
type Turn struct {
	ID     string // of its summary
	Prompt string // id of its prompt
	Text   string // what came of it; empty if only its edits are known
	At     time.Time
	Files  []string // that it changed
}

// Edit is the changes of one file in a turn.
type Edit struct {
	ID, Prompt, File string
	First, Last      time.Time
	Written          bool   // as a whole, not changed in part
	Head             string // hash of the commit that was checked out then
}

// Command is one that committed, delivered or checked something.
type Command struct {
	at        time.Time
	prompt    string
	line      string
	failed    bool
	committed bool
	amends    bool             // it replaced the last commit
	rebased   bool             // it gave commits before it other hashes
	commits   []extract.Commit // that git reported
	subject   string           // of a commit that git did not report
	delivery  string           // see shell.Delivery
	checks    []string         // see shell.Checks
	passed    []string         // those of checks that are known to have passed
	fails     bool             // one of checks is known to have failed
	remote    string           // what came of the checks of what was pushed
	cwd       string           // where it ran; empty if that is not known
	git       shell.GitWork
	removed   []string // files that it deletes
	holds     []string // of a commit: the paths that were staged for it; nil if that is not known
	changed   int      // files that git counted in a commit; 0 if that is not known
	skips     string   // by what a commit skipped the checks of hooks; see shell.SkipsChecks
}

// Piece is a piece of work: the turns that changed files up to the commits that hold what they changed.
type Piece struct {
	ID     string // of the summary of its first turn, or of an edit
	Prompt string // of its first turn
	Title  string // empty if no statement says what it was
	State  string // such as "committed 1a2b3c4, push failed"; empty if nothing is known
	At     time.Time
	Since  time.Time // when it began
	// Unknown reports that only the repository knows which commits hold it.
	Unknown bool

	turns   []Turn
	files   []string
	commits []Command
	missing []string // files that the commits do not hold
}

// Call is a call of a shell.
type Call struct {
	At           time.Time
	Prompt       string // id of its turn
	Cwd          string // of the session then; may be empty
	Line, Output string
	Failed       bool
}

// Read reads a command line and its output. It is of no use if it neither stages, commits, delivers, checks nor removes
// anything.
func Read(call Call) (c Command, ok bool) {
	line, output, failed := call.Line, call.Output, call.Failed
	c = Command{at: call.At, prompt: call.Prompt, failed: failed, cwd: call.Cwd, git: shell.Git(line)}
	commits := strings.Contains(line, "commit")
	if commits {
		c.commits = extract.Commits(line, output)
		c.subject, c.committed = extract.QuietCommit(line, output)
		c.committed = c.committed && !failed || len(c.commits) > 0
		c.changed, c.skips = filesChanged(output), shell.SkipsChecks(line)
	}
	c.amends, c.rebased = shell.Rewrites(line)
	c.rebased = c.rebased && !failed
	c.delivery = shell.Delivery(line)
	if worked, known := (extract.Call{Command: line, Output: output}).Worked(); c.delivery == "push" {
		c.failed = c.failed || pushRejected(output) // what reads its output hid its exit status
	} else if c.delivery != "" {
		c.failed = c.failed || known && !worked
	}
	c.check(line, output)
	if bad, known := shell.ChecksFailed(line, output); bad {
		c.remote = checksFailed
	} else if known {
		c.remote = checksPassed
	}
	if !failed {
		c.removed = shell.Removes(line)
	}
	ok = c.remote != "" || c.committed || c.rebased || c.delivery != "" || len(c.checks) > 0 || failed && commits ||
		c.git.StagesAll || len(c.git.Staged)+len(c.git.Tags)+len(c.removed) > 0
	if ok {
		c.line = extract.PlainCommand(line)
	}
	return c, ok
}

// check sets what a line checks and what came of it: by its exit status, or else by its output.
func (c *Command) check(line, output string) {
	if c.checks = shell.Checks(line); len(c.checks) == 0 {
		return
	}
	shown := shell.ShownChecks(line)
	c.fails = c.failed && len(shown) > 0
	if len(shown) == len(c.checks) && (!c.failed || !shell.HidesStatus(line)) {
		if !c.failed {
			c.passed = c.checks
		}
		return
	}
	worked, known := extract.Call{Command: line, Output: output}.Worked()
	switch {
	case known && worked && !c.failed:
		c.passed = c.checks
	case known && worked:
		c.passed = slices.DeleteFunc(slices.Clone(c.checks), func(kind string) bool { return slices.Contains(shown, kind) })
	case known:
		c.fails = true
	case !c.failed:
		c.passed = shown
	}
}

// What came of the checks of what was pushed.
const (
	checksFailed = "checks failed"
	checksPassed = "checks passed"
)

// Commits returns the commits that git reported.
func (c Command) Commits() []extract.Commit { return c.commits }

// pushRejected reports whether git says that a push did not arrive.
func pushRejected(output string) bool {
	return strings.Contains(output, "\n ! [") || strings.HasPrefix(strings.TrimSpace(output), "! [") ||
		strings.Contains(output, "error: failed to push")
}

// Pieces returns the pieces of work of a session, in the order in which they began. until is the end of the period.
// statements leaves out the subjects of commits of turns that were not summarized.
func (s *Session) Pieces(until time.Time, statements bool) []Piece {
	summarized := map[string]bool{}
	for _, t := range s.Turns {
		summarized[t.Prompt] = true
	}
	all := s.divide(append(slices.Clone(s.Turns), s.unsummarized(summarized)...))
	slices.SortStableFunc(all, func(a, b *Piece) int { return a.Since.Compare(b.Since) })
	out := make([]Piece, 0, len(all))
	for i, p := range all {
		next := until
		if i+1 < len(all) {
			next = all[i+1].Since
		}
		p.Title = s.title(p, func(c Command) bool { return !statements || summarized[c.prompt] })
		p.State = s.state(p, next)
		p.Unknown = len(p.missing) > 0 || len(s.hashes(p)) == 0 && (len(p.commits) > 0 || len(p.files) > 0)
		if len(p.turns) > 0 {
			p.ID, p.Prompt = p.turns[0].ID, p.turns[0].Prompt
		}
		out = append(out, *p)
	}
	return out
}

// unsummarized returns turns of which only the edits are known: they were interrupted, or read text from outside, so
// that what the agent says of them is left out.
func (s *Session) unsummarized(summarized map[string]bool) (out []Turn) {
	for _, e := range s.Edits {
		if Outside(e.File) || summarized[e.Prompt] {
			continue
		}
		i := slices.IndexFunc(out, func(t Turn) bool { return t.Prompt == e.Prompt })
		if i < 0 {
			i, out = len(out), append(out, Turn{ID: e.ID, Prompt: e.Prompt})
		}
		out[i].Files = extract.AppendNew(out[i].Files, e.File, maxFiles)
		if e.Last.After(out[i].At) {
			out[i].At = e.Last
		}
	}
	return out
}

// maxFiles is how many files of a piece of work are looked at.
const maxFiles = 100

// Files returns the files of the project that a piece of work changed.
func (p Piece) Files() []string { return p.files }

// Holds reports whether a turn belongs to a piece of work, or made one of its commits.
func (p Piece) Holds(prompt string) bool {
	return slices.ContainsFunc(p.turns, func(t Turn) bool { return t.Prompt == prompt }) ||
		slices.ContainsFunc(p.commits, func(c Command) bool { return c.prompt == prompt })
}

// divide puts turns together to pieces of work.
func (s *Session) divide(turns []Turn) []*Piece {
	slices.SortStableFunc(s.Commands, func(a, b Command) int { return a.at.Compare(b.at) })
	slices.SortStableFunc(turns, func(a, b Turn) int { return a.At.Compare(b.At) })
	d := division{commits: s.commits()}
	for _, t := range turns {
		files := slices.DeleteFunc(slices.Clone(t.Files), func(f string) bool { return Outside(f) || s.scratch(f) })
		if len(files) > 0 {
			i := slices.IndexFunc(d.open, func(p *Piece) bool { return p.goesOn(t, files) })
			if i < 0 {
				i, d.open = len(d.open), append(d.open, &Piece{Since: s.began(t)})
			}
			p := d.open[i]
			p.turns, p.At = append(p.turns, t), t.At
			for _, f := range files {
				p.files = extract.AppendNew(p.files, f, maxFiles)
			}
		}
		n := 0
		for n < len(d.commits) && !d.commits[n].at.After(t.At) {
			n++
		}
		d.take(s, n, t)
		if n > 0 || len(files) > 0 || !s.delivers(t) {
			continue
		}
		switch {
		case len(d.open) > 0:
			d.open[len(d.open)-1].turns = append(d.open[len(d.open)-1].turns, t)
		case len(d.done) > 0:
			d.done[len(d.done)-1].turns = append(d.done[len(d.done)-1].turns, t)
		default:
			d.done = append(d.done, &Piece{Since: s.Commands[0].at, At: t.At, turns: []Turn{t}})
		}
	}
	d.take(s, len(d.commits))
	return append(d.done, d.open...)
}

// amend takes the last one out of the commits before a command that amends it. If git reports nothing, its subject
// stays.
func (c *Command) amend(before []Command) []Command {
	n := len(before)
	if n == 0 {
		return before
	}
	last, subject := &before[n-1], before[n-1].subject
	if made := len(last.commits); made > 0 {
		last.commits, subject = last.commits[:made-1], last.commits[made-1].Subject
	}
	if len(c.commits) == 0 {
		c.subject = cmp.Or(c.subject, subject)
	}
	if len(last.commits) > 0 {
		return before
	}
	return before[:n-1]
}

// goesOn reports whether a turn goes on with a piece of work: it changes a file of it again on the same day.
func (p *Piece) goesOn(t Turn, files []string) bool {
	return p.At.Local().Format(time.DateOnly) == t.At.Local().Format(time.DateOnly) &&
		slices.ContainsFunc(files, func(f string) bool { return slices.Contains(p.files, f) })
}

// join makes one piece of work of those that the same commits hold.
func join(all []*Piece) *Piece {
	one := *all[0]
	for _, p := range all[1:] {
		one.turns, one.files = append(one.turns, p.turns...), append(one.files, p.files...)
	}
	return &one
}

// delivers reports whether a turn handed work over otherwise than by a push.
func (s *Session) delivers(t Turn) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.prompt == t.Prompt && c.delivery != "" && c.delivery != "push"
	})
}

// Outside reports whether a changed file is not in the project.
func Outside(file string) bool {
	return path.IsAbs(file) || strings.HasPrefix(file, "../") || len(file) > 1 && file[1] == ':'
}

// IsPlan reports whether a file outside of the project is a plan that an agent wrote for itself.
func IsPlan(file string) bool { return path.Ext(file) == ".md" && path.Base(path.Dir(file)) == "plans" }

func outsidePlan(file string) bool { return Outside(file) && IsPlan(file) }

// MostChanged returns files without plans by how often they were changed, most often first, those outside of the
// project last.
func MostChanged(times map[string]int) []string {
	files := slices.DeleteFunc(slices.Collect(maps.Keys(times)), outsidePlan)
	slices.SortFunc(files, func(a, b string) int {
		switch {
		case Outside(a) && !Outside(b):
			return 1
		case Outside(b) && !Outside(a):
			return -1
		}
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	return files
}

// began returns the time of a turn's first edit, as far as it is known.
func (s *Session) began(t Turn) time.Time {
	at := t.At
	for _, e := range s.Edits {
		if e.Prompt == t.Prompt && e.First.Before(at) {
			at = e.First
		}
	}
	return at
}
