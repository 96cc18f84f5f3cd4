package eval

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func scoresOf(recall10 float64) Scores {
	return Scores{
		Recall: map[string]float64{"1": 0.3, "10": recall10}, Any: map[string]float64{"10": 0.8}, MRR: new(0.5),
		NDCG: new(0.6),
	}
}

func resultOf(recall10 float64) Result {
	return Result{
		Suite: "small", Units: 10, Queries: 4, Scores: scoresOf(recall10),
		ByCategory: map[string]Scored{"fix": {2, scoresOf(0.4)}},
		Sessions:   &SessionScores{4, map[string]float64{"10": 0.9}, map[string]float64{"10": 1}, 0.7},
		Injections: &Injections{4, 0.75, 0.5},
		False:      &False{PromptCount{100, 2, 0.02}, map[string]PromptCount{ClassTrivial: {50, 0, 0}}},
		Latency:    &Latency{4, 9}, IndexS: 1.5, DBBytes: 4096,
	}
}

func TestAGateIsReadWithItsDirection(t *testing.T) {
	for s, want := range map[string]Gate{
		"recall.10=0.72":               {"recall.10", false, 0.72},
		"recall@10 = 72%":              {"recall.10", false, 0.72},
		"ndcg_10>=.5":                  {"ndcg_10", false, 0.5},
		"latency_ms.p95=40":            {"latency_ms.p95", true, 40},
		"false_injections.share=2%":    {"false_injections.share", true, 0.02},
		"told.relevant<=1":             {"told.relevant", true, 1},
		"db_bytes>=100":                {"db_bytes", false, 100},
		"by_category.a b.recall.5=0.1": {"by_category.a b.recall.5", false, 0.1},
	} {
		if got, err := ParseGate(s); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"recall.10", "recall.10=much", "=", "recall.10=%", "recall.10=NaN", "mrr=inf",
		"mrr>=-Inf%",
	} {
		if got, err := ParseGate(s); !errors.Is(err, ErrGate) {
			t.Errorf("%s: got %+v, %v", s, got, err)
		}
	}
}

