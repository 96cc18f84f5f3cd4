package stored

import (
	"errors"
	"maps"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Tombstone is the kind of an event without payload, which no query returns. That of a session stores when data of it
// was last erased: older events of its transcript must not be captured again.
const Tombstone = mem.EventKind("Erased")

// UnfinishedPurge is the id of the tombstone that exists while rows are erased, but files may still contain them.
const UnfinishedPurge = "x_unfinished"

// ErrPreview rolls back a purge that only shows what it would erase.
var ErrPreview = errors.New("preview of a purge")

// Erasure is what one purge erases.
type Erasure struct {
	Memories map[int64]MemoryRow // to be erased, by number
	Sessions map[int64]string    // to be erased as a whole: the agent's id by number
	Receipts map[int64]bool      // blanked or deleted, by number
	Traces   Traces              // of all memories
	Done     mem.Purged

	sessionTraces Traces          // of prompts and handoffs of the sessions that are erased as a whole
	affected      map[string]bool // sessions of which something is erased, by the agent's id
}

// NewErasure returns an erasure of nothing.
func NewErasure() Erasure {
	return Erasure{
		Memories: map[int64]MemoryRow{}, Sessions: map[int64]string{}, Receipts: map[int64]bool{},
		affected: map[string]bool{},
	}
}

// Add marks a memory to be erased.
func (e *Erasure) Add(m MemoryRow) {
	e.Memories[m.Number] = m
	e.Traces.Add(m.Memory)
	e.affected[m.Session] = true
}

// Marked returns the memories to be erased, oldest first.
func (e *Erasure) Marked() (ms []mem.Memory) {
	for _, n := range slices.Sorted(maps.Keys(e.Memories)) {
		ms = append(ms, e.Memories[n].Memory)
	}
	return ms
}

// AddSessionTexts adds the traces of prompts and handoffs of a session that is erased as a whole.
func (e *Erasure) AddSessionTexts(texts ...string) {
	for _, text := range texts {
		e.sessionTraces = append(e.sessionTraces, chars.TracesOfText(text)...)
	}
}

// AllTraces finds the traces of memories and of erased sessions.
func (e *Erasure) AllTraces() *Finder { return slices.Concat(e.Traces, e.sessionTraces).Finder() }

// WithoutProposals returns a memory without the proposals that came from an erased session or contain a trace. changed
// is false if it has none, or if it is erased itself.
func (e *Erasure) WithoutProposals(r MemoryRow, f *Finder) (m mem.Memory, changed bool) {
	m = r.Memory
	if _, marked := e.Memories[r.Number]; marked {
		return m, false
	}
	erased, all := slices.Collect(maps.Values(e.Sessions)), m.Proposals
	m.Proposals = slices.DeleteFunc(slices.Clone(all), func(p mem.Proposal) bool {
		return slices.Contains(erased, p.Session) || slices.ContainsFunc(p.Traces(), f.In)
	})
	return m, len(m.Proposals) != len(all)
}

// AddSession marks a session to be erased as a whole.
func (e *Erasure) AddSession(number int64, id string) {
	e.Sessions[number] = id
	e.affected[id] = true
}

// Blanked counts a document of a table that was blanked.
func (e *Erasure) Blanked(table string, number int64) {
	if table == "receipt" {
		e.Receipts[number] = true
		return
	}
	e.Done.Checkpoints++
}

// Tombstones returns the ids of the tombstones of the purge.
func (e *Erasure) Tombstones() []string {
	ids := []string{UnfinishedPurge}
	for session := range e.affected {
		if session != "" {
			ids = append(ids, TombstoneID(session))
		}
	}
	return ids
}
