// Package engine holds the verbs: what happens on each event of an agent, and
// what a person can ask and order. It decides and computes; everything it
// reads or writes goes through mem.Store and the few small ports of Config. It
// knows no database, no network, no file format and no agent's dialect.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/redact"
)

// Config is what the engine needs from outside.
type Config struct {
	Store    mem.Store
	Door     *redact.Door
	Settings func() Settings // asked once per event, so a change counts at once
	Now      func() time.Time
	// Project tells the project of a directory. Any directory has one.
	Project func(dir string) (mem.Project, error)
	// Moved returns the key of the one of the known projects that a repository nobody
	// knows is, under another path; empty if it is none of them. Nil means the same.
	Moved func(p mem.Project, known []mem.Project) string
	// Rel is a path relative to the project, with slashes; one outside it stays absolute.
	Rel func(p mem.Project, path string) string
	// Tail returns the newest utterances of an agent's transcript, oldest
	// first, redacted. Nil means transcripts are not read.
	Tail func(path string, lines int) ([]mem.Said, error)
	// Fill tells how full the context of a session is, by its transcript. Errors
	// wrap fs.ErrNotExist while there is none. Nil means that nobody knows.
	Fill func(path string) (mem.Fill, error)
	// Archive is where what was said is kept word for word. Nil means nowhere.
	Archive Archive
	// Minds are the state files of projects. Nil means that there are none.
	Minds StateFiles
	// Past gives out what an agent's transcript tells of a session since a mark and
	// up to a time, and returns the new mark, also beside an error; see mem.Checked. The events have
	// kind, time, turn and what is theirs, redacted. Nil means that what was not
	// reported is not looked for.
	Past func(ctx context.Context, s mem.Session, since mem.Checked, until time.Time, give func(mem.Event) error) (mem.Checked, error)
	// Journal adds an entry to the person's journal and returns the file's path, or
	// "" where the person keeps none. Nil means the same.
	Journal func(entry string) (file string, err error)
	// Own are directories of ours: calls on files in them are not observed.
	Own []string
	// Look begins a look at a project's files; who begins it closes it. Nil means
	// that files are not looked at.
	Look func(p mem.Project) Files
	// Log notes what went wrong and was gone on without. Nil means no log.
	Log func(what string, err error)
	// Warnings returns lines for the person that were not shown today, about
	// all that is or about a project.
	Warnings func(p mem.Project) []string
	// Paused is told of every change of the pauses. May be nil.
	Paused func([]mem.Pause)
	// Embedder returns what turns texts into vectors; it is asked each time. Nil,
	// or a nil result, means that nothing does.
	Embedder func() Embedder
	// Slack is added to the time that a recall and a briefing may take. Only tests
	// set it: what is told there must not depend on what else the machine does.
	Slack time.Duration
	// Program is how a shell calls our command line. Empty means by its name.
	Program string
	// Handoffs are where a person reads handoffs. Nil means nowhere.
	Handoffs Handoffs
	// Summarizer returns the model that digests turns; it is asked each time. Nil,
	// or a nil result, means that the rules alone do.
	Summarizer func() Summarizer
	// Vault returns the person's memory in files; it is asked each time. Nil, or a
	// nil result, means that there is none.
	Vault func() Vault
	// Tray keeps how much waits for the person's judgement. Nil means that it is
	// known until the process ends.
	Tray Tray
	// Secret keys the boundary of injected blocks. It never leaves the machine.
	Secret []byte
}

// Engine answers events and questions. It is safe for concurrent use and keeps
// nothing between calls but its Config and how words are read.
type Engine struct {
	Config
	lexicon *rank.Lexicon
	inbox   inboxes
}

// New returns an engine over c. Nothing is read or written yet.
func New(c Config) *Engine {
	c.Project = redactedProject(c.Door, c.Project)
	return &Engine{Config: c, lexicon: &rank.Lexicon{}, inbox: inboxes{tray: c.Tray}}
}

// moment is one event and what its handler needs to know about it. The handler
// fills the batch.
type moment struct {
	mem.Event
	settings Settings
	project  mem.Project
	session  mem.Session // zero before the session's first event
	turn     mem.Turn    // that the event belongs to; zero if it is not stored, its trust then TrustUser
	batch    mem.Batch
	mind     mem.Mind
	view     *view // of the project's files; whoever opens the moment closes it
	started  time.Time
	asked    string          // what the agent is asked to do, before what it is told
	replay   bool            // from the spool: kept, never answered
	before   time.Time       // recalls only what was made before; zero: all
	hints    *mem.Hints      // of the vault on the project; nil until they are asked for
	without  map[string]bool // features of the ranking that do not count
}

