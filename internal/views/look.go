package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Show returns whole records. Those that an agent asks for count as used.
func (s *Service) Show(ctx context.Context, req event.IDs) (ShowResponse, error) {
	s.Event.Without("vault", s.Filesync.SyncVault(ctx, event.Person))
	ms, err := s.Event.Given(ctx, req.IDs)
	if err != nil {
		return ShowResponse{}, err
	}
	s.Event.Without("uses", s.countUse(ctx, req.Agent, ms))
	beside, err := s.Recall.Beside(ctx, ms)
	return ShowResponse{Memories: ms, Beside: beside}, err
}

// fetched counts a use of what an agent reads whole, once a turn.
func (s *Service) countUse(ctx context.Context, agent string, ms []mem.Memory) error {
	turn, err := s.Event.TurnAt(ctx, agent)
	if err != nil || turn == "" {
		return err
	}
	var b mem.Batch
	for _, mm := range ms {
		b.Edits = append(b.Edits, mem.Edit{ID: mm.ID, Used: 1, UsedIn: turn})
	}
	_, err = s.Store.Apply(ctx, b)
	return err
}

// Why returns a receipt and what became of its items.
func (s *Service) Why(ctx context.Context, req WhyRequest) (WhyResponse, error) {
	q := mem.ReceiptQuery{ID: req.ID, Limit: 50}
	if req.ID == "" || req.ID == "last" {
		p, err := s.Event.Place(ctx, req.Place)
		if err != nil {
			return WhyResponse{}, err
		}
		q.ID, q.Project = "", p.Key
	}
	rs, err := s.Store.Receipts(ctx, q)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return WhyResponse{}, err
	}
	if len(rs) == 0 {
		return WhyResponse{}, fmt.Errorf("receipt %q: %w", cmp.Or(req.ID, "last"), mem.ErrNotFound)
	}
	r := rs[0]
	for _, c := range rs { // "last" is the last that said something, if any did
		if q.ID == "" && c.Outcome == mem.Injected {
			r = c
			break
		}
	}
	out := WhyResponse{Receipt: r, Weights: rank.Weights(), States: map[string]mem.Status{}, Used: map[string]bool{}}
	if r.ID != rs[0].ID && rs[0].Outcome != mem.Injected {
		out.Later = &rs[0]
	}
	if sess, err := s.Store.Session(ctx, r.Session); err == nil {
		out.Short = sess.Short
	}
	var ids []string // without the sessions in the index
	for _, it := range r.Items {
		if strings.HasPrefix(it.ID, "m_") {
			ids = append(ids, it.ID)
		}
	}
	known, err := s.Recall.ByID(ctx, ids)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		m, ok := known[id]
		switch {
		case !ok:
			out.States[id] = "erased"
		case m.Status != mem.Active:
			out.States[id] = m.Status
		}
		if m.LastUsed.After(r.At) {
			out.Used[id] = true
		}
	}
	return out, nil
}

// Status returns the state of things at a glance.
func (s *Service) Status(ctx context.Context, at mem.Place) (StatusResponse, error) {
	p, err := s.Event.Place(ctx, at)
	if err != nil {
		return StatusResponse{}, err
	}
	out := StatusResponse{Project: p}
	if out.Stats, err = s.Store.Stats(ctx, p.Key, s.Event.Today()); err != nil {
		return out, fmt.Errorf("counts: %w", err)
	}
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: 1})
	if err != nil {
		return out, fmt.Errorf("last session: %w", err)
	}
	if len(ss) > 0 {
		out.Last = &ss[0]
		if out.Context, err = s.Continuity.ContextOf(ctx, ss[0]); err != nil {
			return out, err
		}
	}
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Project: p.Key, Limit: 50})
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	for i := range rs {
		if rs[i].Outcome == mem.Injected {
			out.Told = &rs[i]
			break
		}
	}
	if out.Pauses, err = s.Store.Paused(ctx, s.Now()); err != nil {
		return out, fmt.Errorf("pauses: %w", err)
	}
	out.Review = s.Curate.ReviewCount(p.Key)
	out.Health, err = s.health(ctx, out)
	return out, err
}

// health is that of the whole house: work of another project that does not go
// on is seen from each.
func (s *Service) health(ctx context.Context, o StatusResponse) (Health, error) {
	all := o.Stats.Waiting
	if o.Project.Key != "" {
		var err error
		if all, err = s.waiting(ctx); err != nil {
			return Health{}, fmt.Errorf("backlog: %w", err)
		}
	}
	h := Health{QueueDepth: all.Jobs - all.LaterJobs, DeadJobs: all.DeadJobs}
	if !all.OldestJob.IsZero() {
		h.OldestJobS = max(0, s.Now().Sub(all.OldestJob).Seconds())
	}
	return h, nil
}

// waiting counts the jobs of all projects, by themselves where the store can.
func (s *Service) waiting(ctx context.Context) (mem.Waiting, error) {
	if w, ok := s.Store.(mem.Waiter); ok {
		return w.Waiting(ctx)
	}
	st, err := s.Store.Stats(ctx, "", s.Event.Today())
	return st.Waiting, err
}

// mostAround is how much of a timeline is told on each side of its anchor at most.
const maxAround = 10_000

// Timeline lists what happened around an anchor.
func (s *Service) Timeline(ctx context.Context, req TimelineRequest) (TimelineResponse, error) {
	around := min(req.Around, maxAround)
	if around <= 0 {
		around = 10
	}
	p, err := s.Event.Place(ctx, req.Place)
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

// from lists what was kept from a time on, oldest first: the anchor of the id, if it
// is among them, and as much after it as q limits. As much as comes before it at the
// same moment comes on top.
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

// placeOf is where the memory of an id stands in a list, -1 if it does not.
func indexOfID(ms []mem.Memory, id string) int {
	return slices.IndexFunc(ms, func(mm mem.Memory) bool { return mm.ID == id })
}

// anchor is the time a timeline is centred on; the zero time means now. A file
// narrows the query instead.
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
	if t, err := time.ParseInLocation("2006-01-02", a, time.Local); err == nil {
		return t, "", nil
	}
	q.File = s.Recall.Relative(p, a)
	return time.Time{}, "", nil
}

func (s *Service) timeline(ctx context.Context, ms []mem.Memory, id string) TimelineResponse {
	slices.SortStableFunc(ms, func(a, b mem.Memory) int { return a.Created.Compare(b.Created) })
	session := s.Event.Lookup(ctx)
	out := TimelineResponse{Anchor: id}
	for _, mm := range ms {
		out.Entries = append(out.Entries, Moment{
			ID: mm.ID, At: mm.Created, Session: session(mm.Session).Short, What: string(mm.Kind), Title: mm.Title, Files: mm.Files,
		})
	}
	return out
}
