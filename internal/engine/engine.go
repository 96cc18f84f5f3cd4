// Package engine dispatches events and requests to the use cases: one event, one call, one batch, one reply. All
// reads and writes go through mem.Store and the ports of [Config]. The package depends on no database, network,
// file format or agent dialect. Start reading at Engine.Handle.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Config is what the engine needs from outside.
type Config struct {
	Store    mem.Store
	Redactor *redact.Redactor
	Settings func() event.Settings // called once for each event, so that a change takes effect at once
	Now      func() time.Time
	// Project returns the project of a directory. Every directory has one.
	Project func(dir string) (mem.Project, error)
	// Moved returns the key of the known project that moved to the path of p; empty if none did. May be nil.
	Moved func(p mem.Project, known []mem.Project) string
	// Rel returns a path relative to the project, with slashes. A path outside it stays absolute.
	Rel func(p mem.Project, path string) string
	// LastUtterances returns the newest utterances of an agent's transcript, oldest
	// first, redacted. Nil means transcripts are not read.
	LastUtterances func(path string, lines int) ([]mem.Quote, error)
	// ReadContextUsage reads a session's context usage from its transcript. Errors wrap fs.ErrNotExist while there
	// is no transcript. Nil means unknown.
	ReadContextUsage func(path string) (mem.ContextUsage, error)
	// Archive stores utterances word for word. Nil means that none are stored.
	Archive event.Archive
	// Shared: as in filesync.Config.
	Shared func(p mem.Project) (filesync.SharedFolder, bool)
	// StateFiles are the state files of projects. Nil means that there are none.
	StateFiles event.StateFiles
	// TranscriptEvents passes the events in an agent's transcript from a position up to a time to give, and
	// returns the new position, also with an error. The events have kind, time, turn and their own fields; texts
	// are redacted, inputs and responses of tools are not. Nil means that lost events are not searched for.
	TranscriptEvents func(ctx context.Context, s mem.Session, since mem.TranscriptPosition, until time.Time,
		give func(mem.Event) error) (mem.TranscriptPosition, error)
	// ListTranscripts lists transcripts below a folder of Claude Code and a home directory, those that ended last first.
	ListTranscripts func(ctx context.Context, folder, home string) ([]mem.TranscriptFile, error)
	// GiveWay is called between small parts of long work. It waits a bounded time while hooks are answered, and with
	// jobs while other jobs run. Nil does not wait.
	GiveWay func(ctx context.Context, jobs bool)
	// Journal adds an entry to the person's journal and returns the file's path; empty if there is no journal. May
	// be nil.
	Journal func(entry string) (file string, err error)
	// Own lists our own directories; calls on files in them are not captured.
	Own []string
	// OpenFiles opens a project's files; the caller closes them. Nil means that files are not read.
	OpenFiles func(p mem.Project) event.Files
	Commits   func(p mem.Project, prefix string) []mem.Commit // as in event.Config
	// Instructed: as in event.Config.
	Instructed func(p mem.Project, agent string, since time.Time, m mem.Memory) bool
	// Log records an error that did not stop the work. Nil means no log.
	Log func(what string, err error)
	// Warnings returns lines for the person that were not shown today, about the installation or about a project.
	Warnings func(p mem.Project) []string
	// Paused is called with the new list of pauses after each change. May be nil.
	Paused func([]mem.Pause)
	// Embedder returns the present embedder. Nil, or a nil result, means none.
	Embedder func() event.Embedder
	// Slack is added to the time that a recall and a briefing may take. Only tests set it: their results must not
	// depend on the load of the machine.
	Slack time.Duration
	// Program is the command of our command line in a shell. Empty means its name.
	Program string
	// Handoffs writes handoffs where a person reads them. Nil means nowhere.
	Handoffs continuity.Handoffs
	// Summarizer returns the present model for digests. Nil, or a nil result, means digests without a model.
	Summarizer func() event.Summarizer
	// Vault returns the person's memory in files. Nil, or a nil result, means none.
	Vault func() event.Vault
	// CountStore stores the number of open findings. Nil means that it is known until the process ends.
	CountStore curate.CountStore
	// Secret keys the boundary of injected blocks. It never leaves the machine.
	Secret []byte
}

// Engine dispatches events and requests to the use cases. It is safe for
// concurrent use and keeps nothing between calls but its Config.
type Engine struct {
	Config
	services
}

// New returns an engine over c. Nothing is read or written yet.
func New(c Config) *Engine {
	c.Project = redactedProject(c.Redactor, c.Project)
	e := &Engine{Config: c}
	e.connect(c)
	return e
}

// Handle stores e and answers it.
func (e *Engine) Handle(ctx context.Context, ev mem.Event) (mem.Reply, error) {
	reply, _, err := e.HandleEvent(ctx, ev, false)
	return reply, err
}

// Report stores ev without an answer and returns what became of it.
func (e *Engine) Report(ctx context.Context, ev mem.Event) (capture.Outcome, error) {
	ev.InjectionOff = true
	_, did, err := e.HandleEvent(ctx, ev, false)
	if err != nil {
		return capture.Outcome{}, err
	}
	if did.Session, err = e.Event.SessionOf(ctx, ev.Session); err != nil {
		return capture.Outcome{}, fmt.Errorf("session: %w", err)
	}
	return did, nil
}

