// Package index is a full-text index of memories in RAM. It finds and scores candidates by BM25F over fields, with the
// document frequencies of exactly what a query may find, and measures what the re-ranking needs. It holds no text of a
// memory apart from its words, and knows no database and no file: Store, which wraps any mem.Store, builds the index
// from it and keeps it in step with every change.
//
// Start at Store, then index.go (what is indexed), search.go (what a query does), postings.go (how a list is stored),
// features.go (what is measured of a candidate), compact.go (how removed memories and spare room leave it).
package index

import (
	"hash/maphash"
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

	vocabulary dictionary // keys of terms
	lists      []list     // by term
	docs       documents
	cited      map[string]int32  // name by which a memory is cited, other than its id → the number of its id
	links      map[int32][]int32 // document → numbers of the ids that it cites
	filtered   filtered
	memo       memo         // working memory while documents are added
	pool       sync.Pool    // of *scratch
	seed       maphash.Seed // of the hashes of texts
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
	x.vocabulary, x.lists = newDictionary(), nil
	x.docs = newDocuments()
	x.cited, x.links = map[string]int32{}, map[int32][]int32{}
	x.memo = newMemo()
}

// Len is the number of memories in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.docs.living
}

// Put adds memories, or replaces those whose ids are known. Utterances or other memories, whichever do not belong into
// this index, are taken out if they are in it.
func (x *Index) Put(ms ...mem.Memory) {
	x.load(ms...)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.memo.len() > keptNames {
		x.memo = newMemo()
	}
}

