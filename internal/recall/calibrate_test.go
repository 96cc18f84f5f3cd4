package recall

import (
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestLeastRelevanceIsReachedByFewUnrelatedPrompts(t *testing.T) {
	scores := func(high ...float64) []float64 {
		list := make([]float64, 100)
		copy(list, high)
		return list
	}
	for _, tt := range []struct {
		name string
		best []float64
		want float64
	}{
		{"nothing is found", scores(), lowestFloor},
		{"two prompts may be answered", scores(0.9, 0.8), lowestFloor},
		{"the third may not", scores(0.9, 0.523, 0.8), 0.53},
		{"one that is exactly at a step may not", scores(0.9, 0.5, 0.8), 0.51},
		{"the store is about the prompts", scores(0.9, 0.9, 0.9, 0.9), highestFloor},
	} {
		if got := leastRelevance(tt.best); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCalibrationIsDueOnceAProjectIsInUse(t *testing.T) {
	var f floors
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if got := f.due(now); len(got) != 0 {
		t.Errorf("due: %v before any prompt", got)
	}
	for _, project := range []string{"", "b", "a"} {
		if got := f.floor(mem.Query{Project: project}); got != rank.LeastRelevance {
			t.Errorf("project %q: floor %v before it is calibrated", project, got)
		}
	}
	if got := f.due(now); len(got) != 2 || got[0] != "a" {
		t.Errorf("due: %v, want a and b", got)
	}
	f.put("a", calibration{0.5, 0.6, now.Add(calibrateEvery)})
	f.floor(mem.Query{Project: "a"})
	if got := f.due(now.Add(calibrateEvery - 1)); len(got) != 1 || got[0] != "b" {
		t.Errorf("due: %v, want b", got)
	}
	if got := f.due(now.Add(calibrateEvery)); len(got) != 2 {
		t.Errorf("due: %v, want a and b again", got)
	}
	for _, tt := range []struct {
		q    mem.Query
		want float64
	}{
		{mem.Query{Project: "a"}, 0.5},
		{mem.Query{Project: "a", Kinds: []mem.Kind{mem.Utterance}}, 0.6},
		{mem.Query{Project: "b"}, rank.LeastRelevance},
	} {
		if got := f.floor(tt.q); got != tt.want {
			t.Errorf("%+v: floor %v, want %v", tt.q, got, tt.want)
		}
	}
}
