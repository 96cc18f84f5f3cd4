package index

import (
	"cmp"
	"math"
	"slices"
	"time"

	"remanence/internal/rank"
)

// feature is one part of a candidate's score.
type feature uint8

const (
	words      feature = iota // BM25F, as a share of the best
	proximity                 // the query's words close together
	titleCover                // share of the title's words that the query holds
	recency                   // 1 now, falling with the logarithm of the age
	path                      // the query names a file of the memory
	cites                     // it is cited by other candidates
	grams                     // pieces of words, as a share of the best
	session                   // what the session's candidates match together
	speaker                   // the query names who said it
	month                     // the query names the month
	when                      // the query asks for a time and there is one
	asks                      // it is a question itself
	features
)

// partNames are the names of the features in receipts.
var partNames = [features]string{
	words: rank.PartBM25F, proximity: rank.PartProximity, titleCover: rank.PartTitle, recency: rank.PartRecency,
	path: rank.PartFile, cites: rank.PartVotes, grams: rank.PartGrams, session: rank.PartSession,
	speaker: rank.PartWho, month: rank.PartMonth, when: rank.PartWhen, asks: rank.PartQuestion,
}

// measure computes the parts of the candidates' scores.
func (x *Index) measure(s *scratch, q Query, terms []term, found []candidate, size int) *measuring {
	m := &measuring{x: x, s: s, q: q, terms: terms, found: found, size: float64(max(size, leastSize))}
	m.readOrder()
	m.readPresence()
	m.ofWords()
	if x.utterances {
		m.ofConversation()
	} else {
		m.ofNotes()
	}
	return m
}

// measuring is the state of one measurement.
type measuring struct {
	x     *Index
	s     *scratch
	q     Query
	terms []term
	found []candidate
	size  float64

	byNumber map[int32]int // number of a term → its place in terms
	held     [][]bool      // by candidate and term
	order    [][]int32     // first words of each candidate
	nearest  []uint8       // by pair of terms, the least distance in the candidate that is measured; 0 means not close
	counts   []float64     // by term, what it counts in coverage
	spread   float64       // sum of the counts of words
	known    float64       // share of the informative terms that any memory holds
	extra    []extra       // by candidate
}

// extra holds what is measured of a candidate and is no part of the sum.
type extra struct{ coverage, words, attained float64 }

// readOrder reads the first words of the candidates.
func (m *measuring) readOrder() {
	m.byNumber = make(map[int32]int, len(m.terms))
	for i, t := range m.terms {
		if t.number != none {
			m.byNumber[t.number] = i
		}
	}
	m.order = make([][]int32, len(m.found))
	all := make([]int32, 0, len(m.found)*forward)
	for i, c := range m.found {
		from := len(all)
		all = m.x.docs.first(all, c.doc)
		m.order[i] = all[from:len(all):len(all)]
	}
}

// readPresence finds which candidates hold which terms.
func (m *measuring) readPresence() {
	byDoc := make([]int, len(m.found))
	for i := range byDoc {
		byDoc[i] = i
	}
	slices.SortFunc(byDoc, func(a, b int) int { return cmp.Compare(m.found[a].doc, m.found[b].doc) })
	m.held = make([][]bool, len(m.found))
	cells := make([]bool, len(m.found)*len(m.terms))
	for i := range m.held {
		m.held[i] = cells[i*len(m.terms) : (i+1)*len(m.terms)]
	}
	strongest := 0.0 // idf of a term that only one file list holds
	for t, term := range m.terms {
		if term.number == none {
			continue
		}
		l := &m.x.lists[term.number]
		c := cursor{data: l.data}
		var named []int
		for _, i := range byDoc {
			if !c.seek(l, m.found[i].doc) {
				break
			}
			if c.doc != m.found[i].doc {
				continue
			}
			m.held[i][t] = true
			if !m.x.utterances && term.kind != rank.Piece && c.has(files) {
				named = append(named, i)
			}
		}
		if len(named) > 0 {
			w := m.x.inverse(m.size, float64(term.named))
			strongest = max(strongest, w)
			for _, i := range named {
				m.found[i].parts[path] = max(m.found[i].parts[path], w)
			}
		}
	}
	for i := range m.found {
		if strongest > 0 {
			m.found[i].parts[path] /= strongest
		}
		m.holdsJoined(i)
	}
}

