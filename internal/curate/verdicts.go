package curate

import (
	"hash/maphash"
	"sync"

	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
	"remanence/internal/redact"
)

// verdicts caches what a review found in the texts of memories. Examining thousands of texts takes a tenth of a
// second, and most are the same in the next review. The zero value is empty.
type verdicts struct {
	mu    sync.Mutex
	seed  maphash.Seed
	known map[uint64]verdict // by the hash of the text

	compared uint64      // hash of the memories that were compared last; 0 before
	similar  []rank.Pair // of them
}

// verdict is what a text contains by the current rules, which stay the same while the process runs.
type verdict struct {
	suspicious bool // see inject.SuspiciousMemory
	secret     bool // or a private part
}

// maxVerdicts bounds the cache, which is emptied when it is full.
const maxVerdicts = 4 * maxReviewed

// of returns the verdict on a memory's text.
func (vs *verdicts) of(m *mem.Memory, r *redact.Redactor) verdict {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.empty(len(vs.known) >= maxVerdicts || vs.known == nil)
	text := recall.WholeText(*m)
	key := maphash.Comparable(vs.seed, [3]string{m.Title, m.Body, text})
	v, ok := vs.known[key]
	if !ok {
		_, found := r.Scrub(text)
		v = verdict{inject.SuspiciousMemory(*m), found.Private > 0 || len(found.Secrets) > 0}
		vs.known[key] = v
	}
	return v
}

// pairs returns which memories of a list share half of their words. The comparison takes a tenth of a second for
// thousands, so the last one is kept for the next review of the same texts.
func (vs *verdicts) pairs(ms []mem.Memory) []rank.Pair {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.empty(vs.known == nil)
	var h maphash.Hash
	h.SetSeed(vs.seed)
	for _, m := range ms {
		maphash.WriteComparable(&h, recall.WholeText(m))
	}
	if key := h.Sum64() | 1; key != vs.compared {
		vs.compared, vs.similar = key, rank.Pairs(ms, extract.Contradictory)
	}
	return vs.similar
}

// empty empties the cache if due. The caller holds mu.
func (vs *verdicts) empty(due bool) {
	if due {
		vs.seed, vs.known = maphash.MakeSeed(), map[uint64]verdict{}
	}
}
