package rank

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Candidates is how many matches to fetch from a store for Rerank: past sixty
// the best one is in hand and more only cost time.
const Candidates = 60

// Ask is what is asked, and from where. The zero value of every field but
// Terms means that nothing is known of it.
type Ask struct {
	Terms   []string        // from Terms
	Text    string          // that they were made from
	Corpus  mem.Corpus      // how common they are in the store
	Without map[string]bool // parts of the score that do not count, to see what each is worth
	Lexicon *Lexicon        // of the store that was asked; nil means none
	Files   []string        // at hand, best first; slashes
	Branch  string
	Now     time.Time
	Profile Profile // which scopes count how much
	Back    bool    // the question refers to the past: the floor is lower, see RefersBack
	Search  bool    // a person or a model asks on purpose: relevance alone decides
	Near    float64 // Nearness from which on a memory is told for its meaning alone; 0 means DefaultNear
}

// The parts of a score.
const (
	PartRecency   = "recency"  // 1 now, less by the logarithm of the age
	PartPath      = "path"     // the file at hand, half for its directory
	PartFTS       = "fts"      // the store's own score, as a share of the best
	PartBM25F     = "bm25f"    // words by field, as a share of the best
	PartGrams     = "char4"    // parts of words, where stems see no kinship
	PartProximity = "prox"     // words that stand together mean what they mean together
	PartVotes     = "votes"    // it is cited by others that the question meets
	PartSession   = "sess"     // what the session's candidates meet together
	PartWho       = "who"      // the question names the speaker
	PartMonth     = "month"    // the question names the month
	PartWhen      = "when"     // the question asks for a time and there is one
	PartQuestion  = "question" // it is a question itself
	PartCoverage  = "coverage" // share of the question's weight that the memory meets, 0…1
	PartTelling   = "telling"  // how many of the question's telling words it meets
	PartRarity    = "rarity"   // of the rarest telling word it meets, 0…1; 1 is a word of one memory only
	PartName      = "name"     // how many of the question's compounds and identifiers it meets
	PartTitle     = "titlecov" // share of the title's words that the question holds, 0…1
)

