package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/outcome"
	"remanence/internal/propose"
	"remanence/internal/workstate"
)

// Bounds of a handoff page.
const (
	handoffSessions  = 3
	handoffDecisions = 10
	handoffRead      = 500 // decisions and reports that are looked at, the newest
	handoffOpen      = 10
	handoffFailures  = 5
	handoffLessons   = 5
	handoffCommands  = 8
	handoffFiles     = 12
	maxHandoffCalls  = 500 // of each session
)

// HandoffPage says where a project's work stands, for a person or an agent that goes on with it. It is made of stored
// statements alone; text from outside is left out.
type HandoffPage struct {
	Project mem.Project `json:"project"` // with branch and commit
	At      time.Time   `json:"at"`
	// Goal is what the newest session was asked for first, Asked what it was asked for last, if that differs and no state
	// of the project was declared.
	Goal     string           `json:"goal"`
	Asked    string           `json:"asked,omitempty"`
	Phase    string           `json:"phase,omitempty"`  // as state files or the store have them
	Status   string           `json:"status,omitempty"` //
	Next     string           `json:"next,omitempty"`
	Active   []string         `json:"active"`
	Blockers []string         `json:"blockers"`
	Sessions []HandoffSession `json:"sessions"` // what came of the newest ones, newest first
	// Decisions are those in force, with conventions and preferences, newest first.
	Decisions []TimelineEntry `json:"decisions"`
	Open      []TimelineEntry `json:"open"`
	DeadEnds  []TimelineEntry `json:"dead_ends"` // commands that failed and did not work since
	Lessons   []TimelineEntry `json:"lessons"`   // fixes, and what to watch out for
	Commands  []string        `json:"commands"`  // of the newest session that worked and may be run again
	Files     []string        `json:"files"`     // that the newest session changed
}

// HandoffSession is one session of a HandoffPage.
type HandoffSession struct {
	ID      string    `json:"id"` // short
	Agent   string    `json:"agent"`
	At      time.Time `json:"at"`      // of its last event
	Outcome string    `json:"outcome"` // its newest pieces of work and where they stand
}

// Handoff returns the page on a project. It fails with mem.ErrNotFound for all projects at once.
func (s *Service) Handoff(ctx context.Context, at mem.ProjectRef) (HandoffPage, error) {
	p, err := s.Event.Place(ctx, at)
	if err == nil && p.Key == "" {
		err = fmt.Errorf("a handoff is of one project: %w", mem.ErrNotFound)
	}
	if err != nil {
		return HandoffPage{}, err
	}
	out := HandoffPage{Project: p, At: s.Now().UTC(), Active: []string{}, Blockers: []string{}, Commands: []string{}}
	out.Sessions, out.Files = []HandoffSession{}, []string{}
	state, err := s.Filesync.State(ctx, workstate.Request{ProjectRef: at, Op: workstate.OpGet})
	if err != nil {
		return out, err
	}
	out.Phase, out.Next, out.Active = state.Phase, state.Next, append(out.Active, state.Active...)
	if state.Version == "" { // derived from the last request, and from failures that are listed here
		out.Asked = state.Status
	} else {
		out.Status, out.Blockers = state.Status, append(out.Blockers, state.Blockers...)
	}
	for _, part := range []struct {
		into  *[]TimelineEntry
		query mem.Query
	}{
		{&out.Decisions, mem.Query{
			Kinds: []mem.Kind{mem.Decision, mem.TradeOff, mem.Convention, mem.Preference}, Limit: handoffRead,
		}},
		{&out.Open, mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: handoffOpen}},
		{&out.Lessons, mem.Query{Kinds: []mem.Kind{mem.Gotcha, mem.ErrorFix}, Limit: handoffLessons}},
	} {
		part.query.Project, part.query.Within, part.query.MinTrust = p.Key, "*", mem.TrustTool
		ms, err := s.Store.List(ctx, part.query)
		if err != nil {
			return out, fmt.Errorf("memories: %w", err)
		}
		if part.into == &out.Decisions {
			ms = slices.DeleteFunc(ms, func(m mem.Memory) bool { return !propose.LaysDown(m) }) // newest first
			ms = ms[:min(len(ms), handoffDecisions)]
		}
		*part.into = s.newestFirst(ctx, ms)
	}
	err = s.handoffSessions(ctx, p, &out)
	out.once()
	return out, err
}

