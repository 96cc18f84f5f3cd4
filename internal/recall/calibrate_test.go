package recall

import (
	"slices"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestLeastRelevanceIsAboveWhatUnrelatedPromptsFind(t *testing.T) {
	scores := func(relevance float64, n int) []float64 { return slices.Repeat([]float64{relevance}, n) }
	for _, tt := range []struct {
		name string
		best []float64
		want float64
	}{
		{"nothing is found", scores(0, 100), lowestFloor},
		{"they find little", scores(0.204, 100), 0.44},
		{"the store is about some of the prompts", slices.Concat(scores(0.2, 60), scores(0.9, 40)), 0.44},
		{"the store is about most of the prompts", slices.Concat(scores(0.2, 40), scores(0.9, 60)), highestFloor},
	} {
		if got := leastRelevance(tt.best); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCalibrationIsDueOnceAProjectIsInUse(t *testing.T) {
	var f Floors
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	due := func(after time.Duration, want ...string) {
		t.Helper()
		if got := f.expired(now.Add(after)); !slices.Equal(got, want) {
			t.Errorf("due after %v: %q, want %q", after, got, want)
		}
	}
	due(0)
	for _, project := range []string{"", "b", "a"} {
		if got := f.use(project, now).of(Question{}); got != rank.LeastRelevance {
			t.Errorf("project %q: floor %v before it is calibrated", project, got)
		}
	}
	due(0, "a", "b")
	f.put("a", calibration{least: 0.5, until: now.Add(calibrateLate)})
	due(calibrateLate, "b") // a was not used since
	if got := f.use("a", now).of(Question{}); got != 0.5 {
		t.Errorf("floor %v, want 0.5", got)
	}
	due(calibrateLate-1, "b")
	due(calibrateLate, "a", "b")
}

func TestAQuestionIsHeldToTheCalibrationOfItsTrigger(t *testing.T) {
	c := calibration{least: 0.4, prompt: 0.5, quote: 0.6, until: time.Now()}
	for _, tt := range []struct {
		q    Question
		want float64
	}{
		{Question{Trigger: promptTrigger}, 0.5},
		{Question{Trigger: promptTrigger, Query: mem.Query{Kinds: []mem.Kind{mem.Utterance}}}, 0.6},
		{Question{Trigger: "file"}, 0.4},
	} {
		if got := c.of(tt.q); got != tt.want {
			t.Errorf("%s, %v: floor %v, want %v", tt.q.Trigger, tt.q.Query.Kinds, got, tt.want)
		}
	}
}

func TestOwnPromptsSayWhatIsFoundByChance(t *testing.T) {
	spread := make([]float64, 100) // 0.00 to 0.99
	for i := range spread {
		spread[len(spread)-1-i] = float64(i) / 100
	}
	for _, tt := range []struct {
		name   string
		chance []float64
		want   float64
	}{
		{"none", nil, 0},
		{"too few", slices.Repeat([]float64{0.5}, leastOwn-1), 0},
		{"enough", slices.Repeat([]float64{0.5}, leastOwn), 0.51},
		{"the upper quarter is above it", spread, 0.76},
		{"all say much the same", slices.Repeat([]float64{1}, 100), highestOwn},
	} {
		if got := ownRelevance(tt.chance); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
