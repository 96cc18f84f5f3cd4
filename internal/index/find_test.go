package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// zipf returns n words, the first ones of the vocabulary most often.
func zipf(r *rand.Rand, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("w%d", int(math.Exp(r.Float64()*8)))
	}
	return strings.Join(out, " ")
}

func TestDocumentsThatAreNotScoredAreNotAmongTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := New(false)
	for i := range 3000 {
		m := note(fmt.Sprintf("m_%d", i), zipf(r, 6), zipf(r, 30))
		m.Trust = mem.Trust(r.IntN(3))
		x.Put(m)
	}
	x.Remove("m_7", "m_8", "m_2000")
	skipped := 0
	for range 200 {
		q := Query{Query: mem.Query{Text: zipf(r, 1+r.IntN(30)), Project: "p", MinTrust: mem.Trust(r.IntN(3))}, Now: noon}
		s := &scratch{}
		size, n := x.begin(s, q), 1+r.IntN(100)
		terms := x.terms(q.Text)
		got := x.find(s, terms, size, n)

		all := &scratch{}
		x.begin(all, q)
		norms := x.norms()
		held := x.weigh(all, terms, size)
		for _, term := range held {
			x.scoreAll(all, term, &norms)
		}
		want := x.best(all.scores, nil, n)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: the best %d are %v, want %v", q.Text, n, got, want)
		}
		again := &scratch{}
		x.begin(again, q)
		if left := x.scoreMemories(again, held, n); left != nil {
			skipped += x.docs.len() - len(left)
		}
	}
	if skipped == 0 {
		t.Error("all documents were scored for every query")
	}
}

func TestACitedDocumentHasItsWholeScore(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := New(false)
	for i := range 3000 {
		body := zipf(r, 30)
		if i > 2000 {
			body += fmt.Sprintf(" as m_%d says", i-2000)
		}
		x.Put(note(fmt.Sprintf("m_%d", i), zipf(r, 6), body))
	}
	checked := 0
	for range 100 {
		q := Query{Query: mem.Query{Text: zipf(r, 25), Project: "p"}, Now: noon}
		terms := x.terms(q.Text)
		s, all := &scratch{}, &scratch{}
		size := x.begin(s, q)
		found := x.find(s, terms, size, 20)
		list := x.join(s, found, nil)
		x.complete(s, terms, list[len(found):])
		x.begin(all, q)
		norms := x.norms()
		for _, term := range x.weigh(all, terms, size) {
			x.scoreAll(all, term, &norms)
		}
		for _, c := range list[len(found):] {
			checked++
			if got, want := s.scores[c.doc], all.scores[c.doc]; math.Abs(float64(got-want)) > 1e-4*float64(want) {
				t.Fatalf("%q: cited document %d scores %f, want %f", q.Text, c.doc, got, want)
			}
		}
	}
	if checked == 0 {
		t.Error("no document was cited")
	}
}

func TestKeptFiltersFollowEveryChange(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := New(false)
	queries := []mem.Query{
		{Project: "p"},
		{Project: "p", MinTrust: mem.TrustAssistant},
		{Project: "other"},
		{Project: "p", Kinds: []mem.Kind{mem.Decision}},
	}
	for i := range 600 {
		id := fmt.Sprintf("m_%d", r.IntN(80))
		m := note(id, zipf(r, 3), fmt.Sprint("version ", r.IntN(3)))
		m.Trust, m.Kind = mem.Trust(r.IntN(4)), []mem.Kind{mem.Fact, mem.Decision}[r.IntN(2)]
		switch r.IntN(10) {
		case 0:
			x.Remove(id)
		case 1:
			x.Erase(id)
		default:
			x.Put(m)
		}
		for _, q := range queries {
			got, f := x.passing(q), x.docs.filter(q)
			want := 0
			for d := range x.docs.rows {
				pass := f.passes(&x.docs.rows[d])
				if pass {
					want++
				}
				if got.docs[d] != pass {
					t.Fatalf("change %d: document %d passes %v, want %v", i, d, got.docs[d], pass)
				}
			}
			if got.size != want || len(got.docs) != x.docs.len() {
				t.Fatalf("change %d: %d of %d pass, want %d of %d", i, got.size, len(got.docs), want, x.docs.len())
			}
		}
	}
}