// Handle keeps e and answers it.
func (e *Engine) Handle(ctx context.Context, ev mem.Event) (mem.Reply, error) {
	reply, _, err := e.handle(ctx, ev, false)
	return reply, err
}

// Report keeps ev, answers nothing and says what became of it.
func (e *Engine) Report(ctx context.Context, ev mem.Event) (mem.Reported, error) {
	ev.Quiet = true
	_, did, err := e.handle(ctx, ev, false)
	if err != nil {
		return mem.Reported{}, err
	}
	if did.Session, err = e.sessionOf(ctx, ev.Session); err != nil {
		return mem.Reported{}, fmt.Errorf("session: %w", err)
	}
	return did, nil
}

// Replay keeps events that were handed over while nobody could answer them.
func (e *Engine) Replay(ctx context.Context, events []mem.Event) error {
	for _, ev := range events {
		if _, _, err := e.handle(ctx, ev, true); err != nil {
			return fmt.Errorf("replay %s: %w", ev.ID, err)
		}
	}
	return nil
}

// handle keeps ev and answers it; one that was handed over later, or kept
// before, is not answered. did tells what became of it, but for its session.
func (e *Engine) handle(ctx context.Context, ev mem.Event, replay bool) (reply mem.Reply, did mem.Reported, err error) {
	m, err := e.open(ctx, ev)
	if err != nil {
		return mem.Reply{}, did, err
	}
	m.replay = replay
	defer m.view.close()
	if done, reply, err := e.switched(ctx, m); done {
		return reply, mem.Reported{Outcome: mem.ReportOff}, err
	}
	e.without("vault", e.lookAtVault(ctx, m))
	if replay || m.Quiet || m.settings.Profile == Silent {
		m.settings = m.settings.hushed()
	}
	if reply, err = e.dispatch(ctx, m); err != nil {
		return mem.Reply{}, did, fmt.Errorf("%s: %w", ev.Kind, err)
	}
	if m.Recovered {
		m.asLost()
	}
	m.takeMindLater()
	m.complete(m.batch.Memories)
	e.follow(&m.batch)
	results, err := e.Store.Apply(ctx, m.batch)
	if err != nil {
		return mem.Reply{}, did, fmt.Errorf("keep %s: %w", ev.Kind, err)
	}
	did = mem.Reported{Outcome: mem.ReportKept, Prompt: results[0].Prompt}
	switch {
	case results[0].Duplicate && replay:
		return mem.Reply{}, mem.Reported{Outcome: mem.ReportDuplicate}, e.unheard(ctx, m)
	case results[0].Duplicate:
		return mem.Reply{Context: e.toldOnce(ctx, m)}, mem.Reported{Outcome: mem.ReportDuplicate}, nil
	case m.Private, m.turn.Private && ofTurn(m.Kind):
		did.Outcome = mem.ReportPrivate
	case m.Tool != "" && slices.Contains(m.settings.SkipTools, m.Tool):
		did.Outcome = mem.ReportSkipped
	}
	if replay {
		reply = mem.Reply{}
	}
	return reply, did, nil
}

// dispatch is the table of contents: one event, one file, one method.
func (e *Engine) dispatch(ctx context.Context, m *moment) (mem.Reply, error) {
	if (m.turn.Private || m.turn.Text == ownCommand) && ofTurn(m.Kind) {
		return e.private(m)
	}
	if m.turn.Private {
		m.Text = "" // of a compaction, a failure or a notice in that turn
	}
	switch m.Kind {
	case mem.SessionStart:
		return e.sessionStart(ctx, m)
	case mem.UserPromptSubmit:
		return e.userPromptSubmit(ctx, m)
	case mem.PreToolUse:
		return e.preToolUse(ctx, m)
	case mem.PostToolUse:
		return e.postToolUse(ctx, m)
	case mem.PostToolUseFailure:
		return e.postToolUseFailure(ctx, m)
	case mem.Stop:
		return e.stop(ctx, m)
	case mem.StopFailure:
		return e.stopFailure(ctx, m)
	case mem.SubagentStart:
		return e.subagentStart(ctx, m)
	case mem.SubagentStop:
		return e.subagentStop(ctx, m)
	case mem.TaskCompleted:
		return e.taskCompleted(ctx, m)
	case mem.PreCompact:
		return e.preCompact(ctx, m)
	case mem.PostCompact:
		return e.postCompact(ctx, m)
	case mem.SessionEnd:
		return e.sessionEnd(ctx, m)
	case mem.Notification:
		return e.notification(ctx, m)
	default: // Setup and whatever an agent may send besides
		return mem.Reply{}, nil
	}
}

