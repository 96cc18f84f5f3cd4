package spool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remanence/internal/mem"
	"remanence/internal/spool"
)

// Whatever the interleaving of appends, drains, refusals, kills and torn
// writes: every event comes, in the order of its session, and comes again only
// if its batch was not acknowledged or its process was killed before it could
// know.
func TestNoInterleavingLosesOrReorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "spool")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		p := &play{t: t, dir: dir, s: spool.Open(spool.Config{Dir: dir}), seen: map[string]int{}, wrote: map[string]int{}}
		t.Repeat(map[string]func(*rapid.T){
			"append": p.append,
			"tear":   p.tear,
			"drain":  func(t *rapid.T) { p.drain(rapid.IntRange(0, 5).Draw(t, "max"), nil) },
			"refuse": func(*rapid.T) { p.drain(0, errors.New("refused")) },
			"kill":   p.kill,
		})
		p.drain(0, nil)
		for session, n := range p.wrote {
			if p.seen[session] != n {
				t.Fatalf("session %s: %d events came, want %d", session, p.seen[session], n)
			}
		}
		if !p.s.Empty() {
			t.Fatal("not empty at the end")
		}
	})
}

// play is one run of the property. seen counts, by session, the events that
// were acknowledged in order.
type play struct {
	t           *rapid.T
	dir         string
	s           *spool.Spool
	seen, wrote map[string]int
	maybe       []mem.Event // acknowledged by a killed process: they may come again
}

func (p *play) append(t *rapid.T) {
	session := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session")
	e := prompt(session, p.wrote[session])
	if _, err := p.s.Handle(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	p.wrote[session]++
}

// tear leaves the beginning of a record in the log, as a short write does.
func (p *play) tear(t *rapid.T) {
	log := filepath.Join(p.dir, "pending", "events.log")
	b, err := os.ReadFile(log)
	if err != nil || len(b) == 0 {
		return
	}
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, _ = f.Write(b[:rapid.IntRange(1, min(len(b)-1, 100)).Draw(t, "torn")])
}

func (p *play) drain(max int, answer error) {
	_, err := p.s.Drain(context.Background(), max, func(_ context.Context, events []mem.Event) error {
		if answer == nil {
			p.take(events)
		}
		return answer
	})
	if err != nil && !errors.Is(err, answer) {
		p.t.Fatal(err)
	}
}

// kill ends the draining process after it has kept a batch and before it can
// mark it.
func (p *play) kill(*rapid.T) {
	func() {
		defer func() { _ = recover() }()
		_, _ = p.s.Drain(context.Background(), 0, func(_ context.Context, events []mem.Event) error {
			p.take(events)
			p.maybe = append(p.maybe, events...)
			panic("killed")
		})
	}()
	p.s = spool.Open(spool.Config{Dir: p.dir})
}

func (p *play) take(events []mem.Event) {
	for _, e := range events {
		again := slices.IndexFunc(p.maybe, func(m mem.Event) bool { return m.ID == e.ID })
		if again >= 0 {
			p.maybe = slices.Delete(p.maybe, again, again+1)
			continue
		}
		if want := prompt(e.Session, p.seen[e.Session]); e.ID != want.ID {
			p.t.Fatalf("session %s: got %s, want %s", e.Session, e.PromptID, want.PromptID)
		}
		p.seen[e.Session]++
	}
}