// load is Put for many memories, after which Trim is called.
func (x *Index) load(ms ...mem.Memory) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range ms {
		if (m.Kind == mem.Utterance) != x.utterances {
			x.drop(m.ID)
			continue
		}
		hash := x.textHash(m)
		if d, ok := x.docs.find(m.ID); ok && x.docs.hashes[d] == hash {
			x.docs.update(d, m)
			x.filtered.changed(d, &x.docs.rows[d])
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
	if d, ok := x.docs.find(id); ok {
		x.docs.kill(d)
		x.filtered.changed(d, &x.docs.rows[d])
		delete(x.links, d)
	}
}

// Bounds of the memory for how names are read: while many memories are loaded, and afterwards.
const (
	maxNames  = 50_000
	keptNames = 2_000
)

// memo holds what was read before, since most names and paths occur again.
type memo struct {
	names map[string][]reading // how a name is read
	paths map[string][]int32   // terms of a path, as often as they occur in it
	bag   bag
}

func newMemo() memo {
	return memo{names: map[string][]reading{}, paths: map[string][]int32{}}
}

func (m *memo) len() int { return len(m.names) + len(m.paths) }

// bag counts the terms of one document by field.
type bag struct {
	terms  []int32
	places []int32 // by term, its place in times and 1, or 0
	times  [][fields]uint8
}

func (b *bag) clear() {
	for _, t := range b.terms {
		b.places[t] = 0
	}
	b.terms, b.times = b.terms[:0], b.times[:0]
}

// of returns the counts of a term.
func (b *bag) of(term int32) *[fields]uint8 {
	if missing := int(term) + 1 - len(b.places); missing > 0 {
		b.places = append(b.places, make([]int32, missing)...)
	}
	at := b.places[term]
	if at == 0 {
		b.terms, b.times = append(b.terms, term), append(b.times, [fields]uint8{})
		at = int32(len(b.times))
		b.places[term] = at
	}
	return &b.times[at-1]
}

// adding is the state of one document that is being added.
type adding struct {
	x       *Index
	doc     int32
	id      string
	lengths [fields]int
	words   []int32
	titled  int
	tokens  []rank.Token
}

// add appends m as a new document.
func (x *Index) add(m mem.Memory, hash uint64) {
	a := adding{x: x, doc: x.docs.next(), id: m.ID}
	x.memo.bag.clear()
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
	for i, t := range x.memo.bag.terms {
		x.lists[t].add(a.doc, x.memo.bag.times[i])
	}
	x.docs.add(m, hash, a.lengths, a.words[:min(len(a.words), forward)], a.titled, strings.Join(text, "\n"))
	x.filtered.changed(a.doc, &x.docs.rows[a.doc])
	if !x.utterances { // citations of utterances do not count
		for _, name := range citedNames(m) {
			x.cited[strings.Clone(name)] = x.docs.numbers[a.doc]
		}
	}
	if x.memo.len() > maxNames {
		x.memo = newMemo()
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
		if !a.x.utterances && (f == title || f == body) {
			a.cite(name)
		}
	}
}

// file reads a path.
func (a *adding) file(path string) {
	terms, ok := a.x.memo.paths[path]
	if !ok {
		terms = a.ofPath(path)
		a.x.memo.paths[strings.Clone(path)] = terms
	}
	for _, t := range terms {
		a.count(t, files)
	}
}

// ofPath returns the terms of a path: as a whole, its base name with and without extension, and its words.
func (a *adding) ofPath(path string) []int32 {
	lower := strings.ToLower(path)
	out := []int32{a.x.term("=" + lower)}
	base := rank.Base(lower)
	if base != lower {
		out = append(out, a.x.term("="+base))
	}
	if dot := strings.LastIndexByte(base, '.'); dot > 0 && strings.ContainsAny(base[:dot], "-._") {
		out = append(out, a.x.term("="+base[:dot]))
	}
	for name := range rank.TextNames(path) {
		for _, r := range a.x.read(name, &a.tokens) {
			if !r.stop && r.kind != rank.Whole {
				out = append(out, r.term)
			}
		}
	}
	return out
}

func (a *adding) count(t int32, f field) {
	b := a.x.memo.bag.of(t)
	if b[f] < maxFrequency {
		b[f]++
	}
	if a.lengths[f] < maxLength {
		a.lengths[f]++
	}
}

// read returns the tokens of a name with their terms, which are made if they are new.
func (x *Index) read(name string, tokens *[]rank.Token) []reading {
	if r, ok := x.memo.names[name]; ok {
		return r
	}
	*tokens = rank.Analyze((*tokens)[:0], name)
	out := make([]reading, len(*tokens))
	for i, t := range *tokens {
		out[i] = reading{term: x.term(t.Key), kind: t.Kind, stop: t.Stop}
	}
	x.memo.names[strings.Clone(name)] = out
	return out
}

// term returns the number of a key, which is added if it is new.
func (x *Index) term(key string) int32 {
	t := x.vocabulary.add(key)
	if int(t) == len(x.lists) {
		x.lists = append(x.lists, list{})
	}
	return t
}

// A memory is cited by its id, by the last part of its key, or by the beginning of one of these that is a hash.
const (
	leastCited = 4 // bytes of a name that can cite
	leastHash  = 7
	mostHash   = 40
)

// citedNames are the names by which a memory is cited, apart from its id.
func citedNames(m mem.Memory) []string {
	var out []string
	key := m.Key[strings.LastIndexByte(m.Key, ':')+1:]
	for _, name := range [...]string{m.ID, key} {
		if isHash(name) {
			out = append(out, name[:leastHash])
		}
	}
	if len(key) >= leastCited && !isHash(key) {
		out = append(out, key)
	}
	return out
}

func isHash(name string) bool {
	return len(name) >= mostHash && strings.Trim(name, "0123456789abcdef") == ""
}

// cite links the document to an earlier one that name cites.
func (a *adding) cite(name string) {
	to := a.x.citing(name)
	if to != none && to != a.x.docs.ids.find(a.id) && !slices.Contains(a.x.links[a.doc], to) {
		a.x.links[a.doc] = append(a.x.links[a.doc], to)
	}
}

// citing is the number of the id that a name cites, or none.
func (x *Index) citing(name string) int32 {
	if len(name) < leastCited {
		return none
	}
	if to, ok := x.cited[name]; ok {
		return to
	}
	if len(name) > leastHash && len(name) <= mostHash && strings.Trim(name, "0123456789abcdef") == "" {
		if to, ok := x.cited[name[:leastHash]]; ok {
			return to
		}
	}
	return x.docs.ids.find(name)
}
