package index

import (
	"cmp"
	"slices"
)

// find scores the documents by BM25F and returns the n best, best first; ties break by newest. Afterwards s has the
// scores of those, and of others perhaps a part; see complete.
func (x *Index) find(s *scratch, terms []term, size, n int) []int32 {
	if x.utterances {
		x.scoreUtterances(s, terms, size)
		return x.best(s.scores, nil, n)
	}
	return x.best(s.scores, x.scoreMemories(s, x.weigh(s, terms, size), n), n)
}

// weigh sets how rare the terms are among the documents that may be found, of which there are size. It returns those
// terms that a memory holds, the weightiest first.
func (x *Index) weigh(s *scratch, terms []term, size int) []*term {
	held := make([]*term, 0, len(terms))
	for i := range terms {
		t := &terms[i]
		holds := 0
		if t.number != none {
			holds, t.named = x.lists[t.number].count(s.allowed)
			held = append(held, t)
		}
		t.idf = x.inverse(float64(size), float64(max(holds, t.holds)))
	}
	slices.SortStableFunc(held, func(a, b *term) int { return cmp.Compare(x.weight(b), x.weight(a)) })
	return held
}

// rounding is what a sum of scores may be off by, as a share.
const rounding = 1e-4

// scoreMemories adds what terms, the weightiest first, contribute to the scores of the documents that hold them. As
// soon as the other terms together cannot bring another document among the n best, only those that may still be among
// them are scored further (MaxScore, Turtle and Flood 1995). It returns these in rising order, or nil if all were
// scored.
func (x *Index) scoreMemories(s *scratch, terms []*term, n int) []int32 {
	rest, postings := 0.0, 0
	for _, t := range terms {
		rest += x.weight(t)
		postings += int(x.lists[t.number].n)
	}
	norms := x.norms()
	most := 0.0 // no document is the n-th best with a higher score
	var left []int32
	for _, t := range terms {
		switch {
		case t.joined():
			x.scoreJoined(s, t, &norms, left)
		case left == nil:
			x.scoreAll(s, t, &norms)
		default:
			x.scoreSome(s, t, &norms, left)
		}
		rest -= x.weight(t)
		postings -= int(x.lists[t.number].n)
		most += x.weight(t)
		if most < rest || postings < x.docs.len()/scanned {
			continue
		}
		most = s.nthBest(left, n)
		if least := most*(1-rounding) - rest; least > 0 {
			left = s.atLeast(float32(least), left)
		}
	}
	return left
}

// scanned is how many scores are read in the time in which one posting is scored.
const scanned = 8

// scoreUtterances adds what terms contribute to the scores of all utterances.
func (x *Index) scoreUtterances(s *scratch, terms []term, size int) {
	k1 := float32(x.weights.k1)
	for i := range terms {
		t := &terms[i]
		s.touched = s.touched[:0]
		if t.number != none {
			x.countUtterances(s, t.number)
		}
		t.idf = x.inverse(float64(size), float64(max(len(s.touched), t.holds)))
		w := float32(x.weight(t))
		for _, d := range s.touched {
			tf := s.times[d]
			s.scores[d] += w * tf / (tf + k1)
			s.times[d] = 0
		}
	}
}

// scoreAll adds what a term contributes to all documents that hold it.
func (x *Index) scoreAll(s *scratch, t *term, n *norms) {
	w, k1 := float32(x.weight(t)), float32(x.weights.k1)
	c := cursor{data: x.lists[t.number].data}
	for c.next() {
		if s.allowed[c.doc] {
			tf := x.frequency(&c, n)
			s.scores[c.doc] += w * tf / (tf + k1)
		}
	}
}

// scoreSome adds what a term contributes to the documents in docs, which are in rising order.
func (x *Index) scoreSome(s *scratch, t *term, n *norms, docs []int32) {
	w, k1 := float32(x.weight(t)), float32(x.weights.k1)
	l := &x.lists[t.number]
	c := cursor{data: l.data}
	for _, d := range docs {
		if !c.seek(l, d) {
			return
		}
		if c.doc == d {
			tf := x.frequency(&c, n)
			s.scores[d] += w * tf / (tf + k1)
		}
	}
}

// scoreJoined adds what a joined word would contribute to a document if it stood there as its words: to all documents
// that hold it, or to those in docs, which are in rising order.
func (x *Index) scoreJoined(s *scratch, t *term, n *norms, docs []int32) {
	k1 := float32(x.weights.k1)
	cursors := make([]cursor, len(t.words))
	for i, word := range t.words {
		if word.number != none {
			cursors[i].data = x.lists[word.number].data
		}
	}
	c := cursor{data: x.lists[t.number].data}
	for c.next() {
		if _, ok := slices.BinarySearch(docs, c.doc); docs == nil && !s.allowed[c.doc] || docs != nil && !ok {
			continue
		}
		tf := x.frequency(&c, n)
		joined := tf / (tf + k1)
		for i, word := range t.words {
			apart := float32(0)
			if at := &cursors[i]; word.number != none && at.seek(&x.lists[word.number], c.doc) && at.doc == c.doc {
				tf = x.frequency(at, n)
				apart = tf / (tf + k1)
			}
			s.scores[c.doc] += float32(x.weight(word)) * max(0, joined-apart)
		}
	}
}