// ofTurn reports whether events of the kind are part of a turn.
func ofTurn(k mem.EventKind) bool {
	switch k {
	case mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure, mem.Stop, mem.SubagentStart, mem.SubagentStop, mem.TaskCompleted:
		return true
	}
	return false
}

// private keeps that something happened in a turn whose prompt was private, or
// one of our own commands, and nothing of what.
func (e *Engine) private(m *moment) (mem.Reply, error) {
	m.Input, m.Response, m.Error, m.Text = nil, nil, "", ""
	if m.Kind == mem.Stop {
		m.batch.Session.Processing = new(false)
	}
	return mem.Reply{}, nil
}

// turnOf finds the turn of an event: by its prompt id, or without one the
// newest. The summary of a compaction is about all turns: if any was private, it is.
func (e *Engine) turnOf(ctx context.Context, m *moment) (mem.Turn, error) {
	if m.Kind == mem.UserPromptSubmit || m.Kind == mem.SessionStart {
		return mem.Turn{Trust: mem.TrustUser}, nil
	}
	turns, err := e.Store.Turns(ctx, m.Session, 1) // mostly that
	if err == nil && (m.Kind == mem.PostCompact || len(turns) > 0 && m.PromptID != "" && turns[0].PromptID != m.PromptID) {
		turns, err = e.Store.Turns(ctx, m.Session, wholeSession)
	}
	if err != nil {
		return mem.Turn{}, fmt.Errorf("turn: %w", err)
	}
	private := m.Kind == mem.PostCompact && slices.ContainsFunc(turns, func(t mem.Turn) bool { return t.Private })
	for _, t := range turns {
		if m.PromptID == "" || t.PromptID == m.PromptID {
			t.Private = t.Private || private
			return t, nil
		}
	}
	return mem.Turn{Trust: mem.TrustUser, Private: private}, nil
}

// without notes what an answer has to do without.
func (e *Engine) without(what string, err error) {
	if err != nil && e.Log != nil {
		e.Log(what, err)
	}
}

// open passes the event through the door and finds its project and session.
func (e *Engine) open(ctx context.Context, ev mem.Event) (*moment, error) {
	m := &moment{Event: e.clean(ev), settings: e.Settings(), started: e.Now()}
	p, err := e.projectOf(m.Root)
	if err != nil {
		return nil, err
	}
	if m.session, err = e.sessionOf(ctx, m.Session); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	m.project = p
	if m.session.Root != m.Root || m.session.Project != p.Key { // else the session's last event asked
		known, err := e.known(ctx, p)
		if err != nil {
			return nil, err
		}
		m.project.Key = cmp.Or(known, p.Key)
	}
	m.view = e.look(m.project)
	m.mind, err = e.mindOf(m.project)
	e.without("state files", err)
	m.batch = mem.Batch{
		Event:   &m.Event,
		Project: &m.project,
		Session: &mem.SessionChange{
			Agent: m.Agent, Project: m.project.Key, ProjectName: m.project.Name, Root: m.Root, Cwd: m.Cwd,
			Model: m.Model, Entrypoint: m.Entrypoint, Transcript: m.Transcript,
		},
		Turn: &mem.TurnChange{},
	}
	if !m.person() { // a subagent's view is its own: nothing was told to it yet, nothing is in it
		told := map[string]bool{}
		for mark := range m.session.Told {
			if rest, ok := strings.CutPrefix(mark, m.AgentID+"/"); ok {
				told[rest] = true
			}
		}
		m.session.Told, m.session.Compactions = told, max(1, m.session.Compactions)
	}
	if m.turn, err = e.turnOf(ctx, m); err != nil {
		return nil, err
	}
	if m.PromptID == "" && ofTurn(m.Kind) { // a client that numbers no turns: what it reads counts for the newest
		m.PromptID = m.turn.PromptID
	}
	if m.Kind == mem.SubagentStop { // its transcript is the subagent's
		m.batch.Session.Transcript = ""
	}
	return m, nil
}

