package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// shelf holds the files of a project: what each holds is also its hash.
type shelf struct {
	files map[string]string
	looks int
}

func (f *shelf) Close() {}

func (f *shelf) Anchors(files []string, _ time.Time) []mem.Anchor {
	var out []mem.Anchor
	for _, name := range files {
		out = append(out, mem.Anchor{File: name, Hash: f.files[name]})
	}
	return out
}

func (f *shelf) Freshness(anchors []mem.Anchor, _ time.Time) mem.Freshness {
	there, same := 0, 0
	for _, a := range anchors {
		if text, ok := f.files[a.File]; ok {
			there++
			if text == a.Hash {
				same++
			}
		}
	}
	switch {
	case same == len(anchors):
		return mem.Fresh
	case there == 0:
		return mem.FileGone
	}
	return mem.FileChanged
}

// withFiles lets the engine look at files.
func (s *stage) withFiles(files map[string]string) *shelf {
	f := &shelf{files: files}
	s.Engine.OpenFiles = func(mem.Project) event.Files { f.looks++; return f }
	s.Engine.Reconnect()
	return f
}

// knows adds a memory of the person's and returns its id.
func (s *stage) knows(kind mem.Kind, text string, files ...string) string {
	s.t.Helper()
	return s.remember(curate.AddRequest{Text: text, Kind: kind, Files: files}).ID
}

// asks gives a prompt to a new session and returns what it was injected, and the receipt.
func (s *stage) asks(session, text string) (string, mem.Receipt) {
	s.t.Helper()
	got := s.play(in(session, prompt("q-"+session, text))...).Context
	rs, err := s.store.Receipts(s.t.Context(), mem.ReceiptQuery{Session: session, Limit: 1})
	if err != nil || len(rs) == 0 {
		s.t.Fatalf("no receipt of %s: %v", session, err)
	}
	return got, rs[0]
}

const aboutLimiter = "how does the rate limiter of the gateway count its bursts?"

func TestAMemorySaysThatItsFileChangedSince(t *testing.T) {
	s := newStage(t)
	f := s.withFiles(map[string]string{"gate/limit.go": "v1"})
	id := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key, not per address", "gate/limit.go")

	got, _ := s.asks("a", aboutLimiter)
	wants(t, "unchanged", got, id, ", score ")
	wantsNot(t, "unchanged", got, "file changed", "file gone")

	f.files["gate/limit.go"] = "v2"
	got, r := s.asks("b", aboutLimiter)
	wants(t, "changed", got, id+" gotcha, now, file changed since: the rate limiter")
	if len(r.Items) != 1 || r.Items[0].Stale != mem.FileChanged || r.Items[0].Parts["stale"] != 1 {
		t.Errorf("the receipt does not say so: %+v", r.Items)
	}
	wants(t, "briefing", s.play(in("c", start("startup"))...).Context, id+", now, file changed since: the rate limiter")

	delete(f.files, "gate/limit.go")
	got, _ = s.asks("d", aboutLimiter)
	wants(t, "gone", got, id+" gotcha, now, file gone: the rate limiter")

	f.files["gate/limit.go"] = "v1" // another branch is checked out again
	got, _ = s.asks("e", aboutLimiter)
	wantsNot(t, "as it was", got, "file changed", "file gone")
}

func TestAMemoryOfARemovedFileOnlyIsNotInjected(t *testing.T) {
	s := newStage(t)
	f := s.withFiles(map[string]string{"gate/limit.go": "v1"})
	id := s.knows(mem.FileNote, "the rate limiter of the gateway counts bursts per key, not per address", "gate/limit.go")
	delete(f.files, "gate/limit.go")
	got, r := s.asks("a", aboutLimiter)
	wantsNot(t, "recall", got, id)
	if len(r.LeftOut) != 1 || r.LeftOut[0].ID != id || r.LeftOut[0].Gate != "stale" {
		t.Errorf("dropped %+v, want %s as stale", r.LeftOut, id)
	}
	if b := s.play(in("b", start("startup"))...).Context; strings.Contains(b, id+" ") || strings.Contains(b, id+",") {
		t.Errorf("the briefing contains it:\n%s", b)
	}
}

