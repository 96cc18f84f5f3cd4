package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// putProject writes a project under the key that it is known by.
func (d *deed) putProject(p mem.Project) {
	known := d.key(p.Key)
	if p.Common != "" {
		first, ok := d.commons[p.Common]
		if !ok {
			d.commons[p.Common] = known
		} else {
			known = first
		}
		if known != p.Key && d.aliases[p.Key] == "" && !slices.ContainsFunc(d.Mem.projects, func(q *project) bool { return q.Key == p.Key }) {
			d.aliases[p.Key] = known
		}
	}
	d.projects[p.Key] = known
	i := slices.IndexFunc(d.Mem.projects, func(q *project) bool { return q.Key == known })
	if i < 0 {
		i = len(d.Mem.projects)
		d.Mem.projects = append(d.Mem.projects, &project{Project: mem.Project{Key: known}})
	}
	q := d.Mem.projects[i]
	keep(&q.Name, p.Name)
	keep(&q.Root, p.Root)
	keep(&q.Common, p.Common)
	keep(&q.Origin, p.Origin)
	keep(&q.Branch, p.Branch)
	keep(&q.Commit, p.Commit)
	if p.Root != "" && !slices.Contains(q.roots, p.Root) {
		q.roots = append(q.roots, p.Root)
	}
	if d.at.After(q.LastEvent) {
		q.LastEvent = d.at
	}
}

// key translates a project's key.
func (d *deed) key(k string) string {
	if known := d.projects[k]; known != "" {
		return known
	}
	return d.alias(k)
}

func (s *Mem) alias(k string) string {
	if known := s.aliases[k]; known != "" {
		return known
	}
	return k
}

// Projects implements mem.Store.
func (s *Mem) Projects(ctx context.Context, ref string) ([]mem.Project, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	exactly := func(p *project) bool { return ref == "" || p.Key == s.alias(ref) }
	byName := func(p *project) bool {
		return p.Name == ref || slices.Contains(p.roots, ref) || s.commons[ref] == p.Key
	}
	for _, names := range []func(*project) bool{exactly, byName} {
		if found := s.choose(names); len(found) > 0 {
			return found, nil
		}
	}
	found := s.choose(func(p *project) bool { return len(ref) > len(mem.KeyMark) && hasPrefix(p.Key, ref) })
	if len(found) > 1 {
		return nil, fmt.Errorf("project %s: %w", ref, mem.ErrAmbiguous)
	}
	return found, nil
}

