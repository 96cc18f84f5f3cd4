package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

func (d *deed) putCheckpoint(c mem.Checkpoint) {
	c.Project = d.key(c.Project)
	c.ID = short("c_", d.next("c_"))
	if c.At.IsZero() {
		c.At = d.at
	}
	d.checks = append(d.checks, &checkpoint{copied(c), d.sessionOf(c.Session, c.Project, d.agent)})
}

func (d *deed) putReceipt(r mem.Receipt) {
	r.Project = d.key(r.Project)
	if r.At.IsZero() {
		r.At = d.at
	}
	ss := d.sessionOf(r.Session, r.Project, d.agent)
	d.receipts = append(d.receipts, &receipt{copied(r), ss})
	if ss == nil {
		return
	}
	for _, m := range r.Told() {
		ss.Told[m] = true
	}
	if !r.Aside {
		ss.ToldTokens += r.Tokens
	}
}

// unhear removes receipts, with what they told of their sessions.
func (d *deed) unhear(ids []string) {
	d.receipts = slices.DeleteFunc(d.receipts, func(r *receipt) bool {
		if !slices.Contains(ids, r.ID) {
			return false
		}
		if r.session != nil {
			for _, m := range r.Told() {
				delete(r.session.Told, m)
			}
			if !r.Aside {
				r.session.ToldTokens = max(0, r.session.ToldTokens-r.Tokens)
			}
		}
		return true
	})
}

func (d *deed) putJob(j mem.Job) {
	ss := d.sessionOf(j.Session, "", d.agent)
	for _, have := range d.jobs {
		if have.Kind == j.Kind && have.session == ss && have.Key == j.Key && !have.Dead && !have.leased.After(d.now()) {
			return
		}
	}
	n := d.next("j_")
	j.ID, j.NotBy = short("j_", n), clean(j.NotBy)
	if j.Created.IsZero() {
		j.Created = clean(d.now())
	}
	d.jobs = append(d.jobs, &job{Job: j, session: ss})
}

// copied is v after the trip through JSON that a store's disk is.
func copied[T any](v T) (out T) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(err) // the nouns of mem can all be written
	}
	return out
}

// Events implements mem.Store.
func (s *Mem) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	limit := ternary(q.Limit > 0, q.Limit, 100)
	if q.Around == "" {
		return s.pass(backwards(s.events), q, limit), nil
	}
	i := slices.IndexFunc(s.events, func(e *event) bool { return e.ID == q.Around && !e.erased })
	if i < 0 {
		return nil, fmt.Errorf("event %s: %w", q.Around, mem.ErrNotFound)
	}
	before := s.pass(backwards(s.events[:i]), q, limit)
	slices.Reverse(before)
	return slices.Concat(before, []mem.Event{copied(s.events[i].Event)}, s.pass(s.events[i+1:], q, limit)), nil
}

// pass returns the first events that pass the filters of q.
func (s *Mem) pass(events []*event, q mem.EventQuery, limit int) []mem.Event {
	var found []mem.Event
	for _, e := range events {
		switch {
		case len(found) == limit, e.erased,
			q.Session != "" && e.Session != q.Session,
			q.PromptID != "" && e.PromptID != q.PromptID,
			len(q.Kinds) > 0 && !slices.Contains(q.Kinds, e.Kind),
			q.Tool != "" && !globbed(q.Tool, e.Tool),
			q.Project != "" && s.projectOf(e.Session) != s.alias(q.Project),
			!q.After.IsZero() && (e.Session == "" || e.At.Before(q.After)),
			q.AgentID != nil && e.AgentID != *q.AgentID:
			continue
		}
		found = append(found, copied(e.Event))
	}
	return found
}

