package index

import "slices"

// Of what is indexed at least this share is alive, or the index is compacted.
const (
	mostDead  = 0.25
	leastDead = 1000
)

func (x *Index) compactIfSparse() {
	if dead := x.docs.len() - x.docs.living; dead > leastDead && float64(dead) > mostDead*float64(x.docs.len()) {
		x.compact()
	}
}

// compact rewrites the index without what was removed.
func (x *Index) compact() {
	x.filtered.kept = nil
	old := x.docs.ids
	to := x.docs.compact()
	terms, moved, lists := newDictionary(), make([]int32, len(x.lists)), x.lists[:0:0]
	for t := range x.lists {
		moved[t] = none
		if l := x.lists[t].moved(to); l.n > 0 {
			moved[t] = terms.add(x.vocabulary.key(int32(t)))
			lists = append(lists, l)
		}
	}
	x.vocabulary, x.lists = terms, lists
	x.docs.renumber(moved)
	links := make(map[int32][]int32, len(x.links))
	for from, targets := range x.links {
		if to[from] == none {
			continue
		}
		for _, id := range targets {
			if n := x.docs.ids.find(old.key(id)); n != none {
				links[to[from]] = append(links[to[from]], n)
			}
		}
	}
	cited := make(map[string]int32, len(x.cited))
	for name, id := range x.cited {
		if n := x.docs.ids.find(old.key(id)); n != none {
			cited[name] = n
		}
	}
	x.links, x.cited = links, cited
	x.memo = newMemo()
}

// Trim frees what only adding many memories needs, and puts together what many small allocations hold.
func (x *Index) Trim() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.memo = newMemo()
	x.vocabulary = x.vocabulary.trimmed()
	x.trimPostings()
	x.docs.trim()
}

// trimPostings puts the postings of all terms into one slice. A list that grows later leaves it.
func (x *Index) trimPostings() {
	bytes := 0
	for i := range x.lists {
		bytes += len(x.lists[i].data)
	}
	lists, data := make([]list, len(x.lists)), make([]byte, 0, bytes)
	for i, l := range x.lists {
		from := len(data)
		data = append(data, l.data...)
		l.data = data[from:len(data):len(data)]
		if l.skips != nil {
			places := slices.Clone(*l.skips)
			l.skips = &places
		}
		lists[i] = l
	}
	x.lists = lists
}