// holdsJoined counts the words of a query for a candidate that has them written as one.
func (m *measuring) holdsJoined(i int) {
	for t := range m.terms {
		if !m.held[i][t] || !m.terms[t].joined() {
			continue
		}
		for of := range m.terms {
			m.held[i][of] = m.held[i][of] || slices.Contains(m.terms[t].words, &m.terms[of])
		}
	}
}

// Coverage does not depend on how rare the rare words of a query are: no term counts more than one that so many
// memories hold, or one in so many.
const (
	fewHold     = 3
	oneInHolds  = 100
	lightWeight = 0.25 // of an everyday word, and of a compound whose words carry the rest
)

// ofWords measures what every candidate shares with the query.
func (m *measuring) ofWords() {
	rare := m.x.inverse(m.size, max(fewHold, m.size/oneInHolds))
	m.counts = make([]float64, len(m.terms))
	mass, total := 0.0, 1e-9
	for i, t := range m.terms {
		m.counts[i] = min(t.idf, rare)
		if t.kind != rank.Whole {
			m.spread += m.counts[i]
		}
		if t.kind == rank.Word {
			total += t.idf
		}
		switch {
		case t.joined(): // its words count
		case light(t):
			mass += lightWeight * m.counts[i]
		default:
			mass += m.counts[i]
		}
	}
	top := 1e-9
	for _, c := range m.found {
		top = max(top, float64(m.s.scores[c.doc]))
	}
	pieces, possible := m.gramScores(), m.possible()
	m.known = m.knownShare()
	m.extra = make([]extra, len(m.found))
	for i := range m.found {
		c := &m.found[i]
		c.parts[words] = float64(m.s.scores[c.doc]) / top
		c.parts[grams] = pieces[i]
		if !m.q.Now.IsZero() {
			c.parts[recency] = rank.Recency(m.q.Now.Sub(time.UnixMicro(m.x.docs.rows[c.doc].created)))
		}
		e := &m.extra[i]
		e.attained = float64(m.s.scores[c.doc]) / possible
		near := m.closeness(m.order[i])
		for t, term := range m.terms {
			if !m.held[i][t] {
				continue
			}
			if term.kind == rank.Whole {
				near += lightWeight * term.idf // its words stand closer than side by side
			}
			if term.joined() {
				continue
			}
			weight := m.counts[t]
			if light(term) {
				weight *= lightWeight
			} else {
				e.words++
				if term.pair {
					e.words -= 0.5
				}
			}
			e.coverage += weight / mass
		}
		c.parts[proximity] = near / total
	}
}

// fullTerms is how many terms of a query, the weightiest first, count in full in the highest possible score.
const fullTerms = 4

// possible is the BM25F score of a memory that holds every term of the query as often as it likes. No memory answers
// all of a long query, so the n-th term counts 4/n at most.
func (m *measuring) possible() float64 {
	weights := make([]float64, len(m.terms))
	for i := range m.terms {
		if !m.terms[i].joined() {
			weights[i] = -m.x.weight(&m.terms[i])
		}
	}
	slices.Sort(weights)
	sum := 1e-9
	for i, w := range weights {
		sum -= w * min(1, fullTerms/float64(i+1))
	}
	return sum
}