// choose returns the projects that pass, last active first.
func (s *Mem) choose(passes func(*project) bool) (found []mem.Project) {
	for _, p := range s.projects {
		if passes(p) {
			found = append(found, s.active(p))
		}
	}
	slices.SortStableFunc(found, func(a, b mem.Project) int {
		if c := b.LastEvent.Compare(a.LastEvent); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return found
}

// active returns the project with the time of its newest event.
func (s *Mem) active(p *project) mem.Project {
	v := p.Project
	for _, ss := range s.sessions {
		if ss.Project == v.Key && ss.LastEvent.After(v.LastEvent) {
			v.LastEvent = ss.LastEvent
		}
	}
	return v
}

// find returns the session with the agent's id, nil if there is none.
func (s *Mem) find(id string) *session {
	for _, ss := range s.sessions {
		if ss.ID == id {
			return ss
		}
	}
	return nil
}

// sessionOf returns the session that something of the batch names, and makes
// it if it is not there.
func (d *deed) sessionOf(id, project, agent string) *session {
	if id == "" {
		return nil
	}
	if ss := d.find(id); ss != nil {
		return ss
	}
	return d.makeSession(id, project, agent)
}

func (d *deed) makeSession(id, project, agent string) *session {
	n := d.next("s_")
	ss := &session{Session: mem.Session{
		ID: id, Number: n, Short: short("s_", n), Agent: agent, Project: d.key(project), Status: mem.Initialized,
		Created: d.at, LastEvent: d.at, Told: map[string]bool{}, HandoffArmed: true,
	}}
	d.sessions = append(d.sessions, ss)
	return ss
}

func (d *deed) changeSession(c mem.SessionChange) {
	s := d.session
	keep(&s.Agent, c.Agent)
	if c.Project != "" {
		s.Project = d.key(c.Project)
	}
	keep(&s.ProjectName, c.ProjectName)
	keep(&s.Root, c.Root)
	keep(&s.Cwd, c.Cwd)
	keep(&s.Model, c.Model)
	keep(&s.Entrypoint, c.Entrypoint)
	keep(&s.Parent, c.Parent)
	keep(&s.Transcript, c.Transcript)
	keep(&s.Source, c.Source)
	if s.FirstPrompt == "" {
		s.FirstPrompt = c.FirstPrompt
	}
	if c.Status != "" {
		s.Status, s.Completed, s.EndReason = c.Status, time.Time{}, ternary(c.Status == mem.Completed, s.EndReason, "")
		if c.Status == mem.Completed {
			s.Completed = d.at
		}
	}
	keep(&s.EndReason, c.EndReason)
	if c.Processing != nil {
		s.Processing = *c.Processing
	}
	if c.Notification != "" {
		s.LastNotification = c.Notification
		s.Notifications++
	}
	if c.Nudge != nil {
		s.Nudge, s.NudgePrompt = *c.Nudge, s.Prompts
	}
	if c.HandoffArmed != nil {
		s.HandoffArmed = *c.HandoffArmed
	}
	d.changeTold(c)
}

func (d *deed) changeTold(c mem.SessionChange) {
	s := d.session
	if c.Compacted {
		s.Compactions++
		s.ContextTokens, s.HandoffArmed, s.Compacted = 0, true, d.at
	}
	if c.Compacted || c.TellAgain {
		s.Told, s.ToldTokens = map[string]bool{}, 0
	}
	if like := d.find(c.ToldLike); like != nil {
		maps.Copy(s.Told, like.Told)
	}
}

func (d *deed) putFill(f mem.Fill) {
	s := d.find(f.Session)
	if s == nil || s.Compacted.After(clean(ternary(f.At.IsZero(), d.at, f.At))) {
		return
	}
	s.ContextTokens, s.Sampled = f.Tokens, clean(ternary(f.Taken.IsZero(), d.at, f.Taken))
	s.ContextWindow = ternary(f.Window > 0, f.Window, s.ContextWindow)
	s.Cliff = ternary(f.Cliff > 0, f.Cliff, s.Cliff)
	keep(&s.Model, f.Model)
	s.HandoffArmed = s.HandoffArmed || f.Rearm
}

// putTurn makes the turn of the event and changes it.
func (d *deed) putTurn(e mem.Event, c *mem.TurnChange) {
	key := e.PromptID
	if key == "" && c != nil && c.Person {
		key = e.ID
	}
	if key == "" {
		return
	}
	if d.turn = d.findTurn(d.session, key); d.turn == nil {
		d.turn = &turn{mem.Turn{Session: e.Session, PromptID: key, Trust: mem.TrustUser, At: d.at}, d.session}
		if e.Recovered {
			d.standIn(d.turn)
		} else {
			d.turns = append(d.turns, d.turn)
		}
	}
	if c == nil {
		return
	}
	t := d.turn
	if t.Text == "" {
		t.Text = c.Text
	}
	t.Private = t.Private || c.Private
	if c.Tainted && c.Taint < t.Trust {
		t.Trust = c.Taint
		d.demote(t)
	}
	if !c.Person || t.Number != 0 {
		return
	}
	d.session.Prompts++
	t.Number = d.session.Prompts
	for _, m := range d.memories {
		if m.session == d.session && m.Source.PromptID == key && m.Source.Prompt == 0 {
			m.Source.Prompt = t.Number
		}
	}
}

// demote lowers what was learned in a turn to the turn's trust.
func (d *deed) demote(t *turn) {
	for _, m := range d.memories {
		if m.session == d.session && m.Trust < mem.TrustUser && m.Source.PromptID == t.PromptID {
			m.Trust = min(m.Trust, t.Trust)
		}
	}
}

func (s *Mem) findTurn(ss *session, key string) *turn {
	for _, t := range s.turns {
		if t.session == ss && t.PromptID == key {
			return t
		}
	}
	return nil
}

// Session implements mem.Store.
func (s *Mem) Session(ctx context.Context, id string) (mem.Session, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return mem.Session{}, err
	}
	defer unlock()
	found := s.naming(func(ss *session) bool { return ss.ID == id || ss.Short == id })
	if len(found) == 0 {
		found = s.naming(func(ss *session) bool { return hasPrefix(ss.ID, id) || hasPrefix(ss.Short, id) })
	}
	switch {
	case len(found) == 0:
		return mem.Session{}, fmt.Errorf("session %s: %w", id, mem.ErrNotFound)
	case len(found) > 1:
		return mem.Session{}, fmt.Errorf("session %s: %w", id, mem.ErrAmbiguous)
	}
	ss := found[0]
	v := s.derived(ss)
	v.Told = maps.Clone(ss.Told)
	for _, m := range s.memories {
		if m.session == ss && v.Memories < mem.MemoriesCounted {
			v.Memories++
		}
	}
	return v, nil
}

func (s *Mem) naming(passes func(*session) bool) (found []*session) {
	for _, ss := range s.sessions {
		if passes(ss) {
			found = append(found, ss)
		}
	}
	return found
}

// derived returns the session with the states that nobody writes.
func (s *Mem) derived(ss *session) mem.Session {
	v := ss.Session
	v.Told = nil
	waiting := slices.ContainsFunc(s.jobs, func(j *job) bool { return j.session == ss && !j.Dead })
	switch {
	case v.Status == mem.Completed:
	case s.now().Sub(v.LastEvent) >= mem.AbandonAfter:
		v.Status = mem.Abandoned
	case waiting && v.Status == mem.Running && !v.Processing:
		v.Status = mem.Summarizing
	}
	return v
}

// Sessions implements mem.Store.
func (s *Mem) Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var found []mem.Session
	for _, ss := range backwards(s.sessions) {
		if (q.Project == "" || ss.Project == s.alias(q.Project)) && (q.Cliff == "" || ss.Cliff > 0 && ss.Model == q.Cliff) {
			found = append(found, s.derived(ss))
		}
	}
	slices.SortStableFunc(found, func(a, b mem.Session) int { return b.LastEvent.Compare(a.LastEvent) })
	return page(found, 0, q.Limit, mem.DefaultLimit), nil
}

// Turns implements mem.Store.
func (s *Mem) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var found []mem.Turn
	for _, t := range backwards(s.turns) {
		if t.Session == session {
			found = append(found, t.Turn)
		}
	}
	return page(found, 0, limit, mem.DefaultLimit), nil
}
