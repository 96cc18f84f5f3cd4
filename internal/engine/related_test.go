package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// around is a graph as words, nodes and edges.
func (s *stage) around(ask recall.RelatedRequest) (nodes, edges []string, g recall.RelatedResponse) {
	s.t.Helper()
	ask.ProjectRef = shop
	g, err := s.Recall.Related(s.t.Context(), ask)
	if err != nil {
		s.t.Fatal(err)
	}
	name := map[string]string{}
	for _, n := range g.Nodes {
		name[n.ID] = n.Name
		nodes = append(nodes, n.Kind+" "+n.Name)
	}
	for _, x := range g.Edges {
		edges = append(edges, name[x.From]+" | "+x.Kind+" | "+name[x.To])
	}
	return nodes, edges, g
}

func TestWhatLiesAroundAMemoryAndAName(t *testing.T) {
	s := newStage(t)
	post := s.lays(mem.Decision, "`postHook` waits ten seconds", "send.go")
	s.lays(mem.Gotcha, "a proxy eats the body", "send.go")
	s.lays(mem.Fact, "receipts are printed by `printSlip`", "print.go")
	s.linkAll()
	nodes, edges, g := s.around(recall.RelatedRequest{ID: post})
	if want := []string{"decision `postHook` waits ten seconds", "file send.go", "symbol postHook"}; g.Center != post ||
		nodes[0] != want[0] || !sameSet(nodes, want) {
		t.Errorf("one step: %q around %s, want %q", nodes, g.Center, want)
	}
	if want := []string{
		"`postHook` waits ten seconds | mentions | postHook",
		"`postHook` waits ten seconds | mentions | send.go",
	}; !sameSet(edges, want) {
		t.Errorf("edges %q, want %q", edges, want)
	}
	if nodes, _, _ = s.around(recall.RelatedRequest{ID: post, Depth: 2}); !slices.Contains(nodes,
		"gotcha a proxy eats the body") || slices.Contains(nodes, "file print.go") {
		t.Errorf("two steps: %q", nodes)
	}
	byName, _, g := s.around(recall.RelatedRequest{ID: "SEND.go"})
	if g.Center == "" || len(byName) != 3 || byName[0] != "file send.go" {
		t.Errorf("around a name: %q", byName)
	}
	if nodes, _, _ = s.around(recall.RelatedRequest{}); len(nodes) != 7 || nodes[0] != "file send.go" {
		t.Errorf("of the project: %q, want four names and three memories, the most named first", nodes)
	}
	if nodes, _, g = s.around(recall.RelatedRequest{ID: post, Depth: 2, Limit: 2}); len(nodes) != 2 || !g.Cut {
		t.Errorf("two nodes: %q, cut %v", nodes, g.Cut)
	}
	for id, want := range map[string]error{"nobody.go": mem.ErrNotFound, "m_99": mem.ErrNotFound} {
		if _, err := s.Recall.Related(t.Context(), recall.RelatedRequest{ProjectRef: shop, ID: id}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", id, err, want)
		}
	}
	if _, err := s.Recall.Related(t.Context(), recall.RelatedRequest{ID: post, Depth: 3}); !errors.Is(err,
		recall.ErrDepth) {
		t.Errorf("got %v, want ErrDepth", err)
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func TestAMemoryIsShownWithWhatItReplacedAndWhatIsAgainstIt(t *testing.T) {
	s := newStage(t)
	old := s.lays(mem.Convention, "install the dependencies with npm")
	s.clock = s.clock.Add(24 * time.Hour)
	got := s.remember(curate.AddRequest{Text: "install the dependencies with pnpm", Kind: mem.Convention, Supersedes: old})
	if b := must(s.Views.Show(t.Context(), event.IDs{IDs: []string{old}})).Links[old]; len(b) != 1 || b[0].ID != got.ID ||
		!b[0].From || !b[0].Since.Equal(got.Created) {
		t.Errorf("before links are made, the old one is shown with %+v", b)
	}
	against := s.lays(mem.Convention, "use yarn instead of pnpm for the dependencies")
	s.linkAll()
	shown, err := s.Views.Show(t.Context(), event.IDs{IDs: []string{old, got.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if b := shown.Links[old]; len(b) != 1 || b[0].ID != got.ID || b[0].Kind != mem.LinkSupersedes || !b[0].From ||
		!b[0].Since.Equal(got.Created) {
		t.Errorf("the old one is shown with %+v", b)
	}
	b := shown.Links[got.ID]
	if len(b) != 2 || b[0].ID != old || b[0].From || b[1].ID != against || b[1].Kind != mem.LinkContradicts {
		t.Errorf("the new one is shown with %+v", b)
	}
	if m := s.shown(old); m.Status != mem.Superseded || m.Title != "install the dependencies with npm" {
		t.Errorf("the earlier form is %s: %q", m.Status, m.Title)
	}
}

func TestContradictionsAndDeadWeightAreFoundByLint(t *testing.T) {
	s := newStage(t).quietly()
	old := s.lays(mem.Decision, "the rate limiter of the gateway allows bursts of 10")
	now := s.lays(mem.Decision, "the rate limiter of the gateway allows bursts of 40")
	learned := s.learned(mem.Memory{
		Kind: mem.Gotcha, Title: "the rate limiter of the gateway counts bursts by tenant",
		Trust: mem.TrustAssistant,
	})[0]
	s.linkAll()
	for i := range views.DeadAfter {
		s.asks(fmt.Sprint("s", i), aboutLimiter)
	}
	ask := curate.LintRequest{ProjectRef: shop, Rules: []string{curate.LintDeadWeight}}
	if got, err := s.Curate.Lint(t.Context(), ask); err != nil || len(got.Findings) > 0 {
		t.Errorf("on its first day: %+v, %v", got.Findings, err)
	}
	s.clock = s.clock.Add(8 * 24 * time.Hour)
	if got, err := s.Curate.Lint(t.Context(), ask); err != nil || len(got.Findings) != 1 ||
		!slices.Equal(got.Findings[0].IDs, []string{learned}) {
		t.Errorf("after a week: %+v, %v, want what was learned, not what the person laid down", got.Findings, err)
	}
	got, err := s.Curate.Lint(t.Context(), curate.LintRequest{ProjectRef: shop, Rules: []string{
		curate.LintContradiction,
		curate.LintDeadWeight,
	}})
	if err != nil || len(got.Findings) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if f := got.Findings[0]; f.Rule != curate.LintContradiction || !slices.Equal(f.IDs, []string{now, old}) {
		t.Errorf("got %+v, want the newer against the older", f)
	}
	if n := len(got.Findings); n < 2 || got.Findings[n-1].Rule != curate.LintDeadWeight {
		t.Errorf("%d findings, no dead weight: %+v", n, got.Findings)
	}
}

func TestResolvedContradictionIsInjectedWithItsHistory(t *testing.T) {
	s := newStage(t).quietly()
	old := s.lays(mem.Decision, "the rate limiter of the gateway allows bursts of 10")
	now := s.lays(mem.Decision, "the rate limiter of the gateway allows bursts of 40")
	s.linkAll()
	inbox, err := s.Curate.Review(t.Context(), curate.ReviewRequest{
		ProjectRef: shop,
		Rules:      []string{curate.ReviewContradiction},
	})
	if err != nil || len(inbox.Items) != 1 || inbox.Items[0].Memories[0].ID != now {
		t.Fatalf("%+v, %v", inbox, err)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule: curate.ReviewContradiction,
		IDs:  []string{now, old}, Action: curate.AcceptFinding,
	}); err != nil {
		t.Fatal(err)
	}
	got, _ := s.asks("a", aboutLimiter)
	wants(t, "recall", got, now, "bursts of 40 [since 2 Mar 2026; before: the rate limiter of the gateway allows "+
		"bursts of 10]")
	wantsNot(t, "recall", got, old)
	shown, err := s.Views.Show(t.Context(), event.IDs{IDs: []string{old}})
	if err != nil || shown.Memories[0].Status != mem.Superseded || len(shown.Links[old]) != 1 ||
		shown.Links[old][0].Kind != mem.LinkSupersedes {
		t.Errorf("the earlier form is shown as %+v, %v", shown, err)
	}
}