// Replay stores events that were delivered while no daemon answered, in few transactions. They survive a power cut only
// after the caller has synced the store, see [mem.Batch.SyncedLater]. After an error any of them may not be stored.
func (e *Engine) Replay(ctx context.Context, events []mem.Event) error {
	var written mem.Transactions
	defer func() { _ = written.End() }() // only after a panic
	if len(events) > 1 {                 // alone, an event is kept also without a part of it that cannot be written
		written.Store = e.Store
	}
	for _, ev := range events {
		of, err := ctx, error(nil)
		if event.BelongsToTurn(ev.Kind) || ev.Kind == mem.UserPromptSubmit {
			of, err = written.Next(ctx)
		} else { // hooks would wait while transcripts or repositories are read
			err = written.End()
		}
		if err == nil {
			_, _, err = e.HandleEvent(of, ev, true)
		}
		if err != nil {
			return fmt.Errorf("replay %s: %w", ev.ID, errors.Join(err, written.End()))
		}
	}
	return written.End()
}

// HandleEvent stores ev and answers it. An event that was delivered late, or stored before, is not answered. did
// returns what became of it, except for its session.
func (e *Engine) HandleEvent(ctx context.Context, ev mem.Event, replay bool) (reply mem.Reply, did capture.Outcome,
	err error,
) {
	ec, err := e.open(ctx, ev)
	if err != nil {
		return mem.Reply{}, did, err
	}
	ec.FromSpool = replay
	defer ec.Files.Close()
	if off, err := e.Event.SwitchOf(ctx, ec); off.Off {
		return off.Reply, capture.Outcome{Outcome: capture.ReportOff}, err
	} else if off.Silent {
		ec.Settings.Profile = event.Silent
	}
	e.Event.LogDegraded("vault", e.Filesync.SyncVaultOnEvent(ctx, ec))
	if replay || ec.InjectionOff || ec.Settings.Profile == event.Silent {
		ec.Settings = ec.Settings.WithoutInjection()
	}
	if ec.Turn.Private && !event.BelongsToTurn(ec.Kind) {
		ec.Text = "" // of a compaction, a failure or a notice in that turn
	}
	ch := event.Changes{Session: ec.SessionChange()}
	restored, late, err := e.Briefing.LateRestore(ctx, ec)
	e.Event.LogDegraded("restored context", err)
	if restored != "" { // nothing else, which might exceed what a client takes of one answer
		ec.Settings = ec.Settings.WithoutInjection()
	}
	reply, handled, err := e.dispatch(ctx, ec)
	if err != nil {
		return mem.Reply{}, did, fmt.Errorf("%s: %w", ev.Kind, err)
	}
	ch.Merge(late, handled)
	reply.Context = cmp.Or(restored, reply.Context)
	if ec.Recovered {
		ch = ch.AsRecovered(ec.Backfilled())
	}
	if ec.Backfilled() {
		if err := e.Event.WithoutLaterChanges(ctx, ec, &ch); err != nil {
			return mem.Reply{}, did, fmt.Errorf("%s: %w", ev.Kind, err)
		}
	}
	ch.Merge(filesync.IndexStateFilesLater(ec))
	ec.Complete(ch.Memories)
	b := ec.Batch(ch)
	e.Event.Follow(&b)
	results, err := e.Store.Apply(ctx, b)
	if err != nil {
		return mem.Reply{}, did, fmt.Errorf("keep %s: %w", ev.Kind, err)
	}
	did = capture.Outcome{Outcome: capture.ReportKept, Prompt: results[0].Prompt}
	switch {
	case results[0].Duplicate && replay:
		return mem.Reply{}, capture.Outcome{Outcome: capture.ReportDuplicate}, e.undelivered(ctx, ec)
	case results[0].Duplicate:
		return mem.Reply{Context: e.injectedBefore(ctx, ec)}, capture.Outcome{Outcome: capture.ReportDuplicate}, nil
	case ec.Private, ec.Turn.Private && event.BelongsToTurn(ec.Kind):
		did.Outcome = capture.ReportPrivate
	case ec.Tool != "" && slices.Contains(ec.Settings.SkipTools, ec.Tool):
		did.Outcome = capture.ReportSkipped
	}
	if replay {
		reply = mem.Reply{}
	}
	return reply, did, nil
}

