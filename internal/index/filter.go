package index

import (
	"math"
	"slices"
	"sync"

	"remanence/internal/mem"
)

// Filters reports whether the index can apply all filters of q. It cannot narrow by file, tag, command, turn or
// place in the vault, and it holds no forgotten, superseded or merged memories.
func Filters(q mem.Query) bool {
	for _, s := range q.Statuses {
		if s != mem.Active && s != mem.Archived {
			return false
		}
	}
	return q.File == "" && len(q.Tags)+len(q.Notes) == 0 && q.Command == "" && q.PromptID == "" && !q.InVault &&
		!q.Proposed && !q.LinksOutdated && q.HiddenBefore.IsZero() && len(q.IDs) == 0 && (!q.Hidden || len(q.Statuses) > 0)
}

// filter is a query's filters as numbers of columns.
type filter struct {
	kinds                    [256 / 64]uint64
	scopes                   uint8
	project, session, within int64 // none: no document passes; -2: any
	agent, branch            int64
	after, before            int64
	importance               float32
	trust                    int8
	open, archived           bool
	active                   bool
}

const anything = -2

func (d *documents) filter(q mem.Query) filter {
	f := filter{
		project: anything, session: anything, within: anything, agent: anything, branch: anything, after: math.MinInt64,
		before:     math.MaxInt64,
		importance: float32(q.MinImportance), trust: int8(q.MinTrust), open: q.Open, active: true,
	}
	number := func(s string) int64 {
		if s == "" {
			return anything
		}
		return d.known(s)
	}
	f.project, f.session, f.agent, f.branch = number(q.Project), number(q.Session), number(q.Agent), number(q.Branch)
	switch {
	case q.Session != "" || q.Within == "*":
	case q.Within == "":
		f.within = none
	default:
		f.within = d.known(q.Within)
	}
	for i, k := range d.kinds {
		if (len(q.Kinds) == 0 || slices.Contains(q.Kinds, k)) && !slices.Contains(q.NotKinds, k) {
			f.kinds[i/64] |= 1 << (i % 64)
		}
	}
	for i, s := range scopes {
		if len(q.Scopes) == 0 || slices.Contains(q.Scopes, s) {
			f.scopes |= 1 << (i + 1)
		}
	}
	if !q.After.IsZero() {
		f.after = q.After.UnixMicro()
	}
	if !q.Before.IsZero() {
		f.before = q.Before.UnixMicro()
	}
	if len(q.Statuses) > 0 {
		f.active, f.archived = slices.Contains(q.Statuses, mem.Active), slices.Contains(q.Statuses, mem.Archived)
	}
	return f
}

func is(want int64, got uint32) bool { return want == anything || want == int64(got) }

// passes reports whether a document may be found.
func (f *filter) passes(r *row) bool {
	switch {
	case r.flags&dead != 0,
		f.kinds[r.kind/64]&(1<<(r.kind%64)) == 0,
		f.scopes&(1<<r.scope) == 0,
		!is(f.project, r.project) && r.scope != userScope,
		r.created < f.after || r.created >= f.before,
		r.trust < f.trust || r.importance < f.importance,
		!is(f.session, r.session) || !is(f.agent, r.agent) || !is(f.branch, r.branch),
		r.scope == sessionScope && f.within != anything && f.within != int64(r.session),
		f.open && r.flags&open == 0:
		return false
	}
	if r.flags&archived != 0 {
		return f.archived
	}
	return f.active
}

const (
	sessionScope = 1
	userScope    = 3
)

// filtered keeps which documents pass the filters that were used last: most queries have one of a few.
type filtered struct {
	mu   sync.Mutex // guards the list; what it points to changes only while the index is locked for writing
	kept []*passing // last used first
}

// passing is which documents pass a filter.
type passing struct {
	filter filter
	docs   []bool // by document
	size   int    // how many pass
}

// mostKept is how many filters are kept, at a byte for each document.
const mostKept = 4

// passing returns which documents pass a query's filters. The index is locked for reading.
func (x *Index) passing(q mem.Query) *passing {
	f := x.docs.filter(q)
	x.filtered.mu.Lock()
	defer x.filtered.mu.Unlock()
	kept := x.filtered.kept
	at := slices.IndexFunc(kept, func(p *passing) bool { return p.filter == f })
	if at < 0 {
		p := &passing{filter: f, docs: make([]bool, x.docs.len())}
		for d := range x.docs.rows {
			if p.docs[d] = f.passes(&x.docs.rows[d]); p.docs[d] {
				p.size++
			}
		}
		x.filtered.kept = append([]*passing{p}, kept[:min(len(kept), mostKept-1)]...)
		return p
	}
	p := kept[at]
	copy(kept[1:], kept[:at])
	kept[0] = p
	return p
}

// changed says that a document was added, or that what filters read of it has changed.
func (f *filtered) changed(doc int32, r *row) {
	for _, p := range f.kept {
		if int(doc) == len(p.docs) {
			p.docs = append(p.docs, false)
		}
		was := p.docs[doc]
		p.docs[doc] = p.filter.passes(r)
		switch {
		case !was && p.docs[doc]:
			p.size++
		case was && !p.docs[doc]:
			p.size--
		}
	}
}
