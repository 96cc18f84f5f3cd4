package ui

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/eval"
)

// EvalView is the outcome of a run.
type EvalView struct {
	eval.Result
	Gates []eval.Verdict `json:"gates"`
}

// SchemaName returns the name of the view's schema.
func (EvalView) SchemaName() string { return "eval" }

// Print writes the view for a person.
func (v EvalView) Print(p *Printer) {
	p.Line("%s: %s, %s", Safe(v.Suite), Plural(v.Units, "unit", "units"), Plural(v.Queries, "question", "questions"))
	if v.Skipped > 0 {
		p.Field("left out", "%s that no unit answers", Plural(v.Skipped, "question", "questions"))
	}
	if why := v.unmeasured(); why != "" {
		p.Line("  Nothing was measured: %s.", why)
	}
	if v.Queries > 0 {
		p.Field("recall", "%s", atCutoffs(v.Recall))
		p.Field("any", "%s", atCutoffs(v.Any))
		p.Field("ranking", "MRR %s   nDCG@10 %s", share(v.MRR), share(v.NDCG))
	}
	if s := v.Sessions; s != nil {
		p.Field("sessions", "%s   nDCG@10 %s", atCutoffs(s.Recall), Percent(s.NDCG))
	}
	for _, name := range slices.Sorted(maps.Keys(v.ByCategory)) {
		c := v.ByCategory[name]
		p.Field(Clip(OneLine(name), 13), "%s   nDCG@10 %s   of %d", atCutoffs(c.Recall), share(c.NDCG), c.Queries)
	}
	if t := v.Injections; t != nil {
		p.Field("injected", "something is injected for %s of the queries, an answer for %s", Percent(t.Any),
			Percent(t.Relevant))
	}
	if f := v.False; f != nil {
		p.Field("falsely", "%d of %s", f.Injected, Plural(f.Prompts, "other prompt", "other prompts"))
		for _, class := range slices.Sorted(maps.Keys(f.ByClass)) {
			p.Field("", "%s %d of %d", Safe(class), f.ByClass[class].Injected, f.ByClass[class].Prompts)
		}
	}
	took := ""
	if l := v.Latency; l != nil {
		took = fmt.Sprintf("p50 %.1f ms   p95 %.1f ms   ", l.P50, l.P95)
	}
	p.Field("cost", "%sindexed in %.1f s   %s", took, v.IndexS, BytesText(v.DBBytes))
	for _, g := range v.Gates {
		p.Line("%s", gateLine(g))
	}
}

// unmeasured returns why no question was scored; empty if one was.
func (v EvalView) unmeasured() string {
	switch {
	case v.Queries > 0 || v.Sessions != nil:
		return ""
	case v.Units == 0:
		return "there is nothing to be found"
	case v.Suite == OwnSuite:
		return "no later session has worked on what an earlier one learned about"
	case v.Skipped == 0:
		return "the suite asks nothing"
	}
	return "no unit answers any of the questions"
}

func gateLine(g eval.Verdict) string {
	sign, word := "≥", "met"
	if g.Most {
		sign = "≤"
	}
	if !g.Met {
		word = "NOT met"
	}
	got := "not measured"
	if g.Got != nil {
		got = number(*g.Got)
	}
	return fmt.Sprintf("%s  %s %s %s: %s", Pad(word, 7), Safe(g.Name), sign, number(g.Value), got)
}

// Met reports whether every bound was met.
func Met(gates []eval.Verdict) bool {
	return !slices.ContainsFunc(gates, func(g eval.Verdict) bool { return !g.Met })
}

// atCutoffs lists recall by cutoff.
func atCutoffs(values map[string]float64) string {
	s := ""
	for i, k := range eval.Cutoffs() {
		if i > 0 {
			s += "   "
		}
		s += fmt.Sprintf("@%d %s", k, Percent(values[strconv.Itoa(k)]))
	}
	return s
}

// Percent is a share with one decimal, without the sign.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }

// share is a share in percent, or nothing where it was not measured.
func share(of *float64) string {
	if of == nil {
		return ""
	}
	return Percent(*of)
}

// number is a measure with at most four decimals.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0"), ".")
}

// EvalCompareView is two runs side by side.
type EvalCompareView struct {
	Before   string            `json:"before"`
	After    string            `json:"after"`
	Same     bool              `json:"same_suite"`
	Measures []eval.Difference `json:"measures"`
	Gates    []eval.Verdict    `json:"gates"`
}

// SchemaName returns the name of the view's schema.
func (EvalCompareView) SchemaName() string { return "eval_compare" }

// List returns the items that --jsonl prints.
func (v EvalCompareView) List() []any { return Items(v.Measures) }

