package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/workstate"
)

type stateArgs struct {
	Op string `json:"op"`

	Phase    *string `json:"phase"` // update
	Status   *string `json:"status"`
	Active   *texts  `json:"active_work"`
	Blockers *texts  `json:"blockers"`
	Next1    *string `json:"next_action"`

	Title     string `json:"title"` // decision, with Status
	Decision  string `json:"decision"`
	Rationale string `json:"rationale"`
	By        string `json:"decided_by"`

	Task    string `json:"task"` // progress
	Action  string `json:"action"`
	Section string `json:"section"`

	Summary   string `json:"summary"` // session, with Blockers
	Completed texts  `json:"completed"`
	Decisions texts  `json:"decisions"`
	Next      texts  `json:"next"`

	Text string `json:"text"` // handoff

	Part   string `json:"part"` // get: one of the lists, from Offset on
	Offset int    `json:"offset"`
}

// opHandoff is the one operation that does not use state files.
const opHandoff = "handoff"

// The lists of a state, as part names them.
const (
	partProgress  = "progress"
	partDecisions = "decisions"
	partSessions  = "sessions"
)

// stateView is the answer of state: where the work stands.
type stateView struct {
	Project   string          `json:"project"`
	Where     string          `json:"kept_in"`
	Phase     string          `json:"phase,omitempty"`
	Status    string          `json:"status,omitempty"`
	Active    []string        `json:"active_work,omitempty"`
	Blockers  []string        `json:"blockers,omitempty"`
	Next1     string          `json:"next_action,omitempty"`
	Progress  []workItem      `json:"progress,omitempty"`
	Decisions []decisionEntry `json:"decisions,omitempty"` // newest first
	Sessions  []sessionEntry  `json:"sessions,omitempty"`  // newest first
	Changed   []string        `json:"changed,omitempty"`
	Choose    []string        `json:"candidates,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
	Cut       bool            `json:"cut,omitempty"` // a list above had more than fits
	Next      map[string]any  `json:"next,omitempty"`
}

type workItem struct {
	Section string `json:"section"`
	Text    string `json:"text"`
	Done    bool   `json:"done,omitempty"`
}

type decisionEntry struct {
	ID        string `json:"id,omitempty"`
	Date      string `json:"date,omitempty"`
	Title     string `json:"title"`
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
	Status    string `json:"status,omitempty"`
}

type sessionEntry struct {
	Title   string   `json:"title,omitempty"`
	Summary string   `json:"summary"`
	Next    []string `json:"next,omitempty"`
}

func (s *Server) state(ctx context.Context, a stateArgs) (any, error) {
	if a.Op == opHandoff {
		return s.handoff(ctx, a)
	}
	ask, err := s.stateAsk(a)
	if err != nil {
		return nil, err
	}
	if a.Op != workstate.OpGet {
		if s.Reader {
			return nil, bad("op %q changes the state, and this server only reads", a.Op).fixedBy("op get")
		}
		w, err := s.writing(ctx)
		if err != nil {
			return nil, err
		}
		ask.Agent = w.agent
	}
	if seen := s.seen.Load(); seen != nil {
		ask.Update.Seen = *seen
	}
	got, err := s.Memory.State(ctx, ask)
	if err != nil {
		return nil, err
	}
	s.seen.Store(&got.Version) // after a change too: notes report changes that others made meanwhile
	out := s.stateView(got)
	if a.Op != workstate.OpGet { // only the change is returned
		v := stateView{
			Project: out.Project, Where: out.Where, Changed: out.Changed, Choose: out.Choose, Notes: out.Notes,
			Next: map[string]any{"op": workstate.OpGet},
		}
		v.trim()
		return v, nil
	}
	return out.page(a.Part, a.Offset)
}

// stateAsk converts arguments to a request. Only those of its operation count.
func (s *Server) stateAsk(a stateArgs) (workstate.Request, error) {
	ask := workstate.Request{ProjectRef: s.Place, Op: a.Op}
	missing := ""
	switch a.Op {
	case workstate.OpGet:
	case workstate.OpUpdate:
		ask.Update = workstate.Update{
			Phase: a.Phase, Status: a.Status, Active: (*[]string)(a.Active),
			Blockers: (*[]string)(a.Blockers), Next: a.Next1,
		}
		if a.Phase == nil && a.Status == nil && a.Active == nil && a.Blockers == nil && a.Next1 == nil {
			missing = "phase, status, active_work, blockers or next_action"
		}
	case workstate.OpDecision:
		ask.Decision = workstate.Decision{
			Title: a.Title, Text: a.Decision, Rationale: a.Rationale, By: a.By,
			Status: value(a.Status),
		}
		if strings.TrimSpace(a.Title) == "" || strings.TrimSpace(a.Decision) == "" {
			missing = "title and decision"
		}
	case workstate.OpProgress:
		ask.Progress = workstate.Progress{Task: a.Task, Action: cmp.Or(a.Action, "add"), Section: a.Section}
		if strings.TrimSpace(a.Task) == "" {
			missing = "task"
		}
	case workstate.OpSession:
		ask.Session = workstate.Session{Summary: a.Summary, Completed: a.Completed, Decisions: a.Decisions, Next: a.Next}
		if a.Blockers != nil {
			ask.Session.Blockers = *a.Blockers
		}
		if strings.TrimSpace(a.Summary) == "" {
			missing = "summary"
		}
	default:
		return ask, bad("no operation %q", chars.Clip(a.Op, 40)).fixedBy("op is get, update, decision, progress, session " +
			"or handoff")
	}
	if missing != "" {
		return ask, bad("op %s needs %s", a.Op, missing)
	}
	return ask, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// handoffAnswer is the answer of a handoff.
type handoffAnswer struct {
	ID   string `json:"id"`
	Kept bool   `json:"kept"`
	Note string `json:"note"`
}

func (s *Server) handoff(ctx context.Context, a stateArgs) (any, error) {
	if s.Reader {
		return nil, bad("op handoff writes, and this server only reads").fixedBy("op get")
	}
	if strings.TrimSpace(a.Text) == "" {
		return nil, bad("op handoff needs text").fixedBy("task in hand and its exact next step, open threads, decisions, " +
			"what would be missed")
	}
	if n := len([]rune(a.Text)); n > continuity.MaxHandoff {
		return nil, bad("text has %d characters, %d are allowed", n, continuity.MaxHandoff)
	}
	w, err := s.writing(ctx)
	if err != nil {
		return nil, err
	}
	c, err := s.Memory.Handoff(ctx, continuity.HandoffRequest{ProjectRef: s.Place, Text: a.Text, Agent: w.agent})
	if err != nil {
		return nil, err
	}
	return handoffAnswer{c.ID, true, "Injected after a compaction or into the next session."}, nil
}

func (s *Server) stateView(g workstate.State) stateView {
	out := stateView{
		Project: g.Project.Name, Where: cmp.Or(g.Files, "store"), Phase: s.short(g.Phase), Status: s.short(g.Status),
		Active:   s.plain(g.Active, 20, 200),
		Blockers: s.plain(g.Blockers, 20, 200), Next1: s.short(g.Next), Changed: s.plain(g.Changed, 20, 160),
		Choose: s.plain(g.Candidates, 10, 200), Notes: s.plain(g.Notes, 10, 300),
	}
	if g.Untrusted != "" {
		out.Notes = append(out.Notes, "there are state files in "+g.Untrusted+
			" that are not read until the user says so: remanence trust")
	}
	for _, it := range g.Progress {
		out.Progress = append(out.Progress, workItem{chars.Clip(s.Plain(it.Section), 60), s.short(it.Text), it.Done})
	}
	slices.SortStableFunc(out.Progress, func(a, b workItem) int { return cmp.Compare(rankOf(a.Done), rankOf(b.Done)) })
	for _, d := range slices.Backward(g.Decisions) {
		out.Decisions = append(out.Decisions, decisionEntry{
			d.ID, d.Date, s.short(d.Title), s.short(d.Text),
			s.short(d.Rationale), d.Status,
		})
	}
	for _, e := range slices.Backward(g.Sessions) {
		out.Sessions = append(out.Sessions, sessionEntry{
			s.short(e.Title), chars.Clip(s.Plain(e.Summary), 600),
			s.plain(e.Next, 5, 200),
		})
	}
	return out
}

// rankOf orders open items before done ones.
func rankOf(done bool) int {
	if done {
		return 1
	}
	return 0
}

func (s *Server) short(text string) string { return chars.Clip(s.Plain(text), 300) }

// page returns the part of a state that fits: of its lists first the work, then decisions, then sessions; or
// one list from an item on.
func (v stateView) page(part string, offset int) (stateView, error) {
	if part != "" && !slices.Contains([]string{partProgress, partDecisions, partSessions}, part) || offset < 0 {
		return v, bad("part is progress, decisions or sessions, offset 0 or more")
	}
	all := v
	v.Progress, v.Decisions, v.Sessions = nil, nil, nil
	if part != "" {
		v.Active, v.Blockers = nil, nil
	}
	v.trim()
	left := room - size(v)
	more := func(name string, from, shown, of int) {
		if from+shown < of && v.Next == nil {
			v.Next = map[string]any{"op": workstate.OpGet, "part": name, "offset": from + shown}
		}
	}
	for _, name := range []string{partProgress, partDecisions, partSessions} {
		if part != "" && part != name || v.Next != nil {
			continue
		}
		from := 0
		if part == name {
			from = offset
		}
		switch name {
		case partProgress:
			v.Progress, left = fittingFrom(all.Progress, from, left)
			more(name, from, len(v.Progress), len(all.Progress))
		case partDecisions:
			v.Decisions, left = fittingFrom(all.Decisions, from, left)
			more(name, from, len(v.Decisions), len(all.Decisions))
		case partSessions:
			v.Sessions, left = fittingFrom(all.Sessions, from, left)
			more(name, from, len(v.Sessions), len(all.Sessions))
		}
	}
	return v, nil
}

// trim drops the last items of the longest lists until they take at most half of an answer.
func (v *stateView) trim() {
	for size(v) > room/2 {
		longest := &v.Active
		for _, list := range []*[]string{&v.Blockers, &v.Choose, &v.Changed, &v.Notes} {
			if size(*list) > size(*longest) {
				longest = list
			}
		}
		if len(*longest) == 0 {
			return
		}
		*longest = (*longest)[:len(*longest)-1]
		v.Cut = true
	}
}

// fittingFrom returns the items from one on that fit, and the room that is left.
func fittingFrom[T any](items []T, from, left int) ([]T, int) {
	items = items[min(from, len(items)):]
	items = items[:fitting(items, left)]
	for _, it := range items {
		left -= size(it)
	}
	return items, left
}