// knownShare is the share of the informative terms that any memory holds. One more that no memory holds is counted,
// since a short query that happens to have only known ones says less than a long one.
func (m *measuring) knownShare() float64 {
	known, all := 0.0, 1.0
	for _, t := range m.terms {
		switch {
		case t.light:
		case t.number != none || t.holds > 0:
			known, all = known+1, all+1
		case t.pair:
			all += 0.5
		default:
			all++
		}
	}
	return known / all
}

// light reports whether a term says little. A pair of letters that no memory holds is most likely the end of one
// word and the beginning of the next.
func light(t term) bool { return t.light || t.pair && t.number == none }

// window is how far apart two words may stand, in words, to count as close.
const window = 8

// closeness sums, over pairs of the query's terms, the lesser idf divided by their distance.
func (m *measuring) closeness(order []int32) float64 {
	type place struct{ at, term int }
	places := make([]place, 0, len(order))
	for at, w := range order {
		if t, ok := m.byNumber[w]; ok {
			places = append(places, place{at, t})
		}
	}
	n := len(m.terms)
	if m.nearest == nil {
		m.nearest = make([]uint8, n*n)
	}
	pairs := make([]int, 0, len(places))
	for i, a := range places {
		for _, b := range places[i+1:] {
			distance := b.at - a.at
			if distance > window {
				break
			}
			if a.term == b.term {
				continue
			}
			pair := min(a.term, b.term)*n + max(a.term, b.term)
			known := int(m.nearest[pair])
			if known == 0 {
				pairs = append(pairs, pair)
			}
			if known == 0 || distance < known {
				m.nearest[pair] = uint8(distance)
			}
		}
	}
	sum := 0.0
	for _, p := range pairs {
		sum += min(m.terms[p/n].idf, m.terms[p%n].idf) / float64(m.nearest[p])
		m.nearest[p] = 0
	}
	return sum
}

// gramScores compares candidates and query by pieces of four letters, which see that sync is part of synchronize. It
// is BM25 with k1 = 1 and b = 0.5 over the candidates, as shares of the best.
func (m *measuring) gramScores() []float64 {
	ids := map[uint32]int{}
	for _, t := range m.terms {
		if t.kind == rank.Word && t.number != none && !t.pair {
			for g := range rank.Grams(m.x.vocabulary.key(t.number)) {
				if _, ok := ids[g]; !ok {
					ids[g] = len(ids)
				}
			}
		}
	}
	shared := map[int32][]int{} // the query's grams that a word has
	times := make([]float64, len(m.found)*len(ids))
	frequency := make([]float64, len(ids))
	average := 1.0
	for i, order := range m.order {
		row := times[i*len(ids) : (i+1)*len(ids)]
		for _, w := range order {
			list, ok := shared[w]
			if !ok {
				for g := range rank.Grams(m.x.vocabulary.key(w)) {
					if id, ok := ids[g]; ok {
						list = append(list, id)
					}
				}
				shared[w] = list
			}
			for _, id := range list {
				row[id]++
			}
		}
		for id, n := range row {
			if n > 0 {
				frequency[id]++
			}
		}
		average += float64(len(order)) / float64(len(m.found))
	}
	weight := make([]float64, len(ids))
	for id := range weight {
		n := float64(len(m.found))
		weight[id] = math.Log(1 + (n-frequency[id]+0.5)/(frequency[id]+0.5))
	}
	out, top := make([]float64, len(m.found)), 1e-9
	for i, order := range m.order {
		norm := 0.5 + 0.5*float64(len(order))/average
		for id, n := range times[i*len(ids) : (i+1)*len(ids)] {
			if n > 0 {
				out[i] += weight[id] * 2 * n / (n + norm)
			}
		}
		top = max(top, out[i])
	}
	for i := range out {
		out[i] /= top
	}
	return out
}