func TestAGateOnWhatNoRunMeasuresIsRefused(t *testing.T) {
	for _, name := range append(Names(), "by_category.fix.mrr", "by_category.a.b.recall.50",
		"false_injections.by_class.trivial.share") {
		if _, err := ParseGate(name + "=1"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name := range resultOf(0.7).Measures() {
		if !isMeasure(name) {
			t.Errorf("%s is measured and refused", name)
		}
	}
	for _, name := range []string{
		"", "recal.5", "recall.7", "recall", "told", "by_category", "by_category.fix", "by_category.mrr",
		"by_category.fix.units",
		"false_injections.by_class.share", "false_injections.by_class.trivial",
	} {
		if got, err := ParseGate(name + "=1"); !errors.Is(err, ErrMeasure) {
			t.Errorf("%q: got %+v, %v", name, got, err)
		}
	}
}

func TestVerdicts(t *testing.T) {
	r := resultOf(0.7)
	for s, met := range map[string]bool{
		"recall.10=0.7": true, "recall.10=0.71": false, "any.10=0.8": true, "mrr=0.6": false,
		"latency_ms.p95=9": true, "latency_ms.p95=8": false, "index_s=1": false, "db_bytes=5000": true,
		"sessions.recall.10=0.9": true, "sessions.ndcg_10=0.8": false, "told.relevant=0.5": true, "told.any<=0.5": false,
		"false_injections.share=0.02": true, "false_injections.share=0.01": false,
		"false_injections.by_class.trivial.share=0": true,
		"by_category.fix.recall.10=0.4":             true, "units>=11": false, "by_category.none.mrr=0": false,
		"recall.50=0": false,
	} {
		g, err := ParseGate(s)
		if err != nil {
			t.Fatal(err)
		}
		if v := Judge(r, []Gate{g})[0]; v.Met != met {
			t.Errorf("%s: got %+v, want met %v", s, v, met)
		}
	}
	if v := Judge(Result{}, []Gate{{Name: "told.any", Most: true, Value: 1}})[0]; v.Met || v.Got != nil {
		t.Errorf("got %+v for what was not measured", v)
	}
}

func TestAFileHoldsGatesOrAnEarlierResult(t *testing.T) {
	gates, suite, err := ParseGates([]byte("# at least\nrecall.10=0.7\n\n  mrr=0.5 # the rest\n"))
	if want := []Gate{{"recall.10", false, 0.7}, {"mrr", false, 0.5}}; err != nil || !slices.Equal(gates, want) ||
		suite != "" {
		t.Errorf("got %+v of %q, %v, want %+v of any suite", gates, suite, err, want)
	}
	if _, _, err := ParseGates([]byte("recall.10=0.7\nrecall.10\n")); !errors.Is(err, ErrGate) ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want line 2", err)
	}
	before, err := json.Marshal(resultOf(0.7))
	if err != nil {
		t.Fatal(err)
	}
	if gates, suite, err = ParseGates(before); err != nil || suite != "small" {
		t.Fatalf("got a result of %q, %v", suite, err)
	}
	failed := func(r Result) (names []string) {
		for _, v := range Judge(r, gates) {
			if !v.Met {
				names = append(names, v.Name)
			}
		}
		return names
	}
	slow := resultOf(0.695)
	slow.Latency, slow.ByCategory = &Latency{90, 200}, nil
	if names := failed(slow); names != nil {
		t.Errorf("half a point and time: got %v, want nothing", names)
	}
	if names := failed(resultOf(0.68)); !slices.Equal(names, []string{"recall.10"}) {
		t.Errorf("two points: got %v, want recall.10", names)
	}
}

func TestAResultSurvivesItsJSON(t *testing.T) {
	want := resultOf(0.7)
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseResult(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	unmeasured, err := json.Marshal(Result{Suite: "empty"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseResult([]byte(`{"schema":"` + Schema + `",` + string(unmeasured[1:]))); err != nil ||
		got.Suite != "empty" {
		t.Errorf("got %+v, %v for a run that measured nothing", got, err)
	}
	for _, s := range []string{"[]", `{"recall":7}`, "3"} {
		if _, err := ParseResult([]byte(s)); err == nil || strings.Contains(err.Error(), "struct") ||
			strings.Contains(err.Error(), "float64") {
			t.Errorf("%s: got %v, want words", s, err)
		}
	}
	for _, s := range []string{"", "[]", "{}", `{"schema":"remanence.search/v1","recall":{"1":1}}`, `{"recall":7}`} {
		if r, err := ParseResult([]byte(s)); err == nil {
			t.Errorf("%q: got %+v, want an error", s, r)
		}
	}
}

func TestGatesOfAResultStandInAReadersOrder(t *testing.T) {
	r := Result{Suite: "small", Scores: Scores{
		Recall: map[string]float64{"1": 1, "5": 1, "10": 1, "50": 1}, Any: map[string]float64{
			"1": 1, "5": 1, "10": 1,
			"50": 1,
		}, MRR: new(1.0),
	}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	gates, _, err := ParseGates(text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range gates {
		names = append(names, g.Name)
	}
	want := []string{"recall.1", "recall.5", "recall.10", "recall.50", "any.1", "any.5", "any.10", "any.50", "mrr"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestComparedAreTheMeasuresOfBothInAReadersOrder(t *testing.T) {
	before, after := resultOf(0.7), resultOf(0.75)
	after.Injections = nil
	var names []string
	for _, d := range Compare(before, after) {
		names = append(names, d.Name)
		if d.Name == "recall.10" && (d.Before != 0.7 || d.After != 0.75 || !near(d.Change, 0.05)) {
			t.Errorf("got %+v", d)
		}
	}
	want := []string{
		"units", "queries", "recall.1", "recall.10", "any.10", "mrr", "ndcg_10",
		"sessions.any.10", "sessions.ndcg_10", "sessions.recall.10",
		"false_injections.by_class.trivial.share", "false_injections.share",
		"by_category.fix.any.10", "by_category.fix.mrr", "by_category.fix.ndcg_10", "by_category.fix.recall.1",
		"by_category.fix.recall.10",
		"latency_ms.p50", "latency_ms.p95", "index_s", "db_bytes",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}
