package engine_test

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// handoffFiles keeps handoff files in memory.
type handoffFiles map[string]*struct{ rich, tail string }

func (f handoffFiles) of(p mem.Project) *struct{ rich, tail string } {
	if f[p.Key] == nil {
		f[p.Key] = &struct{ rich, tail string }{}
	}
	return f[p.Key]
}

func (f handoffFiles) ReadHandoff(p mem.Project) (vaultfile.Handoff, error) {
	return vaultfile.Handoff{Rich: f.of(p).rich, Appendix: f.of(p).tail}, nil
}

func (f handoffFiles) WriteHandoff(p mem.Project, text string) error { f.of(p).rich = text; return nil }

func (f handoffFiles) WriteAppendix(p mem.Project, text string) error {
	f.of(p).tail = text
	return nil
}

// handedOff is a stage on which the shop's first session was handed off, and the files of it.
func handedOff(t *testing.T) (*stage, handoffFiles) {
	t.Helper()
	s, files := newStage(t), handoffFiles{}
	s.Handoffs = files
	s.Engine.Reconnect()
	s.play(bugHunt()...)
	s.handsOff("one", handoffText)
	return s, files
}

func TestAppendixOfAHandoffListsLaterEvents(t *testing.T) {
	s, files := handedOff(t)
	if got := files["p_shop"].rich; got != handoffText {
		t.Errorf("written for the person: %q", got)
	}
	s.play(
		prompt("p2", "now the logout path, too"),
		failed("p2", "t5", "go test ./logout", "Exit code 2\n--- FAIL: TestLogout"),
		prompt("p3", "and say why it failed"),
		mem.Event{Kind: mem.PreCompact, Source: "auto", Transcript: record},
	)
	s.works()
	tail := files["p_shop"].tail
	wants(t, "tail", tail,
		"- asked: now the logout path, too\n- asked: and say why it failed\n", "- edited: auth/session.go\n",
		"- ran, exit 2: `go test ./logout`",
		"- ran, exit 1: `go test ./auth` login_test.go:41: expected 200, got 409 (works again)", "- open: ",
		"logout path has no test")
	wantsNot(t, "tail", tail, "table tests", "RECENT TAIL")
	if files["p_shop"].rich != handoffText {
		t.Errorf("the tail changed what was written: %q", files["p_shop"].rich)
	}
	s.play(mem.Event{Kind: mem.PreCompact, Source: "manual", Transcript: record})
	s.works()
	if again := files["p_shop"].tail; again != tail {
		t.Errorf("made again it is\n%s\nand was\n%s", again, tail)
	}
}

func (f handoffFiles) EraseHandoff(p mem.Project, lines []string) error {
	f.of(p).tail = ""
	if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(chars.Fold(f.of(p).rich), l) }) {
		f.of(p).rich = ""
	}
	return nil
}

func TestWhatIsErasedGoesFromTheHandoffFilesToo(t *testing.T) {
	for what, id := range map[string]func(*stage) string{
		"a session": func(*stage) string { return "one" },
		"a memory": func(s *stage) string {
			mm := s.remember(curate.AddRequest{Text: "Ada, who checks the 417 ms limit"})
			return mm.ID
		},
	} {
		s, files := handedOff(t)
		s.play(prompt("p2", "now the logout path, too"), mem.Event{Kind: mem.PreCompact, Source: "auto", Transcript: record})
		s.works()
		wants(t, what+" before", files["p_shop"].rich+files["p_shop"].tail, "417 ms", "logout path")
		if _, err := s.Purge(t.Context(), event.IDs{IDs: []string{id(s)}}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := *files["p_shop"]; got.rich != "" || got.tail != "" {
			t.Errorf("%s: left %+v", what, got)
		}
	}
}

func TestAppendixWrittenDuringAPurgeIsErased(t *testing.T) {
	s, files := handedOff(t)
	s.play(prompt("p2", "now the logout path, too"), mem.Event{Kind: mem.PreCompact, Source: "auto", Transcript: record})
	s.Store = meddled{s.store, func() error {
		s.works()
		wants(t, "meanwhile", files["p_shop"].tail, "logout path")
		return nil
	}}
	s.Engine.Reconnect()
	if _, err := s.Purge(t.Context(), event.IDs{IDs: []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	if got := *files["p_shop"]; got.rich != "" || got.tail != "" {
		t.Errorf("left %+v", got)
	}
}

func TestCopiedAppendixDoesNotGrow(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the login test pass"))
	cp := s.handsOff("one", "# Task\nship it\n\n## RECENT TAIL (since rich handoff)\n\n- asked: x\n### deeper\n- "+
		"y\n\n## Open\nAda\n## RECENT TAIL (since rich handoff)\n- z")
	if want := "# Task\nship it\n\n## Open\nAda"; cp.Handoff != want {
		t.Errorf("kept %q, want %q", cp.Handoff, want)
	}
	if strings.Contains(cp.Handoff, "RECENT TAIL") {
		t.Error("a tail is part of what was written")
	}
}
