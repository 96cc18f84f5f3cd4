package rank_test

import (
	"math"
	"testing"

	"remanence/internal/rank"
)

func TestNearnessRunsFromOppositeToSame(t *testing.T) {
	for cos, want := range map[float64]float64{1: 1, 0.5: 0.5, 0: 0.414, -1: 0.333} {
		if got := rank.Nearness(cos); math.Abs(got-want) > 0.001 {
			t.Errorf("nearness of %v is %v, want %v", cos, got, want)
		}
	}
}
