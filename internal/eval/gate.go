package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Gate is one condition that a result has to meet.
type Gate struct {
	Name  string  `json:"name"` // of a measure, as in Result.Measures
	Most  bool    `json:"most"` // Value is the most that is allowed, not the least
	Value float64 `json:"value"`
}

// Verdict is what became of a gate.
type Verdict struct {
	Gate
	Got *float64 `json:"got"` // null where the run did not measure it
	Met bool     `json:"met"`
}

// Errors of gates.
var (
	ErrGate    = errors.New("not a gate")
	ErrMeasure = fmt.Errorf("%w: no such measure", ErrGate)
)

// slack is how much a measure may be below that of an earlier run: differences
// under one point prove nothing.
const slack = 0.01

// ParseGate reads NAME=VALUE, NAME>=VALUE or NAME<=VALUE. With = alone a quality
// has to be at least the value, a cost at most. A value may be in percent: 72%.
// What no run measures is an ErrMeasure.
func ParseGate(s string) (Gate, error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return Gate{}, fmt.Errorf("%q has no =: %w", s, ErrGate)
	}
	g := Gate{Name: strings.ReplaceAll(strings.TrimRight(strings.TrimSpace(name), "<>"), "@", ".")}
	switch name = strings.TrimSpace(name); {
	case strings.HasSuffix(name, "<"):
		g.Most = true
	case !strings.HasSuffix(name, ">"):
		g.Most = isCost(g.Name)
	}
	if !isMeasure(g.Name) {
		return Gate{}, fmt.Errorf("%w: %q", ErrMeasure, g.Name)
	}
	value = strings.TrimSpace(value)
	plain := strings.TrimSuffix(value, "%")
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Gate{}, fmt.Errorf("%q is no number: %w", value, ErrGate)
	}
	if plain != value {
		v /= 100
	}
	g.Value = v
	return g, nil
}

// ParseGates reads the text of a file: a gate a line, with comments after "#",
// or the result of an earlier run, which a new one of the same suite may not
// fall behind. Lines hold for any suite, which is "".
func ParseGates(text []byte) (gates []Gate, suite string, err error) {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return gatesOf(text)
	}
	var out []Gate
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		g, err := ParseGate(line)
		if err != nil {
			return nil, "", fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, g)
	}
	return out, "", nil
}

func gatesOf(text []byte) ([]Gate, string, error) {
	r, err := ParseResult(text)
	if err != nil {
		return nil, "", err
	}
	var out []Gate
	m := r.Measures()
	for _, name := range slices.SortedFunc(maps.Keys(m), byMeasure) {
		if !isQuality(name) {
			continue
		}
		out = append(out, Gate{Name: name, Value: max(0, m[name]-slack)})
	}
	return out, r.Suite, nil
}

// ParseResult reads what a run printed as JSON.
func ParseResult(text []byte) (Result, error) {
	var r struct {
		Schema string `json:"schema"`
		Result
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return Result{}, inWords(err)
	}
	if r.Schema != Schema && (r.Schema != "" || r.Recall == nil) {
		return Result{}, fmt.Errorf("schema %q, want %s", r.Schema, Schema)
	}
	return r.Result, nil
}

// Schema names the form of a Result.
const Schema = "remanence.eval/v1"

// Judge holds a result against gates. What it did not measure is not met.
func Judge(r Result, gates []Gate) []Verdict {
	m := r.Measures()
	out := make([]Verdict, 0, len(gates))
	for _, g := range gates {
		v := Verdict{Gate: g}
		if got, ok := m[g.Name]; ok {
			v.Got = &got
			v.Met = g.Most && got <= g.Value || !g.Most && got >= g.Value
		}
		out = append(out, v)
	}
	return out
}

// Measures are all numbers of a result, under the names that its JSON gives
// them, joined by dots: recall.10, sessions.any.5, latency_ms.p95.
func (r Result) Measures() map[string]float64 {
	m := map[string]float64{
		"units": float64(r.Units), "queries": float64(r.Queries), "index_s": r.IndexS, "db_bytes": float64(r.DBBytes),
	}
	if l := r.Latency; l != nil {
		m["latency_ms.p50"], m["latency_ms.p95"] = l.P50, l.P95
	}
	r.addTo(m, "")
	for name, s := range r.ByCategory {
		s.addTo(m, "by_category."+name+".")
	}
	if s := r.Sessions; s != nil {
		addAll(m, "sessions.recall.", s.Recall)
		addAll(m, "sessions.any.", s.Any)
		m["sessions.ndcg_10"] = s.NDCG
	}
	if t := r.Injections; t != nil {
		m["told.any"], m["told.relevant"] = t.Any, t.Relevant
	}
	if f := r.False; f != nil {
		m["false_injections.share"] = f.Share
		for class, t := range f.ByClass {
			m["false_injections.by_class."+class+".share"] = t.Share
		}
	}
	return m
}

func (s Scores) addTo(m map[string]float64, prefix string) {
	addAll(m, prefix+"recall.", s.Recall)
	addAll(m, prefix+"any.", s.Any)
	if s.MRR != nil {
		m[prefix+"mrr"] = *s.MRR
	}
	if s.NDCG != nil {
		m[prefix+"ndcg_10"] = *s.NDCG
	}
}

func addAll(m map[string]float64, prefix string, values map[string]float64) {
	for k, v := range values {
		m[prefix+k] = v
	}
}

// Names are the names of all measures but those of categories and classes of
// prompts, which a suite and a file of prompts bring with them.
func Names() []string {
	names := []string{"units", "queries"}
	for _, prefix := range []string{"", "sessions."} {
		for _, of := range []string{"recall.", "any."} {
			for _, k := range Cutoffs() {
				names = append(names, prefix+of+strconv.Itoa(k))
			}
		}
	}
	return append(names, "mrr", "ndcg_10", "sessions.ndcg_10", "told.any", "told.relevant", "false_injections.share",
		"latency_ms.p50", "latency_ms.p95", "index_s", "db_bytes")
}

// isMeasure reports whether a run may measure something under the name.
func isMeasure(name string) bool {
	if class, ok := strings.CutPrefix(name, "false_injections.by_class."); ok {
		return strings.HasSuffix(class, ".share") && class != ".share"
	}
	category, ok := strings.CutPrefix(name, "by_category.")
	if !ok {
		return slices.Contains(Names(), name)
	}
	for _, of := range Names() {
		if of = "." + of; strings.HasSuffix(category, of) && category != of && isScore(of[1:]) {
			return true
		}
	}
	return false
}

// isScore reports whether a measure is one of Scores.
func isScore(name string) bool {
	return name == "mrr" || name == "ndcg_10" || strings.HasPrefix(name, "recall.") || strings.HasPrefix(name, "any.")
}

// isCost reports whether less of a measure is better.
func isCost(name string) bool {
	return name == "index_s" || name == "db_bytes" || strings.HasPrefix(name, "latency_ms.") ||
		strings.HasPrefix(name, "false_injections.")
}

// isQuality reports whether a measure is a mean over all questions, of which
// more is better.
func isQuality(name string) bool {
	return !isCost(name) && name != "units" && name != "queries" && name != "told.any" &&
		!strings.HasPrefix(name, "by_category.")
}