// sessionOf returns the session of an event, which names it in full: one whose
// id only begins alike is another. The zero value if it is not known yet.
func (e *Engine) sessionOf(ctx context.Context, id string) (mem.Session, error) {
	s, err := e.Store.Session(ctx, id)
	switch {
	case errors.Is(err, mem.ErrNotFound), errors.Is(err, mem.ErrAmbiguous), err == nil && s.ID != id:
		return mem.Session{}, nil
	}
	return s, err
}

// lookup returns what tells a session by its id, asked for once: the zero value for
// one that is erased, or cannot be had. Its names are a convenience.
func (e *Engine) lookup(ctx context.Context) func(id string) mem.Session {
	known := map[string]mem.Session{}
	return func(id string) mem.Session {
		s, ok := known[id]
		if !ok && id != "" {
			s, _ = e.Store.Session(ctx, id)
			known[id] = s
		}
		return s
	}
}

// nowhere is the project of events that name no directory. It has a key: an
// empty one would mean every project.
var nowhere = mem.Project{Key: "p_none", Name: "none"}

func (e *Engine) projectOf(dir string) (mem.Project, error) {
	if dir == "" {
		return nowhere, nil
	}
	p, err := e.Project(dir)
	if err != nil {
		return p, fmt.Errorf("project of %s: %w", dir, err)
	}
	return p, nil
}

// known returns the key under which the project's repository is already kept:
// one that gains a remote or is moved keeps its memories.
func (e *Engine) known(ctx context.Context, p mem.Project) (string, error) {
	if p.Common == "" {
		return "", nil
	}
	ps, err := e.Store.Projects(ctx, p.Common)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return "", fmt.Errorf("project: %w", err)
	}
	if len(ps) == 0 {
		return e.moved(ctx, p)
	}
	return ps[0].Key, nil
}

// moved returns the key that a repository had at another path.
func (e *Engine) moved(ctx context.Context, p mem.Project) (string, error) {
	if e.Moved == nil {
		return "", nil
	}
	all, err := e.Store.Projects(ctx, "")
	if err != nil {
		return "", fmt.Errorf("projects: %w", err)
	}
	if slices.ContainsFunc(all, func(o mem.Project) bool { return o.Key == p.Key }) {
		return "", nil
	}
	return e.Moved(p, all), nil
}

// clean passes every text of ev through the door once more: not every way to
// the engine has a hook in front of it.
func (e *Engine) clean(ev mem.Event) mem.Event {
	said := ev.Text != ""
	if ev.Kind == mem.UserPromptSubmit {
		ev.Text = e.Door.Prompt(ev.Text)
		ev.Private = ev.Private || said && ev.Text == ""
	} else {
		ev.Text = e.Door.Text(ev.Text)
	}
	ev.Error = e.Door.Text(ev.Error)
	if len(ev.Input) > 0 {
		ev.Input = bounded(e.Door.JSON(ev.Input))
	}
	if len(ev.Response) > 0 {
		ev.Response = bounded(e.Door.JSON(ev.Response))
	}
	ev.Text, ev.Error = middle(ev.Text, maxField), middle(ev.Error, maxField)
	e.cleanNames(&ev)
	return ev
}

// indexed gives memories the words for search that their texts do not show.
func indexed(ms []mem.Memory) []mem.Memory {
	for i := range ms {
		ms[i].Index = rank.Index(ms[i])
	}
	return ms
}

// complete gives memories of this event what is known of them only now.
func (m *moment) complete(ms []mem.Memory) []mem.Memory {
	anchored(ms, m.view.at)
	return indexed(ms)
}

// person reports whether the main thread of the session is speaking.
func (m *moment) person() bool { return m.AgentID == "" }

// newMemory is a memory of this event with what all of them share.
func (m *moment) newMemory(k mem.Kind, s mem.Scope) mem.Memory {
	info, _ := k.Info()
	return mem.Memory{
		Scope: s, Project: m.project.Key, Session: m.Session, Kind: k,
		Importance: info.Importance, Confidence: ConfidenceRule, Trust: mem.TrustTool, Origin: mem.FromTool,
		Source: mem.Source{
			Agent: m.Agent, Session: m.Session, PromptID: m.PromptID, Event: m.ID,
			ToolUseID: m.ToolUseID, AgentID: m.AgentID,
		},
		Resolved: true, Branch: m.project.Branch, Commit: m.project.Commit,
		Created: m.At, Updated: m.At,
	}
}

// Confidence of a memory by who made it.
const (
	ConfidenceRule  = 0.5
	ConfidenceAgent = 0.7
	ConfidenceUser  = 0.9
)
