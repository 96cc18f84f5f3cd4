package rank

import (
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// doc is what of a memory meets the query.
type doc struct {
	hits    []occurrence // in the order of the text
	has     []bool       // by word
	phrases []bool
	title   float64 // share of the title's words that the query holds
	grams   []int   // how often each of the query's grams stands in it
	words   int
}

type occurrence struct {
	id    int
	place int // counts every word, for phrases
	pos   int // counts words that say something, for distances
}

// read finds the query's words in each hit's memory.
func (q *query) read(hits []mem.Hit) []doc {
	out := make([]doc, len(hits))
	for i, h := range hits {
		out[i] = q.readOne(h.Memory)
	}
	return out
}

func (q *query) readOne(m mem.Memory) doc {
	r := reader{q: q, doc: doc{has: make([]bool, len(q.words)), phrases: make([]bool, len(q.phrases)), grams: make([]int, q.grams.count())}}
	r.text(m.Title)
	if r.pos > 0 {
		r.doc.title = float64(r.met) / float64(r.pos)
	}
	left := maxDoc
	for _, list := range [][]string{{m.Body}, m.Facts, {m.Command}, m.Files, m.Tags, m.Concepts} {
		for _, s := range list {
			s = head(s, left)
			left -= len(s)
			r.text(s)
		}
	}
	for i, p := range q.phrases {
		r.doc.phrases[i] = r.doc.holds(p)
	}
	return r.doc
}

func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// reader goes through the words of one memory.
type reader struct {
	q          *query
	doc        doc
	place, pos int
	met        int // words that say something and are the query's
}

func (r *reader) text(s string) {
	if s == "" {
		return
	}
	r.place++ // no phrase runs from one field into the next
	for name := range names(s) {
		for _, a := range atoms(name) {
			r.atom(a)
		}
	}
}

func (r *reader) atom(a atom) {
	if a.wide {
		for _, p := range pairs(a.text) {
			r.step(form{key: p, says: true})
		}
		return
	}
	lower := strings.ToLower(a.text)
	parts := camel(a.text)
	if len(parts) > 1 {
		r.mark(r.q.form(lower).key, 1)
		for _, p := range parts {
			r.step(r.q.form(strings.ToLower(p)))
		}
		return
	}
	r.step(r.q.form(lower))
}

// step goes on by one word.
func (r *reader) step(f form) {
	r.place++
	r.doc.words++
	if f.says {
		r.pos++
	}
	if r.mark(f.key, 0) && f.says {
		r.met++
	}
	for _, g := range f.grams {
		r.doc.grams[g]++
	}
}

// mark notes that the word of a key stands so many words ahead.
func (r *reader) mark(key string, ahead int) bool {
	id, ok := r.q.ids[key]
	if ok {
		r.doc.has[id] = true
		r.doc.hits = append(r.doc.hits, occurrence{id, r.place + ahead, r.pos + ahead})
	}
	return ok
}

// holds reports whether the words of p stand side by side.
func (d doc) holds(p phrase) bool {
	for i, o := range d.hits {
		if o.id == p.ids[0] && d.goesOn(i+1, o.place+1, p.ids[1:]) {
			return true
		}
	}
	return false
}

func (d doc) goesOn(from, place int, ids []int) bool {
	for _, id := range ids {
		for from < len(d.hits) && (d.hits[from].place < place || d.hits[from].place == place && d.hits[from].id != id) {
			from++
		}
		if from == len(d.hits) || d.hits[from].place != place {
			return false
		}
		place++
	}
	return true
}
