package rank

import (
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// maxDoc is how much of a memory is read, in bytes: its point stands first.
const maxDoc = 1200

// maxSaid is the same of an utterance, whose point may stand anywhere. It is more
// than the longest piece that they are cut into.
const maxSaid = 6000

// maxTitle is how much of a text without a title counts as one, in bytes.
const maxTitle = 160

// field is a part of a memory that is scored by rules of its own.
type field int

const (
	inTitle field = iota
	inBody
	inFiles
	inParts // parts of identifiers and compounds, wherever those stand
	fields  // how many there are
)

// doc is what of a memory meets the query.
type doc struct {
	hits    []occurrence // in the order of the text
	times   [][fields]float64
	phrases []float64 // how often each stands there
	lengths [fields]float64
	title   float64 // share of the title's words that the query holds
	grams   []int   // how often each of the query's grams stands in it
	words   int
	cites   map[int]bool // hits by place
}

func (d doc) has(id int) bool { return d.times[id] != [fields]float64{} }

type occurrence struct {
	id    int
	place int // counts every word, for phrases
	pos   int // counts words that say something, for distances
}

// read finds the query's words in each hit's memory.
func (q *query) read(hits []mem.Hit) []doc {
	q.citable = citableIn(hits)
	out := make([]doc, len(hits))
	for i, h := range hits {
		out[i] = q.readOne(h.Memory)
	}
	q.lexicon.learn(q.fresh)
	return out
}

func (q *query) readOne(m mem.Memory) doc {
	r := reader{q: q, seen: map[string]bool{}, doc: doc{
		times:   make([][fields]float64, len(q.words)),
		phrases: make([]float64, len(q.phrases)), grams: make([]int, len(q.grams.ids)),
	}}
	title, body := m.Title, m.Body
	switch {
	case m.Kind == mem.Utterance: // its title is no more than its beginning
		if body == "" {
			body = title
		}
		title = ""
	case m.Kind == mem.Summary: // its title is what was asked, not what is known
		title, body = "", title+"\n"+body
	case strings.HasPrefix(body, title): // the title is made of its beginning, or there is none
		title = head(body, max(maxTitle, len(title)))
		body = body[len(title):]
	}
	r.text(title, inTitle)
	if r.pos > 0 {
		r.doc.title = float64(r.met) / float64(r.pos)
	}
	left := maxDoc
	if m.Kind == mem.Utterance {
		left = maxSaid
	}
	bodies := []string{body}
	if t := m.Summary; t != nil {
		bodies = append(bodies, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	for _, part := range []struct {
		texts []string
		field field
	}{
		{bodies, inBody},
		{m.Facts, inBody},
		{[]string{m.Command}, inBody},
		{m.Files, inFiles},
		{m.Tags, inParts},
		{m.Concepts, inParts},
	} {
		for _, s := range part.texts {
			s = head(s, left)
			left -= len(s)
			r.text(s, part.field)
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
	seen       map[string]bool // compounds and identifiers read before
	place, pos int
	met        int // words that say something and are the query's
}

func (r *reader) text(s string, in field) {
	if s == "" {
		return
	}
	r.place++ // no phrase runs from one field into the next
	for name := range names(s) {
		read := r.q.reading(name)
		r.cite(read.cites)
		again := false
		if len(read.forms) > 1 {
			again = r.seen[name]
			r.seen[name] = true
		}
		for _, f := range read.forms {
			at := in
			if f.part && in == inBody {
				at = inParts
			}
			if f.whole {
				r.mark(f, at, 1, again)
			} else {
				r.step(f, at, again)
			}
		}
	}
}

// cite notes a hit that is named, if to is not none.
func (r *reader) cite(to int) {
	if to == none {
		return
	}
	if r.doc.cites == nil {
		r.doc.cites = map[int]bool{}
	}
	r.doc.cites[to] = true
}

// step goes on by one word. What was read before counts once.
func (r *reader) step(f form, in field, again bool) {
	r.place++
	r.doc.words++
	if f.says {
		r.pos++
		if !again {
			r.doc.lengths[in]++
		}
	}
	if r.mark(f, in, 0, again) && f.says {
		r.met++
	}
	for _, g := range f.grams {
		r.doc.grams[g]++
	}
}

// mark notes that a word stands so many words ahead.
func (r *reader) mark(f form, in field, ahead int, again bool) bool {
	if f.id < 0 {
		return false
	}
	if !again || r.doc.times[f.id][in] == 0 {
		r.doc.times[f.id][in]++
	}
	r.doc.hits = append(r.doc.hits, occurrence{f.id, r.place + ahead, r.pos + ahead})
	return true
}

// holds counts how often the words of p stand side by side.
func (d doc) holds(p phrase) float64 {
	n := 0.0
	for i, o := range d.hits {
		if o.id == p.ids[0] && d.goesOn(i+1, o.place+1, p.ids[1:]) {
			n++
		}
	}
	return n
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
