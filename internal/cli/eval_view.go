package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/eval"
)

// evalView is the outcome of a run.
type evalView struct {
	eval.Result
	Gates []eval.Verdict `json:"gates"`
}

func (evalView) schema() string { return "eval" }

func (v evalView) human(p *printer) {
	p.line("%s: %s, %s", safe(v.Suite), plural(v.Units, "unit", "units"), plural(v.Queries, "question", "questions"))
	if v.Skipped > 0 {
		p.field("left out", "%s that no unit answers", plural(v.Skipped, "question", "questions"))
	}
	if why := v.unmeasured(); why != "" {
		p.line("  Nothing was measured: %s.", why)
	}
	if v.Queries > 0 {
		p.field("recall", "%s", atCutoffs(v.Recall))
		p.field("any", "%s", atCutoffs(v.Any))
		p.field("ranking", "MRR %s   nDCG@10 %s", share(v.MRR), share(v.NDCG))
	}
	if s := v.Sessions; s != nil {
		p.field("sessions", "%s   nDCG@10 %s", atCutoffs(s.Recall), percent(s.NDCG))
	}
	for _, name := range slices.Sorted(maps.Keys(v.ByCategory)) {
		c := v.ByCategory[name]
		p.field(clip(oneLine(name), 13), "%s   nDCG@10 %s   of %d", atCutoffs(c.Recall), share(c.NDCG), c.Queries)
	}
	if t := v.Told; t != nil {
		p.field("told", "%s of the questions are told something, %s an answer", percent(t.Any), percent(t.Relevant))
	}
	if f := v.False; f != nil {
		p.field("falsely", "%d of %s", f.Injected, plural(f.Prompts, "other prompt", "other prompts"))
		for _, class := range slices.Sorted(maps.Keys(f.ByClass)) {
			p.field("", "%s %d of %d", safe(class), f.ByClass[class].Injected, f.ByClass[class].Prompts)
		}
	}
	took := ""
	if l := v.Latency; l != nil {
		took = fmt.Sprintf("p50 %.1f ms   p95 %.1f ms   ", l.P50, l.P95)
	}
	p.field("cost", "%sindexed in %.1f s   %s", took, v.IndexS, bytesText(v.DBBytes))
	for _, g := range v.Gates {
		p.line("%s", gateLine(g))
	}
}

// unmeasured says why no question was scored; empty if one was.
func (v evalView) unmeasured() string {
	switch {
	case v.Queries > 0 || v.Sessions != nil:
		return ""
	case v.Units == 0:
		return "there is nothing to be found"
	case v.Suite == ownSuite:
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
	return fmt.Sprintf("%s  %s %s %s: %s", pad(word, 7), safe(g.Name), sign, number(g.Value), got)
}

func met(gates []eval.Verdict) bool {
	return !slices.ContainsFunc(gates, func(g eval.Verdict) bool { return !g.Met })
}

// atCutoffs lists recall by cutoff.
func atCutoffs(values map[string]float64) string {
	s := ""
	for i, k := range eval.Cutoffs() {
		if i > 0 {
			s += "   "
		}
		s += fmt.Sprintf("@%d %s", k, percent(values[strconv.Itoa(k)]))
	}
	return s
}

// percent is a share with one decimal, without the sign.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }

// share is a share in percent, or nothing where it was not measured.
func share(of *float64) string {
	if of == nil {
		return ""
	}
	return percent(*of)
}

// number is a measure with at most four decimals.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0"), ".")
}

func (a *app) evalCompare() *cobra.Command {
	var gates []string
	cmd := &cobra.Command{
		Use:     "compare <before.json> <after.json>",
		Short:   "the measures of two runs side by side",
		Example: "  remanence eval compare yesterday.json today.json\n  remanence eval compare yesterday.json today.json --gate recall.10=72%",
		Args:    exactly(2, "two files that eval run --json wrote"),
		RunE: func(_ *cobra.Command, args []string) error {
			conditions, err := readGates(gates)
			if err != nil {
				return err
			}
			results, err := readResults(args)
			if err != nil {
				return err
			}
			if err := conditions.fit(results[1].Suite); err != nil {
				return err
			}
			v := evalCompareView{
				Before: args[0], After: args[1], Same: results[0].Suite == results[1].Suite,
				Measures: some(eval.Compare(results[0], results[1])), Gates: eval.Judge(results[1], conditions.gates),
			}
			return a.out.judged(v, met(v.Gates))
		},
	}
	cmd.Flags().StringArrayVar(&gates, "gate", nil, "what the second has to reach, as with eval run")
	return cmd
}

