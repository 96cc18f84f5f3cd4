// Package hook runs one hook call of an agent. It reads one event from stdin, passes it to a
// handler, and writes the reply to stdout. The agent waits for the hook and obeys its exit
// status. So a call ends within a hard limit, writes one complete reply or nothing, and always
// exits with status 0. Errors are logged and dropped events are counted.
//
// The package does not know the daemon, the spool or the configuration; they are passed in
// [Config]. Start reading at [Run].
package hook

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"remanence/internal/agent"
	"remanence/internal/mem"
)

// Payload is the redacted JSON object of a hook call, limited in size.
type Payload struct {
	JSON      []byte
	Size      int64 // bytes of the original
	Truncated bool  // some text was shortened to the limits
	Private   bool  // a private span was removed
}

// Config holds everything that [Run] needs. Fields whose comment does not mention nil must be
// set, at the latest by Prepare.
type Config struct {
	Dialect agent.Dialect // nil means that of the agent that calls
	Event   string        // event named on the command line; empty means the payload names it

	// Prepare returns c with the fields that need disk access: ReadPayload, Member, Handler,
	// Ignore, Complete, ReplyWritten, Log and Dropped. It runs inside the hard limit, and not at all
	// while Remanence is disabled. Nil means that these fields are set.
	Prepare func(c Config) Config

	Stdin  io.Reader
	Stdout io.Writer
	Getenv func(string) string

	// ReadPayload reads and redacts the first JSON object; it must not read beyond it.
	ReadPayload func(io.Reader) (Payload, error)
	// Member redacts an environment variable's value as the payload member that it stands for.
	// Nil leaves values unchanged.
	Member func(key, value string) string
	// Handler answers the event. Nil drops every event. If it returns an error, only the
	// Notice of its reply is shown.
	Handler mem.Handler
	Ignore  func(mem.Event) bool // capture is paused or excluded; nil means never
	// Complete adds to an event what its payload lacks, redacted. Nil adds nothing.
	Complete func(*mem.Event)

	ReplyWritten func() // called after the reply is written; may be nil
	Now          func() time.Time
	Nonce        string              // unique for this process, see mem.Event.Identify
	Log          func(Line)          // nil means no log
	Dropped      func(reason string) // counts a lost event; may be nil
	Exit         func(code int)      // ends the process, os.Exit
	// Slack extends the hard limit, half of it for the daemon. It is 0 except in tests that
	// check replies, not timing, on a busy machine.
	Slack time.Duration
}

// Reasons for which an event is dropped.
const (
	DroppedInput   = "input"   // input is not one complete JSON object
	DroppedPanic   = "panic"   // panic in the hook
	DroppedHandler = "handler" // neither daemon nor spool accepted it
	DroppedTime    = "time"    // hard limit exceeded
)

// call is one hook call.
type call struct {
	Config
	start time.Time
	watch *time.Timer

	stage   atomic.Int32
	outcome outcomeLog
}

// The stages of a call, in order.
const (
	reading int32 = iota
	handling
	answering // the event is stored, or is to be ignored
)

// Run runs one hook call. It returns no error, because the agent must not notice a failure. It
// writes one complete reply to Stdout or nothing. If the call takes longer than the hard
// limit, Run calls Exit with status 0; otherwise it returns.
func Run(c Config) {
	r := &call{Config: c, start: time.Now()}
	r.outcome.configure(c)
	kind, _ := agent.Kind(c.Event)
	r.watch = time.AfterFunc(r.hardLimit(kind)-countTimeout, func() { r.expire(c.Exit) })
	defer r.watch.Stop()
	defer r.recover()
	ignoreSignals()
	if disabled(c.Getenv) {
		return
	}
	if c.Prepare != nil {
		r.Config = c.Prepare(c)
		r.outcome.configure(r.Config)
	}
	r.run()
}

func (r *call) run() {
	kind, _ := agent.Kind(r.Event)
	hard := r.hardLimit(kind)
	in := newDeadlineReader(r.Stdin, r.readLimit(hard))
	defer func() { in.drain(hard - countTimeout - time.Since(r.start)) }()
	defer in.close()
	e, ok := r.read(in)
	if !ok {
		return
	}
	r.watch.Reset(r.hardLimit(e.Kind) - time.Since(r.start))
	if r.Ignore != nil && r.Ignore(e) {
		return
	}
	r.stage.Store(handling)
	reply, err := r.handle(e)
	r.stage.Store(answering)
	note := ""
	if err != nil {
		if !counted(err) {
			r.outcome.drop(DroppedHandler)
		}
		note = "dropped: neither worker nor spool took it"
		reply = mem.Reply{Notice: reply.Notice}
	}
	if e.EnvFile {
		if err := exportTo(r.Dialect.Environ(r.Getenv).EnvFile, reply.Env); err != nil {
			r.outcome.line(e, "environment file refused")
		}
	}
	if out := r.Dialect.Encode(e, reply); len(out) > 0 {
		if _, err := r.Stdout.Write(out); err == nil && r.ReplyWritten != nil {
			r.ReplyWritten()
		}
	}
	r.outcome.line(e, note)
}

// read reads one event from Stdin. ok is false if there is none to handle.
func (r *call) read(in *deadlineReader) (e mem.Event, ok bool) {
	p, err := r.ReadPayload(in)
	if err != nil {
		if in.n > 0 {
			r.outcome.drop(DroppedInput)
		}
		r.outcome.line(e, "input is not one JSON object")
		return e, false
	}
	if r.Dialect == nil {
		r.Dialect = agent.Caller(p.JSON, r.Getenv)
	}
	e, err = r.Dialect.Decode(p.JSON, r.env())
	if err != nil {
		if !errors.Is(err, agent.ErrUnknownEvent) && !errors.Is(err, agent.ErrOtherClient) {
			r.outcome.drop(DroppedInput)
		}
		r.outcome.line(e, err.Error())
		return e, false
	}
	if in.timedOut.Load() && e.Session == "" { // it stood behind what was not read in time
		r.outcome.drop(DroppedTime)
		r.outcome.line(e, "dropped: no session id in what was read in time")
		return e, false
	}
	e.At = r.Now().UTC()
	e.SpentUS = time.Since(r.start).Microseconds()
	e.Size, e.Truncated = p.Size, p.Truncated
	e.Private = p.Private && alwaysHasText(e.Kind) && blank(e.Text)
	if r.Complete != nil {
		r.Complete(&e)
	}
	e.Identify(r.Nonce)
	return e, true
}

// env returns what the dialect knows of the environment, redacted.
func (r *call) env() agent.Env {
	env := r.Dialect.Environ(r.Getenv)
	env.Event = r.Event
	if r.Member != nil {
		env.ProjectDir, env.SessionID = r.Member("cwd", env.ProjectDir), r.Member("session_id", env.SessionID)
		env.Entrypoint = r.Member("source", env.Entrypoint)
	}
	return env
}

// alwaysHasText reports whether every event of the kind has a text.
func alwaysHasText(k mem.EventKind) bool {
	return k == mem.UserPromptSubmit || k == mem.Stop || k == mem.SubagentStop || k == mem.PostCompact
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// handle calls the handler within the soft limit of the kind.
func (r *call) handle(e mem.Event) (mem.Reply, error) {
	if r.Handler == nil {
		return mem.Reply{}, errNotTaken
	}
	ctx, cancel := r.limit(e.Kind)
	defer cancel()
	return r.Handler.Handle(ctx, e)
}

// counted reports whether the handler already counted the refused event.
func counted(err error) bool {
	var c interface{ Counted() bool }
	return errors.As(err, &c) && c.Counted()
}
