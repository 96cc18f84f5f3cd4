package outcome

import (
	"time"

	"remanence/internal/extract"
	"remanence/internal/shell"
)

// Runs knows when commands worked last. The zero value knows of none.
type Runs struct {
	worked, checked, ran map[[2]string]time.Time // by project and command, or what it checks
}

// Add adds a call that exited with status 0. Calls come oldest first.
func (r *Runs) Add(project string, at time.Time, call extract.Call, c Command) {
	if r.worked == nil {
		r.worked, r.checked, r.ran = map[[2]string]time.Time{}, map[[2]string]time.Time{}, map[[2]string]time.Time{}
	}
	r.ran[[2]string{project, call.Plain}] = at
	if worked, known := call.Worked(); worked {
		r.worked[[2]string{project, call.Plain}] = at
	} else if known {
		delete(r.ran, [2]string{project, call.Plain})
	}
	for _, kind := range c.passed {
		r.checked[[2]string{project, kind}] = at
	}
}

// Since says what became of a command after a time: whether it worked, whether another one passed that checks the same,
// and whether it ran in a way that hid its status.
func (r *Runs) Since(project, command string, at time.Time) (worked, passed, hidden bool) {
	key := [2]string{project, command}
	for _, kind := range shell.Checks(command) {
		passed = passed || r.checked[[2]string{project, kind}].After(at)
	}
	return r.worked[key].After(at), passed, r.ran[key].After(at)
}

// Otherwise returns how a command was called when it worked after a time, such as `bun test` for `rtk bun test`; empty
// if that is not known.
func (r *Runs) Otherwise(project, command string, at time.Time) (as string) {
	for key, worked := range r.worked {
		if key[0] == project && worked.After(at) && shell.CalledAnew(key[1], command) && (as == "" || key[1] < as) {
			as = key[1]
		}
	}
	return as
}
