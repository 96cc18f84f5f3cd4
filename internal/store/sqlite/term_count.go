package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"

	"remanence/internal/mem"
)

const (
	// exactCount is the count up to which every memory that contains a term is
	// counted. Beyond it, callers need to know only that a term is in more than one
	// in countShare of all memories, or in more than mostCounted.
	exactCount  = 2000
	countShare  = 10
	mostCounted = 20_000

	// keptCounts bounds the cache of counts. A count below commonCount is not kept:
	// counting a rare term again takes no time.
	keptCounts  = 4096
	commonCount = 50
)

// countCache remembers the counts of common terms. A count is used until the index
// has grown by a twentieth.
type countCache struct {
	mu   sync.Mutex
	seen map[string]counted // by index and term
}

type counted struct{ size, count int }

func (c *countCache) get(key string, size int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.seen[key]
	return old.count, ok && size >= old.size && size <= old.size+old.size/20
}

func (c *countCache) put(key string, n counted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= keptCounts {
		c.seen = map[string]counted{}
	}
	c.seen[key] = n
}

// Count implements mem.Store.
func (s *memoryStore) Count(ctx context.Context, q mem.Query) (mem.Corpus, error) {
	ix := indexOf(q)
	size, err := s.indexSize(ctx, ix)
	if err != nil {
		return mem.Corpus{}, wrap("count", err)
	}
	out := mem.Corpus{Size: size, DocFreq: make([]int, len(q.Terms))}
	if size == 0 {
		return out, nil
	}
	var unknown []string // expressions that are not in the cache, and their places
	places := map[string][]int{}
	for i, t := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		term := matchTerm(t)
		if term == "" {
			continue
		}
		n, known := s.counts.get(ix.table+" "+term, size)
		if !known && places[term] == nil {
			unknown = append(unknown, term)
		}
		out.DocFreq[i], places[term] = n, append(places[term], i)
	}
	found, err := s.countAll(ctx, ix, unknown, min(mostCounted, max(exactCount, size/countShare+1)))
	if err != nil {
		return mem.Corpus{}, wrap("count", err)
	}
	for i, term := range unknown {
		for _, at := range places[term] {
			out.DocFreq[at] = found[i]
		}
		if found[i] >= commonCount {
			s.counts.put(ix.table+" "+term, counted{size, found[i]})
		}
	}
	return out, nil
}

// countAll counts the matches of each expression, up to a limit, in one statement:
// running a statement takes longer than counting the matches of a rare term.
func (s *memoryStore) countAll(ctx context.Context, ix index, terms []string, limit int) ([]int, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	single := "SELECT count(*) FROM (SELECT 1 FROM " + ix.table + " WHERE " + ix.table + " MATCH ? LIMIT ?+0)"
	args := make([]any, 0, 2*len(terms))
	for _, t := range terms {
		args = append(args, t, limit)
	}
	return rows(ctx, s.read, stmt(single+strings.Repeat(" UNION ALL "+single, len(terms)-1), args...), one[int])
}

var errAverages = errors.New("unreadable averages of the index")

// indexSize is the number of memories in the index. Counting them would take
// longer than a search.
func (s *memoryStore) indexSize(ctx context.Context, ix index) (int, error) {
	n, _, err := s.totals(ctx, ix)
	return n, err
}

// meanLength is the average number of words of a memory in the index, at least 1.
func (s *memoryStore) meanLength(ctx context.Context, ix index) (float64, error) {
	n, words, err := s.totals(ctx, ix)
	return max(1, float64(words)/float64(max(1, n))), err
}

// totals reads the numbers of memories and of words in the index. FTS5 stores them
// in the row with id 1: https://www.sqlite.org/fts5.html#fts5_data_structures
func (s *memoryStore) totals(ctx context.Context, ix index) (memories, words int, err error) {
	blocks, err := lookUp(ctx, s.read, stmt("SELECT block FROM "+ix.table+"_data WHERE id = 1"), one[[]byte])
	if err != nil || len(blocks) == 0 || len(blocks[0]) == 0 {
		return 0, 0, err
	}
	n, used := varint(blocks[0])
	if used == 0 {
		return 0, 0, errAverages
	}
	return int(n), length(blocks[0][used:]), nil
}

// length adds up the words of a memory's columns.
func length(sizes []byte) int {
	total := 0
	for len(sizes) > 0 {
		n, used := varint(sizes)
		if used == 0 {
			break
		}
		total, sizes = total+int(n), sizes[used:]
	}
	return total
}

// varint reads SQLite's variable-length integer: most significant group first,
// the ninth byte whole. used is 0 if b is too short.
func varint(b []byte) (v uint64, used int) {
	for i := range min(len(b), binary.MaxVarintLen64-1) {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
