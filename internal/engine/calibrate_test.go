package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

// A store that knows nothing of unrelated prompts injects sooner, one that is about them later.
func TestTheFloorIsCalibratedForAProject(t *testing.T) {
	floor := func(s *stage, calibrate bool) float64 {
		t.Helper()
		if calibrate {
			if err := s.Engine.Recall.Floors.Calibrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return floorOf(t, s)
	}
	s := newStage(t)
	s.play(bugHunt()...)
	s.play(in("two", start("startup"), prompt("q1", "how are login sessions locked?"))...)
	before, after := floor(s, false), floor(s, true)
	if before <= after {
		t.Errorf("floor %v, then %v: want a lower one", before, after)
	}
	unrelated, err := os.ReadFile(filepath.Join("..", "recall", "unrelated.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(unrelated)) {
		s.note(line)
	}
	s.clock = s.clock.Add(11 * time.Minute) // a small store is calibrated again soon
	if again := floor(s, true); again <= before {
		t.Errorf("floor %v in a store about the prompts, want more than %v", again, before)
	}
}

// A session that starts is enough: its first prompt is to find the floor of its project.
func TestAProjectIsCalibratedOnceASessionStarts(t *testing.T) {
	s := newStage(t)
	s.play(in("one", start("startup"))...)
	if err := s.Engine.Recall.Floors.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := floorOf(t, s); got >= rank.LeastRelevance {
		t.Errorf("floor %v in an empty project after its first session began", got)
	}
}

func TestAProjectIsCalibratedSoonAfterItIsUsed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.play(in("one", start("startup"))...)
	go s.Engine.Recall.Floors.Run(t.Context(), func(err error) { t.Error(err) })
	for range 60 {
		if floorOf(t, s) < rank.LeastRelevance {
			return
		}
		time.Sleep(time.Second)
	}
	t.Errorf("floor %v a minute after the session began", floorOf(t, s))
}

// shopPages are memories that are all alike, and chance is a prompt in their words that is about none of them.
func shopPages(s *stage, n int) {
	for _, part := range strings.Fields("invoice customer basket voucher parcel courier refund ledger currency holiday " +
		"branch tariff webhook receipt")[:n] {
		s.knows(mem.Discovery, fmt.Sprintf("the %s page of the shop shows the price of the order with the %s", part, part))
	}
}

const chance = "sort the price list on the order page of the shop"

func isAnsweredOnly(t *testing.T, s *stage, session string) {
	t.Helper()
	if _, r := s.asks(session+"chance", chance); len(r.Items) != 0 {
		t.Errorf("%d memories are injected for the words of the trade", len(r.Items))
	}
	if got, _ := s.asks(session, "what does the voucher page of the shop show?"); !strings.Contains(got, "voucher") {
		t.Errorf("what is asked for is not injected:\n%s", got)
	}
}

// The memories of a project share the words of its trade, and so do its prompts: that alone is no reason to inject one.
func TestWhatEveryPromptOfAProjectFindsIsNotInjected(t *testing.T) {
	s := newStage(t)
	shopPages(s, 8)
	for i, cell := range strings.Fields("table row sum column label field badge note mark line cell head foot margin") {
		s.play(in(fmt.Sprint("before", i), start("startup"),
			prompt(fmt.Sprint("p", i), fmt.Sprintf("sort the price %s on the order page of the shop", cell)))...)
	}
	if _, r := s.asks("a", chance); len(r.Items) == 0 {
		t.Fatal("nothing is found by chance")
	}
	if err := s.Engine.Recall.Floors.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	isAnsweredOnly(t, s, "b")
}

func TestOneOfManyAlikeMemoriesIsNotInjectedByChance(t *testing.T) {
	s := newStage(t)
	shopPages(s, 14)
	isAnsweredOnly(t, s, "a")
}

// floorOf returns the least relevance that a prompt needs now.
func floorOf(t *testing.T, s *stage) float64 {
	t.Helper()
	r, err := s.Engine.Next(t.Context(), views.NextRequest{
		ProjectRef: mem.ProjectRef{Project: "all"}, Prompt: "how are login sessions locked?",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Floor
}

func TestCalibrationAsksNoEmbeddingServer(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	d := &thesaurus{model: "m"}
	s.sees(d)
	s.play(in("two", start("startup"), prompt("q1", "how are login sessions locked?"))...)
	before := len(d.asked)
	if before == 0 {
		t.Fatal("a prompt asks for no vector")
	}
	if err := s.Engine.Recall.Floors.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := len(d.asked); after != before {
		t.Errorf("the server was asked %d times", after-before)
	}
}
