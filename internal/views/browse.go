package views

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Projects lists the known projects, last active first.
func (s *Service) Projects(ctx context.Context) (ProjectsResponse, error) {
	ps, err := s.Store.Projects(ctx, "")
	if err != nil {
		return ProjectsResponse{}, err
	}
	out := ProjectsResponse{Projects: append([]mem.Project{}, ps...), Review: map[string]int{}}
	for _, p := range append(ps, mem.Project{}) {
		if n := s.Curate.ReviewCount(p.Key); n != nil && n.Total > 0 {
			out.Review[p.Key] = n.Total
		}
	}
	return out, nil
}

// feedLength is the default number of entries of Feed.
const feedLength = 50

// Feed lists what happened last, newest first: prompts, memories, injections and ends of sessions.
func (s *Service) Feed(ctx context.Context, req FeedRequest) (FeedResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return FeedResponse{}, err
	}
	n := req.Limit
	if n <= 0 {
		n = feedLength
	}
	from := min(max(req.Offset, 0), math.MaxInt32) // so that no sum below overflows
	n = min(n, 200) + from + 1
	out := FeedResponse{Entries: []TimelineEntry{}}
	ms, err := s.Store.List(ctx, mem.Query{Project: p.Key, Within: "*", Limit: n})
	if err != nil {
		return out, fmt.Errorf("memories: %w", err)
	}
	for _, mm := range ms {
		out.Entries = append(out.Entries, TimelineEntry{
			ID:      mm.ID,
			At:      mm.Created,
			Session: mm.Session,
			Project: mm.Project,
			What:    string(mm.Kind),
			Title:   mm.Title,
			Files:   mm.Files,
		})
	}
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{
		Project: p.Key, Outcome: mem.Injected, Limit: n, Brief: true,
	})
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	for _, r := range rs {
		out.Entries = append(out.Entries, TimelineEntry{
			ID:      r.ID,
			At:      r.At,
			Session: r.Session,
			Project: r.Project,
			What:    LaneInjection,
			Title:   r.Trigger,
			Tokens:  r.Tokens,
			Count:   len(r.Items),
		})
	}
	if err := s.feedSessions(ctx, p, n, &out); err != nil {
		return out, err
	}
	slices.SortStableFunc(out.Entries, func(a, b TimelineEntry) int { return b.At.Compare(a.At) })
	out.More = len(out.Entries) >= n
	out.Entries = out.Entries[min(from, len(out.Entries)):min(n-1, len(out.Entries))]
	return out, nil
}

// feedSessions adds the prompts and ends of the newest sessions.
func (s *Service) feedSessions(ctx context.Context, p mem.Project, n int, out *FeedResponse) error {
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: n})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	since := time.Time{} // older entries would be cut off
	if len(out.Entries) >= n {
		times := make([]time.Time, 0, len(out.Entries))
		for _, m := range out.Entries {
			times = append(times, m.At)
		}
		slices.SortStableFunc(times, func(a, b time.Time) int { return b.Compare(a) })
		since = times[n-1]
	}
	short := map[string]mem.Session{}
	prompts := 0
	for _, sess := range ss {
		short[sess.ID] = sess
		if sess.LastEvent.Before(since) || prompts >= n {
			continue
		}
		if !sess.Completed.IsZero() {
			out.Entries = append(out.Entries, TimelineEntry{
				ID:      sess.Short,
				At:      sess.Completed,
				Session: sess.ID,
				Project: sess.Project,
				What:    "session_end",
				Title:   sess.FirstPrompt,
			})
		}
		turns, err := s.Store.Turns(ctx, sess.ID, n)
		if err != nil {
			return fmt.Errorf("turns: %w", err)
		}
		for _, t := range turns {
			if t.Number > 0 && !t.Private && !t.At.Before(since) {
				out.Entries = append(out.Entries, TimelineEntry{
					ID:      sess.Short,
					At:      t.At,
					Session: sess.ID,
					Project: sess.Project,
					What:    LanePrompt,
					Title:   chars.Clip(chars.Line(t.Text), 200),
				})
				prompts++
			}
		}
	}
	return s.addNames(ctx, short, out)
}

// addNames sets the short IDs of sessions and the names of projects.
func (s *Service) addNames(ctx context.Context, known map[string]mem.Session, out *FeedResponse) error {
	ps, err := s.Store.Projects(ctx, "")
	if err != nil {
		return fmt.Errorf("projects: %w", err)
	}
	names := map[string]string{}
	for _, p := range ps {
		names[p.Key] = p.Name
	}
	for i := range out.Entries {
		m := &out.Entries[i]
		if _, ok := known[m.Session]; !ok && m.Session != "" {
			known[m.Session], _ = s.Store.Session(ctx, m.Session) // best effort: only for its short ID
		}
		m.Session = cmp.Or(known[m.Session].Short, m.Session)
		m.ProjectName = names[m.Project]
	}
	return nil
}

// Day counts what happened in a place today.
func (s *Service) Day(ctx context.Context, at mem.ProjectRef) (mem.Day, error) {
	p, err := s.Event.Place(ctx, at)
	if err != nil {
		return mem.Day{}, err
	}
	day, err := s.Store.Day(ctx, p.Key, s.Event.Today())
	day.Since = day.Since.UTC()
	return day, err
}

// SessionsRequest asks for sessions, last active first.
type SessionsRequest struct {
	mem.ProjectRef
	Agent  string    `json:"agent,omitempty"`
	Branch string    `json:"branch,omitempty"` // a memory was made on it
	Since  time.Time `json:"since,omitzero"`   // last active at or after
	Until  time.Time `json:"until,omitzero"`   // last active before
	Limit  int       `json:"limit,omitempty"`  // 0 means mem.DefaultLimit; at most 200
	Offset int       `json:"offset,omitempty"`
}

