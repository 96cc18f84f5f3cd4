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
	Terms   []string // from Terms
	Files   []string // at hand, best first; slashes
	Branch  string
	Now     time.Time
	Profile Profile // which scopes count how much
	Back    bool    // the question refers to the past: the floor is lower, see RefersBack
	Search  bool    // a person or a model asks on purpose: relevance alone decides
	Total   int     // active memories in the store that was asked
	Limit   int     // how many candidates were asked for; 0 means Candidates
}

// The weights of the sum. Values found by fitting many weights at once did not
// carry over to other stores, round ones did. What is known of the text adds up
// to 2.6; what is known of the memory beside its text adds less than 0.8, so
// that it settles close calls and cannot lift an unrelated memory.
const (
	weightFTS       = 1.0  // the store's own score, as a share of the best
	weightCoverage  = 0.4  // a short question whose every word is met
	weightProximity = 0.8  // words that stand together mean what they mean together
	weightTitle     = 0.2  // the best single feature of a text
	weightGrams     = 0.2  // parts of words, where stems see no kinship
	weightPath      = 0.25 // the file at hand, half for its directory
	weightRecency   = 0.15 // halves every recencyHalf
	weightStrength  = 0.15 // importance, confidence and use
	weightScope     = 0.2  // times the scope's weight in the profile, at most 0.7
	weightBranch    = 0.05
	weightTrust     = 0.05 // the person's own words before the assistant's
)

const recencyHalf = 30 * 24 * time.Hour

// The parts of a score that Rerank writes beside the summands.
const (
	PartCoverage = "coverage" // share of the question's weight that the memory meets, 0…1
	PartTelling  = "telling"  // how many of the question's telling words it meets
	PartRarity   = "rarity"   // of the rarest telling word it meets, 0…1; 1 is a word of one memory only
	PartName     = "name"     // how many of the question's compounds and identifiers it meets
	PartTitle    = "title"    // share of the title's words that the question holds, 0…1
)

// Rerank orders candidates of a lexical search, best first. Each comes back
// with its new score and the parts it is made of: every part is 0…1 before its
// weight but for counts. The input is left alone. Hits that are equal keep the
// order of the newest first.
func Rerank(q Ask, hits []mem.Hit) []mem.Hit {
	if len(hits) == 0 {
		return nil
	}
	query := newQuery(q.Terms)
	docs := query.read(hits)
	query.weigh(docs, population(q, len(hits)))
	best, bestGrams := bestScore(hits), query.bestGrams(docs)
	out := slices.Clone(hits)
	for i := range out {
		out[i].Parts = query.parts(docs[i])
		out[i].Parts["fts"] = share(hits[i].Score, best, i)
		out[i].Parts["grams"] = share(query.grams.score(docs[i]), bestGrams, i)
		priors(q, out[i].Memory, out[i].Parts)
		out[i].Score = sum(q, out[i])
	}
	slices.SortStableFunc(out, func(a, b mem.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Memory.Created.Compare(a.Memory.Created))
	})
	return out
}

// minStore is the least size a store is taken for. In a store of five memories
// every word would look common.
const minStore = 50

// population is how many memories the document frequencies are out of. If the
// candidates were cut off at the limit, they are a sample of their own.
func population(q Ask, n int) int {
	limit := q.Limit
	if limit <= 0 {
		limit = Candidates
	}
	if n >= limit {
		return n
	}
	return max(q.Total, n, minStore)
}

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
	parts["path"] = nearness(q.Files, m.Files)
	if q.Search {
		return
	}
	if !q.Now.IsZero() {
		parts["recency"] = math.Exp2(-float64(max(0, q.Now.Sub(m.Created))) / float64(recencyHalf))
		parts["strength"] = Strength(m, q.Now)
		parts["authority"] = Authority(float64(m.Uses), 0, q.Now.Sub(lastUse(m)), 0)
	}
	parts["scope"] = q.Profile.Weight(m.Scope)
	if q.Branch != "" && m.Branch == q.Branch {
		parts["branch"] = 1
	}
	if m.Trust == mem.TrustUser {
		parts["trust"] = 1
	}
}

func sum(q Ask, h mem.Hit) float64 {
	p := h.Parts
	s := weightFTS*p["fts"] + weightCoverage*p[PartCoverage] + weightProximity*p["proximity"] +
		weightTitle*p[PartTitle] + weightGrams*p["grams"] + weightPath*p["path"]
	if q.Search {
		return s
	}
	s += weightRecency*p["recency"] + weightStrength*p["strength"] + weightScope*p["scope"] +
		weightBranch*p["branch"] + weightTrust*p["trust"]
	if a := p["authority"]; a > 0 {
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
