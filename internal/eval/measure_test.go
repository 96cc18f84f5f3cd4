package eval

import (
	"math"
	"testing"
	"time"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The wanted values are worked out by hand; 0.63092975 is 1/log2(3).
func TestMeasuresOfOneAnswer(t *testing.T) {
	const second = 0.6309297535714575
	for name, c := range map[string]struct {
		found                 []string
		relevant              map[string]float64
		k                     int
		recall, any, rr, ndcg float64
	}{
		"first":                      {[]string{"a", "b"}, map[string]float64{"a": 1}, 1, 1, 1, 1, 1},
		"second of two, looked at 1": {[]string{"b", "a"}, map[string]float64{"a": 1}, 1, 0, 0, 0.5, 0},
		"second of two, looked at 5": {[]string{"b", "a"}, map[string]float64{"a": 1}, 5, 1, 1, 0.5, second},
		"half of what answers": {
			[]string{"x", "a", "y"},
			map[string]float64{"a": 1, "b": 1},
			5, 0.5, 1, 0.5,
			second / (1 + second),
		},
		"both": {[]string{"a", "b"}, map[string]float64{"a": 1, "b": 1}, 5, 1, 1, 1, 1},
		"the lesser answer first": {
			[]string{"b", "a"},
			map[string]float64{"a": 3, "b": 1},
			5, 1, 1, 1,
			(1 + 3*second) / (3 + second),
		},
		"more answers than places": {[]string{"a"}, map[string]float64{"a": 1, "b": 1, "c": 1}, 1, 1.0 / 3, 1, 1, 1},
		"nothing found":            {nil, map[string]float64{"a": 1}, 5, 0, 0, 0, 0},
		"nothing answers":          {[]string{"a"}, nil, 5, 0, 0, 0, 0},
		"judged as no answer":      {[]string{"a"}, map[string]float64{"a": 0}, 5, 0, 0, 0, 0},
	} {
		for _, m := range []struct {
			what      string
			got, want float64
		}{
			{"recall", RecallAt(c.found, c.relevant, c.k), c.recall},
			{"any", AnyAt(c.found, c.relevant, c.k), c.any},
			{"reciprocal rank", ReciprocalRank(c.found, c.relevant), c.rr},
			{"nDCG", NDCGAt(c.found, c.relevant, c.k), c.ndcg},
		} {
			if !near(m.got, m.want) {
				t.Errorf("%s: %s at %d: got %.6f, want %.6f", name, m.what, c.k, m.got, m.want)
			}
		}
	}
}

func TestPercentilesAreByNearestRank(t *testing.T) {
	var list []time.Duration
	for ms := 1; ms <= 10; ms++ {
		list = append(list, time.Duration(ms)*time.Millisecond)
	}
	for _, c := range []struct {
		list    []time.Duration
		p, want float64
	}{{list, 0.5, 5}, {list, 0.95, 10}, {list[:1], 0.95, 1}, {list[:2], 0.5, 1}, {nil, 0.5, 0}} {
		if got := percentile(c.list, c.p); got != c.want {
			t.Errorf("%.2f of %d: got %v ms, want %v", c.p, len(c.list), got, c.want)
		}
	}
}
