package capture

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
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
// does.
func ends(now, then mem.Memory) bool {
	return (then.Scope != mem.ScopeUser || now.Scope == mem.ScopeUser) &&
		extract.Reverses(extract.ClaimOf(now), extract.ClaimOf(then))
}

// reversed finds what statements of the person end: decisions and rules of the project, of any session, that are older
// and not pinned. Each statement supersedes the best match. The edits end further ones, which stay as history.
func (s *Service) reversed(ctx context.Context, ec event.Context, stated []mem.Memory) ([]mem.Edit, error) {
	var out []mem.Edit
	over := mem.Superseded
	for i := range stated {
		mm := &stated[i]
		text := extract.ClaimOf(*mm)
		if mm.Trust < mem.TrustUser || !extract.ChangesCourse(text) {
			continue
		}
		hits, err := s.Store.Match(ctx, mem.Query{
			Project: ec.Project.Key, Terms: rank.Terms(text), Within: ec.Session, Before: ec.At, Limit: maxReversed,
			Kinds: reversible(),
		})
		if err != nil {
			return nil, fmt.Errorf("earlier decisions: %w", err)
		}
		for _, h := range hits {
			switch {
			case h.Pinned || h.Source.PromptID == ec.PromptID || !ends(*mm, h.Memory):
			case mm.Supersedes == "":
				mm.Supersedes = h.ID
			default:
				out = append(out, mem.Edit{ID: h.ID, Status: &over})
			}
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
		if slices.ContainsFunc(changes, func(m mem.Memory) bool { return m.Created.After(ec.At) && ends(m, made[i]) }) {
			made[i].Status = mem.Superseded
		}
	}
	return nil
}

// rereadChanges is how long a backfill may miss that the person changed course in a live session.
const rereadChanges = 2 * time.Second

// courseChanges holds the statements by which the person changed course, as a past session sees them. They are few of
// all, and reading them once for a session takes less time than a search for each of its statements.
type courseChanges struct {
	mu      sync.Mutex
	project string
	session string
	read    time.Time
	changes []mem.Memory
}

// of returns the statements for the session of an event. They are read again for another session, and after
// rereadChanges, since live sessions go on meanwhile.
func (c *courseChanges) of(ctx context.Context, places *event.Service, ec event.Context) ([]mem.Memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.project == ec.Project.Key && c.session == ec.Session && time.Since(c.read) < rereadChanges {
		return c.changes, nil
	}
	stated, err := places.UpTo(ctx, math.MaxInt, mem.Query{
		Project: ec.Project.Key, Within: ec.Session, MinTrust: mem.TrustUser,
	})
	if err != nil {
		return nil, err
	}
	c.project, c.session, c.read = ec.Project.Key, ec.Session, time.Now()
	c.changes = slices.DeleteFunc(stated, func(m mem.Memory) bool { return !extract.ChangesCourse(extract.ClaimOf(m)) })
	return c.changes, nil
}

// forget makes the next event read the statements again.
func (c *courseChanges) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.changes = time.Time{}, nil
}