// Rerank orders candidates of a lexical search, best first. Each comes back
// with its new score and the parts it is made of: every part is 0…1 before its
// weight but for counts and PartMeaning. A hit's cosine, mem.PartCos, is kept. The input is left
// alone. Hits that are equal keep the
// order of the newest first.
func Rerank(q Ask, hits []mem.Hit) []mem.Hit {
	if len(hits) == 0 {
		return nil
	}
	query := newQuery(q.Terms, q.Text, q.Lexicon)
	docs := query.read(hits)
	query.weigh(docs, byWords(hits), q.Corpus)
	best, bestGrams, avg, all := bestScore(hits), query.bestGrams(docs), averages(docs), crowdOf(hits)
	scores := make([]float64, len(hits))
	for i := range docs {
		scores[i] = query.bm25f(docs[i], avg)
	}
	bestText := slices.Max(scores)
	voted := votes(docs, scores, bestText)
	sess, asks := query.sessions(hits, docs), newAsked(q.Text)
	out, order := slices.Clone(hits), make([]int, len(hits))
	for i := range out {
		order[i] = i
		p := query.parts(docs[i])
		p[PartFTS] = share(hits[i].Score, best, i)
		p[PartGrams] = share(query.grams.score(docs[i]), bestGrams, i)
		p[PartBM25F] = share(scores[i], bestText, i)
		if voted[i] > 0 {
			p[PartVotes] = voted[i]
		}
		if out[i].Memory.Kind == mem.Utterance {
			p[PartSession] = sess[i]
			asks.talk(out[i].Memory, p)
		}
		all.place(hits[i], p)
		out[i].Parts = p
		priors(q, out[i].Memory, p)
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

// minStore is the least size a store is taken for. In a store of five memories
// every word would look common.
const minStore = 50

func bestScore(hits []mem.Hit) float64 {
	best := 0.0
	for _, h := range hits {
		best = max(best, finite(h.Score))
	}
	return best
}

// share is score as a share of the best one. Where a store gives no positive
// scores the place among the hits stands in.
func share(score, best float64, place int) float64 {
	if best <= 0 {
		return 1 / float64(1+place)
	}
	return max(0, finite(score)/best)
}

func priors(q Ask, m mem.Memory, parts map[string]float64) {
	parts[PartPath] = nearness(q.Files, m.Files)
	if !q.Now.IsZero() {
		parts[PartRecency] = recency(q.Now.Sub(m.Created))
	}
	if q.Search {
		return
	}
	if !q.Now.IsZero() {
		parts["strength"] = Strength(m, q.Now)
		parts[PartUse] = Use{}.Factor(m, q.Now)
	}
	parts["scope"] = q.Profile.Weight(m.Scope)
	if q.Branch != "" && m.Branch == q.Branch {
		parts["branch"] = 1
	}
	if m.Trust == mem.TrustUser {
		parts["trust"] = 1
	}
}

// oldest is the age from which on nothing gets older.
const oldest = 10 * 365 * day

// recency falls with the logarithm of the age, so that it tells hours apart
// among what is fresh and years among what is old: 1 now, 0.9 after a day, 0.6
// after a month, 0.3 after a year, 0 after ten.
func recency(age time.Duration) float64 {
	days := float64(min(oldest, max(0, age))) / float64(day)
	return 1 - math.Log1p(days)/math.Log1p(float64(oldest/day))
}

// Merge puts two lists that Rerank ordered for the same question into one, best
// first: what was written down and what was said are scored by rules of their own.
func Merge(a, b []mem.Hit) []mem.Hit {
	out := make([]mem.Hit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0].Score > a[0].Score {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

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

// nearness is 1 if a memory's file is at hand, one half if one of the same
// directory is.
func nearness(atHand, files []string) float64 {
	near := 0.0
	for _, f := range files {
		for _, h := range atHand {
			switch {
			case sameFile(h, f):
				return 1
			case path.Dir(f) != "." && sameFile(path.Dir(h), path.Dir(f)):
				near = 0.5
			}
		}
	}
	return near
}

// sameFile compares two paths of which either may be relative to the project.
func sameFile(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return b != "" && (a == b || strings.HasSuffix(a, "/"+b))
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
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

// The weights. In a study on other stores values found by fitting many weights
// at once did not carry over, round ones did. What leaving each part out costs
// is in docs/internals/recall.md. What is known of a memory beside its text adds less than
// 1, so that it settles close calls and cannot lift an unrelated one.
var (
	// What was written down. Words count by the field they stand in; the store's
	// own score, which knows no fields, still adds half a point.
	ofNotes = []Summand{
		{PartBM25F, 1, false},
		{PartFTS, 0.5, false},
		{PartProximity, 0.8, false},
		{PartGrams, 0.2, false},
		{PartTitle, 0.3, false},
		{PartVotes, 0.25, false}, // by the same study: two points of nDCG in a history of 38,000 notes
		{PartMeaning, weightCos, false},
		{PartRecency, 0.3, true},
		own[0], own[1], own[2], own[3], own[4], own[5],
	}

	// What was said. The store's own score knows what was said next to it: six
	// points of recall@10 without. The other parts were learnt on chat.
	ofTalk = []Summand{
		{PartFTS, 1, false},
		{PartProximity, 0.8, false},
		{PartSession, 0.5, false},
		{PartGrams, 0.2, false},
		{PartWho, 0.25, false},
		{PartMonth, 0.5, false},
		{PartWhen, 0.5, false},
		{PartQuestion, -0.4, false},
		{PartMeaning, weightCos, false},
		{PartRecency, 0.1, true}, // of talk, 0.3 lost half a point
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

// A memory is cited by its id, by the last part of its key, or by the beginning
// of one that is a hash, as short as people write hashes.
const (
	leastName = 4 // bytes of a name that can cite
	leastHash = 7
	mostHash  = 12
)

// citable are the names by which hits can cite one another, and the hits that
// they name: of a hash its beginning, too.
type citable map[string]cited

type cited struct {
	place int
	name  string
}

func citableIn(hits []mem.Hit) citable {
	out := make(citable, 3*len(hits))
	for i, h := range hits {
		for _, name := range [...]string{h.Memory.ID, h.Memory.Key[strings.LastIndexByte(h.Memory.Key, ':')+1:]} {
			if len(name) < leastName {
				continue
			}
			out[name] = cited{i, name}
			if isHash(name) {
				out[name[:leastHash]] = cited{i, name}
			}
		}
	}
	return out
}

// place is the place of the hit that name names, or none.
func (c citable) place(name string) int {
	to, ok := c[name]
	if !ok && leastHash < len(name) && len(name) <= mostHash {
		to, ok = c[name[:leastHash]]
	}
	if !ok || !strings.HasPrefix(to.name, name) {
		return none
	}
	return to.place
}

func isHash(name string) bool {
	if len(name) < 40 {
		return false
	}
	return strings.Trim(name, "0123456789abcdef") == ""
}

// votes are what hits gain by being cited: the scores of those that cite them,
// each hit once, as shares of the best, 1 at most.
func votes(docs []doc, scores []float64, best float64) []float64 {
	out := make([]float64, len(docs))
	if best <= 0 {
		return out
	}
	for i, d := range docs {
		for to := range d.cites {
			if to != i {
				out[to] = min(1, out[to]+finite(scores[i])/best)
			}
		}
	}
	return out
}
