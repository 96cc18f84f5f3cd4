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
	if !ok && args[0] != agent.OfCaller {
		return
	}
	c := hook.Config{
		Dialect: dialect, Stdin: sys.Stdin, Stdout: sys.Stdout, Getenv: sys.Getenv,
		Now: sys.Now, Nonce: nonce(), Exit: sys.Exit, Slack: sys.Slack, Prepare: func(c hook.Config) hook.Config {
			return prepare(sys, c)
		},
		Dropped: func(reason string) { countUnprepared(sys, reason) },
	}
	if args[0] == "codex" && len(args) == 3 && args[1] == agent.CodexNotify {
		runNotify(sys, c, args[2])
		return
	}
	if len(args) > 1 { // from a shell: the project is that of the shell's directory
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
		spool.Open(spool.Config{Dir: paths.Spool(), Fallback: func() (string, error) {
			return MakeFallbackDir(paths)
		}}).Count(reason)
	}
}

// prepare builds what a call needs and what requires a look at the disk.
func prepare(sys config.System, c hook.Config) hook.Config {
	paths, err := config.FindPaths(sys.Getenv, "")
	if err != nil { // no directory for data is known
		c.Handler = noStorage{}
		return redacting(c, nil)
	}
	gone := func() bool { return paths.Uninstalled(sys.Getenv) }
	if gone() {
		return prepareUninstalled(sys, paths, c)
	}
	rt, _ := ReadRuntime(paths) // without one there is no worker yet
	sp := spool.Open(spool.Config{Dir: paths.Spool(), MaxBytes: rt.SpoolBytes, Fallback: func() (string, error) {
		return MakeFallbackDir(paths)
	}})
	c = redacting(c, config.ReadSecret(paths.Key()), rt.Rules...)
	at := &client{sys: sys, paths: paths, rt: rt}
	last := noticeHandler{
		startWaiter{hook.FirstOf(at, unlessUninstalled{sp, gone}, sys.Slack), at},
		sp, paths, sys.Now,
		new([]Notice),
	}
	c.Handler, c.ReplyWritten = last, last.markShown
	if isOff(sys.Getenv(pluginOption)) {
		c.Handler = injectionOff{c.Handler}
	}
	c.Ignore = func(e mem.Event) bool { return paused(rt, e, sys.Now()) }
	c.Complete = lastAnswer(c, func() { time.Sleep(lookWait) })
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

// paused reports whether a pause keeps the event out. A prompt that begins with a slash passes, because it may
// end the pause; exclusions are decided by the daemon, which knows the project.
func paused(rt api.Runtime, e mem.Event, now time.Time) bool {
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

// LogHook appends a line to the log if the call has a note. An ordinary call leaves no line: the daemon counts
// it.
func LogHook(paths config.Paths, now time.Time, l hook.Line) {
	if l.Note == "" {
		return
	}
	if makeSubdir(filepath.Dir(paths.Log())) != nil {
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

// pluginOption is the variable in which the agent passes the plugin's one option to its hooks only.
const pluginOption = "CLAUDE_PLUGIN_OPTION_INJECT"

// isOff reports whether the option, which the person types, is "off".
func isOff(option string) bool { return strings.EqualFold(strings.TrimSpace(option), "off") }

// injectionOff marks events of a client whose person wants no injections.
type injectionOff struct{ next mem.Handler }

// Handle implements mem.Handler.
func (q injectionOff) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	e.InjectionOff = true
	return q.next.Handle(ctx, e)
}

// client sends events to the daemon. It stops a daemon of an older build. A hook waits for a new daemon only
// if its event wants a reply.
type client struct {
	sys   config.System
	paths config.Paths
	rt    api.Runtime

	starting atomic.Bool
}

// How long one failed wait keeps later hooks from waiting, and what counts as one.
const (
	holdOff  = 5 * time.Second
	longWait = 200 * time.Millisecond // a wait this long without an answer is not one slow commit
	// replyMargin is kept free at the end of the time limit to record that there was no answer.
	replyMargin = 2 * time.Millisecond
)

var errHeldOff = errors.New("the daemon did not answer shortly before")

// Handle implements mem.Handler.
func (r *client) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if r.inForce(r.holdStamp(), holdOff) || !wantsReply(e.Kind) && r.inForce(r.captureHold(), holdOff) {
		return mem.Reply{}, errHeldOff
	}
	ctx, stop := withMargin(ctx)
	defer stop()
	if ctx.Err() != nil { // not the worker's fault
		return mem.Reply{}, ctx.Err()
	}
	begun := time.Now()
	reply, err := r.handle(ctx, e)
	r.holdOffSlow(err, waitedFor(ctx, begun))
	return reply, err
}

// waitedFor returns how long the call has waited for the daemon, at most the time limit: a delay beyond it is
// caused by a busy machine.
func waitedFor(ctx context.Context, begun time.Time) time.Duration {
	waited := time.Since(begun)
	if end, ok := ctx.Deadline(); ok {
		waited = min(waited, end.Sub(begun))
	}
	return waited
}

// withMargin ends ctx replyMargin before its deadline.
func withMargin(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-replyMargin))
}