// ofNotes measures what only written memories have. How rare the title's other words are is counted among all memories
// in the index, and removed ones until it is compacted: to count what passes the filters takes a pass over each list.
func (m *measuring) ofNotes() {
	for i := range m.found {
		c := &m.found[i]
		c.parts[cites] = min(2, c.votes)
		titled := int(m.x.docs.rows[c.doc].titled)
		all, met := 1e-9, 0.0
		for _, w := range m.order[i][:min(titled, len(m.order[i]))] {
			if t, ok := m.byNumber[w]; ok {
				met += m.terms[t].idf
				all += m.terms[t].idf
			} else {
				all += m.x.inverse(m.size, float64(m.x.lists[w].n))
			}
		}
		c.parts[titleCover] = met / all
	}
}

// ofConversation measures what only utterances have.
func (m *measuring) ofConversation() {
	asked := rank.ReadQuestion(m.q.Text)
	sessions := m.sessionShares()
	for i := range m.found {
		c := &m.found[i]
		r := m.x.docs.rows[c.doc]
		c.parts[session] = sessions[r.session]
		c.parts[speaker] = m.names(i, who)
		if asked.Month != 0 && time.UnixMicro(r.created).UTC().Month() == asked.Month {
			c.parts[month] = 1
		}
		if asked.When && r.flags&dated != 0 {
			c.parts[when] = 1
		}
		if r.flags&question != 0 {
			c.parts[asks] = 1
		}
	}
}

// names is 1 if the query holds a term of a candidate's field.
func (m *measuring) names(i int, f field) float64 {
	for t, held := range m.held[i] {
		if !held || m.terms[t].number == none { // no utterance has it but as a part of a joined word
			continue
		}
		l := &m.x.lists[m.terms[t].number]
		c := cursor{data: l.data}
		if c.seek(l, m.found[i].doc) && c.doc == m.found[i].doc && c.has(f) {
			return 1
		}
	}
	return 0
}

// sessionShares returns, for each session, how much of the query its candidates match together, relative to the best.
func (m *measuring) sessionShares() map[uint32]float64 {
	met := map[uint32][]bool{}
	for i, c := range m.found {
		s := m.x.docs.rows[c.doc].session
		if met[s] == nil {
			met[s] = make([]bool, len(m.terms))
		}
		for _, w := range m.order[i] {
			if t, ok := m.byNumber[w]; ok {
				met[s][t] = true
			}
		}
	}
	out, top := map[uint32]float64{}, 1e-9
	for s, list := range met {
		for t, yes := range list {
			if yes {
				out[s] += m.terms[t].idf
			}
		}
		top = max(top, out[s])
	}
	for s := range out {
		out[s] /= top
	}
	return out
}

// measured returns the parts of each candidate's score.
func (m *measuring) measured() []map[string]float64 {
	own := [features]bool{words: true, proximity: true, grams: true}
	if m.x.utterances {
		own[session], own[speaker], own[month], own[when], own[asks] = true, true, true, true, true
	} else {
		own[titleCover], own[recency], own[path], own[cites] = true, true, true, true
	}
	out := make([]map[string]float64, len(m.found))
	for i, e := range m.extra {
		parts := make(map[string]float64, int(features)+4)
		for f, yes := range own {
			if yes {
				parts[partNames[f]] = m.found[i].parts[f]
			}
		}
		parts[rank.PartCoverage], parts[rank.PartWords] = min(1, e.coverage), e.words
		parts[rank.PartAttained], parts[rank.PartKnown] = min(1, e.attained), m.known
		out[i] = parts
	}
	return out
}

// ranked returns the candidates, best first; ties break by newest.
func (m *measuring) ranked() []Candidate {
	all := m.measured()
	scores, order := make([]float64, len(all)), make([]int, len(all))
	for i := range all {
		order[i], scores[i] = i, rank.TextScore(all[i], m.q.Without)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), m.x.newer(m.found[a].doc, m.found[b].doc))
	})
	out := make([]Candidate, 0, len(order))
	for _, i := range order {
		out = append(out, Candidate{ID: m.x.docs.id(m.found[i].doc), Score: scores[i], Parts: all[i]})
	}
	return out
}
