package recall

import (
	"slices"
	"testing"
	"time"

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
	due := func(after time.Duration, want ...string) {
		t.Helper()
		if got := f.due(now.Add(after)); !slices.Equal(got, want) {
			t.Errorf("due after %v: %q, want %q", after, got, want)
		}
	}
	due(0)
	for _, project := range []string{"", "b", "a"} {
		if got := f.floor(project); got != rank.LeastRelevance {
			t.Errorf("project %q: floor %v before it is calibrated", project, got)
		}
	}
	due(0, "a", "b")
	f.put("a", calibration{least: 0.5, until: now.Add(calibrateEvery)})
	due(calibrateEvery, "b") // a was not used since
	if got := f.floor("a"); got != 0.5 {
		t.Errorf("floor %v, want 0.5", got)
	}
	due(calibrateEvery-1, "b")
	due(calibrateEvery, "a", "b")
}
