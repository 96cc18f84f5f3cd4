package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"remanence/internal/mem"
)

// Candidates is how many matches at least are read from a store and ordered: the best one is
// nearly always among them, and more cost time.
const Candidates = 60

// Ask is what is asked, and from where. The zero value of every field but
// Terms means that nothing is known of it.
type Ask struct {
	Terms   []string        // from Terms
	Text    string          // that they were made from
	Corpus  mem.Corpus      // how common they are in the store, if its full-text search answers
	Without map[string]bool // parts of the score that do not count, to see what each is worth
	Files   []string        // at hand, best first; slashes
	Branch  string
	Now     time.Time
	Profile Profile // which scopes count how much
	Back    bool    // the question refers to the past: the floor is lower, see RefersBack
	Search  bool    // a person or a model asks on purpose: relevance alone decides
	Near    float64 // Nearness at which a memory is injected for its meaning alone; 0 means DefaultNear
}

// The parts of a score.
const (
	PartRecency   = "recency"    // 1 now, less by the logarithm of the age
	PartPath      = "path"       // the file at hand, half for its directory
	PartBM25F     = "bm25f"      // words by field, as a share of the best
	PartGrams     = "char4"      // parts of words, where stems see no kinship
	PartProximity = "prox"       // words that stand together mean what they mean together
	PartVotes     = "votes"      // it is cited by others that the question meets
	PartSession   = "sess"       // what the session's candidates meet together
	PartWho       = "who"        // the question names the speaker
	PartMonth     = "month"      // the question names the month
	PartWhen      = "when"       // the question asks for a time and there is one
	PartQuestion  = "question"   // it is a question itself
	PartCoverage  = "coverage"   // share of the question's weight that the memory meets, 0…1
	PartWords     = "telling"    // how many of the question's informative words it meets
	PartAttained  = "attained"   // BM25F as a share of the highest possible for the question, 0…1
	PartKnown     = "known"      // share of the question's informative words, and one more, that any memory holds, 0…1
	PartFile      = "named_file" // the question names a file of the memory
	PartTitle     = "titlecov"   // share of the title's words that the question holds, 0…1
)

// Order orders hits, best first. Their Parts hold what was measured of their
// words; Order adds what is known of each memory besides, and gives the hit its
// score, the weighted sum of all. A hit's cosine, mem.PartCos, is kept. The input
// is left alone. Hits that are equal keep the order of the newest first.
func Order(q Ask, hits []mem.Hit) []mem.Hit {
	out, order, all := slices.Clone(hits), make([]int, len(hits)), crowdOf(hits)
	for i, h := range hits {
		order[i] = i
		p := maps.Clone(h.Parts)
		if p == nil {
			p = map[string]float64{}
		}
		all.place(h, p)
		priors(q, h.Memory, p)
		out[i].Parts = p
		out[i].Score = sum(q, out[i])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(out[b].Score, out[a].Score), out[b].Memory.Created.Compare(out[a].Memory.Created))
	})
	return inOrder(out, order)
}

// inOrder puts hits in order: to sort them themselves moves a kilobyte for a step.
func inOrder(hits []mem.Hit, order []int) []mem.Hit {
	out := make([]mem.Hit, len(order))
	for i, at := range order {
		out[i] = hits[at]
	}
	return out
}

const (
	// weightCos is what a memory gains for each standard deviation that its vector
	// is nearer to the question's than those of the other candidates.
	weightCos = 1.0
	// mostMeaning bounds those, so that words still count.
	mostMeaning = 3.0

	// PartMeaning is that distance in standard deviations, -3…3; 0 also where
	// nothing is known of it.
	PartMeaning = "meaning"
)

// crowd is how the cosines of the candidates lie.
type crowd struct {
	mean, spread float64 // spread is 0 if they distinguish nothing
}

func crowdOf(hits []mem.Hit) crowd {
	var n, sum, squares float64
	for _, h := range hits {
		if cos, ok := h.Parts[mem.PartCos]; ok {
			n, sum, squares = n+1, sum+finite(cos), squares+finite(cos)*finite(cos)
		}
	}
	if n < 2 {
		return crowd{}
	}
	mean := sum / n
	spread := math.Sqrt(max(0, squares/n-mean*mean))
	if spread < 1e-6 {
		return crowd{}
	}
	return crowd{mean, spread}
}

