package index

import (
	"encoding/binary"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// none marks a document that has no neighbour, and a number that is not known.
const none = -1

// documents are the columns of the index: what is known of each document apart from its words. A document's number
// is its row; numbers rise in the order of adding.
type documents struct {
	ids     dictionary // of memories
	numbers []int32    // document → the number of its id
	docs    []int32    // number of an id → the document that has it, or none
	living  int        // documents that are not removed
	hashes  []uint64   // of the texts
	rows    []row
	lengths [fields][]uint16 // in words, by document
	sums    [fields]float64  // of the lengths
	counted [fields]float64  // documents with a length above 0

	words []byte   // the first words of each document as numbers of terms
	at    []uint32 // where a document's words begin; one more entry than documents

	names   map[string]uint32 // projects, sessions, agents and branches → their number
	strings []string
	kinds   []mem.Kind

	ends   map[uint32]ends // of each session's chain of utterances
	after  []int32         // document → the next of its chain, or none; empty if the documents are no utterances
	before []int32
}

// row holds the columns that filters read.
type row struct {
	created    int64 // unix microseconds
	project    uint32
	session    uint32
	branch     uint32
	agent      uint32
	importance float32
	kind       uint8
	scope      uint8
	trust      int8
	flags      flags
	titled     uint8 // how many of the kept words are the title's
}

// flags are yes-or-no columns.
type flags uint8

const (
	dead     flags = 1 << iota // removed
	archived                   // found, but not active
	open                       // not resolved
	question                   // ends with a question mark
	dated                      // holds a word of time
)

// ends are the first and the last document of a session.
type ends struct{ first, last int32 }

func newDocuments() documents {
	return documents{
		ids: newDictionary(), at: []uint32{0}, names: map[string]uint32{"": 0}, strings: []string{""},
		ends: map[uint32]ends{},
	}
}

func (d *documents) len() int    { return len(d.rows) }
func (d *documents) next() int32 { return int32(len(d.rows)) }
func (d *documents) average(f field) float64 {
	return max(1, d.sums[f]/max(1, d.counted[f]))
}

// id is the id of a document's memory.
func (d *documents) id(doc int32) string { return d.ids.key(d.numbers[doc]) }

// find returns the document of a memory; ok is false if there is none.
func (d *documents) find(id string) (doc int32, ok bool) {
	n := d.ids.find(id)
	if n == none || d.docs[n] == none {
		return none, false
	}
	return d.docs[n], true
}

// number makes a new document that of a memory.
func (d *documents) number(id string, doc int32) {
	n := d.ids.add(id)
	if int(n) == len(d.docs) {
		d.docs = append(d.docs, none)
	}
	d.docs[n], d.numbers = doc, append(d.numbers, n)
	d.living++
}

// name returns the number of a name, which is added if it is new.
func (d *documents) name(s string) uint32 {
	n, ok := d.names[s]
	if !ok {
		s = strings.Clone(s)
		n = uint32(len(d.strings))
		d.names[s], d.strings = n, append(d.strings, s)
	}
	return n
}

// known returns the number of a name, or none.
func (d *documents) known(s string) int64 {
	if n, ok := d.names[s]; ok {
		return int64(n)
	}
	return none
}

// add appends a document with its lengths and its first words.
func (d *documents) add(m mem.Memory, hash uint64, lengths [fields]int, words []int32, titled int, text string) {
	doc := d.next()
	r := d.row(m)
	r.titled = uint8(titled)
	if m.Kind == mem.Utterance {
		if strings.HasSuffix(strings.TrimRight(text, " \t\n\"')”’"), "?") {
			r.flags |= question
		}
		if rank.HasDate(text) {
			r.flags |= dated
		}
	}
	d.number(m.ID, doc)
	d.rows = append(d.rows, r)
	d.hashes = append(d.hashes, hash)
	for f, n := range lengths {
		d.lengths[f] = append(d.lengths[f], uint16(n))
		d.sums[f] += float64(n)
		if n > 0 {
			d.counted[f]++
		}
	}
	for _, w := range words {
		d.words = binary.AppendUvarint(d.words, uint64(w))
	}
	d.at = append(d.at, uint32(len(d.words)))
	if m.Kind != mem.Utterance {
		return
	}
	d.after, d.before = append(d.after, none), append(d.before, none)
	if m.Session != "" {
		d.chain(doc)
	}
}

// row returns the columns of a memory that filters read.
func (d *documents) row(m mem.Memory) row {
	r := row{
		created: m.Created.UnixMicro(), project: d.name(m.Project), session: d.name(m.Session), branch: d.name(m.Branch),
		agent: d.name(m.Source.Agent), importance: float32(m.Importance), kind: d.kind(m.Kind),
		scope: scopeNumber(m.Scope), trust: int8(m.Trust),
	}
	if m.Status == mem.Archived {
		r.flags |= archived
	}
	if !m.Resolved {
		r.flags |= open
	}
	return r
}

// update changes what filters read of a document whose text stays.
func (d *documents) update(doc int32, m mem.Memory) {
	old := d.rows[doc]
	d.rows[doc] = d.row(m)
	d.rows[doc].titled = old.titled
	d.rows[doc].flags |= old.flags & (question | dated)
}

// chain puts an utterance into the chain of its session, in the order of time.
func (d *documents) chain(doc int32) {
	r := d.rows[doc]
	e, ok := d.ends[r.session]
	if !ok {
		d.ends[r.session] = ends{doc, doc}
		return
	}
	before := e.last
	for before != none && d.rows[before].created > r.created {
		before = d.before[before]
	}
	after := e.first
	if before != none {
		after = d.after[before]
		d.after[before] = doc
	} else {
		e.first = doc
	}
	if after != none {
		d.before[after] = doc
	} else {
		e.last = doc
	}
	d.before[doc], d.after[doc] = before, after
	d.ends[r.session] = e
}

// kill removes a document from what is found and from its session's chain.
func (d *documents) kill(doc int32) {
	d.docs[d.numbers[doc]] = none
	d.living--
	for f := range d.lengths {
		n := d.lengths[f][doc]
		if d.sums[f] -= float64(n); n > 0 {
			d.counted[f]--
		}
	}
	r := &d.rows[doc]
	r.flags |= dead
	if len(d.before) == 0 {
		return
	}
	before, after := d.before[doc], d.after[doc]
	if before != none {
		d.after[before] = after
	}
	if after != none {
		d.before[after] = before
	}
	if e, ok := d.ends[r.session]; ok {
		if e.first == doc {
			e.first = after
		}
		if e.last == doc {
			e.last = before
		}
		if d.ends[r.session] = e; e.first == none {
			delete(d.ends, r.session)
		}
	}
	d.before[doc], d.after[doc] = none, none
}

// first appends the kept words of a document to out.
func (d *documents) first(out []int32, doc int32) []int32 {
	data := d.words[d.at[doc]:d.at[doc+1]]
	for len(data) > 0 {
		v, n := binary.Uvarint(data)
		out, data = append(out, int32(v)), data[n:]
	}
	return out
}

// compact drops removed documents and returns the new number of each old one, none for those that are gone.
func (d *documents) compact() []int32 {
	to := make([]int32, d.len())
	old := *d
	*d = newDocuments()
	d.kinds = old.kinds
	for doc, r := range old.rows {
		to[doc] = none
		if r.flags&dead != 0 {
			continue
		}
		to[doc] = d.next()
		for _, n := range []*uint32{&r.project, &r.session, &r.branch, &r.agent} {
			*n = d.name(old.strings[*n])
		}
		d.number(old.id(int32(doc)), d.next())
		d.rows, d.hashes = append(d.rows, r), append(d.hashes, old.hashes[doc])
		for f := range old.lengths {
			n := old.lengths[f][doc]
			d.lengths[f] = append(d.lengths[f], n)
			if d.sums[f] += float64(n); n > 0 {
				d.counted[f]++
			}
		}
		d.words = append(d.words, old.words[old.at[doc]:old.at[doc+1]]...)
		d.at = append(d.at, uint32(len(d.words)))
	}
	moved := func(doc int32) int32 {
		if doc == none {
			return none
		}
		return to[doc]
	}
	for doc := range old.before {
		if to[doc] != none {
			d.before, d.after = append(d.before, moved(old.before[doc])), append(d.after, moved(old.after[doc]))
		}
	}
	for s, e := range old.ends {
		d.ends[d.name(old.strings[s])] = ends{moved(e.first), moved(e.last)}
	}
	return to
}

// renumber rewrites the kept words with new numbers of terms. A term that is gone is left out.
func (d *documents) renumber(terms []int32) {
	var words []byte
	var list []int32
	at := []uint32{0}
	for doc := range d.rows {
		list = d.first(list[:0], int32(doc))
		for _, w := range list {
			if terms[w] >= 0 {
				words = binary.AppendUvarint(words, uint64(terms[w]))
			}
		}
		at = append(at, uint32(len(words)))
	}
	d.words, d.at = words, at
}

// kind returns the number of a kind, which is added if it is new.
func (d *documents) kind(k mem.Kind) uint8 {
	at := slices.Index(d.kinds, k)
	if at < 0 {
		at = len(d.kinds)
		d.kinds = append(d.kinds, k)
	}
	return uint8(at)
}

func scopeNumber(s mem.Scope) uint8 { return uint8(slices.Index(scopes, s) + 1) }

var scopes = []mem.Scope{mem.ScopeSession, mem.ScopeProject, mem.ScopeUser}

// trim frees the room for growth.
func (d *documents) trim() {
	d.ids = d.ids.trimmed()
	d.numbers, d.docs = slices.Clone(d.numbers), slices.Clone(d.docs)
	d.rows, d.hashes = slices.Clone(d.rows), slices.Clone(d.hashes)
	for f := range d.lengths {
		d.lengths[f] = slices.Clone(d.lengths[f])
	}
	d.words, d.at = slices.Clone(d.words), slices.Clone(d.at)
	d.after, d.before = slices.Clone(d.after), slices.Clone(d.before)
}
