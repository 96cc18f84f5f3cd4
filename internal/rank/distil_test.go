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
