package fault

import "fmt"

// The exit statuses.
const (
	ExitFailed  = 1
	ExitUsage   = 2
	exitMissing = 3 // a named thing is not there
	ExitNoSetup = 4 // not set up, or the daemon is needed and cannot be reached
	exitFound   = 5 // a check found problems
	ExitRefused = 6 // by policy or by a lock
	// ExitInterrupted is the status after an interrupt; what was finished stays.
	ExitInterrupted = 130
)

// ExitStatus is what an exit status means.
type ExitStatus struct {
	Status  int
	Meaning string
}

// ExitStatuses explains all exit statuses of commands, in ascending order.
func ExitStatuses() []ExitStatus {
	return []ExitStatus{
		{0, "done; also where nothing was found"},
		{ExitFailed, "failed, or not confirmed"},
		{ExitUsage, "wrong command, flag or value; nothing was done"},
		{exitMissing, "something that was named does not exist"},
		{ExitNoSetup, "not set up, or the daemon is needed and cannot be reached"},
		{exitFound, "a check found problems"},
		{ExitRefused, "refused by a rule or a lock"},
		{ExitInterrupted, "interrupted; what was finished stays"},
	}
}

// Fault is an error for people: what, why, fix, with a code that never changes
// its meaning.
type Fault struct {
	Code  string // REM- + area + number; empty for a mere exit status
	Exit  int    // 0 for what only a check can find
	What  string // one line: what is wrong
	Why   string // the evidence of this one time; empty in the table
	About string // what it means and what happens meanwhile
	Fix   []string
}

// Error implements error.
func (f Fault) Error() string {
	if f.Why == "" {
		return f.What
	}
	return f.What + ": " + f.Why
}

// Is reports whether target is the same kind of fault.
func (f Fault) Is(target error) bool {
	t, ok := target.(Fault)
	return ok && t.Code == f.Code
}

// WithExit returns the fault with another exit status.
func (f Fault) WithExit(status int) Fault {
	f.Exit = status
	return f
}

// Because returns the fault with its cause.
func (f Fault) Because(format string, args ...any) Fault {
	f.Why = fmt.Sprintf(format, args...)
	return f
}

// WithMessage returns the fault with another message.
func (f Fault) WithMessage(format string, args ...any) Fault {
	f.What = fmt.Sprintf(format, args...)
	return f
}

// FixedBy returns the fault with other commands that repair it.
func (f Fault) FixedBy(cmds ...string) Fault {
	f.Fix = cmds
	return f
}

// FoundProblems ends a check that has printed what it found.
var FoundProblems = Fault{Exit: exitFound}
