package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"remanence/internal/mem"
)

const (
	// countedWhole is the size up to which every record that holds a term is
	// counted. Beyond, what matters is only that more than a share of all do, or
	// more than so many.
	countedWhole = 2000
	countShare   = 10
	mostCounted  = 20_000

	// keptCounts bounds how many counts of common terms are remembered; a rare
	// one is counted again in no time.
	keptCounts  = 4096
	commonCount = 50
)

// countCache remembers how common the common terms were. A count holds until the
// index has grown by a twentieth.
type countCache struct {
	mu   sync.Mutex
	seen map[string]counted // by index and term
}

type counted struct{ size, holding int }

func (c *countCache) get(key string, size int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.seen[key]
	return old.holding, ok && size >= old.size && size <= old.size+old.size/20
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
		return mem.Corpus{}, fmt.Errorf("count: %w", translate(err))
	}
	out := mem.Corpus{Size: size, DocFreq: make([]int, len(q.Terms))}
	if size == 0 {
		return out, nil
	}
	var unknown []string // expressions that were not counted lately, and their places
	places := map[string][]int{}
	for i, t := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		terms := matchTerm(t)
		if terms == "" {
			continue
		}
		n, known := s.counts.get(ix.table+" "+terms, size)
		if !known && places[terms] == nil {
			unknown = append(unknown, terms)
		}
		out.DocFreq[i], places[terms] = n, append(places[terms], i)
	}
	found, err := s.countAll(ctx, ix, unknown, min(mostCounted, max(countedWhole, size/countShare+1)))
	if err != nil {
		return mem.Corpus{}, fmt.Errorf("count: %w", translate(err))
	}
	for i, terms := range unknown {
		for _, at := range places[terms] {
			out.DocFreq[at] = found[i]
		}
		if found[i] >= commonCount {
			s.counts.put(ix.table+" "+terms, counted{size, found[i]})
		}
	}
	return out, nil
}

// countAll counts what matches each expression, up to a limit, in one statement:
// to run one takes longer than to count what a rare term finds.
func (s *memoryStore) countAll(ctx context.Context, ix index, terms []string, limit int) ([]int, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	single := "SELECT count(*) FROM (SELECT 1 FROM " + ix.table + " WHERE " + ix.table + " MATCH ? LIMIT ?+0)"
	args := make([]any, 0, 2*len(terms))
	for _, t := range terms {
		args = append(args, t, limit)
	}
	return rows(ctx, s.read, single+strings.Repeat(" UNION ALL "+single, len(terms)-1), args, one[int])
}

var errAverages = errors.New("unreadable averages of the index")

// indexSize is how many records the index has. To count them would take longer
// than a search.
func (s *memoryStore) indexSize(ctx context.Context, ix index) (int, error) {
	n, _, err := s.totals(ctx, ix)
	return n, err
}

// meanLength is how many words a record of the index has, at least 1.
func (s *memoryStore) meanLength(ctx context.Context, ix index) (float64, error) {
	n, words, err := s.totals(ctx, ix)
	return max(1, float64(words)/float64(max(1, n))), err
}

// totals reads how many records the index has and how many words: what FTS5
// keeps of its averages in the row with id 1.
func (s *memoryStore) totals(ctx context.Context, ix index) (records, words int, err error) {
	blocks, err := lookUp(ctx, s.read, "SELECT block FROM "+ix.table+"_data WHERE id = 1", nil, one[[]byte])
	if err != nil || len(blocks) == 0 || len(blocks[0]) == 0 {
		return 0, 0, err
	}
	n, used := varint(blocks[0])
	if used == 0 {
		return 0, 0, errAverages
	}
	return int(n), length(blocks[0][used:]), nil
}

// length adds up the words of a record's columns.
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