// holdOffSlow keeps later hooks from waiting for a daemon that does not answer: all of them after one long
// wait, captures after two short ones in a row. A question has more time than a capture, so a daemon too slow
// for one may be fast enough for the other.
func (r *client) holdOffSlow(err error, waited time.Duration) {
	var answer *api.Error
	switch {
	case err == nil:
		if config.Exists(r.slowStamp()) {
			_ = os.Remove(r.slowStamp())
		}
	case waited >= longWait:
		touch(r.holdStamp())
	case errors.As(err, &answer) || !errors.Is(err, context.DeadlineExceeded):
	case config.Exists(r.slowStamp()):
		touch(r.captureHold())
	default:
		touch(r.slowStamp())
	}
}

func (r *client) handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if r.rt.Socket != "" {
		c := r.rt.Client(config.Version)
		if config.Older(r.rt.Build, config.BuildID()) {
			return r.await(ctx, e, r.takeOver(ctx, c))
		}
		reply, err := c.Handle(ctx, e)
		if TokenOutdated(err) { // a new one came since the runtime file was read
			return r.await(ctx, e, nil)
		}
		if !noWorker(err) || errors.Is(err, fs.ErrPermission) { // a sandbox: a worker of ours could not be reached either
			return reply, err
		}
		e.Redelivered = errors.Is(err, api.ErrGone)
	}
	return r.await(ctx, e, r.start())
}

// noWorker reports whether there is no daemon, or it has ended. The event may be sent again: its ID makes a
// second delivery harmless.
func noWorker(err error) bool {
	return errors.Is(err, api.ErrUnreachable) || errors.Is(err, api.ErrGone)
}

// await waits for a daemon that was started, if the event wants a reply.
func (r *client) await(ctx context.Context, e mem.Event, started error) (mem.Reply, error) {
	if started != nil {
		return mem.Reply{}, started
	}
	if !wantsReply(e.Kind) {
		return mem.Reply{}, api.ErrUnreachable
	}
	c, err := api.Wait(ctx, r.paths.Runtime(), config.Version, func(rt api.Runtime) bool { return Serves(r.paths, rt) })
	if err != nil {
		return mem.Reply{}, err
	}
	return c.Handle(ctx, e)
}

// wantsReply reports whether the reply to the event is worth starting a daemon.
func wantsReply(k mem.EventKind) bool { return k == mem.SessionStart || k == mem.UserPromptSubmit }

// holdStamp is the stamp file that keeps hooks from asking the daemon.
func (r *client) holdStamp() string { return r.paths.Stamp("hold") }

// captureHold is the stamp file that keeps only captures from asking the daemon. Its name on disk is "shy", which
// hooks of other builds know.
func (r *client) captureHold() string { return r.paths.Stamp("shy") }

// slowStamp is the stamp file of a first short wait without an answer.
func (r *client) slowStamp() string { return r.paths.Stamp("slow") }

// ClearHolds removes the stamps that keep hooks from asking: a daemon has just become reachable.
func ClearHolds(p config.Paths) {
	for _, name := range []string{"hold", "shy", "slow"} {
		_ = os.Remove(p.Stamp(name))
	}
}

// inForce reports whether a stamp was set less than d ago, by this build or a later one. A failure of an older
// build does not apply to this one.
func (r *client) inForce(stamp string, d time.Duration) bool {
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

// touch sets a stamp and records this build in it.
func touch(stamp string) {
	if makeSubdir(filepath.Dir(stamp)) != nil {
		return
	}
	f, err := os.OpenFile(stamp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(config.BuildID() + "\n") // a write, so that the time changes
	_ = f.Close()
}