// once removes what the state repeats of the other parts.
func (h *HandoffPage) once() {
	if slices.ContainsFunc(h.Open, func(e TimelineEntry) bool { return e.Title == h.Next }) {
		h.Next = ""
	}
	if strings.HasPrefix(h.Asked, strings.TrimSuffix(h.Goal, "…")) {
		h.Asked = ""
	}
}

// handoffSessions adds what the newest sessions were about.
func (s *Service) handoffSessions(ctx context.Context, p mem.Project, out *HandoffPage) error {
	sessions, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: handoffSessions})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	since := s.Now()
	r := &recap{
		until: since, projects: map[string]mem.Project{p.Key: p}, did: map[string]*recapSession{},
		session: s.Event.Lookup(ctx),
		log:     func(dir string, files []string) *outcome.Log { return s.log(ctx, dir, since, files) },
	}
	for i, one := range sessions {
		ms, err := s.Store.List(ctx, mem.Query{
			Project: p.Key, Session: one.ID, Within: "*", Kinds: []mem.Kind{mem.Summary, mem.Change, mem.Command},
			MinTrust: mem.TrustTool, Limit: 200,
		})
		if err != nil {
			return fmt.Errorf("memories of %s: %w", one.Short, err)
		}
		row := HandoffSession{ID: one.Short, Agent: one.Agent, At: one.LastEvent}
		if n := slices.IndexFunc(ms, func(m mem.Memory) bool { return m.Kind == mem.Summary }); n >= 0 {
			row.Outcome = ms[n].Title
		}
		if err := s.addWork(ctx, r, p.Key, one, ms); err != nil {
			return err
		}
		if out.Sessions = append(out.Sessions, row); one.Created.Before(since) {
			since = one.Created
		}
		if out.Goal != "" || one.FirstPrompt == "" && i+1 < len(sessions) {
			continue // of the newest session that was asked for something
		}
		out.newest(one, ms)
	}
	if err := r.deadEnds(ctx, s, out); err != nil {
		return err
	}
	pieces := r.pieces()
	left, err := s.Continuity.Left(ctx, p, "")
	for _, end := range left.Ends {
		out.Open = append(out.Open, TimelineEntry{
			ID: end.Session, Session: end.Session, At: end.At, What: string(mem.Todo), Title: end.Line("you"),
		})
	}
	for i, one := range sessions {
		out.Sessions[i].Outcome = cmp.Or(outcome.Newest(pieces[one.ID]), out.Sessions[i].Outcome)
	}
	return err
}

// deadEnds adds the commands that failed and did not work since, as far as that still matters.
func (r *recap) deadEnds(ctx context.Context, s *Service, out *HandoffPage) error {
	failed, err := s.Store.List(ctx, mem.Query{
		Project: out.Project.Key, Within: "*", MinTrust: mem.TrustTool, Kinds: []mem.Kind{mem.Command}, Open: true,
		Limit: handoffRead,
	})
	for _, did := range r.did {
		failed = slices.DeleteFunc(failed, did.Settled)
	}
	out.DeadEnds = s.newestFirst(ctx, failed[:min(len(failed), handoffFailures)])
	return err
}

// newest adds what the newest session was asked for, ran and changed. ms are its memories, newest first.
func (h *HandoffPage) newest(one mem.Session, ms []mem.Memory) {
	h.Goal = one.FirstPrompt
	h.Commands = outcome.Commands(ms, handoffCommands)
	for _, m := range ms {
		if m.Kind == mem.Change {
			for _, f := range m.Modified {
				h.Files = extract.AppendNew(h.Files, f, handoffFiles)
			}
		}
	}
}