// readResults reads what eval run --json wrote.
func readResults(files []string) ([]eval.Result, error) {
	out := make([]eval.Result, 0, len(files))
	for _, file := range files {
		text, err := readInput(file)
		if err != nil {
			return nil, err
		}
		r, err := eval.ParseResult(text)
		if err != nil {
			return nil, faultInput.about("the file holds no result of eval run --json").because("%s: %s", file, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// evalCompareView is two runs side by side.
type evalCompareView struct {
	Before   string            `json:"before"`
	After    string            `json:"after"`
	Same     bool              `json:"same_suite"`
	Measures []eval.Difference `json:"measures"`
	Gates    []eval.Verdict    `json:"gates"`
}

func (evalCompareView) schema() string { return "eval_compare" }

func (v evalCompareView) list() []any { return items(v.Measures) }

func (v evalCompareView) human(p *printer) {
	if !v.Same {
		p.line("These are runs of two different suites.")
	}
	rows := [][]string{{"measure", "before", "after", "change"}}
	for _, m := range v.Measures {
		change := "="
		if m.Change != 0 {
			change = number(m.Change)
			if m.Change > 0 {
				change = "+" + change
			}
		}
		rows = append(rows, []string{oneLine(m.Name), number(m.Before), number(m.After), change})
	}
	p.table([]column{{name: "measure", flex: true}, {name: "before", right: true}, {name: "after", right: true}, {name: "change", right: true}}, rows)
	for _, g := range v.Gates {
		p.line("%s", gateLine(g))
	}
}

func (a *app) evalReport() *cobra.Command {
	return &cobra.Command{
		Use:     "report <file>...",
		Short:   "a table of runs",
		Example: "  remanence eval report runs/*.json",
		Args:    atLeast(1, "files that eval run --json wrote"),
		RunE: func(_ *cobra.Command, args []string) error {
			results, err := readResults(args)
			if err != nil {
				return err
			}
			return a.out.show(evalReportView{len(results), results})
		},
	}
}

// evalReportView is many runs in a table.
type evalReportView struct {
	Total int           `json:"total"`
	Runs  []eval.Result `json:"runs"`
}

func (evalReportView) schema() string { return "eval_report" }

func (v evalReportView) list() []any { return items(v.Runs) }

func (v evalReportView) human(p *printer) {
	rows := [][]string{{"suite", "queries", "R@1", "R@5", "R@10", "R@50", "MRR", "nDCG@10", "sessions R@10", "false", "p50 ms", "p95 ms"}}
	for _, r := range v.Runs {
		sessions, falsely, p50, p95 := "", "", "", ""
		if r.Sessions != nil {
			sessions = percent(r.Sessions.Recall["10"])
		}
		if r.False != nil {
			falsely = percent(r.False.Share)
		}
		if r.Latency != nil {
			p50, p95 = fmt.Sprintf("%.1f", r.Latency.P50), fmt.Sprintf("%.1f", r.Latency.P95)
		}
		row := []string{oneLine(r.Suite), strconv.Itoa(r.Queries)}
		for _, k := range eval.Cutoffs() {
			recall := ""
			if v, ok := r.Recall[strconv.Itoa(k)]; ok {
				recall = percent(v)
			}
			row = append(row, recall)
		}
		rows = append(rows, append(row, share(r.MRR), share(r.NDCG), sessions, falsely, p50, p95))
	}
	cols := make([]column, len(rows[0]))
	for i, name := range rows[0] {
		cols[i] = column{name: name, right: i > 0, flex: i == 0}
	}
	for i := 2; i < len(cols); i++ { // on a narrow screen what says least goes first
		cols[i].drop = []int{0, 0, 0, 4, 0, 5, 3, 0, 2, 1, 6, 7}[i]
	}
	p.table(cols, rows)
}