func TestOfTwoThatFitAlikeTheOneWhoseFileChangedComesLast(t *testing.T) {
	s := newStage(t)
	f := s.withFiles(map[string]string{"gate/old.go": "v1", "gate/new.go": "v1"})
	steady := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/old.go")
	moved := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per minute", "gate/new.go")
	order := func(session string) []string {
		_, r := s.asks(session, aboutLimiter)
		var ids []string
		for _, it := range r.Items {
			ids = append(ids, it.ID)
		}
		return ids
	}
	if got := order("a"); !slices.Equal(got, []string{moved, steady}) {
		t.Fatalf("order %v, want the newer one %s first", got, moved)
	}
	f.files["gate/new.go"] = "v2"
	if got := order("b"); !slices.Equal(got, []string{steady, moved}) {
		t.Errorf("order %v, want %s last: its file changed", got, moved)
	}
}

func TestCaptureReadsFilesOnlyForInjectedMemories(t *testing.T) {
	s := newStage(t)
	f := s.withFiles(map[string]string{"auth/session.go": "v1"})
	hunt := bugHunt()
	s.play(hunt[:4]...) // up to the edit
	if f.looks != 0 {
		t.Errorf("a prompt, a failure and an edit looked %d times at files", f.looks)
	}
	s.play(hunt[4:]...)
	ms, err := s.store.List(t.Context(), mem.Query{Within: "*", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	tied := map[mem.Kind]int{}
	for _, m := range ms {
		tied[m.Kind] += len(m.Anchors)
		if len(m.Anchors) > 0 && m.Anchors[0] != (mem.Anchor{File: "auth/session.go", Hash: "v1"}) {
			t.Errorf("%s: anchors %+v", m.Title, m.Anchors)
		}
	}
	if tied[mem.Gotcha] != 1 || tied[mem.ErrorFix] == 0 {
		t.Errorf("anchors %v, want the gotcha and the fixes tied to their file", tied)
	}
	if tied[mem.Change]+tied[mem.Summary]+tied[mem.Command] != 0 {
		t.Errorf("anchors %v, want none on a report of what happened", tied)
	}
}

func TestAChangeByAPersonConfirmsAMemory(t *testing.T) {
	again := "the rate limiter of the gateway counts bursts per key and route"
	for name, confirm := range map[string]func(s *stage, id string) error{
		"edit": func(s *stage, id string) error {
			_, err := s.Curate.Edit(s.t.Context(), curate.EditRequest{ID: id, Text: &again})
			return err
		},
		"pin": func(s *stage, id string) error {
			_, err := s.Curate.Mark(s.t.Context(), curate.MarkRequest{Verb: "pin", IDs: []string{id}})
			return err
		},
		"say it again": func(s *stage, _ string) error {
			s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/limit.go")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			f := s.withFiles(map[string]string{"gate/limit.go": "v1"})
			s.play(start("startup"))
			id := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/limit.go")
			f.files["gate/limit.go"] = "v2"
			if err := confirm(s, id); err != nil {
				t.Fatal(err)
			}
			got, _ := s.asks("b", aboutLimiter)
			wants(t, "recall", got, id)
			wantsNot(t, "recall", got, "file changed")
		})
	}
}

func TestForgettingAndUnpinningConfirmNothing(t *testing.T) {
	s := newStage(t)
	f := s.withFiles(map[string]string{"gate/limit.go": "v1"})
	s.play(start("startup"))
	id := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/limit.go")
	f.files["gate/limit.go"] = "v2"
	for _, verb := range []string{"forget", "restore", "unpin"} {
		s.marks(verb, id)
	}
	got, _ := s.asks("b", aboutLimiter)
	wants(t, "recall", got, "file changed since")
}
