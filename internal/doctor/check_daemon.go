package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// checkDaemon asks the daemon, which is started for it, and through it the store;
// not where there is nothing to ask.
func (a *Checks) checkDaemon(ctx context.Context, nothing bool) (Check, *views.StatusResponse) {
	if nothing {
		c := Good("daemon", true, "not started: Remanence is not installed here")
		c.State, c.Fix = setup.Info, []string{"remanence install"}
		return c, nil
	}
	if c, held := a.checkHeld(ctx); held {
		return c, nil
	}
	o, err := daemon.Ask(ctx, a.Connection, api.Status, mem.ProjectRef{})
	if err == nil {
		return a.checkAnswering(ctx), &o
	}
	if c, several := a.checkSeveral(); several {
		return c, nil
	}
	f := daemon.Explain(err)
	if strings.HasPrefix(f.Code, "REM-S") { // has a check of its own
		f = fault.Daemon.Because("%s", f.Error())
	}
	if f.Is(fault.Daemon) {
		if last := a.lastError(); last != "" {
			f.Why += "; the log ends with: " + last
		}
	}
	c := Bad("daemon", true, f)
	if f.Is(fault.Unreachable) || f.Is(fault.Running) || f.Is(fault.Version) {
		c = c.Safely(a.Restart)
	}
	return c, nil
}

// checkHeld finds a lock that is held while no daemon answers. It starts no daemon.
func (a *Checks) checkHeld(ctx context.Context) (Check, bool) {
	if a.NoDaemon {
		return Check{}, false
	}
	for end := time.Now().Add(daemon.SettleTime); ; time.Sleep(50 * time.Millisecond) {
		if !a.Locked() {
			return Check{}, false
		}
		if a.Answers(ctx) {
			return Check{}, false
		}
		if time.Now().After(end) || ctx.Err() != nil {
			break
		}
	}
	if held := daemon.Lockers(a.Paths.Lock()); len(held) > 0 {
		p := held[0]
		if !p.IsDaemon {
			return Bad("daemon", true,
				fault.Running.WithMessage("another program holds the daemon's lock").Because("process %d (%s) holds %s", p.PID,
					p.Name,
					a.Paths.Lock()).
					FixedBy(fmt.Sprintf("end process %d", p.PID), "remanence daemon restart")), true
		}
		if c, several := a.checkSeveral(); several {
			return c, true
		}
		c := Bad("daemon", true, fault.Unreachable.Because("process %d holds the lock and does not answer", p.PID))
		return c.Safely(func(ctx context.Context) error { return a.endHeld(ctx, p) }), true
	}
	return Bad("daemon", true, fault.Unreachable.Because("the lock %s is held", a.Paths.Lock())).Safely(a.Restart), true
}

// endHeld asks the process that the kernel names as the lock's holder to end,
// and starts another, unless one that waited for the lock has it already.
func (a *Checks) endHeld(ctx context.Context, p daemon.Process) error {
	if err := p.Terminate(); err != nil {
		return fmt.Errorf("process %d: %w", p.PID, err)
	}
	for end := time.Now().Add(2 * daemon.StopTimeout); slices.ContainsFunc(daemon.Lockers(a.Paths.Lock()),
		p.Same); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("process %d does not end: end it by force", p.PID)
		}
	}
	return a.StartDaemon(ctx)
}

// checkAnswering looks whether the daemon that answers is the right one, and
// the only one.
func (a *Checks) checkAnswering(ctx context.Context) Check {
	ok := Good("daemon", true, "%s", a.DaemonState(ctx).sentence(a.Sys.Now()))
	rt, h, err := a.Running(ctx)
	if err != nil { // with --no-daemon
		return ok
	}
	if more := others(daemon.Openers(a.Paths.Database()), h.PID); len(more) > 0 {
		return a.two(more, "process %d answers, and process %d has it open too", h.PID, more[0].PID)
	}
	if rt.Build != "" && rt.Build != config.BuildID() {
		c := Bad("daemon", false, fault.Version.Because("it is %s, this program is %s", rt.Build, config.BuildID()))
		if config.Older(rt.Build, config.BuildID()) {
			return c.Safely(a.Restart)
		}
		c.Fix = []string{"install the newer version here too", "remanence daemon restart"}
		return c
	}
	return ok
}

// checkSeveral finds daemons that have the database and of which none answers:
// one that hangs in the middle of a write keeps every other from answering too.
func (a *Checks) checkSeveral() (Check, bool) {
	all := others(daemon.Openers(a.Paths.Database()), 0)
	if len(all) < 2 {
		return Check{}, false
	}
	return a.two(all, "process %d and process %d have it open, and none answers", all[0].PID, all[1].PID), true
}

// two is the fault of more daemons than one; those that have to go are ended to mend it.
func (a *Checks) two(more []daemon.Process, why string, args ...any) Check {
	return Bad("daemon", true, fault.Running.WithMessage("two daemons have the database").Because(why, args...)).
		Safely(func(ctx context.Context) error { return a.endOthers(ctx, more) })
}

// others are daemons besides the one of a pid.
func others(list []daemon.Process, pid int) []daemon.Process {
	var out []daemon.Process
	for _, p := range list {
		if p.IsDaemon && p.PID != pid {
			out = append(out, p)
		}
	}
	return out
}

// endOthers lets all daemons end, those in list by their process, and starts one.
func (a *Checks) endOthers(ctx context.Context, list []daemon.Process) error {
	for _, p := range list {
		if err := p.Terminate(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("process %d: %w", p.PID, err)
		}
	}
	for end := time.Now().Add(2 * daemon.StopTimeout); ; time.Sleep(20 * time.Millisecond) {
		still := slices.DeleteFunc(daemon.Openers(a.Paths.Database()), func(p daemon.Process) bool {
			return !slices.ContainsFunc(list, p.Same)
		})
		if len(still) == 0 {
			return a.Restart(ctx)
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("process %d does not end: end it by force", still[0].PID)
		}
	}
}

// recentLog is the greatest age of a log line that may explain why a daemon does not start.
const recentLog = 5 * time.Minute

// lastError is the log's last word on why a daemon did not start, "" for none.
func (a *Checks) lastError() string {
	lines, _, _ := config.LastLines(a.Paths.Log(), config.LogTail) // all that are looked at
	for _, line := range slices.Backward(lines) {
		stamp, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimRight(string(line), "\r\n"), "time="), " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err == nil && a.Sys.Now().Sub(at) > recentLog {
			return ""
		}
		if strings.Contains(rest, `msg="worker cannot start"`) || strings.Contains(rest, `msg="worker failed"`) {
			return chars.Clip(rest, 200)
		}
	}
	return ""
}

// holdersOf names the programs that keep the database locked, for the cause of
// a fault; "" where they are not known.
func holdersOf(p config.Paths) string {
	var names []string
	for _, h := range daemon.Lockers(p.Database(), p.Database()+"-wal", p.Database()+"-shm") {
		if !h.IsDaemon && h.PID != os.Getpid() {
			names = append(names, fmt.Sprintf("process %d (%s)", h.PID, h.Name))
		}
	}
	return strings.Join(names, ", ")
}