// place writes what is known of a hit's vector into the parts of its score.
func (c crowd) place(h mem.Hit, parts map[string]float64) {
	cos, ok := h.Parts[mem.PartCos]
	if !ok {
		return
	}
	parts[mem.PartCos] = finite(cos)
	if c.spread > 0 {
		parts[PartMeaning] = min(mostMeaning, max(-mostMeaning, (finite(cos)-c.mean)/c.spread))
	}
}

// mergeByCoverage is what coverage counts when two lists are merged. Of a list, the
// best match has a full score however little it shares with the question; coverage
// means the same in both.
const mergeByCoverage = 2

// Merge merges what was written down and what was said, which Order ordered for one
// question by weights of their own, into one list.
func Merge(a, b []mem.Hit) []mem.Hit {
	out := make([]mem.Hit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if comparableScore(b[0]) > comparableScore(a[0]) {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

func comparableScore(h mem.Hit) float64 { return h.Score + mergeByCoverage*h.Parts[PartCoverage] }

// sum adds the parts up, each by its weight. Where a person asks on purpose,
// only the text, its age and the file at hand count.
func sum(q Ask, h mem.Hit) float64 {
	s := 0.0
	for _, t := range Summands(h.Parts) {
		if q.Without[t.Part] || q.Search && t.Own && t.Part != PartPath && t.Part != PartRecency {
			continue
		}
		s += t.Weight * h.Parts[t.Part]
	}
	if a := h.Parts[PartUse]; a > 0 && !q.Search {
		s *= a
	}
	return s
}

// Summand is what one part of a score counts in the sum.
type Summand struct {
	Part   string
	Weight float64
	Own    bool // it is known of the memory itself, not of its words
}

// Summands lists what a score of such parts is the sum of, the text's before
// the memory's own. PartUse is a factor on the sum of all but PartStale.
func Summands(parts map[string]float64) []Summand {
	if _, said := parts[PartSession]; said {
		return ofTalk
	}
	return ofNotes
}

// Weights are the factors of the parts of a score in its weighted sum. The part
// "authority" is different: it multiplies the sum.
type Weights struct {
	Memories   map[string]float64 `json:"memories"`   // for memories
	Utterances map[string]float64 `json:"utterances"` // for utterances
}

// AllWeights returns the weights of all parts.
func AllWeights() Weights {
	w := Weights{Memories: map[string]float64{}, Utterances: map[string]float64{}}
	for _, s := range ofNotes {
		w.Memories[s.Part] = s.Weight
	}
	for _, s := range ofTalk {
		w.Utterances[s.Part] = s.Weight
	}
	return w
}

// The weights. Round values: fitting many at once to one set did worse on the
// others; tools/fit measures them. What leaving each part out costs is in
// docs/internals/recall.md. What is known of a memory besides its text adds less
// than 1, so that it settles close calls and cannot lift an unrelated one.
var (
	// Of what was written down.
	ofNotes = []Summand{
		{PartBM25F, 0.75, false},
		{PartProximity, 0.8, false},
		{PartTitle, 0.5, false},
		{PartFile, 0.5, false},
		{PartVotes, 0.3, false},
		{PartGrams, 0.1, false},
		{PartMeaning, weightCos, false},
		{PartRecency, 0.5, true},
		own[0], own[1], own[2], own[3], own[4], own[5],
	}

	// Of what was said.
	ofTalk = []Summand{
		{PartBM25F, 1, false},
		{PartProximity, 0.6, false},
		{PartSession, 0.45, false},
		{PartGrams, 0.1, false},
		{PartWho, 0.25, false},
		{PartMonth, 0.5, false},
		{PartWhen, 0.5, false},
		{PartQuestion, -0.4, false},
		{PartMeaning, weightCos, false},
		own[0], own[1], own[2], own[3], own[4], own[5],
	}

	own = [...]Summand{
		{PartPath, 0.25, true},
		{"strength", 0.15, true},
		{"scope", 0.2, true}, // times the scope's weight in the profile, at most 0.7
		{"branch", 0.05, true},
		{"trust", 0.05, true}, // the person's own words before the assistant's
		{PartStale, -weightStale, true},
	}
)

// TextScore is the weighted sum of the parts that are measured of a memory's words
// and age, without those in without.
func TextScore(parts map[string]float64, without map[string]bool) float64 {
	return sum(Ask{Search: true, Without: without}, mem.Hit{Parts: parts})
}