// complete scores candidates that were not found by their words.
func (x *Index) complete(s *scratch, terms []term, added []candidate) {
	if x.utterances || len(added) == 0 {
		return
	}
	docs := make([]int32, len(added))
	for i, c := range added {
		docs[i] = c.doc
		s.scores[c.doc] = 0
	}
	slices.Sort(docs)
	norms := x.norms()
	for i := range terms {
		switch t := &terms[i]; {
		case t.number == none:
		case t.joined():
			x.scoreJoined(s, t, &norms, docs)
		default:
			x.scoreSome(s, t, &norms, docs)
		}
	}
}

// nthBest returns the n-th highest score of docs, or of all documents if docs is nil; 0 if fewer have one.
func (s *scratch) nthBest(docs []int32, n int) float64 {
	heap := make([]float32, 0, n)
	least := float32(0)
	offer := func(v float32) {
		if len(heap) < n {
			if heap = append(heap, v); len(heap) < n {
				return
			}
			slices.Sort(heap) // which makes it a heap
		} else {
			heap[0] = v
			sink(heap, 0, func(a, b float32) bool { return a < b })
		}
		least = heap[0]
	}
	if docs == nil {
		for _, v := range s.scores {
			if v > least {
				offer(v)
			}
		}
	}
	for _, d := range docs {
		if v := s.scores[d]; v > least {
			offer(v)
		}
	}
	return float64(least)
}

// atLeast returns those of docs, or of all documents if docs is nil, whose score is least or higher.
func (s *scratch) atLeast(least float32, docs []int32) []int32 {
	if docs != nil {
		return slices.DeleteFunc(docs, func(d int32) bool { return s.scores[d] < least })
	}
	for d, v := range s.scores {
		if v >= least {
			docs = append(docs, int32(d))
		}
	}
	return docs
}

// newer orders documents by their time; of the same time, the one that was added later is the newer.
func (x *Index) newer(a, b int32) int {
	return cmp.Or(cmp.Compare(x.docs.rows[b].created, x.docs.rows[a].created), cmp.Compare(b, a))
}

// best returns the n documents with the highest scores among docs, or among all if docs is nil, best first; ties break
// by newest.
func (x *Index) best(scores []float32, docs []int32, n int) []int32 {
	less := func(a, b int32) bool {
		return scores[a] < scores[b] || scores[a] == scores[b] && x.newer(a, b) > 0
	}
	heap := make([]int32, 0, n)
	offer := func(d int32) {
		switch {
		case scores[d] <= 0:
		case len(heap) < n:
			if heap = append(heap, d); len(heap) == n {
				for i := n/2 - 1; i >= 0; i-- {
					sink(heap, i, less)
				}
			}
		case less(heap[0], d):
			heap[0] = d
			sink(heap, 0, less)
		}
	}
	if docs == nil {
		for d := range scores {
			offer(int32(d))
		}
	}
	for _, d := range docs {
		offer(d)
	}
	slices.SortFunc(heap, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), x.newer(a, b))
	})
	return heap
}

// sink moves the i-th element of a heap down to its place.
func sink[T any](heap []T, i int, less func(a, b T) bool) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && less(heap[child+1], heap[child]) {
			child++
		}
		if !less(heap[child], heap[i]) {
			return
		}
		heap[child], heap[i] = heap[i], heap[child]
		i = child
	}
}

// countUtterances also counts a term for the utterances around the one that holds it, so that an answer is found by
// the words of its question.
func (x *Index) countUtterances(s *scratch, number int32) {
	n := x.norms()
	around := 2 * x.docs.average(body)
	c := cursor{data: x.lists[number].data}
	add := func(d int32, tf float32) {
		switch {
		case tf == 0: // only fields without weight hold it
			return
		case s.times[d] == 0:
			s.touched = append(s.touched, d)
		}
		s.times[d] += tf
	}
	for c.next() {
		if !s.allowed[c.doc] {
			continue
		}
		add(c.doc, x.frequency(&c, &n))
		if !c.has(body) {
			continue
		}
		times := float64(c.frequencies()[body])
		for _, chain := range [...][]int32{x.docs.before, x.docs.after} {
			d := c.doc
			for i, weight := range x.weights.near {
				if d = chain[d]; d == none {
					break
				}
				if s.allowed[d] {
					b := x.weights.nearNorm
					add(d, float32(weight*times/(1-b+b*x.around(d, i+1)/around)))
				}
			}
		}
	}
}

// around is the number of words of the utterances at a distance before and after a document.
func (x *Index) around(doc int32, distance int) float64 {
	sum := 0.0
	for _, chain := range [...][]int32{x.docs.before, x.docs.after} {
		d := doc
		for range distance {
			if d = chain[d]; d == none {
				break
			}
		}
		if d != none {
			sum += float64(x.docs.lengths[body][d])
		}
	}
	return sum
}
