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
