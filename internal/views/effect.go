package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// EffectDays is the number of days that are compared unless the request says otherwise.
const EffectDays = 90

// Bounds of an evaluation of the effect.
const (
	effectBefore      = 30 * 24 * time.Hour // in which something counts as having happened before
	maxEffectSessions = 5_000
	maxEffectEvents   = 20_000 // of a kind
	maxEffectMemories = 20_000
	maxQuestion       = 400 // characters of a question that is compared
	leastQuestion     = 3   // terms of one
	sameQuestion      = 0.8 // share of common terms
)

// EffectRequest asks how sessions in which memory was used compare with others.
type EffectRequest struct {
	mem.ProjectRef
	Days int `json:"days,omitempty"` // up to today; 0 means 90, at most 366
}

// EffectResponse compares sessions in which memory was used with those in which it was not. It proves no cause.
type EffectResponse struct {
	Project  mem.Project     `json:"project"`
	Since    time.Time       `json:"since"`
	Days     int             `json:"days"`
	Sessions EffectSessions  `json:"sessions"`
	Measures []EffectMeasure `json:"measures"`
	Method   []string        `json:"method"` // sentences
	Limits   []string        `json:"limits"` // sentences
	Cut      bool            `json:"cut,omitempty"`
}

// EffectSessions counts the sessions that are compared: those that began in the period and have a prompt.
type EffectSessions struct {
	Used  int `json:"used"`  // something that another session learned was cited, fetched or rated as helpful
	Given int `json:"given"` // memories were injected, and no use of them was seen
	None  int `json:"none"`  // nothing was injected
	Past  int `json:"past"`  // began too, but were read in or imported, so that nothing was injected: not compared
}

// The names of measures, in their order.
const (
	EffectFailures  = "failures"
	EffectQuestions = "questions"
	EffectReads     = "reads"
	EffectContext   = "context"
	EffectInjected  = "injected"
	EffectPrompts   = "prompts"
)

// Effect compares the sessions of a period.
func (s *Service) Effect(ctx context.Context, req EffectRequest) (EffectResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return EffectResponse{}, err
	}
	n := min(cmp.Or(max(req.Days, 0), EffectDays), maxEconomyDays)
	e := &effect{Service: s, project: p, since: s.Event.Today().AddDate(0, 0, 1-n), sessions: map[string]*effectSession{}}
	e.out = EffectResponse{Project: p, Since: e.since.UTC(), Days: n, Method: effectMethod(), Limits: effectLimits()}
	for _, step := range []func(context.Context) error{
		e.readSessions, e.readUses, e.countFailures, e.countQuestions, e.countReads,
	} {
		if err := step(ctx); err != nil {
			return EffectResponse{}, err
		}
	}
	e.compare()
	return e.out, nil
}

// effect is an EffectResponse in progress.
type effect struct {
	*Service
	project  mem.Project
	since    time.Time
	out      EffectResponse
	sessions map[string]*effectSession // those that are compared
}

// effectSession is what is counted of one session.
type effectSession struct {
	used   bool
	given  bool
	counts map[string]EffectCount // by measure
}

// count adds an occurrence, and whether it was one again.
func (s *effectSession) count(measure string, again bool) {
	c := s.counts[measure]
	c.Of++
	if again {
		c.Part++
	}
	s.counts[measure] = c
}

// readSessions finds the sessions of the period. Those that were read in from transcripts or imported are left out.
func (e *effect) readSessions(ctx context.Context) error {
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: e.project.Key, Since: e.since, Limit: maxEffectSessions})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	e.out.Cut = len(ss) == maxEffectSessions
	for _, sess := range ss {
		if sess.Prompts == 0 || sess.Created.Before(e.since) {
			continue
		}
		if sess.Source == mem.Backfilled || sess.Source == mem.Imported {
			e.out.Sessions.Past++
			continue
		}
		c := &effectSession{counts: map[string]EffectCount{}}
		c.counts[EffectPrompts] = EffectCount{Part: sess.Prompts, Of: 1}
		c.counts[EffectInjected] = EffectCount{Of: 1}
		if sess.ContextTokens > 0 && sess.Compactions == 0 {
			c.counts[EffectContext] = EffectCount{Part: sess.ContextTokens, Of: 1}
		}
		e.sessions[sess.ID] = c
	}
	return nil
}

// readUses finds which sessions were given something, and which used something of another session.
func (e *effect) readUses(ctx context.Context) error {
	read := e.newTally(e.project, e.out.Days)
	if err := e.eachReceipts(ctx, read, mem.Injected, func(rs []mem.Receipt) error {
		for _, r := range rs {
			c := e.sessions[r.Session]
			if c == nil {
				continue
			}
			n := c.counts[EffectInjected]
			n.Part += r.Tokens
			c.counts[EffectInjected] = n
			c.given = c.given || len(injectedMemories(r)) > 0
		}
		return nil
	}); err != nil {
		return err
	}
	ms, err := e.Store.List(ctx, mem.Query{
		Project: e.project.Key, Within: "*", Hidden: true, Used: true, Limit: maxEffectMemories,
	})
	if err != nil {
		return fmt.Errorf("used memories: %w", err)
	}
	e.out.Cut = e.out.Cut || read.out.Cut || len(ms) == maxEffectMemories
	for _, m := range ms {
		for _, use := range m.UsedIn {
			session := use.Session()
			if c := e.sessions[session]; c != nil && session != m.Session {
				c.used = true
			}
		}
	}
	return nil
}

