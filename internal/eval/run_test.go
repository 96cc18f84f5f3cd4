package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// shelf finds the memories of a project that hold any word of the question,
// those that hold more of them first, and injects the first of them.
type shelf struct {
	kept  []mem.Memory
	asked []recall.SearchRequest
	given []views.NextRequest
	mute  bool // keeps nothing of what says "private"
	fail  error

	settled int // memories when it last settled
}

func (s *shelf) Keep(_ context.Context, ms []mem.Memory) ([]string, error) {
	var ids []string
	for _, m := range ms {
		if s.mute && strings.Contains(m.Body, "private") {
			ids = append(ids, "")
			continue
		}
		m.ID = fmt.Sprint("m_", len(s.kept))
		s.kept, ids = append(s.kept, m), append(ids, m.ID)
	}
	return ids, s.fail
}

func (s *shelf) find(project, text string, before time.Time) []mem.Hit {
	var hits []mem.Hit
	for _, m := range s.kept {
		h := mem.Hit{Memory: m}
		for _, w := range strings.Fields(text) {
			if strings.Contains(" "+m.Body+" ", " "+w+" ") {
				h.Score++
			}
		}
		if m.Project == project && h.Score > 0 && (before.IsZero() || m.Created.Before(before)) {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b mem.Hit) int { return int(b.Score - a.Score) })
	return hits
}

func (s *shelf) Search(_ context.Context, ask recall.SearchRequest) (recall.SearchResponse, error) {
	s.asked = append(s.asked, ask)
	return recall.SearchResponse{Hits: s.find(ask.Project, ask.Query.Text, ask.Query.Before)}, s.fail
}

func (s *shelf) Next(_ context.Context, ask views.NextRequest) (mem.Receipt, error) {
	s.given = append(s.given, ask)
	var r mem.Receipt
	for _, h := range s.find(ask.Project, ask.Prompt, ask.Before) {
		r.Items = append(r.Items, mem.InjectedItem{ID: h.Memory.ID})
		break
	}
	return r, s.fail
}

func (s *shelf) Settle(context.Context) error { s.settled = len(s.kept); return nil }

func (s *shelf) Bytes() int64 { return 4096 }

// suiteOf is a suite of one part.
func suiteOf(p Part) Suite {
	return Suite{Name: "small", Parts: func(yield func(Part, error) bool) { yield(p, nil) }}
}

func talkOf() Part {
	return Part{
		Units: []Unit{
			{ID: "a1", Project: "p", Session: "p/a", Text: "red kayak", Said: true, Who: "Ann"},
			{ID: "a2", Project: "p", Session: "p/a", Text: "blue boat", Said: true, Who: "Bo"},
			{ID: "b1", Project: "p", Session: "p/b", Text: "red boat", Said: true, Who: "Ann"},
			{ID: "c1", Project: "q", Session: "q/c", Text: "red boat", Said: true},
		},
		Questions: []Question{
			{ID: "1", Project: "p", Text: "red boat", Category: "x", Relevant: map[string]float64{"a1": 1}},
			{ID: "2", Project: "p", Text: "blue", Category: "y", Relevant: map[string]float64{"a2": 1, "b1": 1}},
			{ID: "3", Project: "q", Text: "red", Relevant: map[string]float64{}},
			{ID: "4", Project: "q", Text: "red", Relevant: map[string]float64{}, Sessions: map[string]bool{"q/c": true}},
		},
	}
}

