package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func (s *stage) saves(ask continuity.SaveRequest) continuity.SaveResponse {
	s.t.Helper()
	got, err := s.Continuity.Save(s.t.Context(), ask)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func TestASaveHoldsWhereTheWorkStands(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the gate open again"),
		failed("p1", "t1", "make gate", "Exit code 2\nundefined: Gate"), edited("p1", "t2", "/home/dev/shop/gate.go", "a",
			"b"), stop("p1", "The gate opens in 12 ms now. `Gate(2)` replaces it, P3006 is gone. Also see gate-v2.go."))
	got := s.saves(continuity.SaveRequest{ProjectRef: shop, Note: "before <private>the walrus</private> the merge"})
	cp := got.Checkpoint
	if cp.Trigger != continuity.TriggerSave || cp.ID == "" || cp.Session != "one" || got.Short == "" ||
		len(got.Problems) != 0 {
		t.Errorf("got %+v", got)
	}
	if cp.State.Request != "make the gate open again" || !slices.Contains(cp.Evidence.Files, "gate.go") ||
		len(cp.Evidence.Commands) != 1 || len(cp.Evidence.Numbers) != 1 {
		t.Errorf("got %+v", cp)
	}
	if wants(t, "note", cp.Note, "before"); strings.Contains(cp.Note, "walrus") {
		t.Errorf("note %q", cp.Note)
	}
}

func TestWithoutASessionThereIsNothingToSave(t *testing.T) {
	s := newStage(t)
	if _, err := s.Continuity.Save(t.Context(), continuity.SaveRequest{ProjectRef: shop}); !errors.Is(err,
		mem.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Drift(t.Context(), views.DriftRequest{ProjectRef: shop}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestSaveThatIndexesFindsUtterancesAtOnce(t *testing.T) {
	th := newTranscriptStage(t)
	th.play(plainTalk()[:3]...)
	got := th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true})
	if len(got.Problems) != 0 || got.Indexed != 2 || len(th.utterances("one")) != 2 {
		t.Errorf("got %+v, %d utterances", got, len(th.utterances("one")))
	}
	if again := th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true}); again.Indexed != 0 ||
		len(th.utterances("one")) != 2 {
		t.Errorf("again: %+v", again)
	}
}

// absent is an archive whose transcript is not there, or that fails.
type absent struct {
	*fakeTranscript
	err error
}

func (a absent) Take(_ context.Context, _ mem.Session, _ string,
	_ func(*mem.ArchivedUtterance) mem.Verdict,
) (mem.TranscriptImport, error) {
	return mem.TranscriptImport{BadLines: 2}, a.err
}

func TestASaveNamesWhatDidNotWork(t *testing.T) {
	th := newTranscriptStage(t)
	th.play(plainTalk()[:3]...)
	th.Archive = absent{th.fakeTranscript, nil}
	th.Engine.Reconnect()
	if got := th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true}); len(got.Problems) != 2 ||
		got.Checkpoint.ID == "" {
		t.Errorf("without a transcript: %+v", got)
	}
	th.Archive = absent{th.fakeTranscript, errors.New("the disk is full")}
	th.Engine.Reconnect()
	if got := th.saves(continuity.SaveRequest{ProjectRef: shop, Index: true}); !strings.Contains(strings.Join(got.Problems,
		"\n"), "the disk is full") || got.Checkpoint.ID == "" {
		t.Errorf("with a full disk: %+v", got)
	}
	bare := newStage(t)
	bare.play(start("startup"), prompt("p1", "make the gate open"))
	if got := bare.saves(continuity.SaveRequest{ProjectRef: shop, Index: true}); len(got.Problems) != 1 {
		t.Errorf("without an archive: %+v", got)
	}
}

func TestWhoResumesReadsPathsCommandsAndTheHandoff(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the gate open again"),
		failed("p1", "t1", "make gate", "Exit code 2\nundefined: Gate"), edited("p1", "t2", "/home/dev/shop/gate.go", "a",
			"b"), stop("p1", "The gate opens in 12 ms now."))
	if _, err := s.Continuity.Handoff(t.Context(), continuity.HandoffRequest{
		ProjectRef: shop,
		Text:       "Next: mend the hinge.\nWaiting for the smith.",
	}); err != nil {
		t.Fatal(err)
	}
	saved := s.saves(continuity.SaveRequest{ProjectRef: shop, Note: "tired"})
	r, err := s.Continuity.Resume(t.Context(), continuity.CheckpointsRequest{ProjectRef: shop})
	if err != nil || r.Checkpoint.ID != saved.Checkpoint.ID || r.Handoff == nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	wants(t, "resume", r.Text, "gate.go", "`make gate`: exit 2", "undefined: Gate", "mend the hinge.\nWaiting", "tired",
		"12 ms", "make the gate open again")
	if _, err := s.Continuity.Resume(t.Context(),
		continuity.CheckpointsRequest{ProjectRef: mem.ProjectRef{Dir: "/home/dev/other"}}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("elsewhere: %v", err)
	}
}

