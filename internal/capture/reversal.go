package capture

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxReversed bounds the earlier statements that one statement is compared with.
const maxReversed = 20

// reversible are the kinds of what a later statement can end.
func reversible() []mem.Kind {
	return []mem.Kind{mem.Decision, mem.Convention, mem.Preference, mem.TradeOff}
}

// ends reports whether one statement ends what another laid down. What holds in all projects is ended only by what
// does. A pronoun stands for what the text about it names.
func ends(now, then mem.Memory, about string) bool {
	return (then.Scope != mem.ScopeUser || now.Scope == mem.ScopeUser) &&
		extract.Reverses(extract.ClaimOf(now), extract.ClaimOf(then), about)
}

// reversed finds what statements of the person end. Each supersedes the best match. The edits end further ones, which
// stay as history.
func (s *Service) reversed(ctx context.Context, ec event.Context, stated []mem.Memory) ([]mem.Edit, error) {
	var out []mem.Edit
	over := mem.Superseded
	for i := range stated {
		mm := &stated[i]
		if mm.Trust < mem.TrustUser || !extract.ChangesCourse(extract.ClaimOf(*mm)) {
			continue
		}
		ended, err := s.ended(ctx, ec, *mm, "")
		if err != nil {
			return nil, err
		}
		for _, then := range ended {
			if mm.Supersedes == "" {
				mm.Supersedes = then.ID
			} else {
				out = append(out, mem.Edit{ID: then.ID, Status: &over})
			}
		}
	}
	return out, nil
}

// ended returns what a statement ends: decisions and rules of the project, of any session, that are older and not
// pinned. A pronoun stands for what the text about it names.
func (s *Service) ended(ctx context.Context, ec event.Context, now mem.Memory, about string) ([]mem.Memory, error) {
	hits, err := s.Store.Match(ctx, mem.Query{
		Project: ec.Project.Key, Terms: rank.Terms(extract.ClaimOf(now) + " " + about), Within: ec.Session, Before: ec.At,
		Limit: maxReversed, Kinds: reversible(),
	})
	if err != nil {
		return nil, fmt.Errorf("earlier decisions: %w", err)
	}
	var out []mem.Memory
	for _, h := range hits {
		if !h.Pinned && (now.Source.PromptID == "" || h.Source.PromptID != now.Source.PromptID) &&
			ends(now, h.Memory, about) {
			out = append(out, h.Memory)
		}
	}
	return out, nil
}

// reversals returns memories of what a prompt ends in words that are no statement by themselves: "put them on S3 after
// all". They are about what the prompt names besides, or the turn before it, if that is one thing.
func (p personWords) reversals(ctx context.Context, stated []mem.Memory) ([]mem.Memory, error) {
	var out []mem.Memory
	for _, sentence := range extract.CourseChanges(p.ec.Turn.Text) {
		if slices.ContainsFunc(stated, func(m mem.Memory) bool {
			return strings.Contains(extract.ClaimOf(m), strings.TrimRight(extract.TrimNo(sentence), ".!"))
		}) {
			continue
		}
		mm := p.said(mem.Decision, sentence)
		ended, err := p.ended(ctx, p.ec, mm, p.ec.Turn.Text)
		if err == nil && len(ended) == 0 {
			asked, answer, errBefore := p.previousAnswer(ctx, p.ec)
			if errBefore != nil {
				return nil, errBefore
			}
			ended, err = p.ended(ctx, p.ec, mm, asked.Text+"\n"+answer)
		}
		if err != nil {
			return nil, err
		}
		if len(ended) == 1 || len(ended) > 1 && lang.WithSubject(sentence, "") == sentence {
			then := extract.ClaimOf(ended[0])
			text := strings.TrimRight(lang.WithSubject(sentence, then), ".!") + "."
			for _, s := range extract.Sentences(p.ec.Turn.Text) { // the reason
				if s != sentence && !extract.Asks(s) && extract.CountShared(rank.Terms(s), rank.Terms(then)) > 0 {
					text += " " + s
				}
			}
			out = append(out, p.said(ended[0].Kind, text))
		}
	}
	return out, nil
}

// reversedSince marks those of a past turn's memories as superseded that the person ended since: sessions of the past
// are read in after later ones.
func (s *Service) reversedSince(ctx context.Context, ec event.Context, made []mem.Memory) error {
	for i := range made {
		if !slices.Contains(reversible(), made[i].Kind) {
			continue
		}
		changes, err := s.later.of(ctx, s.Event, ec)
		if err != nil {
			return fmt.Errorf("later decisions: %w", err)
		}
		if slices.ContainsFunc(changes, func(m mem.Memory) bool { return m.Created.After(ec.At) && ends(m, made[i], "") }) {
			made[i].Status = mem.Superseded
		}
	}
	s.later.add(ec, made)
	return nil
}

// A backfill may miss for so long that the person changed course in a live session: rereadChanges, or rereadShare times
// as long as reading takes.
const (
	rereadChanges = 2 * time.Second
	rereadShare   = 50
)

// courseChanges holds the statements by which the person changed course, as a past session sees them. They are few of
// all, and reading them now and then takes less time than a search for each statement of the past.
type courseChanges struct {
	mu       sync.Mutex
	projects map[string]*projectChanges // by key
	session  string
	own      []mem.Memory // of the session alone
}

// projectChanges are the statements of a project and of the person.
type projectChanges struct {
	changes []mem.Memory
	read    time.Time
	took    time.Duration
}

// of returns the statements for the session of an event. Those of the project are read again from time to time, since
// live sessions go on meanwhile.
func (c *courseChanges) of(ctx context.Context, places *event.Service, ec event.Context) ([]mem.Memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := mem.Query{Project: ec.Project.Key, MinTrust: mem.TrustUser}
	p := c.projects[ec.Project.Key]
	if p == nil || time.Since(p.read) > max(rereadChanges, rereadShare*p.took) {
		begun := time.Now()
		changes, err := changing(ctx, places, q)
		if err != nil {
			return nil, err
		}
		p = &projectChanges{changes, time.Now(), time.Since(begun)}
		if c.projects == nil {
			c.projects = map[string]*projectChanges{}
		}
		c.projects[ec.Project.Key] = p
	}
	if c.session != ec.Session {
		q.Session, q.Within, q.Scopes = ec.Session, ec.Session, []mem.Scope{mem.ScopeSession}
		own, err := changing(ctx, places, q)
		if err != nil {
			return nil, err
		}
		c.session, c.own = ec.Session, own
	}
	return slices.Concat(p.changes, c.own), nil
}

// changing returns the memories of a query that change course.
func changing(ctx context.Context, places *event.Service, q mem.Query) ([]mem.Memory, error) {
	stated, err := places.UpTo(ctx, math.MaxInt, q)
	return slices.DeleteFunc(stated, func(m mem.Memory) bool { return !extract.ChangesCourse(extract.ClaimOf(m)) }), err
}

// add adds the statements of a turn that is about to be stored. They are later than those of the sessions that follow.
func (c *courseChanges) add(ec event.Context, made []mem.Memory) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.projects[ec.Project.Key]
	for _, m := range made {
		if p == nil || m.Status != mem.Active && m.Status != "" || m.Trust < mem.TrustUser ||
			!extract.ChangesCourse(extract.ClaimOf(m)) {
			continue
		}
		m.Created = ec.At
		if m.Scope != mem.ScopeSession {
			p.changes = append(p.changes, m)
		} else if c.session == ec.Session {
			c.own = append(c.own, m)
		}
	}
}

// forget makes the next event read the statements again.
func (c *courseChanges) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.projects, c.session, c.own = nil, "", nil
}
