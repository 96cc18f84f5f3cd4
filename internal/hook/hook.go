// Package hook is the boundary at which everything fails open. An agent runs
// it, waits for it and obeys its exit status, so it answers in time, with one
// complete answer or none, and nothing that goes wrong behind it is ever seen
// in front of it. What it can not hand over it drops and counts.
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

// Payload is one JSON object of an agent that came through the door: private
// spans and secrets are gone, texts are bounded.
type Payload struct {
	JSON    []byte
	Size    int64 // bytes of the original
	Cut     bool  // some text was cut to the bounds
	Private bool  // a private span was taken out
}

// Config is all that Run needs. Fields without a comment saying otherwise must
// be set, by Prepare at the latest.
type Config struct {
	Dialect agent.Dialect
	Event   string // event named on the command line; empty means the payload names it

	// Prepare returns c with what takes a look at the disk to know: Door,
	// Handler, Ignore, Shown, Log, Dropped. It runs inside the hard limit, and not at
	// all while we are switched off. Nil means that nothing is missing.
	Prepare func(c Config) Config

	Stdin  io.Reader
	Stdout io.Writer
	Getenv func(string) string

	// Door reads the first JSON object, not beyond it, and redacts it.
	Door func(io.Reader) (Payload, error)
	// Member redacts a value of the environment that stands for a member of the
	// payload. Nil leaves all as they are.
	Member  func(key, value string) string
	Handler mem.Handler          // nil means that every event is dropped; beside an error only the Notice of a reply is told
	Ignore  func(mem.Event) bool // paused or excluded: nothing is kept or told; nil means never

	Shown   func() // the reply is written; nil means nobody has to know
	Now     func() time.Time
	Nonce   string              // tells this process from all others
	Log     func(Line)          // nil means no log
	Dropped func(reason string) // counts an event that is kept nowhere; nil means it is not counted
	Exit    func(code int)      // ends the process, os.Exit
	// Slack is what a call has on top of its hard limit, half of it the worker. It is 0 but in tests of what is
	// answered, not when: those a busy machine must not turn over.
	Slack time.Duration
}

// Reasons for which an event is dropped.
const (
	DroppedInput   = "input"   // not one JSON object, or its end never came
	DroppedPanic   = "panic"   // a defect of ours
	DroppedHandler = "handler" // neither worker nor spool took it
	DroppedTime    = "time"    // the hard limit came first
)

// call is one run.
type call struct {
	Config
	begun time.Time
	watch *time.Timer

	stage atomic.Int32
	told  report
}

// The stages of a call, in order.
const (
	reading int32 = iota
	handling
	answering // the event is kept, or not to be kept
)

// Run answers one hook call. It has no result, because nothing the agent could
// see may depend on how it went: it writes one complete answer to Stdout or
// nothing, and never calls Exit with anything but 0. It returns when the call is
// answered; if that takes longer than the hard limit it calls Exit instead.
func Run(c Config) {
	r := &call{Config: c, begun: time.Now()}
	r.told.to(c)
	kind, _ := agent.Kind(c.Event)
	r.watch = time.AfterFunc(r.hardLimit(kind)-lastWords, func() { r.expire(c.Exit) })
	defer r.watch.Stop()
	defer r.recover()
	holdSignals()
	if off(c.Getenv) {
		return
	}
	if c.Prepare != nil {
		r.Config = c.Prepare(c)
		r.told.to(r.Config)
	}
	r.run()
}

func (r *call) run() {
	env := r.Dialect.Environ(r.Getenv)
	env.Event = r.Event
	if r.Member != nil {
		env.ProjectDir, env.SessionID = r.Member("cwd", env.ProjectDir), r.Member("session_id", env.SessionID)
		env.Entrypoint = r.Member("source", env.Entrypoint)
	}
	kind, _ := agent.Kind(r.Event)
	hard := r.hardLimit(kind)
	in := newTimely(r.Stdin, r.readLimit(hard))
	defer func() { in.drain(hard - lastWords - time.Since(r.begun)) }()
	defer in.close()
	e, ok := r.read(env, in)
	if !ok {
		return
	}
	r.watch.Reset(r.hardLimit(e.Kind) - time.Since(r.begun))
	if r.Ignore != nil && r.Ignore(e) {
		return
	}
	r.stage.Store(handling)
	reply, err := r.handle(e)
	r.stage.Store(answering)
	note := ""
	if err != nil {
		if !counted(err) {
			r.told.drop(DroppedHandler)
		}
		note = "dropped: neither worker nor spool took it"
		reply = mem.Reply{Notice: reply.Notice}
	}
	if e.EnvFile {
		if err := exportTo(env.EnvFile, reply.Env); err != nil {
			r.told.line(e, "environment file refused")
		}
	}
	if out := r.Dialect.Encode(e, reply); len(out) > 0 {
		if _, err := r.Stdout.Write(out); err == nil && r.Shown != nil {
			r.Shown()
		}
	}
	r.told.line(e, note)
}

// read takes one event from Stdin; ok is false if there is none for us.
func (r *call) read(env agent.Env, in *timely) (e mem.Event, ok bool) {
	p, err := r.Door(in)
	if err != nil {
		if in.n > 0 {
			r.told.drop(DroppedInput)
		}
		r.told.line(e, "input is not one JSON object")
		return e, false
	}
	e, err = r.Dialect.Decode(p.JSON, env)
	if err != nil {
		if !errors.Is(err, agent.ErrUnknownEvent) {
			r.told.drop(DroppedInput)
		}
		r.told.line(e, err.Error())
		return e, false
	}
	if in.up.Load() && e.Session == "" { // it stood behind what was not read in time
		r.told.drop(DroppedTime)
		r.told.line(e, "dropped: no session id in what was read in time")
		return e, false
	}
	e.At = r.Now().UTC()
	e.SpentUS = time.Since(r.begun).Microseconds()
	e.Size, e.Cut = p.Size, p.Cut
	e.Private = p.Private && says(e.Kind) && blank(e.Text)
	e.Identify(r.Nonce)
	return e, true
}

// says reports whether an event of the kind always has a text.
func says(k mem.EventKind) bool {
	return k == mem.UserPromptSubmit || k == mem.Stop || k == mem.SubagentStop || k == mem.PostCompact
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// handle asks the handler, within the time that the kind allows.
func (r *call) handle(e mem.Event) (mem.Reply, error) {
	if r.Handler == nil {
		return mem.Reply{}, errNobody
	}
	ctx, cancel := r.limit(e.Kind)
	defer cancel()
	return r.Handler.Handle(ctx, e)
}

// counted reports whether whoever refused the event has counted it already.
func counted(err error) bool {
	var c interface{ Counted() bool }
	return errors.As(err, &c) && c.Counted()
}
