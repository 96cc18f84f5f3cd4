package hookclient

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"remanence/internal/agent"
	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/hook"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/spool"
)

// Run answers one hook call of an agent. It builds no more than the call
// needs: no command tree, no configuration, no database.
func Run(sys config.System, args []string) {
	if len(args) == 0 {
		return
	}
	dialect, ok := agent.ByName(args[0])
	if !ok {
		return
	}
	c := hook.Config{
		Dialect: dialect, Stdin: sys.Stdin, Stdout: sys.Stdout, Getenv: sys.Getenv,
		Now: sys.Now, Nonce: nonce(), Exit: sys.Exit, Slack: sys.Slack, Prepare: func(c hook.Config) hook.Config {
			return prepare(sys, c)
		},
		Dropped: func(reason string) { countUnprepared(sys, reason) },
	}
	if len(args) > 1 { // by hand: the project is that of the shell's directory
		c.Event = args[1]
		c.Getenv = func(name string) string {
			v := sys.Getenv(name)
			if name == "CLAUDE_PROJECT_DIR" && v == "" {
				v, _ = os.Getwd()
			}
			return v
		}
	}
	hook.Run(c)
}

// countUnprepared counts an event whose call was over before anything was ready.
func countUnprepared(sys config.System, reason string) {
	if paths, err := config.FindPaths(sys.Getenv, ""); err == nil {
		spool.Open(spool.Config{Dir: paths.Spool(), Spare: func() (string, error) {
			return MakeSpareDir(paths)
		}}).Count(reason)
	}
}

// prepare joins what a call needs and what takes a look at the disk to know.
func prepare(sys config.System, c hook.Config) hook.Config {
	paths, err := config.FindPaths(sys.Getenv, "")
	if err != nil { // nowhere to keep anything
		c.Handler = homeless{}
		return redacting(c, nil)
	}
	gone := func() bool { return paths.Uninstalled(sys.Getenv) }
	if gone() {
		return unwelcome(sys, paths, c)
	}
	rt, _ := ReadRuntime(paths) // without one there is no worker yet
	sp := spool.Open(spool.Config{Dir: paths.Spool(), MaxBytes: rt.SpoolBytes, Spare: func() (string, error) {
		return MakeSpareDir(paths)
	}})
	c = redacting(c, config.ReadSecret(paths.Key()), rt.Rules...)
	at := &client{sys: sys, paths: paths, rt: rt}
	last := troubled{patient{hook.FirstOf(at, living{sp, gone}, sys.Slack), at}, sp, paths, sys.Now, new([]Notice)}
	c.Handler, c.ReplyWritten = last, last.shown
	if switchedOff(sys.Getenv(pluginOption)) {
		c.Handler = quiet{c.Handler}
	}
	c.Ignore = func(e mem.Event) bool { return off(rt, e, sys.Now()) }
	c.Dropped = func(reason string) {
		if !gone() {
			sp.Count(reason)
		}
	}
	c.Log = func(l hook.Line) { LogHook(paths, sys.Now(), l) }
	return c
}

// redacting returns c with what redacts its input: the first JSON object of it, and the environment.
func redacting(c hook.Config, key []byte, rules ...string) hook.Config {
	d := &redact.Redactor{Key: key, Rules: config.OwnRules(rules)}
	c.ReadPayload = func(r io.Reader) (hook.Payload, error) {
		o, err := d.Object(r)
		return hook.Payload{JSON: o.JSON, Size: o.Size, Truncated: o.Truncated, Private: o.Counts.Private > 0}, err
	}
	c.Member = d.Member
	return c
}

// nonce need not be secret, and package crypto/rand takes a hundredth of a hook's time.
func nonce() string { return strconv.FormatUint(rand.Uint64(), 16) }

// off reports whether a pause in force keeps the event out. The words that end
// a pause are let through; exclusions are judged where the project is known.
func off(rt api.Runtime, e mem.Event, now time.Time) bool {
	if e.Kind == mem.UserPromptSubmit && len(e.Text) > 0 && e.Text[0] == '/' {
		return false
	}
	for _, p := range rt.Paused {
		ended := !p.Until.IsZero() && !now.Before(p.Until)
		if !ended && !p.InjectOnly && (p.Target == "all" || p.Target == e.Session) {
			return true
		}
	}
	return false
}

// LogHook appends what was unusual about a call to the log. An ordinary call
// leaves no line: the worker counts it.
func LogHook(paths config.Paths, now time.Time, l hook.Line) {
	if l.Note == "" {
		return
	}
	if makeIn(filepath.Dir(paths.Log())) != nil {
		return
	}
	if info, err := os.Lstat(paths.Log()); err == nil && !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(paths.Log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString("time=" + now.UTC().Format(time.RFC3339Nano) + " level=WARN msg=" + strconv.Quote(l.String()) +
		"\n")
}

// pluginOption is the variable in which the agent hands the plugin's one option
// to its hooks, and to nobody else.
const pluginOption = "CLAUDE_PLUGIN_OPTION_INJECT"

// switchedOff reports whether the option, which is typed by hand, says off.
func switchedOff(option string) bool { return strings.EqualFold(strings.TrimSpace(option), "off") }

// quiet marks events of a client whose person wants nothing told.
type quiet struct{ next mem.Handler }

// Handle implements mem.Handler.
func (q quiet) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	e.InjectionOff = true
	return q.next.Handle(ctx, e)
}

