package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// Subject is what is examined.
type Subject interface {
	// Keep keeps memories and returns the id that each is found by, in order;
	// "" for one of which nothing may be kept.
	Keep(ctx context.Context, ms []mem.Memory) ([]string, error)
	// Settle does what else has to be done before all that is kept is found.
	Settle(ctx context.Context) error
	// Search finds memories of a project, best first.
	Search(ctx context.Context, ask recall.SearchRequest) (recall.SearchResponse, error)
	// Next returns the receipt of the recall for a prompt.
	Next(ctx context.Context, ask views.NextRequest) (mem.Receipt, error)
	// Bytes is the size of the files that all this is in.
	Bytes() int64
}

// Options say how a suite is run. The zero value runs it as it is, for recall alone.
type Options struct {
	Without  []string // features of the ranking to leave out
	Prompts  []Prompt // with which nothing should be injected; none means that this is not measured
	Progress func(what string, done, total int)
}

func (o Options) progress(what string, done, total int) {
	if o.Progress != nil {
		o.Progress(what, done, total)
	}
}

// Run examines the subject, which is empty unless the suite is Kept. Questions
// are asked one after the other.
func Run(ctx context.Context, s Suite, on Subject, o Options) (Result, error) {
	r := &run{
		on: on, options: o, notKinds: s.NotKinds, ids: map[string]string{}, sessions: map[string]string{},
		projects: map[string]bool{},
	}
	r.result = Result{Suite: s.Name, Units: s.Size, Without: o.Without, ByCategory: map[string]Scored{}}
	for part, err := range s.Parts {
		if err != nil {
			return Result{}, err
		}
		if err := r.take(ctx, part, s.Kept); err != nil {
			return Result{}, err
		}
	}
	begun := time.Now()
	if err := on.Settle(ctx); err != nil {
		return Result{}, err
	}
	r.result.IndexS += time.Since(begun).Seconds()
	if err := r.ask(ctx); err != nil {
		return Result{}, err
	}
	if len(o.Prompts) > 0 {
		if err := r.inject(ctx); err != nil {
			return Result{}, err
		}
	}
	r.result.DBBytes = on.Bytes()
	return r.result, nil
}

// run is one exam under way.
type run struct {
	on        Subject
	options   Options
	notKinds  []mem.Kind
	ids       map[string]string // memory id → unit
	sessions  map[string]string // unit → session
	projects  map[string]bool
	places    []string // the projects, as they came
	questions []Question
	result    Result
}

// take keeps the units of a part and its questions for later.
func (r *run) take(ctx context.Context, p Part, kept bool) error {
	for _, u := range p.Units {
		if u.Session != "" {
			r.sessions[u.ID] = u.Session
		}
		r.place(u.Project)
	}
	for _, q := range p.Questions {
		r.place(q.Project)
	}
	r.questions = append(r.questions, p.Questions...)
	if kept {
		return nil
	}
	for units := range slices.Chunk(p.Units, 1024) {
		if err := r.keep(ctx, units); err != nil {
			return err
		}
		r.options.progress("kept", r.result.Units, 0)
	}
	return nil
}

func (r *run) place(project string) {
	if !r.projects[project] {
		r.projects[project] = true
		r.places = append(r.places, project)
	}
}

func (r *run) keep(ctx context.Context, units []Unit) error {
	ms := make([]mem.Memory, 0, len(units))
	for _, u := range units {
		ms = append(ms, u.Memory())
	}
	begun := time.Now()
	ids, err := r.on.Keep(ctx, ms)
	if err != nil {
		return err
	}
	r.result.IndexS += time.Since(begun).Seconds()
	for i, id := range ids {
		if id != "" {
			r.ids[id] = units[i].ID
		}
	}
	r.result.Units += len(units)
	return nil
}

// ask puts every question and scores the answers.
func (r *run) ask(ctx context.Context) error {
	all, sessions, byCategory := newTally(), newTally(), map[string]*tally{}
	took := make([]time.Duration, 0, len(r.questions))
	for i, q := range r.questions {
		wanted := r.sessionsOf(q)
		if len(q.Relevant) == 0 {
			r.result.Skipped++
			if len(wanted) == 0 {
				continue
			}
		}
		begun := time.Now()
		found, err := r.on.Search(ctx, r.asked(q))
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		took = append(took, time.Since(begun))
		units, in := r.found(found)
		if len(q.Relevant) > 0 {
			if byCategory[q.Category] == nil {
				byCategory[q.Category] = newTally()
			}
			all.add(units, q.Relevant)
			r.result.Questions = append(r.result.Questions, scoreOf(q.ID, units, q.Relevant))
			byCategory[q.Category].add(units, q.Relevant)
		}
		if len(wanted) > 0 {
			sessions.add(in, wanted)
		}
		r.options.progress("asked", i+1, len(r.questions))
	}
	r.settle(all, sessions, byCategory)
	r.result.Latency = latency(took)
	return nil
}

func (r *run) settle(all, sessions *tally, byCategory map[string]*tally) {
	s := all.scored()
	r.result.Queries, r.result.Scores = s.Queries, s.Scores
	for name, t := range byCategory {
		if name != "" {
			r.result.ByCategory[name] = t.scored()
		}
	}
	if sessions.n > 0 {
		s := sessions.scored()
		r.result.Sessions = &SessionScores{Queries: s.Queries, Recall: s.Recall, Any: s.Any, NDCG: *s.NDCG}
	}
}

// asked is the question as a person's search.
func (r *run) asked(q Question) recall.SearchRequest {
	return recall.SearchRequest{
		ProjectRef: mem.ProjectRef{Project: q.Project},
		Query:      mem.Query{Text: q.Text, NotKinds: r.notKinds, Before: q.AsOf, Limit: Depth},
		Without:    r.options.Without,
	}
}

// found lists units and sessions, each session at the place of its best unit.
func (r *run) found(f recall.SearchResponse) (units, sessions []string) {
	seen := map[string]bool{}
	for _, h := range f.Hits {
		units = append(units, r.unit(h.Memory.ID))
		if s := h.Memory.Session; s != "" && !seen[s] {
			seen[s] = true
			sessions = append(sessions, s)
		}
	}
	return units, sessions
}

// unit is the suite's name of a memory. Where units are memories of the store,
// it is the id itself.
func (r *run) unit(id string) string {
	if unit, ok := r.ids[id]; ok {
		return unit
	}
	return id
}

// sessionsOf are the sessions that answer a question.
func (r *run) sessionsOf(q Question) map[string]float64 {
	out := map[string]float64{}
	for s := range q.Sessions {
		out[s] = 1
	}
	if q.Sessions != nil {
		return out
	}
	for u := range q.Relevant {
		if s := r.sessions[u]; s != "" {
			out[s] = 1
		}
	}
	return out
}
