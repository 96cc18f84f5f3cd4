package storetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"remanence/internal/mem"
)

var _ mem.Browser = (*Mem)(nil)

// Sittings implements mem.Browser.
func (s *Mem) Sittings(ctx context.Context, ask mem.SessionsRequest) (out mem.Sessions, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return out, err
	}
	defer unlock()
	agents, branches := map[string]int{}, map[string]int{}
	var found []mem.SessionRow
	for _, ss := range backwards(s.sessions) {
		v := s.sitting(ss)
		switch {
		case ask.Project != "" && ss.Project != s.alias(ask.Project),
			!ask.Since.IsZero() && ss.LastEvent.Before(ask.Since),
			!ask.Until.IsZero() && !ss.LastEvent.Before(ask.Until):
			continue
		}
		on := ask.Branch == "" || slices.Contains(v.Branches, ask.Branch)
		by := ask.Agent == "" || ss.Agent == ask.Agent
		if on {
			agents[ss.Agent]++
		}
		for _, b := range v.Branches {
			if by {
				branches[b]++
			}
		}
		if on && by {
			found = append(found, v)
		}
	}
	slices.SortStableFunc(found, func(a, b mem.SessionRow) int { return b.LastEvent.Compare(a.LastEvent) })
	out.Total = len(found)
	out.Sessions = page(found, ask.Offset, ask.Limit, mem.DefaultLimit)
	out.Agents, out.Branches = tally(agents), tally(branches)
	out.Branches = out.Branches[:min(50, len(out.Branches))]
	return out, nil
}

// sitting is a session and what came of it.
func (s *Mem) sitting(ss *session) mem.SessionRow {
	v := mem.SessionRow{Session: s.derived(ss)}
	files := map[string]bool{}
	for _, m := range s.memories {
		if m.session != ss {
			continue
		}
		if m.Branch != "" && !slices.Contains(v.Branches, m.Branch) {
			v.Branches = append(v.Branches, m.Branch)
		}
		if m.Status != mem.Active {
			continue
		}
		if m.Kind != mem.Utterance {
			v.Memories++
		}
		for _, f := range m.Memory.Files {
			files[f] = true
		}
	}
	slices.Sort(v.Branches)
	v.Files = len(files)
	for _, r := range s.receipts {
		if r.session == ss && r.Outcome == mem.Injected {
			v.Told++
			v.Spent += r.Tokens
		}
	}
	return v
}

// tally lists counts, the highest first.
func tally(counts map[string]int) []mem.Count {
	out := []mem.Count{}
	for v, n := range counts {
		out = append(out, mem.Count{Value: v, N: n})
	}
	slices.SortStableFunc(out, func(a, b mem.Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value)) })
	return out
}

// Day implements mem.Browser.
func (s *Mem) Day(ctx context.Context, project string, since time.Time) (mem.Day, error) {
	d := mem.Day{Since: since}
	unlock, err := s.enter(ctx)
	if err != nil {
		return d, err
	}
	defer unlock()
	in := func(ss *session, at time.Time) bool {
		return ss != nil && !ss.LastEvent.Before(since) && !at.Before(since) && (project == "" || ss.Project == s.alias(project))
	}
	for _, ss := range s.sessions {
		if in(ss, ss.LastEvent) {
			d.Sessions++
		}
	}
	for _, e := range s.events {
		if in(e.session, e.at) {
			d.Captured++
		}
	}
	for _, m := range s.memories {
		if m.Kind != mem.Utterance && !m.Created.Before(since) && (project == "" || m.Project == s.alias(project)) {
			d.Memories++
		}
	}
	for _, r := range s.receipts {
		if !in(r.session, r.At) {
			continue
		}
		d.Tokens += r.Tokens
		switch r.Outcome {
		case mem.Injected:
			d.Recalled++
		case mem.Abstained:
			d.Abstained++
		}
	}
	return d, nil
}

// CountEvents implements mem.Browser.
func (s *Mem) CountEvents(ctx context.Context, session string) (int, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return len(s.pass(s.events, mem.EventQuery{Session: session}, len(s.events))), nil
}

// Successor implements mem.Browser.
func (s *Mem) Successor(ctx context.Context, id string) (string, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	for _, m := range backwards(s.memories) {
		if m.Supersedes == id {
			return m.ID, nil
		}
	}
	return "", nil
}
