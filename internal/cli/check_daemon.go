package cli

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
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// settles is how long a daemon that starts or ends may hold its lock without
// answering.
const settles = 2 * time.Second

// checkDaemon asks the daemon, which is started for it, and through it the store;
// not where there is nothing to ask.
func (a *app) checkDaemon(ctx context.Context, nothing bool) (checkItem, *views.StatusResponse) {
	if nothing {
		c := good("daemon", true, "not started: Remanence is not installed here")
		c.State, c.Fix = setup.Info, []string{"remanence install"}
		return c, nil
	}
	if c, held := a.checkHeld(ctx); held {
		return c, nil
	}
	o, err := ask(ctx, a, api.Status, mem.Place{})
	if err == nil {
		return a.checkAnswering(ctx), &o
	}
	if c, several := a.checkSeveral(); several {
		return c, nil
	}
	f := explain(nil, err)
	if strings.HasPrefix(f.Code, "REM-S") { // has a check of its own
		f = faultDaemon.because("%s", f.Error())
	}
	if f.Is(faultDaemon) {
		if last := a.lastError(); last != "" {
			f.Why += "; the log ends with: " + last
		}
	}
	c := bad("daemon", true, f)
	if f.Is(faultStale) || f.Is(faultRunning) || f.Is(faultVersion) {
		c = c.safely(a.restart)
	}
	return c, nil
}

// checkHeld finds a lock that is held while nobody answers. It does not start a
// daemon: that one could not have the lock.
func (a *app) checkHeld(ctx context.Context) (checkItem, bool) {
	if a.flags.noDaemon {
		return checkItem{}, false
	}
	for end := time.Now().Add(settles); ; time.Sleep(50 * time.Millisecond) {
		if !a.locked() {
			return checkItem{}, false
		}
		if a.answers(ctx) {
			return checkItem{}, false
		}
		if time.Now().After(end) || ctx.Err() != nil {
			break
		}
	}
	if held := lockers(a.paths.Lock()); len(held) > 0 {
		p := held[0]
		if !p.ours {
			return bad("daemon", true, faultRunning.about("another program holds the daemon's lock").because("process %d (%s) holds %s", p.pid, p.name, a.paths.Lock()).
				fixedBy(fmt.Sprintf("end process %d", p.pid), "remanence daemon restart")), true
		}
		if c, several := a.checkSeveral(); several {
			return c, true
		}
		c := bad("daemon", true, faultStale.because("process %d holds the lock and does not answer", p.pid))
		return c.safely(func(ctx context.Context) error { return a.endHeld(ctx, p) }), true
	}
	return bad("daemon", true, faultStale.because("the lock %s is held", a.paths.Lock())).safely(a.restart), true
}

// answers reports whether a daemon answers, at once.
func (a *app) answers(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, settles/2)
	defer stop()
	_, _, err := a.running(ctx)
	return err == nil
}

func (p process) is(q process) bool { return p.pid == q.pid }

// endHeld asks the process that the kernel names as the lock's holder to end,
// and starts another, unless one that waited for the lock has it already.
func (a *app) endHeld(ctx context.Context, p process) error {
	if err := p.askToEnd(); err != nil {
		return fmt.Errorf("process %d: %w", p.pid, err)
	}
	for end := time.Now().Add(2 * stopWithin); slices.ContainsFunc(lockers(a.paths.Lock()), p.is); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("process %d does not end: end it by force", p.pid)
		}
	}
	return a.startDaemon(ctx)
}

// checkAnswering looks whether the daemon that answers is the right one, and
// the only one.
func (a *app) checkAnswering(ctx context.Context) checkItem {
	ok := good("daemon", true, "%s", a.daemonState(ctx).sentence(a.sys.Now()))
	rt, h, err := a.running(ctx)
	if err != nil { // with --no-daemon
		return ok
	}
	if more := others(openers(a.paths.Database()), h.PID); len(more) > 0 {
		return a.two(more, "process %d answers, and process %d has it open too", h.PID, more[0].pid)
	}
	if rt.Build != "" && rt.Build != buildID() {
		c := bad("daemon", false, faultVersion.because("it is %s, this program is %s", rt.Build, buildID()))
		if older(rt.Build, buildID()) {
			return c.safely(a.restart)
		}
		c.Fix = []string{"install the newer version here too", "remanence daemon restart"}
		return c
	}
	return ok
}

// checkSeveral finds daemons that have the database and of which none answers:
// one that hangs in the middle of a write keeps every other from answering too.
func (a *app) checkSeveral() (checkItem, bool) {
	all := others(openers(a.paths.Database()), 0)
	if len(all) < 2 {
		return checkItem{}, false
	}
	return a.two(all, "process %d and process %d have it open, and none answers", all[0].pid, all[1].pid), true
}

// two is the fault of more daemons than one; those that have to go are ended to mend it.
func (a *app) two(more []process, why string, args ...any) checkItem {
	return bad("daemon", true, faultRunning.about("two daemons have the database").because(why, args...)).
		safely(func(ctx context.Context) error { return a.endOthers(ctx, more) })
}

// others are daemons besides the one of a pid.
func others(list []process, pid int) []process {
	var out []process
	for _, p := range list {
		if p.ours && p.pid != pid {
			out = append(out, p)
		}
	}
	return out
}

// endOthers lets all daemons end, those in list by their process, and starts one.
func (a *app) endOthers(ctx context.Context, list []process) error {
	for _, p := range list {
		if err := p.askToEnd(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("process %d: %w", p.pid, err)
		}
	}
	for end := time.Now().Add(2 * stopWithin); ; time.Sleep(20 * time.Millisecond) {
		still := slices.DeleteFunc(openers(a.paths.Database()), func(p process) bool { return !slices.ContainsFunc(list, p.is) })
		if len(still) == 0 {
			return a.restart(ctx)
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("process %d does not end: end it by force", still[0].pid)
		}
	}
}

func (a *app) restart(ctx context.Context) error {
	if _, err := a.stopDaemon(ctx); err != nil {
		return err
	}
	return a.startDaemon(ctx)
}

func (a *app) startDaemon(ctx context.Context) error {
	_, closed, err := connect(ctx, a)
	if err == nil {
		closed()
	}
	return err
}

// lately is how old a line of the log may be to tell why a daemon does not start.
const lately = 5 * time.Minute

// lastError is the log's last word on why a daemon did not start, "" for none.
func (a *app) lastError() string {
	lines, _, _ := lastLines(a.paths.Log(), logTail) // all that are looked at
	for _, line := range slices.Backward(lines) {
		stamp, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimRight(string(line), "\r\n"), "time="), " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err == nil && a.sys.Now().Sub(at) > lately {
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
func holdersOf(p Paths) string {
	var names []string
	for _, h := range lockers(p.Database(), p.Database()+"-wal", p.Database()+"-shm") {
		if !h.ours && h.pid != os.Getpid() {
			names = append(names, fmt.Sprintf("process %d (%s)", h.pid, h.name))
		}
	}
	return strings.Join(names, ", ")
}
