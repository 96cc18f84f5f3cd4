package views

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"remanence/internal/blame"
	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/outcome"
)

// Bounds of one request.
const (
	maxBlameChanges = 2000 // changes of the file that are looked at, the newest
	maxBlameNames   = 20   // names that the file had
	maxBlameCommits = 50   // commits without an edit whose session is looked for
	maxBlameTurns   = 1000 // turns of a session
	maxBlameCalls   = 500  // calls of a turn
	maxBlameRan     = 100  // commands of a session that may have written a line; with more it counts as one that did
	maxBlamePrompt  = 200  // characters of a prompt

	maxBlameSummaries = 2000 // of two days
)

// BlameRequest asks who wrote lines of a file and why.
type BlameRequest struct {
	mem.ProjectRef
	File  string       `json:"file"`          // absolute path
	Top   string       `json:"top,omitempty"` // of the repository: the names of lines begin there
	Lines []blame.Line `json:"lines"`
}

// BlameResponse lists the origins of neighbouring lines, in their order.
type BlameResponse struct {
	File  string     `json:"file"`  // project-relative
	Lines int        `json:"lines"` // asked for
	Known int        `json:"known"` // lines that a known session wrote
	Rows  []BlameRow `json:"rows"`
}

// BlameFileRequest asks who wrote lines of a project's file, which is read for it.
type BlameFileRequest struct {
	mem.ProjectRef
	File string `json:"file"`           // relative to the project, or absolute
	From int    `json:"from,omitempty"` // 0 means 1
	To   int    `json:"to,omitempty"`   // 0 means the end; at most 2,000 lines are answered
}

// BlameFileResponse is a BlameResponse with the lines, redacted.
type BlameFileResponse struct {
	BlameResponse
	Project mem.Project `json:"project"`
	From    int         `json:"from"`
	Total   int         `json:"total"`          // lines of the file
	Text    []string    `json:"text,omitempty"` // of each line; missing if redaction removed line breaks
}

// BlameRow is the origin of lines that stand together.
type BlameRow struct {
	From      int          `json:"from"`
	To        int          `json:"to"`
	Commit    string       `json:"commit,omitempty"` // full hash; empty if the lines are not committed
	Author    string       `json:"author,omitempty"`
	Subject   string       `json:"subject,omitempty"`
	Committed time.Time    `json:"committed,omitzero"`
	Text      string       `json:"text"` // the first line that has a word
	Origin    *BlameOrigin `json:"origin,omitempty"`
}

// BlameOrigin is the turn that wrote lines.
type BlameOrigin struct {
	Session  string       `json:"session"` // short id
	Agent    string       `json:"agent,omitempty"`
	At       time.Time    `json:"at"`
	Prompt   string       `json:"prompt,omitempty"` // as typed, in part, or a plan's title; empty if it is private
	Evidence string       `json:"evidence"`         // one of the By… names
	Memory   *BlameMemory `json:"memory,omitempty"` // the reason, or else the summary of the turn
}

// What an origin is known by.
const (
	ByEdit    = "edit"    // an edit of the session added the text
	ByCommit  = "commit"  // the session made the commit, and a command of it may have written the line
	OnlyMade  = "made"    // the session made the commit, and wrote the line neither by an edit nor by a command
	ByTrailer = "trailer" // the commit names the session
)

// Link says how the lines are known to be of the session; empty if an edit of it added them.
func (o BlameOrigin) Link() string {
	switch o.Evidence {
	case ByCommit:
		return "made the commit"
	case OnlyMade:
		return "only made the commit"
	case ByTrailer:
		return "named by the commit"
	}
	return ""
}

// BlameMemory is what a turn decided, fixed, learned from the person or did.
type BlameMemory struct {
	ID    string    `json:"id"`
	Kind  mem.Kind  `json:"kind"`
	Title string    `json:"title"`
	Trust mem.Trust `json:"trust"`
	At    time.Time `json:"at"`
}

