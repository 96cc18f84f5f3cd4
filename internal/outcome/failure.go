package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/shell"
)

// Failure is a command that failed, in one session or in several ones.
type Failure struct {
	ID       string `json:"id"`
	Command  string `json:"command"`
	Times    int    `json:"times"`
	Resolved bool   `json:"resolved"`
	// FixedAfterS is the time from the first failure to the fix in the same session, in seconds,
	// pauses included; 0 if no fix is known.
	FixedAfterS int    `json:"fixed_after_s,omitempty"`
	Fix         string `json:"fix,omitempty"`      // what helped
	WorksAs     string `json:"works_as,omitempty"` // how the command was called when it worked; empty means as it failed

	sessions []string
	last     time.Time // when it failed last
	long     bool      // a session was occupied with it for some time
	misused  bool      // it was called wrongly
	passed   bool      // another command that checks the same worked later
	hidden   bool      // it ran later, in a way that hid whether it worked
}

// A session was occupied with a failure if the command failed more often, or until so long after the first time.
const (
	maxSlips = 3
	longFix  = 5 * time.Minute
)

// NewFailure returns the failure that a memory holds. fixes are those of the time since, in any order.
func NewFailure(m mem.Memory, fixes []mem.Memory) Failure {
	f := Failure{
		ID: m.ID, Command: m.Command, Times: 1 + m.Repeats, Resolved: m.Resolved, last: m.Updated,
		misused: shell.UsageError(m.Body), sessions: []string{m.Session},
	}
	for _, fix := range fixes {
		if fix.Session == m.Session && fix.Command == m.Command && !fix.Created.Before(m.Created) &&
			Explains(fix.Title, m) &&
			(f.Fix == "" || !NamesCommand(f.Fix, m.Command) || NamesCommand(fix.Title, m.Command)) {
			f.Fix, f.FixedAfterS = fix.Title, int(fix.Created.Sub(m.Created).Seconds())
		}
	}
	took := max(time.Duration(f.FixedAfterS)*time.Second, m.Updated.Sub(m.Created))
	f.long = f.Times > maxSlips || took >= longFix
	return f
}

// Join adds the same failure of an earlier session: the state of the later one holds.
func (f *Failure) Join(o Failure) {
	f.Times += o.Times
	f.long = f.long || o.long
	f.sessions = append(f.sessions, o.sessions...)
	if o.last.After(f.last) {
		f.last = o.last
	}
	better, was := NamesCommand(o.Fix, f.Command), NamesCommand(f.Fix, f.Command)
	if better && !was || better == was && o.FixedAfterS > f.FixedAfterS {
		f.FixedAfterS, f.Fix = o.FixedAfterS, o.Fix
	}
}

// Settle notes what became of the command later in its project.
func (f *Failure) Settle(project string, ran Runs) {
	worked := false
	worked, f.passed, f.hidden = ran.Since(project, f.Command, f.last)
	if f.Resolved && !worked {
		f.WorksAs = ran.Otherwise(project, f.Command, f.last)
	}
	f.Resolved = f.Resolved || worked
}

// Minor reports whether a failure is not worth listing: of looking at something, of a program that was written for one
// call, of what was called wrongly once, and of what works again or was checked otherwise and did not occupy a session.
// works reports whether a session has a piece of work, of which the state says whether its checks fail.
func (f Failure) Minor(works func(session string) bool) bool {
	switch {
	case f.Times == 1 && f.misused, f.Fix == "" && (f.passed || shell.OnlyShows(f.Command)):
		return true
	case f.long:
		return false
	case f.Resolved:
		return f.Times <= maxSlips || !f.misused
	}
	return shell.WrittenForOneCall(f.Command) ||
		len(shell.Checks(f.Command)) > 0 && !slices.ContainsFunc(f.sessions, func(id string) bool { return !works(id) })
}

// Weightier orders failures: those that took longest to a fix first, then the most frequent.
func (f Failure) Weightier(o Failure) int {
	return cmp.Or(cmp.Compare(o.FixedAfterS, f.FixedAfterS), cmp.Compare(o.Times, f.Times))
}

// String describes a failed command and what became of it.
func (f Failure) String() string {
	text := ShortCommand(f.Command, maxFailure)
	if f.Times > 1 {
		text += fmt.Sprintf(", %d times", f.Times)
	}
	switch {
	case f.FixedAfterS >= 60:
		return text + fmt.Sprintf("; fixed after %d min: %s", f.FixedAfterS/60, f.Fix)
	case f.Fix != "":
		return text + "; fixed: " + f.Fix
	case f.WorksAs != "":
		return text + "; works as " + ShortCommand(f.WorksAs, maxFailure)
	case f.Resolved:
		return text + "; works now"
	case f.hidden:
		return text + "; a later run hid whether it works"
	}
	return text + "; failed the last time"
}

// maxFailure is how much of a command is shown, in characters.
const maxFailure = 80

// Commits reports whether a command was to commit, under one of some subjects if there are any.
func (f Failure) Commits(subjects ...string) bool {
	return strings.Contains(f.Command, "git commit") && (len(subjects) == 0 ||
		slices.ContainsFunc(subjects, func(subject string) bool { return strings.Contains(f.Command, subject) }))
}