func globbed(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// projectOf is the key of a session's project.
func (s *Mem) projectOf(session string) string {
	if ss := s.find(session); ss != nil {
		return ss.Project
	}
	return ""
}

// Checkpoints implements mem.Store.
func (s *Mem) Checkpoints(ctx context.Context, q mem.CheckpointQuery) ([]mem.Checkpoint, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if q.ID != "" {
		c, err := pick(s.checks, q.ID, func(c *checkpoint) string { return c.ID })
		if err != nil {
			return nil, fmt.Errorf("checkpoint %w", err)
		}
		return []mem.Checkpoint{copied(c.Checkpoint)}, nil
	}
	var found []mem.Checkpoint
	for _, c := range backwards(s.checks) {
		if (q.Session == "" || c.Session == q.Session) && (q.Project == "" || c.Project == s.alias(q.Project)) && (q.Trigger == "" || c.Trigger == q.Trigger) {
			found = append(found, copied(c.Checkpoint))
		}
	}
	return page(found, 0, q.Limit, mem.DefaultLimit), nil
}

// Receipts implements mem.Store.
func (s *Mem) Receipts(ctx context.Context, q mem.ReceiptQuery) ([]mem.Receipt, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if q.ID != "" {
		r, err := pick(s.receipts, q.ID, func(r *receipt) string { return r.ID })
		if err != nil {
			return nil, fmt.Errorf("receipt %w", err)
		}
		return []mem.Receipt{copied(r.Receipt)}, nil
	}
	var found []mem.Receipt
	for _, r := range backwards(s.receipts) {
		told := q.Memory == "" || slices.ContainsFunc(r.Items, func(t mem.InjectedItem) bool { return t.ID == q.Memory })
		if told && (q.Trigger == "" || r.Trigger == q.Trigger) && (q.Outcome == "" || r.Outcome == q.Outcome) && (q.Session == "" || r.Session == q.Session) && (q.Project == "" || r.Project == s.alias(q.Project)) {
			found = append(found, copied(r.Receipt))
		}
	}
	if q.Brief {
		for i := range found {
			found[i].Terms, found[i].Dropped, found[i].Text = nil, nil, ""
			for j := range found[i].Items {
				found[i].Items[j].Parts = nil
			}
		}
	}
	return page(found, q.Offset, q.Limit, mem.DefaultLimit), nil
}

// Paused implements mem.Store.
func (s *Mem) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var found []mem.Pause
	for _, p := range s.pauses {
		if p.Until.IsZero() || p.Until.After(now) {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b mem.Pause) int { return strings.Compare(a.Target, b.Target) })
	return found, nil
}

// Stats implements mem.Store. Its schema is 0 and it has no bytes.
func (s *Mem) Stats(ctx context.Context, project string, today time.Time) (mem.Stats, error) {
	st := mem.Stats{Kinds: map[mem.Kind]int{}, ByOutcome: map[string]int{}}
	unlock, err := s.enter(ctx)
	if err != nil {
		return st, err
	}
	defer unlock()
	own := func(key string) bool { return project == "" || key == s.alias(project) }
	in := func(ss *session) bool { return project == "" || ss != nil && own(ss.Project) }
	for _, m := range s.memories {
		switch {
		case !own(m.Project):
		case m.Status != mem.Active:
			st.Hidden++
		case m.Kind == mem.Utterance:
			st.Kinds[m.Kind]++
		default:
			st.Memories++
			st.Kinds[m.Kind]++
			st.Today += ternary(m.Created.Before(today), 0, 1)
		}
	}
	for _, ss := range s.sessions {
		if !in(ss) {
			continue
		}
		st.Sessions++
		if !ss.LastEvent.Before(st.LastEvent) {
			st.LastEvent, st.LastSession = ss.LastEvent, ss.ID
		}
	}
	for _, e := range s.events {
		st.Events += ternary(in(e.session), 1, 0)
	}
	for _, t := range s.turns {
		st.Turns += ternary(in(t.session), 1, 0)
	}
	for _, r := range s.receipts {
		if own(r.Project) {
			st.Receipts++
			st.ToldTokens += r.Tokens
			st.ByOutcome[r.Outcome]++
		}
	}
	for _, j := range s.jobs {
		countJob(&st, j, in(j.session), s.now().Add(soon))
	}
	return st, nil
}

// Waiting implements mem.Waiter.
func (s *Mem) Waiting(ctx context.Context) (mem.Waiting, error) {
	st, err := s.Stats(ctx, "", time.Time{})
	return st.Waiting, err
}

// soon is how far ahead the time of a job may lie that counts as waiting now.
const soon = time.Minute

func countJob(st *mem.Stats, j *job, own bool, due time.Time) {
	since := j.Created
	if j.Attempts == 0 && j.NotBy.After(since) {
		since = j.NotBy
	}
	switch {
	case !own:
	case j.Dead:
		st.DeadJobs++
	case j.Attempts == 0 && j.NotBy.After(due):
		st.Jobs++
		st.LaterJobs++
	default:
		st.Jobs++
		if st.OldestJob.IsZero() || since.Before(st.OldestJob) {
			st.OldestJob = since
		}
	}
}