// Blame returns the turns that wrote lines of a file, and what those turns decided. It reads what is stored: the lines
// and their commits come from the caller.
func (s *Service) Blame(ctx context.Context, req BlameRequest) (BlameResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return BlameResponse{}, err
	}
	b := &blamed{
		Service: s, project: p, file: s.Rel(p, req.File), session: s.Event.Lookup(ctx),
		origins: map[[2]string]*BlameOrigin{}, commits: map[string]*BlameOrigin{},
		days: map[time.Time][]mem.Memory{},
	}
	out := BlameResponse{File: b.file, Lines: len(req.Lines), Rows: []BlameRow{}}
	b.names = b.allNames(req)
	edits, turns, err := b.edits(ctx)
	if err != nil {
		return out, err
	}
	for i, at := range blame.Match(req.Lines, edits) {
		var origin *BlameOrigin
		if at >= 0 {
			origin, err = b.origin(ctx, turns[at])
		} else {
			origin, err = b.committed(ctx, req.Lines[i])
		}
		if err != nil {
			return out, err
		}
		if origin != nil && origin.Evidence != OnlyMade {
			out.Known++
		}
		out.add(req.Lines[i], origin)
	}
	return out, nil
}

// add adds a line to the row of the line before it, or begins a row.
func (r *BlameResponse) add(line blame.Line, origin *BlameOrigin) {
	if n := len(r.Rows); n > 0 {
		last := &r.Rows[n-1]
		if last.Commit == line.Commit && last.Origin == origin && last.To+1 == line.Number {
			last.To = line.Number
			last.Text = cmp.Or(last.Text, chars.Line(line.Text))
			return
		}
	}
	r.Rows = append(r.Rows, BlameRow{
		From: line.Number, To: line.Number, Commit: line.Commit, Author: line.Author, Subject: line.Subject,
		Committed: line.Committed, Text: chars.Line(line.Text), Origin: origin,
	})
}

// blamed reads the turns of one file.
type blamed struct {
	*Service
	project mem.Project
	file    string
	names   []string // that the file has or had, relative to the project
	session func(id string) mem.Session
	origins map[[2]string]*BlameOrigin // by session and prompt
	commits map[string]*BlameOrigin    // by hash; nil for one that no session is known to have made
	days    map[time.Time][]mem.Memory // summaries of turns that made commits
}

