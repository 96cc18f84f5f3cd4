package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
	"remanence/internal/outcome"
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
	// Goal is what the newest session was asked for first, Asked what it was asked for last, if that differs.
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
	Commands  []string        `json:"commands"`  // that worked in the newest session, exactly as they were run
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
	out := HandoffPage{
		Project: p, At: s.Now().UTC(), Active: []string{}, Blockers: []string{}, Sessions: []HandoffSession{},
		Commands: []string{}, Files: []string{},
	}
	state, err := s.Filesync.State(ctx, workstate.Request{ProjectRef: at, Op: workstate.OpGet})
	if err != nil {
		return out, err
	}
	out.Phase, out.Status, out.Next = state.Phase, state.Status, state.Next
	out.Active, out.Blockers = append(out.Active, state.Active...), append(out.Blockers, state.Blockers...)
	for _, part := range []struct {
		into  *[]TimelineEntry
		query mem.Query
	}{
		{&out.Decisions, mem.Query{
			Kinds: []mem.Kind{mem.Decision, mem.TradeOff, mem.Convention, mem.Preference}, Limit: handoffRead,
		}},
		{&out.Open, mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: handoffOpen}},
		{&out.DeadEnds, mem.Query{Kinds: []mem.Kind{mem.Command}, Open: true, Limit: handoffFailures}},
		{&out.Lessons, mem.Query{Kinds: []mem.Kind{mem.Gotcha, mem.ErrorFix}, Limit: handoffLessons}},
	} {
		part.query.Project, part.query.Within, part.query.MinTrust = p.Key, "*", mem.TrustTool
		ms, err := s.Store.List(ctx, part.query)
		if err != nil {
			return out, fmt.Errorf("memories: %w", err)
		}
		if part.into == &out.Decisions {
			ms = slices.DeleteFunc(ms, func(m mem.Memory) bool { return !laysDown(m) }) // newest first
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
	says := func(list []TimelineEntry, text string) bool {
		return slices.ContainsFunc(list, func(e TimelineEntry) bool { return e.Title == text })
	}
	h.Blockers = slices.DeleteFunc(h.Blockers, func(b string) bool { return says(h.DeadEnds, b) })
	if says(h.Open, h.Next) {
		h.Next = ""
	}
	if h.Status == h.Goal || h.Status == h.Asked {
		h.Status = ""
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
		turns, err := s.Store.Turns(ctx, one.ID, 1)
		if err != nil {
			return fmt.Errorf("turns of %s: %w", one.Short, err)
		}
		if len(turns) > 0 && turns[0].Text != one.FirstPrompt {
			out.Asked = turns[0].Text
		}
	}
	pieces := r.pieces()
	ends, err := s.Continuity.Ends(ctx, p, "")
	for _, end := range ends {
		out.Open = append(out.Open, TimelineEntry{
			ID: end.Session, Session: end.Session, At: end.At, What: string(mem.Todo), Title: end.Line("you"),
		})
	}
	for i, one := range sessions {
		out.Sessions[i].Outcome = cmp.Or(outcome.Newest(pieces[one.ID]), out.Sessions[i].Outcome)
	}
	return err
}

// newest adds what the newest session was asked for, ran and changed. ms are its memories, newest first.
func (h *HandoffPage) newest(one mem.Session, ms []mem.Memory) {
	h.Goal = one.FirstPrompt
	for _, m := range ms {
		switch {
		case m.Kind == mem.Command && m.ExitCode == 0 && m.Command != "" && len(h.Commands) < handoffCommands &&
			!slices.Contains(h.Commands, m.Command):
			h.Commands = append(h.Commands, m.Command)
		case m.Kind == mem.Change:
			for _, f := range m.Modified {
				if len(h.Files) < handoffFiles && !slices.Contains(h.Files, f) {
					h.Files = append(h.Files, f)
				}
			}
		}
	}
}