// SessionsResponse is one page of sessions.
type SessionsResponse struct {
	Project mem.Project `json:"project"`
	mem.SessionPage
}

// Sessions lists sessions with their counts.
func (s *Service) Sessions(ctx context.Context, req SessionsRequest) (SessionsResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return SessionsResponse{}, err
	}
	page, err := s.Store.SessionPage(ctx, mem.SessionQuery{
		Project: p.Key, Agent: req.Agent, Branch: req.Branch, Since: req.Since, Until: req.Until,
		Limit: min(req.Limit, 200), Offset: req.Offset,
	})
	if err != nil {
		return SessionsResponse{}, err
	}
	if err := s.addResults(ctx, p, page.Sessions); err != nil {
		return SessionsResponse{}, err
	}
	if page.Sessions == nil {
		page.Sessions = []mem.SessionRow{}
	}
	if page.Agents == nil {
		page.Agents = []mem.Count{}
	}
	return SessionsResponse{Project: p, SessionPage: page}, nil
}

// addResults adds what came of sessions.
func (s *Service) addResults(ctx context.Context, p mem.Project, rows []mem.SessionRow) error {
	if len(rows) == 0 {
		return nil
	}
	since := rows[0].Created
	for _, r := range rows {
		if r.Created.Before(since) {
			since = r.Created
		}
	}
	titles, err := s.results(ctx, mem.Query{Project: p.Key, After: since})
	for i, r := range rows {
		rows[i].Result = titles[r.ID]
	}
	return err
}

// ProjectsResponse lists the known projects, last active first.
type ProjectsResponse struct {
	// Review counts the findings that wait for a decision, by the key of a project; "" is all projects together.
	Review   map[string]int `json:"review"`
	Projects []mem.Project  `json:"projects"`
}

// FeedRequest asks what happened last in a place.
type FeedRequest struct {
	mem.ProjectRef
	Limit  int `json:"limit,omitempty"` // 0 means 50; at most 200
	Offset int `json:"offset,omitempty"`
}

// FeedResponse lists prompts, memories, injections and ends of sessions, newest first.
type FeedResponse struct {
	Entries []TimelineEntry `json:"entries"`
	More    bool            `json:"more,omitempty"` // there are older entries
}

// MemoryRequest names one record by ID or unique prefix.
type MemoryRequest struct {
	ID string `json:"id"`
}

// SessionStory lists what happened in a session, in order.
type SessionStory struct {
	Session  mem.SessionRow `json:"session"`
	Activity Activity       `json:"activity"`
	Entries  []StoryEntry   `json:"entries"`       // oldest first
	Cut      int            `json:"cut,omitempty"` // number of older events or entries left out
	// Partial reports that the agent's transcript no longer exists.
	Partial bool `json:"partial,omitempty"`
}

// Activity counts the newest events of a session, at most as many as a story lists.
type Activity struct {
	Prompts int `json:"prompts"`
	Tools   int `json:"tools"`
	Gaps    int `json:"gaps"`   // periods of half an hour or more without an event
	IdleS   int `json:"idle_s"` // total seconds of Gaps
}

// StoryEntry is one entry of a session's story.
type StoryEntry struct {
	ID     string    `json:"id"` // of the record it shows
	At     time.Time `json:"at"`
	Lane   string    `json:"lane"`
	Title  string    `json:"title"`
	Detail string    `json:"detail,omitempty"`
	Prompt int       `json:"prompt,omitempty"` // number of the prompt it belongs to, if known
	Failed bool      `json:"failed,omitempty"`
	TookMS int64     `json:"took_ms,omitempty"`
	Tokens int       `json:"tokens,omitempty"`
	Agent  string    `json:"agent_id,omitempty"` // the subagent it happened in
}

// Lanes of a session's story, in display order.
const (
	LanePrompt     = "prompt"
	LaneTool       = "tool"
	LaneEdit       = "edit"
	LaneTest       = "test"
	LaneCompaction = "compaction"
	LaneInjection  = "injection"
	LaneCheckpoint = "checkpoint"
	LaneMemory     = "memory"
)

// MemoryStory is one memory with its origin, its injections and its replacements.
type MemoryStory struct {
	Memory     mem.Memory     `json:"memory"`
	Provenance string         `json:"provenance"` // one sentence
	Session    *mem.Session   `json:"session,omitempty"`
	Project    mem.Project    `json:"project,omitzero"`
	Prompt     string         `json:"prompt,omitempty"` // the prompt of the turn it was learned in
	Stale      mem.Freshness  `json:"stale,omitempty"`
	Injections []InjectionRow `json:"injections"` // newest first
	Uses       []UseRow       `json:"uses"`       // its newest uses, newest first; those with a known turn
	Replaces   *mem.Memory    `json:"replaces,omitempty"`
	ReplacedBy *mem.Memory    `json:"replaced_by,omitempty"`
}

// UseRow is one use of a memory with its evidence.
type UseRow struct {
	mem.Use
	Session string `json:"session"` // short ID, or the agent's if it has none
	Title   string `json:"title"`   // the session's first prompt
}

// InjectionRow is one injection of a memory.
type InjectionRow struct {
	Receipt string    `json:"receipt"`
	Session string    `json:"session"` // short ID, or the agent's if it has none
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"`
	Query   string    `json:"query,omitempty"`
	Rank    int       `json:"rank"`
	Score   float64   `json:"score"`
	Tokens  int       `json:"tokens"`
}
