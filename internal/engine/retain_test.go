package engine_test

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
)

// letGo goes on until nothing more is to do, and returns what went.
func (s *stage) letGo() (payloads, memories int) {
	s.t.Helper()
	from := int64(0)
	for range 1000 {
		gone, err := s.Curate.ApplyRetention(s.t.Context(), from, false)
		if err != nil {
			s.t.Fatalf("let go: %v", err)
		}
		payloads, memories = payloads+gone.Payloads, memories+gone.Memories
		if !gone.More {
			return payloads, memories
		}
		from = gone.Next
	}
	s.t.Fatal("it never ends")
	return 0, 0
}

func (s *stage) texts() string {
	s.t.Helper()
	events, err := s.store.Events(s.t.Context(), mem.EventQuery{Limit: 10_000})
	if err != nil {
		s.t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range events {
		all.WriteString(e.Text + string(e.Input) + string(e.Response) + e.Error + "\n")
	}
	return all.String()
}

const day = 24 * time.Hour

func TestOldWordsAreDroppedAndWhatWasLearnedStays(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "we always use jittered backoff in the gateway client"),
		ran("p1", "t1", "go test ./gateway", "ok gateway 0.2s"),
		stop("p1", "Decided: the gateway client retries with jittered backoff because the vendor throttles bursts."))
	before, err := s.store.List(t.Context(), mem.Query{Limit: 100})
	if err != nil || len(before) == 0 {
		t.Fatalf("%d memories, %v", len(before), err)
	}
	s.clock = s.clock.Add(60 * day)
	s.play(in("two", start("startup"), prompt("p2", "what about the scanner"))...)
	s.clock = s.clock.Add(31 * day)
	if payloads, _ := s.letGo(); payloads != 4 {
		t.Errorf("dropped %d payloads, want the 4 that are 91 days old", payloads)
	}
	if left := s.texts(); strings.Contains(left, "backoff") || strings.Contains(left, "gateway") ||
		!strings.Contains(left, "scanner") {
		t.Errorf("left: %s", left)
	}
	after, err := s.store.List(t.Context(), mem.Query{Limit: 100})
	if err != nil || len(after) < len(before) {
		t.Errorf("%d memories, %v, want all %d", len(after), err, len(before))
	}
	if payloads, memories := s.letGo(); payloads+memories != 0 {
		t.Errorf("a second round let go of %d payloads, %d memories", payloads, memories)
	}
}

func TestAForgottenMemoryComesBackWithinItsTimeAndNotAfter(t *testing.T) {
	s := newStage(t)
	add := func(text string) string { return s.knows("", text) }
	mark := func(verb string, ids ...string) error {
		_, err := s.Curate.Mark(t.Context(), curate.MarkRequest{Verb: verb, IDs: ids})
		return err
	}
	early, late, kept := add("the printer code is swordfish"), add("the scanner speaks serial"),
		add("the drawer opens by itself")
	if err := mark("forget", early); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(20 * day)
	if err := mark("forget", late); err != nil {
		t.Fatal(err)
	}
	s.clock = s.clock.Add(11 * day)
	if _, memories := s.letGo(); memories != 1 {
		t.Errorf("erased %d memories, want the one forgotten 31 days ago", memories)
	}
	if err := mark("restore", late, kept); err != nil {
		t.Errorf("restore within its time: %v", err)
	}
	if err := mark("restore", early); err == nil {
		t.Error("what was forgotten 31 days ago came back")
	}
}

func TestNeverMeansNever(t *testing.T) {
	for _, days := range []int{0, maxInt} {
		s := newStage(t)
		s.settings.RetentionDays, s.settings.HideDays = days, days
		m, err := s.Curate.Add(t.Context(), curate.AddRequest{Text: "the printer code is swordfish"})
		if err != nil {
			t.Fatal(err)
		}
		s.marks("forget", m.ID)
		s.play(start("startup"), prompt("p1", "is anybody there"))
		s.clock = s.clock.Add(5000 * day)
		if payloads, memories := s.letGo(); payloads+memories != 0 {
			t.Errorf("%d days: let go of %d payloads, %d memories", days, payloads, memories)
		}
	}
}

const maxInt = int(^uint(0) >> 1)
