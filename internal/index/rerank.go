package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Rerank orders what the full-text search of a store found, by the same score as the candidates of an Index: by a small
// index of just these memories, in which words are as rare as ask.Corpus says they are in the store. Of utterances the
// score of the store stands for the words, since it knows what was said around them.
func Rerank(ask rank.Ask, hits []mem.Hit) []mem.Hit {
	if len(hits) == 0 {
		return nil
	}
	n := len(hits)
	stored := make([]float64, n) // the scores of the store
	for i, h := range hits {
		stored[i] = storeScore(h)
	}
	best, size := slices.Max(stored), max(ask.Corpus.Size, byWords(hits))
	x := New(hits[0].Memory.Kind == mem.Utterance)
	for _, h := range hits {
		x.add(h.Memory, 0)
	}
	s := &scratch{allowed: make([]bool, n), times: make([]float32, n), scores: make([]float32, n)}
	found := make([]int32, n)
	for i := range hits {
		s.allowed[i], found[i] = true, int32(i)
	}
	text := ask.Text
	if text == "" {
		text = strings.Join(ask.Terms, "\n")
	}
	holds := frequencies(ask)
	terms := x.terms(text)
	for i := range terms {
		terms[i].holds = holds[terms[i].key]
	}
	if x.utterances {
		x.scoreUtterances(s, terms, size)
	} else {
		x.scoreMemories(s, x.weigh(s, terms, size), n)
	}
	slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(s.scores[b], s.scores[a]) })
	list := x.join(s, found, nil)
	parts := x.measure(s, Query{Query: mem.Query{Text: text}, Now: ask.Now}, terms, list, size).measured()
	out := slices.Clone(hits)
	for i, c := range list {
		h := &out[c.doc]
		if cos, ok := h.Parts[mem.PartCos]; ok {
			parts[i][mem.PartCos] = cos
		}
		if x.utterances && best > 0 {
			parts[i][rank.PartBM25F] = stored[c.doc] / best
		}
		h.Parts = parts[i]
	}
	return rank.Order(ask, out)
}

// storeScore is the score that the store gave a hit, 0 if it is no positive number.
func storeScore(h mem.Hit) float64 {
	if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
		return 0
	}
	return max(0, h.Score)
}

// byWords is how many of the hits were found by their words.
func byWords(hits []mem.Hit) int {
	n := 0
	for _, h := range hits {
		if _, near := h.Parts[mem.PartCos]; !near || h.Score > 0 {
			n++
		}
	}
	return n
}

// frequencies returns how many memories hold the terms of a question, by their keys.
func frequencies(ask rank.Ask) map[string]int {
	out := map[string]int{}
	if ask.Corpus.Size <= 0 || len(ask.Corpus.DocFreq) != len(ask.Terms) {
		return out
	}
	var tokens []rank.Token
	for i, t := range ask.Terms {
		tokens = rank.Analyze(tokens[:0], t)
		if len(tokens) == 0 {
			continue
		}
		key := tokens[0].Key
		if last := tokens[len(tokens)-1]; len(tokens) > 1 {
			if last.Kind != rank.Whole {
				continue
			}
			key = "=" + t
		}
		out[key] = max(out[key], ask.Corpus.DocFreq[i], 0)
	}
	return out
}
