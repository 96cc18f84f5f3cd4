package stored

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// words yields the words of an index, as the rows of a store do.
func (x WordIndex) words() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i, stem := range x.Words {
			if !yield(stem, x.Places[i]) {
				return
			}
		}
	}
}

func TestAPhraseIsFoundWithinOneTextAlone(t *testing.T) {
	x := IndexMemory(mem.Memory{Title: "alpha beta", Body: "gamma delta", Index: "epsilon"})
	if x.Length != 5 || len(x.Words) != 5 || len(x.Places) != 5 {
		t.Fatalf("index %+v, want five words", x)
	}
	terms := TermsOf(mem.Query{Terms: []string{"alpha beta", "...", "delta alpha", "beta alpha"}})
	if len(terms) != 3 {
		t.Fatalf("terms %+v, want three: one has no word", terms)
	}
	p := PlacesOf(terms, x.words())
	for i, want := range []bool{true, false, false} {
		if got := terms[i].In(p); got != want {
			t.Errorf("%q is found: %v, want %v", terms[i].Text(), got, want)
		}
	}
	terms[0].Count, terms[1].Count, terms[2].Count = 5, 6, 7
	if got := CorpusOf(mem.Query{Terms: make([]string, 4)}, 9, terms); got.Size != 9 ||
		!slices.Equal(got.DocFreq, []int{5, 0, 6, 7}) {
		t.Errorf("corpus %+v, want the counts at the places of their terms", got)
	}
}

func TestTheIndexOfALongTextIsBounded(t *testing.T) {
	var b strings.Builder
	for n := range 40_000 {
		b.WriteString(" a" + strings.Repeat(string(rune('a'+n%26)), n%150) + string(rune('a'+n/26%26)))
	}
	x := IndexMemory(mem.Memory{Body: b.String()})
	size := 0
	for i, stem := range x.Words {
		size += len(stem) + len(x.Places[i])
	}
	if x.Length == 0 || x.Length > maxPlaces || size > maxIndex+maxStem {
		t.Errorf("%d words, %d bytes, want at most %d and %d", x.Length, size, maxPlaces, maxIndex)
	}
	if x := IndexMemory(mem.Memory{Body: strings.Repeat("z", 1000)}); len(x.Words) != 1 || len(x.Words[0]) > maxStem {
		t.Errorf("words %q, want one of at most %d bytes", x.Words, maxStem)
	}
}

// Ties break by newest: scores that differ in their last digit alone would break them at random.
func TestATextAlwaysHasTheSameScore(t *testing.T) {
	q := mem.Query{Kinds: []mem.Kind{mem.Utterance}}
	sc := NewScoring(q, []Term{{Stems: []string{"alpha"}, Count: 20}}, 80, 8)
	x := WordIndex{Words: []string{"alpha"}, Places: []string{"1A,2D,3D,4,5A,6D,7D,8D"}}
	want, found := sc.Score(PlacesOf(sc.Terms, x.words()), 8)
	if !found || want <= 0 {
		t.Fatalf("score %v, found %v", want, found)
	}
	for range 1000 {
		if got, _ := sc.Score(PlacesOf(sc.Terms, x.words()), 8); got != want {
			t.Fatalf("score %v, want %v as before", got, want)
		}
	}
}

func TestCommonTermsAreSearchedOnlyIfRareOnesFindTooFew(t *testing.T) {
	all := []Term{
		{Stems: []string{"common"}, Count: MostScored},
		{Stems: []string{"rare"}, Count: 3},
		{Stems: []string{"rare"}, Count: 3},
		{Stems: []string{"nowhere"}},
		{Stems: []string{"seldom"}, Count: 2},
	}
	q := mem.Query{Limit: 2, Offset: 1}
	sc := NewScoring(q, all, 5000, 0)
	for _, c := range []struct {
		found int
		asked []int // how many terms, in turn
		page  []int64
	}{
		{3, []int{2}, []int64{2, 1}},
		{2, []int{2, 3}, []int64{1}},
		{0, []int{2, 3}, nil},
	} {
		var asked []int
		page, err := sc.Best(q, func(terms []Term) (found []Candidate, err error) {
			asked = append(asked, len(terms))
			for n := range c.found {
				found = append(found, Candidate{Number: int64(n + 1), Score: 1})
			}
			return found, nil
		})
		var numbers []int64
		for _, c := range page {
			numbers = append(numbers, c.Number)
		}
		if err != nil || !slices.Equal(asked, c.asked) || !slices.Equal(numbers, c.page) {
			t.Errorf("with %d found: asked for %v terms, page %v, %v, want %v and %v", c.found, asked, numbers, err, c.asked,
				c.page)
		}
	}
}
