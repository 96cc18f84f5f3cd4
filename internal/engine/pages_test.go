package engine_test

import (
	"context"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/index"
	"remanence/internal/mem"
)

// busy is a store in which something is kept after each page that is read.
type busy struct {
	*index.Store
	keep func()
}

func (b busy) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	ms, err := b.Store.List(ctx, q)
	if q.Limit > 0 && len(ms) == q.Limit {
		b.keep()
	}
	return ms, err
}

// What is kept meanwhile moves the others to the next page.
func TestNothingIsMergedIntoItselfWhileSomethingIsKept(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	var ms []mem.Memory
	for i := range 600 {
		ms = append(ms, mem.Memory{Title: words(i)})
	}
	s.learned(ms...)
	n := len(ms)
	s.Store = busy{s.store, func() {
		n++
		s.learned(mem.Memory{Title: words(n)})
	}}
	s.Engine.Reconnect()
	if got := s.consolidate(curate.ConsolidateRequest{}); len(got.Runs[0].Changes) > 0 {
		t.Errorf("changes %q, want none: no two say the same", rulesOf(got.Runs[0]))
	}
	if got := findings(s.inbox("duplicate")); len(got) > 0 {
		t.Errorf("in the inbox: %q", got)
	}
}

// late is a store in which something else is written just before a step of retention.
type late struct {
	*index.Store
	first func()
}

func (l late) Apply(ctx context.Context, bs ...mem.Batch) ([]mem.Result, error) {
	if len(bs) > 0 && bs[0].Run != nil {
		l.first()
	}
	return l.Store.Apply(ctx, bs...)
}

func TestWhatIsForgottenDuringARoundStaysForgotten(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	ids := s.learned(mem.Memory{Title: words(1), Created: s.clock.Add(-400 * day)},
		mem.Memory{Title: words(2), Created: s.clock.Add(-400 * day)})
	forgotten := mem.Forgotten
	s.Store = late{s.store, func() {
		s.applies(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Status: &forgotten}}})
	}}
	s.Engine.Reconnect()
	s.consolidate(curate.ConsolidateRequest{})
	if a, b := s.memory(ids[0]), s.memory(ids[1]); a.Status != mem.Forgotten || a.Hidden.IsZero() ||
		b.Status != mem.Archived {
		t.Errorf("the forgotten one is %s, the other %s, want it forgotten and the other archived", a.Status, b.Status)
	}
}
