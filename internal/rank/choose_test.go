package rank

import (
	"fmt"
	"slices"
	"testing"

	"remanence/internal/mem"
)

func TestChoosePrefersRareTerms(t *testing.T) {
	for name, tt := range map[string]struct {
		terms []string
		c     mem.Corpus
		want  []string
	}{
		"small store: all that occur": {
			[]string{"a", "b", "c"},
			mem.Corpus{Size: 100, DocFreq: []int{90, 0, 1}},
			[]string{"a", "c"},
		},
		"the common go": {
			[]string{"the", "rare", "walrus", "fn"},
			mem.Corpus{Size: 100_000, DocFreq: []int{10_000, 5, 7, 9_000}},
			[]string{"rare", "walrus"},
		},
		"two stay, however common": {
			[]string{"a", "b", "c"},
			mem.Corpus{Size: 100_000, DocFreq: []int{9_000, 10_000, 9_500}},
			[]string{"a", "c"},
		},
		"common ones that fit the rest stay": {
			[]string{"a", "b", "c"},
			mem.Corpus{Size: 20_000, DocFreq: []int{1000, 1500, 100}},
			[]string{"a", "b", "c"},
		},
		"nothing occurs":                  {[]string{"a"}, mem.Corpus{Size: 10, DocFreq: []int{0}}, []string{}},
		"a store without statistics: all": {[]string{"a", "b"}, mem.Corpus{}, []string{"a", "b"}},
		"a store with statistics of other terms": {
			[]string{"a", "b"}, mem.Corpus{Size: 5, DocFreq: []int{1}}, []string{"a", "b"},
		},
	} {
		if got := Choose(tt.terms, tt.c); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestChooseBoundsALongQuestion(t *testing.T) {
	var terms []string
	c := mem.Corpus{Size: 1000}
	for i := range 64 {
		terms, c.DocFreq = append(terms, fmt.Sprint("w", i)), append(c.DocFreq, 64-i)
	}
	if got := Choose(terms, c); len(got) != mostTerms || got[0] != "w32" {
		t.Errorf("got %d terms from %q on, want the %d rarest", len(got), got[0], mostTerms)
	}
	if got := Choose(terms, mem.Corpus{}); len(got) != mostTerms {
		t.Errorf("got %d terms without a corpus, want %d", len(got), mostTerms)
	}
}
