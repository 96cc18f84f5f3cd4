// Package index is a full-text index of memories in RAM. It finds and scores candidates by BM25F over fields, with the
// document frequencies of exactly what a query may find, and measures what the re-ranking needs. It holds no text of a
// memory apart from its words, and knows no database and no file: Store, which wraps any mem.Store, builds the index
// from it and keeps it in step with every change.
//
// Start at Store, then index.go (what is indexed), search.go (what a query does), postings.go (how a list is stored),
// features.go (what is measured of a candidate).
package index

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// field is a part of a memory with a weight and a length norm of its own.
type field uint8

const (
	title field = iota
	body
	files
	pieces // parts of identifiers, wherever those stand
	whole  // compounds as they are written
	alias  // other words that a question may use
	who    // the speaker of an utterance
	day    // the day of an utterance
	fields
)

const (
	// forward is the number of words of a memory, in order, that are kept for features of order.
	forward = 100
	// maxLength bounds the stored length of a field, in words.
	maxLength = 1<<16 - 1
	// maxTitle is how much of a text without a title counts as one, in bytes.
	maxTitle = 160
)

// Index is the index of one sort of memories: those that were written down, or utterances. It is safe for concurrent
// use. The zero value is not ready; see New.
type Index struct {
	mu         sync.RWMutex
	utterances bool
	weights    weights

	ids   map[string]int32 // key of a term → its number
	keys  []string         // by term
	lists []list           // by term
	docs  documents
	cited map[string]string    // name by which a memory is cited → its id
	links map[int32][]string   // document → ids of memories that it cites
	names map[string][]reading // how names are read, while documents are added
	pool  sync.Pool            // of *scratch
	seed  maphash.Seed         // of the hashes of texts
}

// reading is a token of a name whose term is known.
type reading struct {
	term int32
	kind rank.TokenKind
	stop bool
}

// New returns an empty index of memories or, with utterances, of what was said in conversations.
func New(utterances bool) *Index {
	x := &Index{utterances: utterances, weights: memoryWeights, seed: maphash.MakeSeed()}
	if utterances {
		x.weights = utteranceWeights
	}
	x.reset()
	return x
}

func (x *Index) reset() {
	x.ids, x.keys, x.lists = map[string]int32{}, nil, nil
	x.docs = newDocuments()
	x.cited, x.links = map[string]string{}, map[int32][]string{}
	x.names = map[string][]reading{}
}

// Len is the number of memories in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.docs.byID)
}

// Put adds memories, or replaces those whose ids are known. Utterances or other memories, whichever do not belong into
// this index, are taken out if they are in it.
func (x *Index) Put(ms ...mem.Memory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range ms {
		if (m.Kind == mem.Utterance) != x.utterances {
			x.drop(m.ID)
			continue
		}
		hash := x.textHash(m)
		if d, ok := x.docs.byID[m.ID]; ok && x.docs.hashes[d] == hash {
			x.docs.update(d, m)
			continue
		}
		x.drop(m.ID)
		x.add(m, hash)
	}
	x.compactIfSparse()
}

// textHash is a hash of all by which a memory is found apart from filters.
func (x *Index) textHash(m mem.Memory) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	add := func(parts ...string) {
		for _, s := range parts {
			_, _ = h.WriteString(s)
			_ = h.WriteByte(0)
		}
		_ = h.WriteByte(1)
	}
	add(m.Title, m.Body, m.Command, m.Who, m.Key, m.Session)
	add(m.Facts...)
	add(m.Concepts...)
	add(m.Tags...)
	add(m.Files...)
	if s := m.Summary; s != nil {
		add(s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	return h.Sum64() ^ uint64(m.Created.UnixMicro())
}

// hasProject reports whether a memory of a project with that key was ever in the index.
func (x *Index) hasProject(key string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.docs.known(key) != none
}

// Remove takes memories out. Their words stay in RAM until enough is removed to compact the index; see Erase.
func (x *Index) Remove(ids ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.drop(id)
	}
	x.compactIfSparse()
}

// Erase takes memories out and leaves nothing of them.
func (x *Index) Erase(ids ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.drop(id)
	}
	x.compact()
}

