package rank

import (
	"cmp"
	"slices"

	"remanence/internal/mem"
)

// A term costs a search in proportion to the records that hold it. So the
// rarest terms are searched for, as many as together are held by no more than
// so many records: a common one is of little use, and what the rare ones find is
// ranked by all of them. In stores of 2,000 to 4,000 units a budget of 3,000
// lost nothing on any of three development sets, one of 1,000 a third of a point
// of nDCG on one.
const (
	leastRecords  = 3000 // in a small store
	someRecords   = 2000 // in a larger one …
	recordsForOne = 20   // … and one for so many in the store
	mostRecords   = 8000 // in the largest
	alwaysTerms   = 2    // that are searched for however common they are
)

// mostTerms is how many terms are searched for. In a project's history of 38,000
// notes thirty lost a tenth of a point against all of a paragraph's, twenty
// almost one.
const mostTerms = 32

// Choose returns those of a question's terms that are worth a search in a store
// of that corpus, in their order.
func Choose(terms []string, c mem.Corpus) []string {
	if len(c.DocFreq) != len(terms) {
		return terms[:min(len(terms), mostTerms)]
	}
	var rare []int // by place
	for i, n := range c.DocFreq {
		if n > 0 {
			rare = append(rare, i)
		}
	}
	slices.SortStableFunc(rare, func(a, b int) int { return cmp.Compare(c.DocFreq[a], c.DocFreq[b]) })
	rare = rare[:min(len(rare), mostTerms)]
	budget := min(mostRecords, max(leastRecords, someRecords+c.Size/recordsForOne))
	for i, at := range rare {
		if budget -= c.DocFreq[at]; budget < 0 && i >= alwaysTerms {
			rare = rare[:i]
			break
		}
	}
	slices.Sort(rare)
	out := make([]string, 0, len(rare))
	for _, i := range rare {
		out = append(out, terms[i])
	}
	return out
}
