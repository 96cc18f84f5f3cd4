package rank

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestTheMonthOfAQuestion(t *testing.T) {
	for text, want := range map[string]time.Month{
		"what did we do in May?": time.May, "the release of may 8": time.May, "on 3 May we talked": time.May,
		"since last march":     time.March,
		"Maybe we should wait": 0, "may I ask": 0, "MayBeBool is nil": 0, "march through the list": 0,
		"the june release": time.June, "nothing of it": 0,
		"in May or June": time.May,
	} {
		if got := monthIn(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestMergedListsAreOneByScore(t *testing.T) {
	hit := func(id string, score float64) mem.Hit { return mem.Hit{Memory: mem.Memory{ID: id}, Score: score} }
	got := order(Merge([]mem.Hit{hit("a", 3), hit("b", 1)}, []mem.Hit{hit("c", 2), hit("d", 1)}))
	if want := "a c b d"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
