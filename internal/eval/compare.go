package eval

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Difference is one measure of two runs.
type Difference struct {
	Name   string  `json:"name"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Change float64 `json:"change"`
	// Interval is that of the change by a paired bootstrap over the questions; null where a measure is not kept by
	// question, or the runs scored different questions.
	Interval *Interval `json:"interval"`
}

// Compare lists the measures that both results have, units and queries among
// them: where those differ, the rest says little.
func Compare(before, after Result) []Difference {
	b, a := before.Measures(), after.Measures()
	paired := intervals(before.Questions, after.Questions)
	var out []Difference
	for _, name := range slices.SortedFunc(maps.Keys(b), byMeasure) {
		if v, ok := a[name]; ok {
			d := Difference{Name: name, Before: b[name], After: v, Change: v - b[name]}
			if i, ok := paired[name]; ok {
				d.Interval = &i
			}
			out = append(out, d)
		}
	}
	return out
}

// byMeasure orders names as a reader wants them: what was found first, by
// cutoff, then the rest.
func byMeasure(x, y string) int {
	order := []string{
		"units", "queries", "recall", "any", "mrr", "ndcg_10", "sessions", "told", "false_injections",
		"by_category", "latency_ms", "index_s", "db_bytes",
	}
	xs, ys := strings.Split(x, "."), strings.Split(y, ".")
	if c := cmp.Compare(slices.Index(order, xs[0]), slices.Index(order, ys[0])); c != 0 {
		return c
	}
	for i := range min(len(xs), len(ys)) {
		m, merr := strconv.Atoi(xs[i])
		n, nerr := strconv.Atoi(ys[i])
		c := cmp.Compare(xs[i], ys[i])
		if merr == nil && nerr == nil {
			c = cmp.Compare(m, n)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(xs), len(ys))
}