func (x *Index) drop(id string) {
	if d, ok := x.docs.byID[id]; ok {
		x.docs.kill(d)
		delete(x.links, d)
	}
}

// maxNames bounds the memory for how names are read.
const maxNames = 50_000

// adding is the state of one document that is being added.
type adding struct {
	x       *Index
	doc     int32
	id      string
	bag     map[int32]*[fields]uint8
	lengths [fields]int
	words   []int32
	titled  int
	tokens  []rank.Token
}

// add appends m as a new document.
func (x *Index) add(m mem.Memory, hash uint64) {
	a := adding{x: x, doc: x.docs.next(), id: m.ID, bag: map[int32]*[fields]uint8{}}
	heading, text := parts(m)
	a.text(heading, title)
	a.titled = min(len(a.words), forward)
	for _, s := range text {
		a.text(s, body)
	}
	for _, f := range m.Files {
		a.file(f)
	}
	for _, list := range [][]string{m.Tags, m.Concepts} {
		for _, s := range list {
			a.text(s, pieces)
		}
	}
	if x.utterances {
		a.text(m.SpeakerName(), who)
		a.text(m.Created.UTC().Format("January 2006 2"), day)
	}
	terms := make([]int32, 0, len(a.bag))
	for t := range a.bag {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	for _, t := range terms {
		x.lists[t].add(a.doc, *a.bag[t])
	}
	x.docs.add(m, hash, a.lengths, a.words[:min(len(a.words), forward)], a.titled, strings.Join(text, "\n"))
	id := x.docs.ids[a.doc]
	for _, name := range citedNames(m) {
		x.cited[strings.Clone(name)] = id
	}
	if len(x.names) > maxNames {
		x.names = map[string][]reading{}
	}
}

// parts returns the title and the texts of a memory. A title that is the beginning of the body is not read twice.
func parts(m mem.Memory) (heading string, text []string) {
	heading, rest := m.Title, m.Body
	switch {
	case m.Kind == mem.Utterance: // its title is its beginning
		if rest == "" {
			rest = heading
		}
		heading = ""
	case strings.HasPrefix(rest, heading):
		heading = clip(rest, max(maxTitle, len(heading)))
		rest = rest[len(heading):]
	}
	text = append(text, rest)
	if s := m.Summary; s != nil {
		text = append(text, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	return heading, append(append(text, m.Facts...), m.Command)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// text reads the words of s into a field.
func (a *adding) text(s string, f field) {
	if s == "" {
		return
	}
	for name := range rank.TextNames(s) {
		for _, r := range a.x.read(name, &a.tokens) {
			switch {
			case r.stop:
			case r.kind == rank.Whole:
				a.count(r.term, whole)
			case r.kind == rank.Piece:
				a.count(r.term, pieces)
			default:
				a.count(r.term, f)
				if (f == title || f == body) && len(a.words) < forward {
					a.words = append(a.words, r.term)
				}
			}
		}
		if f == title || f == body {
			a.cite(name)
		}
	}
}

// file reads a path: as a whole, by its base name with and without extension, and by its words.
func (a *adding) file(path string) {
	lower := strings.ToLower(path)
	a.count(a.x.term("="+lower), files)
	base := rank.Base(lower)
	if base != lower {
		a.count(a.x.term("="+base), files)
	}
	if dot := strings.LastIndexByte(base, '.'); dot > 0 && strings.ContainsAny(base[:dot], "-._") {
		a.count(a.x.term("="+base[:dot]), files)
	}
	for name := range rank.TextNames(path) {
		for _, r := range a.x.read(name, &a.tokens) {
			if !r.stop && r.kind != rank.Whole {
				a.count(r.term, files)
			}
		}
	}
}

func (a *adding) count(t int32, f field) {
	b := a.bag[t]
	if b == nil {
		b = new([fields]uint8)
		a.bag[t] = b
	}
	if b[f] < maxFrequency {
		b[f]++
	}
	if a.lengths[f] < maxLength {
		a.lengths[f]++
	}
}

// read returns the tokens of a name with their terms, which are made if they are new.
func (x *Index) read(name string, tokens *[]rank.Token) []reading {
	if r, ok := x.names[name]; ok {
		return r
	}
	*tokens = rank.Analyze((*tokens)[:0], name)
	out := make([]reading, len(*tokens))
	for i, t := range *tokens {
		out[i] = reading{term: x.term(t.Key), kind: t.Kind, stop: t.Stop}
	}
	x.names[strings.Clone(name)] = out
	return out
}

// term returns the number of a key, which is added if it is new.
func (x *Index) term(key string) int32 {
	t, ok := x.ids[key]
	if !ok {
		key = strings.Clone(key)
		t = int32(len(x.keys))
		x.ids[key] = t
		x.keys, x.lists = append(x.keys, key), append(x.lists, list{})
	}
	return t
}

// A memory is cited by its id, by the last part of its key, or by the beginning of a key that is a hash.
const (
	leastCited = 4 // bytes of a name that can cite
	leastHash  = 7
	mostHash   = 40
)

func citedNames(m mem.Memory) []string {
	var out []string
	for _, name := range [...]string{m.ID, m.Key[strings.LastIndexByte(m.Key, ':')+1:]} {
		switch {
		case len(name) < leastCited:
		case isHash(name):
			out = append(out, name[:leastHash])
		default:
			out = append(out, name)
		}
	}
	return out
}

func isHash(name string) bool {
	return len(name) >= mostHash && strings.Trim(name, "0123456789abcdef") == ""
}

// cite links the document to an earlier one that name cites.
func (a *adding) cite(name string) {
	to, ok := a.x.cited[name]
	if !ok && len(name) > leastHash && len(name) <= mostHash && strings.Trim(name, "0123456789abcdef") == "" {
		to, ok = a.x.cited[name[:leastHash]]
	}
	if ok && to != a.id && !slices.Contains(a.x.links[a.doc], to) {
		a.x.links[a.doc] = append(a.x.links[a.doc], to)
	}
}

// Of what is indexed at least this share is alive, or the index is compacted.
const (
	mostDead  = 0.25
	leastDead = 1000
)

func (x *Index) compactIfSparse() {
	if dead := x.docs.len() - len(x.docs.byID); dead > leastDead && float64(dead) > mostDead*float64(x.docs.len()) {
		x.compact()
	}
}

// compact rewrites the index without what was removed.
func (x *Index) compact() {
	to := x.docs.compact()
	ids := make(map[string]int32, len(x.ids))
	keys, lists, terms := x.keys[:0:0], x.lists[:0:0], make([]int32, len(x.keys))
	for t := range x.lists {
		terms[t] = -1
		if l := x.lists[t].moved(to); l.n > 0 {
			terms[t] = int32(len(keys))
			ids[x.keys[t]] = terms[t]
			keys, lists = append(keys, x.keys[t]), append(lists, l)
		}
	}
	x.ids, x.keys, x.lists = ids, keys, lists
	x.docs.renumber(terms)
	gone := func(id string) bool {
		_, ok := x.docs.byID[id]
		return !ok
	}
	links := make(map[int32][]string, len(x.links))
	for from, targets := range x.links {
		if targets = slices.DeleteFunc(targets, gone); to[from] >= 0 && len(targets) > 0 {
			links[to[from]] = targets
		}
	}
	x.links = links
	maps.DeleteFunc(x.cited, func(_, id string) bool { return gone(id) })
	x.names = map[string][]reading{}
}

// Trim frees what only adding many memories needs.
func (x *Index) Trim() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names = map[string][]reading{}
	for i := range x.lists {
		x.lists[i].data, x.lists[i].skips = fitted(x.lists[i].data), fitted(x.lists[i].skips)
	}
	x.lists, x.keys, x.docs.words = fitted(x.lists), fitted(x.keys), fitted(x.docs.words)
}

// fitted returns a list in memory of its own size, if it has room for a quarter more.
func fitted[T any](list []T) []T {
	if cap(list)-len(list) <= len(list)/4 {
		return list
	}
	return append(make([]T, 0, len(list)), list...)
}