func TestADifferenceNamesWhatCameAndWent(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the gate open again"),
		failed("p1", "t1", "make gate", "Exit code 2\nundefined: Gate"))
	first := s.saves(continuity.SaveRequest{ProjectRef: shop}).Checkpoint
	alone, err := s.Continuity.Diff(t.Context(), continuity.DiffRequest{ProjectRef: shop})
	if err != nil || alone.From.ID != "" || len(alone.Changes) == 0 || alone.Changes[0].Removed {
		t.Errorf("the first: %+v, %v", alone, err)
	}
	s.play(ran("p1", "t2", "make gate", "ok"), prompt("p2", "now the fence"), edited("p2", "t3", "/home/dev/shop/fence.go",
		"a", "b"))
	second := s.saves(continuity.SaveRequest{ProjectRef: shop}).Checkpoint
	for name, ask := range map[string]continuity.DiffRequest{
		"last": {ProjectRef: shop}, "from": {From: first.ID},
		"both": {From: first.ID, To: second.ID},
	} {
		d, err := s.Continuity.Diff(t.Context(), ask)
		if err != nil || d.From.ID != first.ID || d.To.ID != second.ID {
			t.Errorf("%s: %s to %s, %v", name, d.From.ID, d.To.ID, err)
			continue
		}
		for _, want := range []continuity.CheckpointChange{
			{What: "request", Removed: true, Text: "make the gate open again"},
			{What: "request", Text: "now the fence"},
			{What: "files", Text: "fence.go"},
		} {
			if !slices.Contains(d.Changes, want) {
				t.Errorf("%s: want %+v in %+v", name, want, d.Changes)
			}
		}
	}
	if _, err := s.Continuity.Diff(t.Context(), continuity.DiffRequest{From: "c_zz"}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	if same, err := s.Continuity.Diff(t.Context(), continuity.DiffRequest{From: second.ID, To: second.ID}); err != nil ||
		len(same.Changes) != 0 {
		t.Errorf("with itself: %+v, %v", same.Changes, err)
	}
}

func TestAnEntryOfTheJournalHasEveryField(t *testing.T) {
	s := newStage(t)
	var wrote string
	s.Journal = func(entry string) (string, error) { wrote = entry; return "/vault/LOG.md", nil }
	s.Engine.Reconnect()
	got, err := s.Filesync.WriteLog(t.Context(), filesync.LogRequest{ProjectRef: shop, Entry: filesync.LogEntry{
		Title: "the gate\n## forged", Happened: "It opens <private>walrus</private> again.",
		Decisions: []string{"oil, because it squeaked"}, Prevented: []string{"m_1: would have painted it"},
	}})
	if err != nil || got.File != "/vault/LOG.md" || got.Memory != nil || got.Text != wrote {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := "## 2026-03-02 — the gate ## forged\n\n**Project(s):** shop\n**Scope:** none\n**What happened:** It opens " +
		"again.\n**Decisions made:**\n- oil, because it squeaked\n" +
		"**Memories cited:** none\n**Prevented confirmations:**\n- m_1: would have painted it\n**New memories:** " +
		"none\n**Drift flagged:** none\n**Lint:** none\n"
	if wrote != want {
		t.Errorf("got\n%s\nwant\n%s", wrote, want)
	}
	if _, err := s.Filesync.WriteLog(t.Context(), filesync.LogRequest{
		ProjectRef: shop,
		Entry:      filesync.LogEntry{Title: "<private>x</private>"},
	}); !errors.Is(err, event.ErrNoText) {
		t.Errorf("without a title: %v", err)
	}
}

func TestWithoutAJournalAnEntryIsASummary(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "read the web"), tool(mem.PostToolUse, "p1", "t1", "WebFetch",
		map[string]any{"url": "http://x"}, "text"))
	got, err := s.Filesync.WriteLog(t.Context(), filesync.LogRequest{
		ProjectRef: shop, Agent: "one",
		Entry: filesync.LogEntry{Title: "the gate", Happened: "It opens again."},
	})
	if err != nil || got.Memory == nil || got.Memory.Kind != mem.Summary || got.Memory.Trust != mem.TrustNone ||
		got.Memory.Project != "p_shop" {
		t.Errorf("got %+v, %v", got.Memory, err)
	}
}