// Print writes the view for a person.
func (v EvalCompareView) Print(p *Printer) {
	if !v.Same {
		p.Line("These are runs of two different suites.")
	}
	rows := [][]string{{"measure", "before", "after", "change", "95 % interval"}}
	for _, m := range v.Measures {
		interval := ""
		if i := m.Interval; i != nil {
			interval = fmt.Sprintf("%+.3f to %+.3f", i.Low, i.High)
		}
		change := "="
		if m.Change != 0 {
			change = number(m.Change)
			if m.Change > 0 {
				change = "+" + change
			}
		}
		rows = append(rows, []string{OneLine(m.Name), number(m.Before), number(m.After), change, interval})
	}
	p.Table([]Column{
		{Name: "measure", Flex: true},
		{Name: "before", right: true},
		{Name: "after", right: true},
		{Name: "change", right: true},
		{Name: "95 % interval", right: true},
	}, rows)
	for _, g := range v.Gates {
		p.Line("%s", gateLine(g))
	}
}

// EvalCaptureView is the result of the exam of capture.
type EvalCaptureView struct{ eval.CaptureResult }

// SchemaName returns the name of the view's schema.
func (EvalCaptureView) SchemaName() string { return "eval_capture" }

// Print writes the view for a person.
func (v EvalCaptureView) Print(p *Printer) {
	p.Line("%d sessions", v.Sessions)
	printCaptureScore(p, "by the rules", v.CaptureScore)
	if v.Stored != nil {
		printCaptureScore(p, "in the store", *v.Stored)
	}
	if r := v.Probes; r != nil {
		p.Line("%d of %d later prompts answered, %.0f tokens injected on average, %d with what must not be",
			r.Answered, r.Probes, r.Tokens, r.MustNot)
		p.Line("%d of %d unrelated prompts answered", r.False, r.Unrelated)
		printNotes(p, r.Notes)
	}
}

func printCaptureScore(p *Printer, where string, s eval.CaptureScore) {
	p.Line("%s: %d statements, %d of %d facts, %d of %d of the right kind, %d of %d that must not be", where,
		s.Statements, s.Kept, s.Facts, s.RightKind, s.WithKind, s.Broken, s.MustNot)
	for _, by := range []map[string][2]int{s.By, s.ByKind} {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(by)) {
			parts = append(parts, fmt.Sprintf("%s %d of %d", name, by[name][0], by[name][1]))
		}
		p.Line("  %s", strings.Join(parts, ", "))
	}
	printNotes(p, s.Notes)
}

func printNotes(p *Printer, notes []string) {
	for _, n := range notes {
		p.Line("  %s", OneLine(n))
	}
}

// EvalReportView is many runs in a table.
type EvalReportView struct {
	Total int           `json:"total"`
	Runs  []eval.Result `json:"runs"`
}

// SchemaName returns the name of the view's schema.
func (EvalReportView) SchemaName() string { return "eval_report" }

// List returns the items that --jsonl prints.
func (v EvalReportView) List() []any { return Items(v.Runs) }

// Print writes the view for a person.
func (v EvalReportView) Print(p *Printer) {
	rows := [][]string{{
		"suite", "queries", "R@1", "R@5", "R@10", "R@50", "MRR", "nDCG@10", "sessions R@10", "false",
		"p50 ms", "p95 ms",
	}}
	for _, r := range v.Runs {
		sessions, falsely, p50, p95 := "", "", "", ""
		if r.Sessions != nil {
			sessions = Percent(r.Sessions.Recall["10"])
		}
		if r.False != nil {
			falsely = Percent(r.False.Share)
		}
		if r.Latency != nil {
			p50, p95 = fmt.Sprintf("%.1f", r.Latency.P50), fmt.Sprintf("%.1f", r.Latency.P95)
		}
		row := []string{OneLine(r.Suite), strconv.Itoa(r.Queries)}
		for _, k := range eval.Cutoffs() {
			recall := ""
			if v, ok := r.Recall[strconv.Itoa(k)]; ok {
				recall = Percent(v)
			}
			row = append(row, recall)
		}
		rows = append(rows, append(row, share(r.MRR), share(r.NDCG), sessions, falsely, p50, p95))
	}
	cols := make([]Column, len(rows[0]))
	for i, name := range rows[0] {
		cols[i] = Column{Name: name, right: i > 0, Flex: i == 0}
	}
	for i := 2; i < len(cols); i++ { // on a narrow screen what says least goes first
		cols[i].Drop = []int{0, 0, 0, 4, 0, 5, 3, 0, 2, 1, 6, 7}[i]
	}
	p.Table(cols, rows)
}

// OwnSuite is the suite that is made of the person's own history.
const OwnSuite = "own"
