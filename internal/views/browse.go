package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

// errNoBrowser says that the store cannot be looked through.
var errNoBrowser = errors.New("this store cannot be looked through")

func (e *Service) browser() (mem.Browser, error) {
	b, ok := e.Store.(mem.Browser)
	if !ok {
		return nil, errNoBrowser
	}
	return b, nil
}

// Projects lists all that are known, last active first.
func (e *Service) Projects(ctx context.Context) (mem.Projects, error) {
	ps, err := e.Store.Projects(ctx, "")
	if err != nil {
		return mem.Projects{}, err
	}
	return mem.Projects{Projects: append([]mem.Project{}, ps...)}, nil
}

// feedLength is how many moments Feed lists where nobody says.
const feedLength = 50

// Feed lists what happened last, newest first: what was asked, what was kept,
// what was told, which sessions ended.
func (e *Service) Feed(ctx context.Context, ask mem.FeedAsk) (mem.Recent, error) {
	p, err := e.Event.Place(ctx, ask.Place)
	if err != nil {
		return mem.Recent{}, err
	}
	n := ask.Limit
	if n <= 0 {
		n = feedLength
	}
	n = min(n, 200)
	out := mem.Recent{Entries: []mem.Moment{}}
	ms, err := e.Store.List(ctx, mem.Query{Project: p.Key, Within: "*", Limit: n})
	if err != nil {
		return out, fmt.Errorf("memories: %w", err)
	}
	for _, mm := range ms {
		out.Entries = append(out.Entries, mem.Moment{
			ID: mm.ID, At: mm.Created, Session: mm.Session, Project: mm.Project, What: string(mm.Kind), Title: mm.Title, Files: mm.Files,
		})
	}
	rs, err := e.Store.Receipts(ctx, mem.ReceiptQuery{Project: p.Key, Limit: n})
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	for _, r := range rs {
		if r.Outcome == mem.Injected {
			out.Entries = append(out.Entries, mem.Moment{
				ID: r.ID, At: r.At, Session: r.Session, Project: r.Project, What: mem.LaneInjection, Title: r.Trigger, Tokens: r.Tokens, Count: len(r.Items),
			})
		}
	}
	if err := e.feedSessions(ctx, p, n, &out); err != nil {
		return out, err
	}
	slices.SortStableFunc(out.Entries, func(a, b mem.Moment) int { return b.At.Compare(a.At) })
	out.Entries = out.Entries[:min(n, len(out.Entries))]
	return out, nil
}

// feedSessions adds what was asked in the newest sessions, and which of them ended.
func (e *Service) feedSessions(ctx context.Context, p mem.Project, n int, out *mem.Recent) error {
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: n})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	since := time.Time{} // what is older would be left out in any case
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
	for _, s := range ss {
		short[s.ID] = s
		if s.LastEvent.Before(since) || prompts >= n {
			continue
		}
		if !s.Completed.IsZero() {
			out.Entries = append(out.Entries, mem.Moment{ID: s.Short, At: s.Completed, Session: s.ID, Project: s.Project, What: "session_end", Title: s.FirstPrompt})
		}
		turns, err := e.Store.Turns(ctx, s.ID, n)
		if err != nil {
			return fmt.Errorf("turns: %w", err)
		}
		for _, t := range turns {
			if t.Number > 0 && !t.Private && !t.At.Before(since) {
				out.Entries = append(out.Entries, mem.Moment{ID: s.Short, At: t.At, Session: s.ID, Project: s.Project, What: mem.LanePrompt, Title: mem.Clip(mem.Line(t.Text), 200)})
				prompts++
			}
		}
	}
	return e.named(ctx, short, out)
}

// named gives moments the short ids of their sessions and the names of their projects.
func (e *Service) named(ctx context.Context, known map[string]mem.Session, out *mem.Recent) error {
	ps, err := e.Store.Projects(ctx, "")
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
			known[m.Session], _ = e.Store.Session(ctx, m.Session) // its short id is a convenience
		}
		m.Session = cmp.Or(known[m.Session].Short, m.Session)
		m.ProjectName = names[m.Project]
	}
	return nil
}

// Day counts what happened in a place today.
func (e *Service) Day(ctx context.Context, at mem.Place) (mem.Day, error) {
	p, err := e.Event.Place(ctx, at)
	if err != nil {
		return mem.Day{}, err
	}
	b, err := e.browser()
	if err != nil {
		return mem.Day{}, err
	}
	return b.Day(ctx, p.Key, e.Event.Today())
}

// Sessions lists sessions and what came of each.
func (e *Service) Sessions(ctx context.Context, ask mem.SessionsAsk) (mem.Sessions, error) {
	p, err := e.Event.Place(ctx, ask.Place)
	if err != nil {
		return mem.Sessions{}, err
	}
	b, err := e.browser()
	if err != nil {
		return mem.Sessions{}, err
	}
	ask.Project, ask.Limit = p.Key, min(ask.Limit, 200)
	out, err := b.Sittings(ctx, ask)
	out.Project = p
	if out.Sessions == nil {
		out.Sessions = []mem.Sitting{}
	}
	if out.Agents == nil {
		out.Agents = []mem.Count{}
	}
	return out, err
}
