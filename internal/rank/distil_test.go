package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/mem"
)

func TestWhatWasLearnedStandsBeforeTheSummaryOfItsTurn(t *testing.T) {
	hit := func(id string, k mem.Kind, session, turn string) mem.Hit {
		return mem.Hit{Memory: mem.Memory{ID: id, Kind: k, Session: session, Source: mem.Source{PromptID: turn}}}
	}
	hits := []mem.Hit{
		hit("other", mem.Fact, "one", "p1"),
		hit("summary", mem.Summary, "one", "p2"),
		hit("elsewhere", mem.Decision, "two", "p2"),
		hit("learned", mem.ErrorFix, "one", "p2"),
		hit("of no turn", mem.Summary, "one", ""),
		hit("nor this", mem.Fact, "one", ""),
	}
	want := []string{"other", "learned", "summary", "elsewhere", "of no turn", "nor this"}
	if d := cmp.Diff(want, order(Distil(hits))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if hits[1].Memory.ID != "summary" {
		t.Error("the input was changed")
	}
}

func TestWhatWasLearnedStandsInTheOrderOfItsScores(t *testing.T) {
	hit := func(id string, k mem.Kind, score float64) mem.Hit {
		return mem.Hit{Memory: mem.Memory{ID: id, Kind: k, Session: "one", Source: mem.Source{PromptID: "p1"}}, Score: score}
	}
	// As Diversify leaves them: what is more unlike the summary comes first.
	hits := []mem.Hit{
		hit("summary", mem.Summary, 3), hit("unlike it", mem.ErrorFix, 1),
		hit("in its words", mem.Discovery, 2),
	}
	if d := cmp.Diff([]string{"in its words", "unlike it", "summary"}, order(Distil(hits))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