// client hands events to the worker. A worker of an older build is asked to
// leave; a hook waits for a new one only if it has something to ask.
type client struct {
	sys   config.System
	paths config.Paths
	rt    api.Runtime

	starting atomic.Bool
}

// How long one failed wait keeps later hooks from waiting, and what counts as one.
const (
	holdOff   = 5 * time.Second
	blackHole = 200 * time.Millisecond // a wait this long without an answer is not one slow commit
	// lastGlance is what is left of the time to note that there was no answer:
	// when all of it is up, nobody waits for this handler any more.
	lastGlance = 2 * time.Millisecond
)

var errHeldOff = errors.New("the worker did not answer a moment ago")

// Handle implements mem.Handler.
func (r *client) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if r.binds(r.hold(), holdOff) || !asks(e.Kind) && r.binds(r.shy(), holdOff) {
		return mem.Reply{}, errHeldOff
	}
	ctx, stop := sooner(ctx)
	defer stop()
	if ctx.Err() != nil { // not the worker's fault
		return mem.Reply{}, ctx.Err()
	}
	begun := time.Now()
	reply, err := r.handle(ctx, e)
	r.judge(err, within(ctx, begun))
	return reply, err
}

// within is how long a worker has been waited for, no longer than it was given:
// what comes on top on a busy machine is not its fault.
func within(ctx context.Context, begun time.Time) time.Duration {
	waited := time.Since(begun)
	if end, ok := ctx.Deadline(); ok {
		waited = min(waited, end.Sub(begun))
	}
	return waited
}

// sooner ends ctx while somebody still waits for this handler.
func sooner(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-lastGlance))
}

// judge holds later hooks off a worker that does not answer: all of them after
// one long wait, captures after two short ones in a row. A question has more
// time than a capture: what was too slow for the one may do for the other.
func (r *client) judge(err error, waited time.Duration) {
	var answer *api.Error
	switch {
	case err == nil:
		if config.Exists(r.slow()) {
			_ = os.Remove(r.slow())
		}
	case waited >= blackHole:
		touch(r.hold())
	case errors.As(err, &answer) || !errors.Is(err, context.DeadlineExceeded):
	case config.Exists(r.slow()):
		touch(r.shy())
	default:
		touch(r.slow())
	}
}

func (r *client) handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if r.rt.Socket != "" {
		c := r.rt.Client(config.Version)
		if config.Older(r.rt.Build, config.BuildID()) {
			return r.await(ctx, e, r.takeOver(ctx, c))
		}
		reply, err := c.Handle(ctx, e)
		if NotYetTold(err) { // a new one came since the runtime file was read
			return r.await(ctx, e, nil)
		}
		if !noWorker(err) || errors.Is(err, fs.ErrPermission) { // a sandbox: a worker of ours could not be reached either
			return reply, err
		}
		e.Redelivered = errors.Is(err, api.ErrGone)
	}
	return r.await(ctx, e, r.start())
}

// noWorker reports whether there is no worker, or none any more. An event may
// be handed in again: its identity makes a second delivery harmless.
func noWorker(err error) bool {
	return errors.Is(err, api.ErrUnreachable) || errors.Is(err, api.ErrGone)
}

// await waits for a worker that was started, if the event has something to ask.
func (r *client) await(ctx context.Context, e mem.Event, started error) (mem.Reply, error) {
	if started != nil {
		return mem.Reply{}, started
	}
	if !asks(e.Kind) {
		return mem.Reply{}, api.ErrUnreachable
	}
	c, err := api.Wait(ctx, r.paths.Runtime(), config.Version, func(rt api.Runtime) bool { return Serves(r.paths, rt) })
	if err != nil {
		return mem.Reply{}, err
	}
	return c.Handle(ctx, e)
}

// asks reports whether the event wants an answer worth a worker's start.
func asks(k mem.EventKind) bool { return k == mem.SessionStart || k == mem.UserPromptSubmit }

// hold is the stamp that keeps hooks from asking the worker.
func (r *client) hold() string { return r.paths.Stamp("hold") }

// shy is the stamp that keeps captures, and only them, from asking the worker.
func (r *client) shy() string { return r.paths.Stamp("shy") }

// slow is the stamp of a first short wait without an answer.
func (r *client) slow() string { return r.paths.Stamp("slow") }

// ForgetWaits ends what keeps hooks from asking, for a worker that has just become
// reachable: they waited for another one.
func ForgetWaits(p config.Paths) {
	for _, name := range []string{"hold", "shy", "slow"} {
		_ = os.Remove(p.Stamp(name))
	}
}

// binds reports whether a stamp was set less than d ago, by this build or a later
// one. What an older build found says nothing of a later one: it may have failed
// to start a worker that this one starts.
func (r *client) binds(stamp string, d time.Duration) bool {
	if !fresh(stamp, d, r.sys.Now()) {
		return false
	}
	by, err := config.ReadSmall(stamp)
	return err != nil || !config.Older(strings.TrimSpace(string(by)), config.BuildID())
}

// fresh reports whether a stamp was set less than d before now.
func fresh(stamp string, d time.Duration, now time.Time) bool {
	info, err := os.Stat(stamp)
	if err != nil {
		return false
	}
	age := now.Sub(info.ModTime())
	return age >= 0 && age < d
}

// touch sets a stamp, in the name of this build.
func touch(stamp string) {
	if makeIn(filepath.Dir(stamp)) != nil {
		return
	}
	f, err := os.OpenFile(stamp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(config.BuildID() + "\n") // a write, so that the time changes
	_ = f.Close()
}