func rules(f curate.FindingsResponse) []string {
	var out []string
	for _, x := range f.Findings {
		out = append(out, x.Rule+" "+strings.Join(x.IDs, " ")+strings.Join(x.Files, " "))
	}
	return out
}

func (s *stage) adds(text string, kind mem.Kind) mem.Memory {
	s.t.Helper()
	return s.remember(curate.AddRequest{Text: text, Kind: kind}).Memory
}

func TestLintFindsWhatIsInNeedOfCare(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "hello there, gate"))
	old := s.adds("the hinge of the gate is oiled every spring by hand", mem.Convention)
	used := s.adds("the lamp of the lighthouse burns whale oil at night", mem.Fact)
	pinned := s.adds("the harbour master answers every morning at nine sharp", mem.Fact)
	s.marks("pin", pinned.ID)
	s.applies(mem.Batch{Edits: []mem.Edit{{ID: used.ID, Used: 1}}})
	s.clock = s.clock.Add(91 * 24 * time.Hour)
	twin := s.adds("the hinge of the gate is oiled every spring, by hand!", mem.Gotcha)
	got, err := s.Curate.Lint(t.Context(), curate.LintRequest{ProjectRef: shop})
	if err != nil || got.Examined != 4 {
		t.Fatalf("looked at %d, %v", got.Examined, err)
	}
	if want := []string{"duplicate " + twin.ID + " " + old.ID, "unused " + old.ID}; !slices.Equal(rules(got), want) {
		t.Errorf("got %q, want %q", rules(got), want)
	}
	if only, err := s.Curate.Lint(t.Context(), curate.LintRequest{
		ProjectRef: shop,
		Rules:      []string{curate.LintUnused},
	}); err != nil || len(only.Findings) != 1 {
		t.Errorf("one rule: %q, %v", rules(only), err)
	}
	if _, err := s.Curate.Lint(t.Context(), curate.LintRequest{Rules: []string{"beauty"}}); !errors.Is(err,
		curate.ErrNoRule) {
		t.Errorf("unknown rule: %v", err)
	}
}

func TestDriftNamesWorkThatWasNotRecorded(t *testing.T) {
	s := newStage(t)
	s.adds("we always deploy the gate on friday afternoon", mem.Convention)
	s.play(start("startup"), prompt("p1", "work on the gate"),
		edited("p1", "t1", "/home/dev/shop/gate.go", "a", "b"), edited("p1", "t2", "/home/dev/shop/hinge.go", "a", "b"),
		failed("p1", "t3", "make hinge", "Exit code 2\nundefined: Hinge"),
		stop("p1", "We decided to keep gate.go small because it is read often. We decided to use brass hinges everywhere. "+
			"We decided never to deploy the gate on friday afternoon."))
	got, err := s.Drift(t.Context(), views.DriftRequest{ProjectRef: shop})
	if err != nil || got.Session == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	var found []string
	for _, f := range got.Findings {
		found = append(found, f.Rule+": "+f.Text)
	}
	all := strings.Join(found, "\n")
	wants(t, "drift", all, "undeclared: hinge.go", "unattributed: decided without a reason: We decided to use brass",
		"contradiction: ", "still fails: ")
	wantsNot(t, "drift", all, "undeclared: gate.go", "a reason: We decided to keep gate.go")
}

func TestAHandoffOfNoSessionIsWhatIsGoneOnFrom(t *testing.T) {
	s := newStage(t)
	at := mem.ProjectRef{Dir: "/home/dev/till"}
	if _, err := s.Continuity.Handoff(t.Context(), continuity.HandoffRequest{
		ProjectRef: at,
		Text:       "next: run the smoke test in deploy/",
	}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Continuity.Resume(t.Context(), continuity.CheckpointsRequest{ProjectRef: at})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "resumption", r.Text, "run the smoke test in deploy/")
}
