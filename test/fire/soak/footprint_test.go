//go:build fire

package soak

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/rank"
	"remanence/internal/store/sqlite"
	"remanence/test/corpus"
	"remanence/test/tier"
	"remanence/test/world"
)

// remember fills the person's store with n memories of the project, with their
// sessions' events, before any worker runs.
func remember(t *testing.T, p *world.Person, r *rand.Rand, n int) {
	t.Helper()
	here, err := project.Identify(p.Project)
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(p.Data(), "remanence.db")})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{Rand: r}
	var group []mem.Batch
	for i := range n {
		title := fmt.Sprintf("%d: the %s %s", i, pick(r, parts), s.words(8))
		m := mem.Memory{
			Scope: mem.ScopeProject, Project: here.Key, Kind: mem.Decision, Title: title, Body: s.words(60),
			Files:      []string{fmt.Sprintf("internal/part%d/file.go", i%500)},
			Importance: 0.7, Confidence: 0.7, Trust: mem.TrustAssistant, Origin: mem.FromAssistant,
			Created: time.Now().Add(-time.Duration(n-i) * time.Minute),
		}
		m.Updated, m.Index = m.Created, rank.Index(m)
		e := mem.Event{
			ID: fmt.Sprint("e_before", i), Agent: "claude-code", Kind: mem.PostToolUse, At: m.Created,
			Session: fmt.Sprint("before-", i/500), Text: s.words(100),
		}
		group = append(group, mem.Batch{Event: &e, Project: &here, Session: &mem.SessionChange{
			Project:     here.Key,
			ProjectName: here.Name,
		}, Memories: []mem.Memory{m}, Links: []mem.MemoryLinks{corpus.LinksOf(i, m)}})
		if len(group) < 250 && i < n-1 {
			continue
		}
		if _, err := st.Apply(t.Context(), group...); err != nil {
			t.Fatal(err)
		}
		group = group[:0]
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// A worker that remembers much and has worked for one session takes little.
func TestARestingDaemonUsesLittleMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		memories int
		most     int64 // bytes
		long     bool
	}{{10_000, 52 << 20, false}, {100_000, 100 << 20, true}} {
		if c.long && !tier.IsLong() {
			continue
		}
		t.Run(fmt.Sprint(c.memories), func(t *testing.T) {
			r := tier.Rand(t)
			p := world.NewPerson(t)
			remember(t, p, r, c.memories)
			rt := p.StartWorker()
			database := filepath.Join(p.Data(), "remanence.db")
			begun := look(t, rt.PID, database)
			d := &driver{Person: p, client: rt.Client(""), begun: time.Now().Add(-time.Hour)}
			d.day(r, 1, 200)
			busy := look(t, rt.PID, database)
			rest := settled(t, rt.PID, database, func(s sample) bool { return s.rss <= c.most })
			t.Logf("rss at the start %.1f MB, after a session %.1f (anonymous %.1f), at rest %.1f (%.1f)", mb(begun.rss),
				mb(busy.rss), mb(busy.anon), mb(rest.rss), mb(rest.anon))
			if rest.rss > c.most {
				t.Errorf("with %d memories it takes %d bytes at rest, want at most %d", c.memories, rest.rss, c.most)
			}
		})
	}
}

// maxWakes is how often the threads of an idle worker may wake in ten seconds: it
// looks around once a second and looks for jobs once a second, each with a few
// threads of the runtime.
const maxWakes = 400

// A worker with nothing to do sleeps.
func TestAnIdleDaemonUsesNoProcessorTime(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	rt := p.StartWorker()
	database := filepath.Join(p.Data(), "remanence.db")
	settled(t, rt.PID, database, func(sample) bool { return true })
	const span = 10 * time.Second
	before := look(t, rt.PID, database)
	time.Sleep(span)
	after := look(t, rt.PID, database)
	cpu, slept := after.cpu-before.cpu, after.slept-before.slept
	t.Logf("in %v: %v of CPU, its threads woke %d times", span, cpu, slept)
	if cpu > span/20 {
		t.Errorf("idle, it used %v of CPU in %v", cpu, span)
	}
	if slept > maxWakes {
		t.Errorf("idle, its threads woke %d times in %v, want at most %d", slept, span, maxWakes)
	}
}
