package engine_test

import (
	"context"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// busy is a store in which something is kept after each page that is read.
type busy struct {
	*storetest.Mem
	keep func()
}

func (b busy) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	ms, err := b.Mem.List(ctx, q)
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
	if got := s.consolidate(mem.ConsolidateAsk{}); len(got.Rounds[0].Changes) > 0 {
		t.Errorf("changes %q, want none: no two say the same", rulesOf(got.Rounds[0]))
	}
	if got := findings(s.inbox("duplicate")); len(got) > 0 {
		t.Errorf("in the inbox: %q", got)
	}
}
