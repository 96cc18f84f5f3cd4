package storetest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"

	"remanence/internal/mem"
)

// Match implements mem.Store with BM25 over body, title and search words.
func (s *Mem) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	pool := s.newest()
	if slices.Contains(q.Kinds, mem.Utterance) {
		q.Kinds = []mem.Kind{mem.Utterance}
	}
	if len(q.IDs) > 0 {
		named, err := s.named(q)
		if isAmbiguous(err) {
			return nil, err
		}
		pool = slices.DeleteFunc(pool, func(m *memory) bool { return !slices.Contains(named, m) })
		q = mem.Query{Terms: q.Terms, Hidden: q.Hidden, Within: "*", Limit: q.Limit, Offset: q.Offset}
	}
	terms := phrases(q.Terms)
	idf := s.rarity(terms, slices.Contains(q.Kinds, mem.Utterance))
	var hits []mem.Hit
	for _, m := range pool {
		if !s.passes(m, q) {
			continue
		}
		if score := bm25(s.columns(m), terms, idf); score > 0 {
			hits = append(hits, mem.Hit{Memory: shown(m), Score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b mem.Hit) int { return compare(b.Score, a.Score) })
	return page(hits, q.Offset, q.Limit, mem.DefaultLimit), nil
}

// phrases splits each term into stems; one without any is left out.
func phrases(terms []string) [][]string {
	var out [][]string
	for _, t := range terms {
		if p := stems(t); len(p) > 0 && len(out) < mem.MaxTerms {
			out = append(out, p)
		}
	}
	return out
}

// column is one searched text of a memory and what a word in it weighs.
type column struct {
	stems  []string
	weight float64
}

func (s *Mem) columns(m *memory) []column {
	if m.Kind == mem.Utterance {
		return s.talk(m)
	}
	body := append([]string{m.Body, m.Invariant}, m.Facts...)
	if t := m.Summary; t != nil {
		body = append(body, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	ident := slices.Concat([]string{m.Index, m.Command}, m.Tags, m.Concepts, m.Files)
	return []column{
		{stems(strings.Join(body, "\n")), 1},
		{stems(m.Title), 0.8},
		{stems(strings.Join(ident, "\n")), 0.7},
	}
}

// talk is the text of an utterance and of those said up to two before and after
// that are active, and the day on which a person here would say it was.
func (s *Mem) talk(m *memory) []column {
	said := func(m *memory) string { return cmp.Or(m.Body, m.Title) }
	var near, far string
	if m.session != nil {
		all := slices.DeleteFunc(slices.Clone(s.memories), func(o *memory) bool { return o.Kind != mem.Utterance || o.session != m.session })
		i := slices.Index(all, m)
		for _, d := range []int{-2, -1, 1, 2} {
			switch {
			case i+d < 0 || i+d >= len(all) || all[i+d].Status != mem.Active:
			case d*d == 1:
				near += said(all[i+d]) + "\n"
			default:
				far += said(all[i+d]) + "\n"
			}
		}
	}
	return []column{
		{stems(said(m)), 1},
		{stems(m.Index), 0.7},
		{stems(mem.SpeakerName(m.Who)), 2},
		{stems(near), 0.5},
		{stems(far), 0.3},
		{stems(m.Created.Local().Format("January 2006 2")), 1},
	}
}

// rarity is each term's weight by how few memories hold it, or by how few utterances do.
func (s *Mem) rarity(terms [][]string, talk bool) []float64 {
	idf := make([]float64, len(terms))
	for i, t := range terms {
		n, all := 0, 0
		for _, m := range s.memories {
			if (m.Kind == mem.Utterance) != talk {
				continue
			}
			all++
			if frequency(s.columns(m), t) > 0 {
				n++
			}
		}
		idf[i] = max(math.Log((float64(all-n)+0.5)/(float64(n)+0.5)), 1e-6)
	}
	return idf
}

// bm25 scores with the usual k1 = 1.2 and b = 0, short texts being the rule here.
func bm25(cols []column, terms [][]string, idf []float64) float64 {
	const k1 = 1.2
	score := 0.0
	for i, t := range terms {
		if f := frequency(cols, t); f > 0 {
			score += idf[i] * f * (k1 + 1) / (f + k1)
		}
	}
	return score
}

// frequency counts a phrase in the columns, by their weights.
func frequency(cols []column, phrase []string) float64 {
	n := 0.0
	for _, c := range cols {
		for i := 0; i+len(phrase) <= len(c.stems); i++ {
			if slices.Equal(c.stems[i:i+len(phrase)], phrase) {
				n += c.weight
			}
		}
	}
	return n
}

// stems splits text into words without accents, in lower case, and stems them.
func stems(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	words := strings.FieldsFunc(plain, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Co, r)
	})
	for i, w := range words {
		if len(w) > 2 {
			words[i] = string(porterstemmer.StemWithoutLowerCasing([]rune(w)))
		}
	}
	return words
}
