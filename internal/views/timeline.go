package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/when"
)

// maxAround bounds the entries on each side of a timeline's anchor.
const maxAround = 10_000

// Timeline lists the memories around an anchor.
func (s *Service) Timeline(ctx context.Context, req TimelineRequest) (TimelineResponse, error) {
	around := min(req.Around, maxAround)
	if around <= 0 {
		around = 10
	}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return TimelineResponse{}, err
	}
	base := mem.Query{Project: p.Key, Within: "*", Statuses: event.Findable(), Limit: around + 1}
	if req.Session != "" {
		sess, err := s.Store.Session(ctx, req.Session)
		if err != nil {
			return TimelineResponse{}, err
		}
		base.Session = sess.ID
	}
	at, id, err := s.anchor(ctx, p, req.Anchor, &base)
	if err != nil {
		return TimelineResponse{}, err
	}
	before := base
	before.Before = at
	ms, err := s.Store.List(ctx, before)
	if err != nil {
		return TimelineResponse{}, fmt.Errorf("before: %w", err)
	}
	slices.Reverse(ms)
	i := len(ms)
	if !at.IsZero() {
		later, err := s.listFrom(ctx, base, at, id)
		if err != nil {
			return TimelineResponse{}, fmt.Errorf("after: %w", err)
		}
		ms = append(ms, later...)
	}
	if at := indexOfID(ms, id); at >= 0 {
		i = at
	}
	from, to := max(0, i-around), min(len(ms), i+around+1)
	out := s.timeline(ctx, ms[from:to], id)
	out.More = to-from < len(ms)
	return out, nil
}

// listFrom lists memories from a time on, oldest first: the anchor, if it is among them, and at least
// q.Limit memories after it, if there are as many. Memories with the anchor's creation time come on
// top.
func (s *Service) listFrom(ctx context.Context, q mem.Query, at time.Time, id string) ([]mem.Memory, error) {
	most := q.Limit
	q.After, q.Order, q.Limit = at, mem.Oldest, most+1
	for {
		ms, err := s.Store.List(ctx, q)
		if err != nil || id == "" || len(ms) < q.Limit {
			return ms, err
		}
		i := indexOfID(ms, id)
		if i >= 0 && i+most < len(ms) || i < 0 && ms[len(ms)-1].Created.After(at) {
			return ms, nil
		}
		q.Limit *= 2
	}
}

// indexOfID returns the index of the memory with an ID, or -1.
func indexOfID(ms []mem.Memory, id string) int {
	return slices.IndexFunc(ms, func(mm mem.Memory) bool { return mm.ID == id })
}

// anchor returns the time and ID that a timeline is centered on; the zero time means now. A session or
// file narrows the query instead.
func (s *Service) anchor(ctx context.Context, p mem.Project, a string, q *mem.Query) (time.Time, string, error) {
	switch {
	case a == "":
		return time.Time{}, "", nil
	case strings.HasPrefix(a, "m_"):
		mm, err := s.Event.One(ctx, a)
		return mm.Created, mm.ID, err
	case strings.HasPrefix(a, "s_"):
		sess, err := s.Store.Session(ctx, a)
		if err != nil {
			return time.Time{}, "", err
		}
		q.Session = sess.ID
		return time.Time{}, "", nil
	}
	if t, _, err := when.Parse(a, s.Now()); err == nil { // its day
		y, m, d := t.Local().Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.Local), "", nil
	}
	q.File = s.Recall.Relative(p, a)
	return time.Time{}, "", nil
}

// timeline converts memories to entries, oldest first. id is the anchor's.
func (s *Service) timeline(ctx context.Context, ms []mem.Memory, id string) TimelineResponse {
	slices.SortStableFunc(ms, func(a, b mem.Memory) int { return a.Created.Compare(b.Created) })
	session := s.Event.Lookup(ctx)
	out := TimelineResponse{Anchor: id}
	for _, mm := range ms {
		out.Entries = append(out.Entries, TimelineEntry{
			ID:      mm.ID,
			At:      mm.Created,
			Session: session(mm.Session).Short,
			What:    string(mm.Kind),
			Title:   mm.Title,
			Files:   mm.Files,
		})
	}
	return out
}