// dispatch calls the method of the event's kind. Each has a file of its own.
func (e *Engine) dispatch(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if (ec.Turn.Private || ec.Turn.Text == event.OwnCommand) && event.BelongsToTurn(ec.Kind) {
		return mem.Reply{}, ec.WithoutContent(), nil
	}
	switch ec.Kind {
	case mem.SessionStart:
		return e.sessionStart(ctx, ec)
	case mem.UserPromptSubmit:
		return e.userPromptSubmit(ctx, ec)
	case mem.PreToolUse:
		return e.preToolUse(ctx, ec)
	case mem.PostToolUse, mem.PostToolUseFailure:
		return e.postToolUse(ctx, ec)
	case mem.Stop:
		return e.stop(ctx, ec)
	case mem.StopFailure:
		return e.stopFailure(ctx, ec)
	case mem.SubagentStart:
		return e.subagentStart(ctx, ec)
	case mem.SubagentStop:
		return e.subagentStop(ctx, ec)
	case mem.TaskCompleted:
		return e.taskCompleted(ctx, ec)
	case mem.PreCompact:
		return e.preCompact(ctx, ec)
	case mem.PostCompact:
		return e.postCompact(ctx, ec)
	case mem.SessionEnd:
		return e.sessionEnd(ctx, ec)
	case mem.Notification:
		return e.notification(ctx, ec)
	default: // Setup and unknown kinds
		return mem.Reply{}, event.Changes{}, nil
	}
}

// turnOf finds the turn of an event: by its prompt id, or without one the newest. The summary of a compaction
// covers all turns: if any was private, it is private.
func (e *Engine) turnOf(ctx context.Context, ec event.Context) (mem.Turn, error) {
	if ec.Kind == mem.UserPromptSubmit || ec.Kind == mem.SessionStart {
		return mem.Turn{Trust: mem.TrustUser}, nil
	}
	turns, err := e.Store.Turns(ctx, ec.Session, 1) // mostly that
	if err == nil && (ec.Kind == mem.PostCompact || len(turns) > 0 && ec.PromptID != "" &&
		turns[0].PromptID != ec.PromptID) {
		turns, err = e.Store.Turns(ctx, ec.Session, event.WholeSession)
	}
	if err != nil {
		return mem.Turn{}, fmt.Errorf("turn: %w", err)
	}
	private := ec.Kind == mem.PostCompact && slices.ContainsFunc(turns, func(t mem.Turn) bool { return t.Private })
	for _, t := range turns {
		if ec.PromptID == "" || t.PromptID == ec.PromptID {
			t.Private = t.Private || private
			return t, nil
		}
	}
	return mem.Turn{Trust: mem.TrustUser, Private: private}, nil
}

// open redacts the event and finds its project and session.
func (e *Engine) open(ctx context.Context, ev mem.Event) (event.Context, error) {
	ec := event.Context{Event: e.clean(ev), Settings: e.Settings(), Started: e.Now()}
	p, err := mem.Once(ctx, "project "+ec.Root, func() (mem.Project, error) { return e.Event.ProjectOf(ec.Root) })
	if err != nil {
		return event.Context{}, err
	}
	if ec.SessionInfo, err = e.Event.SessionOf(ctx, ec.Session); err != nil {
		return event.Context{}, fmt.Errorf("session: %w", err)
	}
	ec.Project, ec.Settings = p, ec.Settings.In(p)
	if ec.SessionInfo.Root != ec.Root || ec.SessionInfo.Project != p.Key { // else the session's last event did this
		known, err := e.Event.Known(ctx, p)
		if err != nil {
			return event.Context{}, err
		}
		ec.Project.Key = cmp.Or(known, p.Key)
	}
	if ec.Backfilled() { // what is checked out now
		ec.Project.Branch, ec.Project.Commit = "", ""
	}
	ec.Files = e.Event.OpenFiles(ec.Project)
	ec.Mind, err = e.Event.MindOf(ec.Project)
	e.Event.LogDegraded("state files", err)
	if !ec.Person() { // a subagent has a context of its own, into which nothing was injected yet
		injected := map[string]bool{}
		for mark := range ec.SessionInfo.Injected {
			if rest, ok := strings.CutPrefix(mark, ec.AgentID+"/"); ok {
				injected[rest] = true
			}
		}
		ec.SessionInfo.Injected, ec.SessionInfo.Compactions = injected, max(1, ec.SessionInfo.Compactions)
	}
	if ec.Turn, err = e.turnOf(ctx, ec); err != nil {
		return event.Context{}, err
	}
	// a client that numbers no turns: what it reads counts for the newest
	if ec.PromptID == "" && event.BelongsToTurn(ec.Kind) {
		ec.PromptID = ec.Turn.PromptID
	}
	return ec, nil
}

// clean redacts every text of ev again: not every event passed through a hook.
func (e *Engine) clean(ev mem.Event) mem.Event {
	hadText := ev.Text != ""
	if event.DropFileText(&ev); ev.Kind == mem.UserPromptSubmit {
		ev.Text = e.Redactor.Prompt(ev.Text)
		ev.Private = ev.Private || hadText && ev.Text == ""
	} else {
		ev.Text = e.Redactor.Text(ev.Text)
	}
	ev.Error = e.Redactor.Text(ev.Error)
	if len(ev.Input) > 0 {
		ev.Input = event.Bounded(e.Redactor.JSON(ev.Input))
	}
	if len(ev.Response) > 0 {
		ev.Response = event.Bounded(e.Redactor.JSON(ev.Response))
	}
	ev.Text, ev.Error = event.Middle(ev.Text, event.MaxField), event.Middle(ev.Error, event.MaxField)
	e.cleanNames(&ev)
	return ev
}
