package eval

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Of 100 questions 20 are found in addition and 5 no longer: a change of 0.15 with a standard error of 0.048.
func TestAChangeHasAnIntervalIfBothRunsScoredTheSameQuestions(t *testing.T) {
	before, after := resultOf(0.5), resultOf(0.65)
	for i := range 100 {
		b, a := QuestionScore{ID: fmt.Sprint("q", i)}, QuestionScore{ID: fmt.Sprint("q", i)}
		switch {
		case i < 20:
			a.Recall, a.Any = 1, 1
		case i < 25:
			b.Recall = 1
		}
		before.Questions, after.Questions = append(before.Questions, b), append(after.Questions, a)
	}
	slices.Reverse(after.Questions) // questions are paired by their ids
	of := func(name string) *Interval {
		for _, d := range Compare(before, after) {
			if d.Name == name {
				return d.Interval
			}
		}
		t.Fatalf("no measure %s", name)
		return nil
	}
	got := of("recall.10")
	// The seed is fixed. By the normal distribution, 0.15 ± 1.96 × 0.048, it would be 0.056 to 0.244.
	if got == nil || math.Abs(got.Low-0.05) > 1e-9 || math.Abs(got.High-0.24) > 1e-9 {
		t.Errorf("interval %+v", got)
	}
	if any := of("any.10"); any == nil || any.Low <= got.Low {
		t.Errorf("of what is found at all: %+v, want more than %+v", any, got)
	}
	if same := of("ndcg_10"); same == nil || same.Low != 0 || same.High != 0 {
		t.Errorf("without a change: %+v, want 0 to 0", same)
	}
	if none := of("mrr"); none != nil {
		t.Errorf("of a measure that is not kept by question: %+v", none)
	}
	after.Questions[7].ID = after.Questions[8].ID
	if none := of("recall.10"); none != nil {
		t.Errorf("of a question that was asked twice: %+v", none)
	}
	after.Questions[7].ID = "another"
	if none := of("recall.10"); none != nil {
		t.Errorf("of other questions: %+v", none)
	}
}