// events returns events of a kind, oldest first, from as long before the period as something counts as before.
func (e *effect) events(ctx context.Context, tool string, kinds ...mem.EventKind) ([]mem.Event, error) {
	all, err := e.Store.Events(ctx, mem.EventQuery{
		Kinds: kinds, Tool: tool, Project: e.project.Key, After: e.since.Add(-effectBefore),
		Limit: maxEffectEvents,
	})
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	e.out.Cut = e.out.Cut || len(all) == maxEffectEvents
	slices.SortStableFunc(all, func(a, b mem.Event) int { return a.At.Compare(b.At) })
	return all, nil
}

// countFailures counts failed commands, and those that had failed in the same way before.
func (e *effect) countFailures(ctx context.Context) error {
	events, err := e.events(ctx, mem.ToolShell, mem.PostToolUse, mem.PostToolUseFailure)
	if err != nil {
		return err
	}
	type earlier struct {
		extract.Failure
		at time.Time
	}
	seen := map[string][]earlier{}
	for _, ev := range events {
		call := e.Event.ReadCall(ev, e.project)
		said, failed := call.Failed()
		command, f := call.Plain, extract.FailureOf(call.Plain, said)
		if !failed || ev.Interrupt || command == "" || f.Words() == "" {
			continue
		}
		list := seen[ev.Root+"\x00"+command]
		again := slices.ContainsFunc(list, func(o earlier) bool {
			return ev.At.Sub(o.at) <= effectBefore && f.Same(o.Failure)
		})
		seen[ev.Root+"\x00"+command] = append(list, earlier{f, ev.At})
		if c := e.sessions[ev.Session]; c != nil {
			c.count(EffectFailures, again)
		}
	}
	return nil
}

// countQuestions counts prompts that ask something, and those that were asked before.
func (e *effect) countQuestions(ctx context.Context) error {
	events, err := e.events(ctx, "", mem.UserPromptSubmit)
	if err != nil {
		return err
	}
	type earlier struct {
		terms []string
		at    time.Time
	}
	seen := map[string][]earlier{} // by a term
	for _, ev := range events {
		if ev.Private || len([]rune(ev.Text)) > maxQuestion || !extract.Asks(strings.TrimSpace(ev.Text)) {
			continue
		}
		terms := rank.Terms(ev.Text)
		if len(terms) < leastQuestion {
			continue
		}
		again := slices.ContainsFunc(terms, func(t string) bool {
			return slices.ContainsFunc(seen[t], func(o earlier) bool {
				both := extract.CountShared(terms, o.terms)
				return ev.At.Sub(o.at) <= effectBefore && float64(both) >= sameQuestion*float64(max(len(terms), len(o.terms)))
			})
		})
		q := earlier{terms, ev.At}
		for _, t := range terms {
			seen[t] = append(seen[t], q)
		}
		if c := e.sessions[ev.Session]; c != nil {
			c.count(EffectQuestions, again)
		}
	}
	return nil
}

// countReads counts files that were read, and those that had been read from the same line on before.
func (e *effect) countReads(ctx context.Context) error {
	events, err := e.events(ctx, mem.ToolRead, mem.PostToolUse)
	if err != nil {
		return err
	}
	seen := map[string]time.Time{}
	for _, ev := range events {
		in := extract.Fields(ev.Input)
		file := extract.Text(in["file_path"])
		if file == "" {
			continue
		}
		place := file + "\x00" + string(in["offset"])
		last, known := seen[place]
		seen[place] = ev.At
		if c := e.sessions[ev.Session]; c != nil {
			c.count(EffectReads, known && ev.At.Sub(last) <= effectBefore)
		}
	}
	return nil
}

// compare computes the measures.
func (e *effect) compare() {
	for _, name := range []string{
		EffectFailures, EffectQuestions, EffectReads, EffectContext, EffectInjected, EffectPrompts,
	} {
		var used, others []EffectCount
		for _, c := range e.sessions {
			n := c.counts[name]
			switch {
			case n.Of == 0:
			case c.used:
				used = append(used, n)
			default:
				others = append(others, n)
			}
		}
		e.out.Measures = append(e.out.Measures, measure(name, used, others))
	}
	for _, c := range e.sessions {
		switch {
		case c.used:
			e.out.Sessions.Used++
		case c.given:
			e.out.Sessions.Given++
		default:
			e.out.Sessions.None++
		}
	}
}
