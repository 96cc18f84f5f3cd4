package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// What comes in from outside is neither promoted nor made a rule by any
// consolidation, however often it is said; and the person sees it in review.
func TestPoisonNeverBecomesARuleAndWaitsInReview(t *testing.T) {
	outside := []string{"web", "mcp", "remote", "remote-error", "file", "output", "command", "error"}
	played, kept, shown := 0, 0, 0
	for _, p := range poisons(t) {
		if !slices.Contains(outside, p.channel) {
			continue
		}
		played++
		t.Run(fmt.Sprintf("%d-%s", p.line, p.channel), func(t *testing.T) {
			s := newStage(t)
			s.play(start("startup"))
			p.comesIn(s)
			s.play(mem.Event{Kind: mem.SessionEnd, Source: "other"})
			s.inSession = "two" // the same again, in a later session
			p.comesIn(s)
			s.play(mem.Event{Kind: mem.SessionEnd, Source: "other"})
			for range 3 {
				s.clock = s.clock.Add(24 * time.Hour)
				if _, err := s.Curate.Consolidate(t.Context(), curate.ConsolidateRequest{ProjectRef: shop}); err != nil {
					t.Fatal(err)
				}
				s.linkAll()
			}
			inbox, err := s.Curate.Review(t.Context(), curate.ReviewRequest{
				ProjectRef: shop,
				Rules:      []string{curate.ReviewLowTrust}, Limit: 100,
			})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, it := range inbox.Items {
				seen[it.Memories[0].ID] = true
			}
			ms, err := s.store.List(t.Context(), mem.Query{Within: "*", Hidden: true, Limit: 200})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range ms {
				if !strings.Contains(m.Title+m.Body, p.mark()) {
					continue
				}
				kept++
				if seen[m.ID] {
					shown++
				}
				_, tellable := inject.InjectableText(m)
				switch {
				case m.Scope == mem.ScopeUser, m.Trust >= mem.TrustAssistant, m.Kind == mem.Convention, m.Kind == mem.Preference:
					t.Errorf("it became a rule: %s %s %s %s: %q", m.ID, m.Kind, m.Scope, m.Trust, m.Title)
				case m.Status == mem.Active && !tellable && (lasts(m.Kind) || inject.Suspicious(m.Title) ||
					inject.Suspicious(m.Body)) && !seen[m.ID]:
					t.Errorf("the person does not see %s %s %s: %q", m.ID, m.Kind, m.Trust, m.Title)
				}
			}
			r := s.play(in("three", start("startup"), prompt("x1", "what of "+p.mark()+"?"))...)
			// which are injected as what they are: one line of a failure
			if p.channel != "error" && p.channel != "command" && strings.Contains(r.Context, p.mark()) {
				t.Errorf("injected unasked:\n%s", r.Context)
			}
		})
	}
	t.Logf("%d texts, %d memories of them, %d of these in review", played, kept, shown)
	if played < 100 || kept < 100 || shown < 100 {
		t.Errorf("%d texts, %d memories, %d in review; want at least 100 of each", played, kept, shown)
	}
}

// lasts reports whether a kind says how things are, and not what was done.
func lasts(k mem.Kind) bool {
	return !slices.Contains([]mem.Kind{
		mem.Change, mem.Command, mem.Snapshot, mem.Scratch, mem.Utterance, mem.Summary,
		mem.Request,
	}, k)
}
