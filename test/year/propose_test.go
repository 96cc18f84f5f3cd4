package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/propose"
	"remanence/internal/views"
)

// What the person of the year says, and what of it belongs into the project's AGENTS.md.
var (
	tabs = habit{wordings: []string{
		"Always use tabs for indentation.", "I told you already: always use tabs for indentation",
		"always use tabs for indentation",
	}, every: 7}
	wait  = habit{wordings: []string{"From now on retries wait 30 seconds."}, every: 5, until: 34}
	later = habit{wordings: []string{"From now on retries wait 60 seconds."}, every: 6, from: 36}
	twice = habit{wordings: []string{"We always deploy on Tuesdays."}, every: 40}
	token = habit{wordings: []string{
		"Always use the token " + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8.",
	}, every: 10}
)

// TestAYearOfSessionsProposesWhatIsJustified plays a year and examines each proposed line by what was said and done.
func TestAYearOfSessionsProposesWhatIsJustified(t *testing.T) {
	const sessions = 60
	w, err := newWorld(t.Context(), filepath.Join(t.TempDir(), "remanence.db"), 3, sessions, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.habits = []habit{tabs, wait, later, twice, token}
	for _, e := range []mem.Event{
		{Kind: mem.SessionStart, Source: "startup"},
		{Kind: mem.UserPromptSubmit, PromptID: "p", Text: "run the nightly export"},
	} {
		e.Session = "first"
		if _, err := w.give(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for agent, text := range map[string]string{
		"":      "The staging database listens on port 5433 behind the jump host.",
		"first": "The nightly export of the warehouse needs LC_ALL=C, or its order differs.",
	} {
		if _, err := w.engine.Curate.Add(t.Context(), curate.AddRequest{
			ProjectRef: mem.ProjectRef{Dir: shop.Root}, Text: text, Kind: mem.Gotcha, Agent: agent,
		}); err != nil {
			t.Fatal(err)
		}
	}
	w.regular = []errand{
		{"connect to the staging database behind the jump host, on which port does it listen?", "port 5433"},
		{"run the nightly export of the warehouse, its order differs", "LC_ALL=C"},
	}
	if _, err := w.year(t.Context(), sessions, sessions+1); err != nil {
		t.Fatal(err)
	}
	text := "# Retail\r\n\r\nRetries wait 30 seconds.\r\n\r\n- local edit"
	got := w.proposes(t, text)
	used := 0
	var found []string
	for _, l := range got.Lines {
		if l.Basis == views.ByUse {
			used++
			w.justified(t, l)
			continue
		}
		found = append(found, l.Text)
		h := tabs
		if strings.Contains(l.Text, "60 seconds") {
			h = later
		}
		want := 0
		for n := range sessions {
			if h.said(n) != "" {
				want++
			}
		}
		if len(l.Sessions) != want || l.Said != want || l.Trust != mem.TrustUser || l.Last.Before(l.First) {
			t.Errorf("%q: %d times in %d sessions, was said in %d", l.Text, l.Said, len(l.Sessions), want)
		}
	}
	slices.Sort(found)
	if want := []string{"Always use tabs for indentation", "Retries wait 60 seconds."}; !slices.Equal(found, want) {
		t.Errorf("said and proposed: %q, want %q", found, want)
	}
	if used != 2 {
		t.Errorf("%d lines are proposed by their use, want 2: %+v", used, got.Lines)
	}
	t.Logf("%d lines, %d of them by use, of %d memories; left out: %+v", len(got.Lines), used, len(w.learned), got.LeftOut)
	if c := got.Contradicted; len(c) != 1 || c[0].Line != 3 || !strings.Contains(c[0].Title, "60 seconds") {
		t.Errorf("contradicted lines: %+v", c)
	}
	if !slices.ContainsFunc(got.LeftOut, func(l views.ProposalLeftOut) bool { return l.Why == "secret" }) {
		t.Errorf("the secret is not left out: %+v", got.LeftOut)
	}
	w.applies(t, text, got)
}

// proposes asks for the lines that a file lacks.
func (w *world) proposes(t *testing.T, text string) views.ProposeResponse {
	t.Helper()
	got, err := w.engine.Views.Propose(t.Context(), views.ProposeRequest{
		ProjectRef: mem.ProjectRef{Dir: shop.Root}, File: "AGENTS.md", Text: text,
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// justified checks a line that is proposed by its use against the receipts and the memory.
func (w *world) justified(t *testing.T, l views.ProposedLine) {
	t.Helper()
	receipts, err := w.store.Receipts(t.Context(), mem.ReceiptQuery{Memory: l.ID, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	injected := 0
	for _, r := range receipts {
		for _, it := range r.Items {
			if it.ID == l.ID && it.Section != mem.SectionIndex {
				injected++
			}
		}
	}
	ms, err := w.store.List(t.Context(), mem.Query{IDs: []string{l.ID}})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%s: %v", l.ID, err)
	}
	m := ms[0]
	in := map[string]bool{}
	for _, use := range m.UsedIn {
		in[use.Session()] = true
	}
	if injected != l.Injected || injected < 3 || m.Uses != l.Used || len(in) != len(l.Sessions) || len(in) < 3 {
		t.Errorf("%s: injected %d, used %d in %d sessions; the line says %d, %d and %d", l.ID, injected, m.Uses, len(in),
			l.Injected, l.Used, len(l.Sessions))
	}
	if m.Trust < mem.TrustUser && !strings.HasPrefix(l.Text, propose.Unconfirmed) {
		t.Errorf("%s is of trust %s and not marked: %s", l.ID, m.Trust, l.Text)
	}
}

// applies writes the lines, and checks that nothing is proposed again and that none of them is injected until it is
// removed.
func (w *world) applies(t *testing.T, text string, got views.ProposeResponse) {
	t.Helper()
	var lines []propose.Line
	for _, l := range got.Lines {
		lines = append(lines, propose.Line{Text: l.Text, Note: l.Note})
	}
	w.guide = propose.Insert(text, lines)
	if !strings.HasPrefix(w.guide, text) || strings.Contains(strings.ReplaceAll(w.guide, "\r\n", ""), "\n") {
		t.Errorf("what stood in the file is changed:\n%q", w.guide)
	}
	if strings.Contains(w.guide, "ghp_") {
		t.Error("a secret is in the file")
	}
	if again := w.proposes(t, w.guide); len(again.Lines) > 0 || again.Known < len(got.Lines) {
		t.Errorf("proposed again: %+v, %d known", again.Lines, again.Known)
	}
	injected := func() (n int, leftOut bool) {
		for _, l := range got.Lines {
			rc, err := w.engine.Next(t.Context(), views.NextRequest{
				ProjectRef: mem.ProjectRef{Dir: shop.Root},
				Prompt:     "what do we know: " + strings.TrimPrefix(l.Text, propose.Unconfirmed),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range rc.Items {
				if slices.Contains(l.Memories, it.ID) {
					n++
				}
			}
			leftOut = leftOut || slices.ContainsFunc(rc.LeftOut, func(c mem.LeftOutItem) bool {
				return slices.Contains(l.Memories, c.ID) && c.Gate == "in_instructions"
			})
		}
		return n, leftOut
	}
	if n, leftOut := injected(); n > 0 || !leftOut {
		t.Errorf("%d memories are injected that say what the file does; named as left out: %t", n, leftOut)
	}
	w.guide = text
	if n, _ := injected(); n < len(got.Lines)/2 {
		t.Errorf("after the lines were removed, %d memories of %d lines are injected", n, len(got.Lines))
	}
}