// allNames returns the names that the file has or had, its own first.
func (b *blamed) allNames(req BlameRequest) []string {
	names := []string{b.file}
	for _, line := range req.Lines {
		if line.Name == "" || req.Top == "" || len(names) == maxBlameNames {
			continue
		}
		if name := b.Rel(b.project, path.Join(req.Top, line.Name)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// edits returns the changes of the file and the events that made them, oldest first.
func (b *blamed) edits(ctx context.Context) (edits []blame.Edit, made []mem.Event, err error) {
	seen := map[[2]string]bool{}
	for _, name := range b.names {
		changes, err := b.Store.List(ctx, mem.Query{
			Project: b.project.Key, File: name, Kinds: []mem.Kind{mem.Change}, Within: "*", Statuses: event.Findable(),
			Limit: maxBlameChanges,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("changes of the file: %w", err)
		}
		for _, c := range changes {
			turn := [2]string{c.Source.Session, c.Source.PromptID}
			if seen[turn] || c.Source.Session == "" {
				continue
			}
			seen[turn] = true
			events, err := b.Store.Events(ctx, mem.EventQuery{
				Session: c.Source.Session, PromptID: c.Source.PromptID, Kinds: []mem.EventKind{mem.PostToolUse},
				Limit: maxBlameCalls,
			})
			if err != nil {
				return nil, nil, fmt.Errorf("edits of a turn: %w", err)
			}
			for _, ev := range events {
				if event.EditsFile(ev.Tool) && slices.Contains(b.names, b.Event.ReadCall(ev, b.project).File) {
					made = append(made, ev)
				}
			}
		}
	}
	slices.SortStableFunc(made, func(x, y mem.Event) int { return x.At.Compare(y.At) })
	for _, ev := range made {
		call := b.Event.ReadCall(ev, b.project)
		e := blame.Edit{At: ev.At}
		e.Old, e.New = event.LineChanges(ev, call)
		e.Whole = ev.Tool == mem.ToolWrite && e.New == call.New
		edits = append(edits, e)
	}
	return edits, made, nil
}

// origin returns the turn of an edit.
func (b *blamed) origin(ctx context.Context, ev mem.Event) (*BlameOrigin, error) {
	key := [2]string{ev.Session, ev.PromptID}
	if o := b.origins[key]; o != nil {
		return o, nil
	}
	o, err := b.turn(ctx, ev.Session, ev.PromptID, ByEdit, ev.At)
	b.origins[key] = o
	return o, err
}

// turn describes a turn.
func (b *blamed) turn(ctx context.Context, session, prompt, evidence string, at time.Time) (*BlameOrigin, error) {
	sess := b.session(session)
	o := &BlameOrigin{Session: sess.Short, Agent: sess.Agent, At: at.UTC(), Evidence: evidence}
	turns, err := b.Store.Turns(ctx, session, maxBlameTurns)
	if err != nil {
		return o, fmt.Errorf("turns of a session: %w", err)
	}
	if i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.PromptID == prompt }); i >= 0 && !turns[i].Private {
		o.Prompt = chars.Clip(cmp.Or(extract.PlanTitle(turns[i].Text), chars.Line(turns[i].Text)), maxBlamePrompt)
	}
	ms, err := b.Store.List(ctx, mem.Query{
		Project: b.project.Key, Session: session, PromptID: prompt, Kinds: append(reasons(), mem.Summary), Within: "*",
		Statuses: event.Findable(), Limit: 50,
	})
	if err != nil {
		return o, fmt.Errorf("memories of a turn: %w", err)
	}
	if len(ms) > 0 {
		m := slices.MinFunc(ms, func(x, y mem.Memory) int { return cmp.Compare(b.weight(x), b.weight(y)) })
		o.Memory = &BlameMemory{ID: m.ID, Kind: m.Kind, Title: m.Title, Trust: m.Trust, At: m.Created.UTC()}
	}
	return o, nil
}

// reasons are the kinds that say why something was written, the strongest first.
func reasons() []mem.Kind {
	return []mem.Kind{
		mem.Decision, mem.Convention, mem.Preference, mem.ErrorFix, mem.Rationale, mem.TradeOff, mem.Gotcha, mem.Discovery,
		mem.Fact,
	}
}

// weight orders the memories of a turn: those about the file first, then by kind.
func (b *blamed) weight(m mem.Memory) int {
	w := slices.Index(reasons(), m.Kind)
	if w < 0 {
		w = len(reasons())
	}
	named := slices.ContainsFunc(m.Files, func(name string) bool { return slices.Contains(b.names, name) })
	if m.Kind != mem.Summary && !named {
		w += len(reasons()) + 1
	}
	return w
}

// committed returns the turn that made the commit of a line. The turn that made it first counts, also if another one
// amended it: that wrote its lines, more likely. The session that the commit names is the one that made or amended it
// last, so it counts last. It is nil if no such turn is known.
func (b *blamed) committed(ctx context.Context, line blame.Line) (o *BlameOrigin, err error) {
	if line.Commit == "" {
		return nil, nil
	}
	o, known := b.commits[line.Commit]
	if known || len(b.commits) == maxBlameCommits {
		return o, nil
	}
	made := func() (*BlameOrigin, error) {
		return b.listed(ctx, line.Committed, func(c mem.Commit) bool { return c.ID == line.Commit })
	}
	begun := func() (*BlameOrigin, error) {
		return b.listed(ctx, line.Authored, func(c mem.Commit) bool { return c.Authored.Equal(line.Authored) })
	}
	named := func() (*BlameOrigin, error) { return b.named(ctx, line) }
	order := []func() (*BlameOrigin, error){made, begun, named}
	if line.Committed.After(line.Authored) { // rebased or amended; otherwise another commit may be of the same second
		order = []func() (*BlameOrigin, error){begun, made, named}
	}
	for _, find := range order {
		if o, err = find(); o != nil || err != nil {
			break
		}
	}
	b.commits[line.Commit] = o
	return o, err
}

// listed returns the first turn that ended soon after a time and whose summary lists a matching commit; nil if there is
// none.
func (b *blamed) listed(ctx context.Context, at time.Time, match func(mem.Commit) bool) (*BlameOrigin, error) {
	sums, err := b.summaries(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(sums) {
		if slices.ContainsFunc(m.Commits, match) {
			evidence := OnlyMade
			if wrote, err := b.mayHaveWritten(ctx, m); err != nil {
				return nil, err
			} else if wrote {
				evidence = ByCommit
			}
			return b.turn(ctx, m.Source.Session, m.Source.PromptID, evidence, m.Created)
		}
	}
	return nil, nil
}

// mayHaveWritten reports whether the session of a summary may have changed a file otherwise than by an edit until then:
// by a command or by a tool of a server, or in calls that are not kept.
func (b *blamed) mayHaveWritten(ctx context.Context, m mem.Memory) (bool, error) {
	if kept, ok := b.Event.KeptSince(); ok && b.session(m.Session).Created.Before(kept) {
		return true, nil
	}
	for _, tool := range []string{mem.ToolShell, "mcp__*"} {
		calls, err := b.Store.Events(ctx, mem.EventQuery{
			Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: tool, Limit: maxBlameRan,
		})
		if err != nil {
			return false, fmt.Errorf("calls of a session: %w", err)
		}
		if len(calls) == maxBlameRan || slices.ContainsFunc(calls, func(ev mem.Event) bool {
			return !ev.At.After(m.Created) &&
				(tool != mem.ToolShell || outcome.MayWrite(b.Event.ReadCall(ev, b.project).Command))
		}) {
			return true, nil
		}
	}
	return false, nil
}

// named returns the turn of the session that a commit names: the last one that began before the commit was made. It is
// nil if the session is none of the project's.
func (b *blamed) named(ctx context.Context, line blame.Line) (*BlameOrigin, error) {
	if line.Session == "" || b.session(line.Session).Project != b.project.Key {
		return nil, nil
	}
	turns, err := b.Store.Turns(ctx, line.Session, maxBlameTurns) // newest first
	if err != nil {
		return nil, fmt.Errorf("turns of a session: %w", err)
	}
	for _, made := range []time.Time{line.Authored, line.Committed} { // an amendment may set the first one back
		for _, t := range turns {
			if !t.At.After(made.Add(time.Second)) { // git counts whole seconds
				return b.turn(ctx, line.Session, t.PromptID, ByTrailer, t.At)
			}
		}
	}
	return nil, nil
}

// summaries returns the summaries of turns that made a commit and that ended on the day of a time or on the next one,
// newest first.
func (b *blamed) summaries(ctx context.Context, near time.Time) ([]mem.Memory, error) {
	day := near.UTC().Truncate(24 * time.Hour)
	if ms, known := b.days[day]; known {
		return ms, nil
	}
	ms, err := b.Store.List(ctx, mem.Query{
		Project: b.project.Key, Kinds: []mem.Kind{mem.Summary}, Within: "*", Statuses: event.Findable(),
		After: day, Before: day.Add(48 * time.Hour), Limit: maxBlameSummaries,
	})
	if err != nil {
		return nil, fmt.Errorf("session of a commit: %w", err)
	}
	ms = slices.DeleteFunc(ms, func(m mem.Memory) bool {
		return len(m.Commits) == 0 || m.Source.Session == "" || m.Source.PromptID == ""
	})
	b.days[day] = ms
	return ms, nil
}