func TestARunScoresWhatIsFoundUnderTheSuitesNames(t *testing.T) {
	s := &shelf{}
	r, err := Run(t.Context(), suiteOf(talkOf()), s, Options{Without: []string{"grams"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Suite != "small" || r.Units != 4 || r.Queries != 2 || r.Skipped != 2 || r.DBBytes != 4096 {
		t.Errorf("got %+v", r)
	}
	// "red boat": b1 both words, then a1, a2. "blue": a2 alone.
	want := Scores{
		Recall: map[string]float64{"1": 0.25, "5": 0.75, "10": 0.75, "50": 0.75},
		Any:    map[string]float64{"1": 0.5, "5": 1, "10": 1, "50": 1},
		MRR:    new(0.75), NDCG: r.NDCG,
	}
	if !reflect.DeepEqual(r.Scores, want) {
		t.Errorf("got %+v, want %+v", r.Scores, want)
	}
	if ndcg := (0.6309297535714575 + 1/(1+0.6309297535714575)) / 2; !near(*r.NDCG, ndcg) {
		t.Errorf("got nDCG %v, want %v", *r.NDCG, ndcg)
	}
	if x, y := r.ByCategory["x"], r.ByCategory["y"]; len(r.ByCategory) != 2 || x.Queries != 1 || *x.MRR != 0.5 ||
		y.Recall["1"] != 0.5 {
		t.Errorf("got categories %+v", r.ByCategory)
	}
	// Sessions by their best unit: b before a, a alone of a and b, and c.
	if in := r.Sessions; in == nil || in.Queries != 3 || !near(in.Recall["1"], (0+0.5+1)/3) ||
		!near(in.Recall["5"], (1+0.5+1)/3.0) {
		t.Errorf("got sessions %+v", r.Sessions)
	}
	if s.settled != 4 {
		t.Errorf("settled after %d memories, want all 4", s.settled)
	}
	if len(s.asked) != 3 {
		t.Fatalf("asked %d questions, want 3: one has no answer", len(s.asked))
	}
	ask := s.asked[0]
	if !slices.Equal(ask.Without, []string{"grams"}) || ask.Query.Limit != Depth || ask.Query.Kinds != nil {
		t.Errorf("asked %+v", ask)
	}
	if m := s.kept[0]; m.Kind != mem.Utterance || m.Who != "Ann" || m.Session != "p/a" || m.Trust != mem.TrustUser ||
		m.Key == s.kept[1].Key {
		t.Errorf("kept %+v", m)
	}
}

func TestNotesAreFactsAndOnlyWhatWasThereMayBeFound(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := Part{
		Units: []Unit{
			{ID: "old", Project: "p", Title: "t", Text: "red", Files: []string{"a.go"}, Created: at},
			{ID: "new", Project: "p", Text: "red", Created: at.Add(time.Hour)},
		},
		Questions: []Question{{
			ID: "1", Project: "p", Text: "red", AsOf: at.Add(time.Minute),
			Relevant: map[string]float64{"new": 1},
		}},
	}
	s := &shelf{}
	r, err := Run(t.Context(), suiteOf(p), s, Options{Prompts: []Prompt{{"other", "green"}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Recall["50"] != 0 || r.Sessions != nil {
		t.Errorf("got %+v: what is newer than the question was found", r)
	}
	if m := s.kept[0]; m.Kind != mem.Fact || m.Title != "t" || m.Files[0] != "a.go" || m.Created != at {
		t.Errorf("kept %+v", m)
	}
	if r.Injections == nil || r.Injections.Any != 1 || r.Injections.Relevant != 0 {
		t.Errorf("got %+v: want the old one and not the new", r.Injections)
	}
}

func TestWhatIsNotKeptIsMissed(t *testing.T) {
	p := Part{
		Units:     []Unit{{ID: "u", Project: "p", Text: "private red"}},
		Questions: []Question{{ID: "1", Project: "p", Text: "red", Relevant: map[string]float64{"u": 1}}},
	}
	r, err := Run(t.Context(), suiteOf(p), &shelf{mute: true}, Options{})
	if err != nil || r.Queries != 1 || r.Recall["50"] != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// Injections are measured with the same ranking as search.
func TestALeftOutFeatureIsLeftOutOfInjectionsToo(t *testing.T) {
	s := &shelf{}
	o := Options{Without: []string{"prox"}, Prompts: []Prompt{{ClassTrivial, "yes"}}}
	if _, err := Run(t.Context(), suiteOf(talkOf()), s, o); err != nil {
		t.Fatal(err)
	}
	if len(s.given) != 3 {
		t.Fatalf("gave %d prompts, want two questions and one other", len(s.given))
	}
	for _, ask := range s.given {
		if !slices.Equal(ask.Without, o.Without) {
			t.Errorf("%q: got without %q, want %q", ask.Prompt, ask.Without, o.Without)
		}
	}
}

// No question, no score: what was not measured is not 0.
func TestWhatWasNotAskedIsNotMeasured(t *testing.T) {
	unanswered := talkOf()
	unanswered.Questions = unanswered.Questions[2:3]
	for name, p := range map[string]Part{
		"an empty suite": {}, "without questions": {Units: talkOf().Units},
		"without answers": unanswered,
	} {
		r, err := Run(t.Context(), suiteOf(p), &shelf{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(r.Measures())); !slices.Equal(got, []string{
			"db_bytes", "index_s", "queries",
			"units",
		}) {
			t.Errorf("%s: measured %q", name, got)
		}
		b, err := json.Marshal(r)
		if want := `"recall":null,"any":null,"mrr":null,"ndcg_10":null,`; err != nil || !strings.Contains(string(b), want) ||
			!strings.Contains(string(b), `"latency_ms":null`) {
			t.Errorf("%s: got %s, %v, want %s and no latency", name, b, err, want)
		}
	}
	bySession := talkOf()
	bySession.Questions = bySession.Questions[3:]
	r, err := Run(t.Context(), suiteOf(bySession), &shelf{}, Options{})
	if err != nil || r.Recall != nil || r.MRR != nil || r.Sessions == nil || r.Latency == nil {
		t.Errorf("got %+v, %v, want sessions and no units", r, err)
	}
}

func TestInjectionsAreCountedByClass(t *testing.T) {
	prompts := []Prompt{
		{ClassTrivial, "yes"},
		{ClassTrivial, "no"},
		{ClassUnrelated, "a red fox"},
		{ClassUnrelated, "green"},
	}
	r, err := Run(t.Context(), suiteOf(talkOf()), &shelf{}, Options{Prompts: prompts})
	if err != nil {
		t.Fatal(err)
	}
	want := False{PromptCount{4, 1, 0.25}, map[string]PromptCount{ClassTrivial: {2, 0, 0}, ClassUnrelated: {2, 1, 0.5}}}
	if r.False == nil || !reflect.DeepEqual(*r.False, want) {
		t.Errorf("got %+v, want %+v", r.False, want)
	}
	// "red boat" injects b1, which is no answer; "blue" injects a2, which is.
	if want := (Injections{2, 1, 0.5}); r.Injections == nil || *r.Injections != want {
		t.Errorf("got %+v, want %+v", r.Injections, want)
	}
}

func TestARunEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	if _, err := Run(t.Context(), suiteOf(talkOf()), &shelf{fail: broken}, Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v from one that keeps nothing", err)
	}
	unread := Suite{Parts: func(yield func(Part, error) bool) {
		if yield(talkOf(), nil) {
			yield(Part{}, broken)
		}
	}}
	if _, err := Run(t.Context(), unread, &shelf{}, Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v from a suite that ends early", err)
	}
}

func TestBuiltinPromptsAreManyAndTheSameInEveryRun(t *testing.T) {
	prompts, again, n := Builtin(), Builtin(), map[string]int{}
	seen := map[string]bool{}
	for i, p := range prompts {
		if p != again[i] || p.Text == "" || seen[p.Text] {
			t.Errorf("prompt %d: got %q, then %q", i, p, again[i])
		}
		seen[p.Text] = true
		n[p.Class]++
	}
	if len(n) != 3 || n[ClassUnrelated] < 150 || n[ClassTrivial] < 60 || n[ClassGibberish] < 60 {
		t.Errorf("got %v", n)
	}
}
