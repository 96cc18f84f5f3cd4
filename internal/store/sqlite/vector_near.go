package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/vector"
)

const (
	preselected = 2000 // vectors, by the number of equal signs, that are ranked by weighted signs
	shortlist   = 400  // how many of those are read and compared number by number
	longList    = 1200 // the same if too few of the shortlist pass
)

// Near implements mem.Store. The cached signs select a shortlist, the stored vectors
// rank it, and the best that pass the filters are read. If too few pass, it looks up
// all memories that do and ranks those.
func (s *vectorStore) Near(ctx context.Context, model string, v []float32, q mem.Query, n int) ([]mem.Hit, error) {
	c := &nearSearch{
		store: s, model: model, v: v, length: vector.Length(v), most: stored.LimitOr(n), filter: memoryFilter(q),
	}
	if c.length == 0 {
		return nil, nil
	}
	hits, err := c.find(ctx, q)
	return hits, wrap("near", err)
}

// nearSearch is one call of Near.
type nearSearch struct {
	store  *vectorStore
	model  string
	v      []float32
	length float64
	most   int
	filter *filter
}

func (c *nearSearch) find(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	if len(q.IDs) > 0 {
		numbers, err := resolveIDs(ctx, c.store.read, q)
		if errors.Is(err, mem.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c.filter = &filter{}
		return c.best(ctx, numbers)
	}
	if err := c.store.load(ctx, c.model, len(c.v)); err != nil {
		return nil, err
	}
	query := vector.SignsOf(c.v)
	short, all := c.withSigns(q, func(s *vector.Signs) ([]int64, bool) {
		return s.Rank(c.v, s.Nearest(query, preselected), preselected), len(s.Numbers) <= preselected
	})
	for _, n := range [...]int{shortlist, longList} {
		n = min(n, len(short))
		hits, err := c.best(ctx, short[:n])
		if err != nil || len(hits) == c.most || all && n == len(short) {
			return hits, err
		}
		if len(hits)*longList < c.most*shortlist { // the long list will not be enough either
			break
		}
	}
	return c.findFiltered(ctx, q, query)
}

// findFiltered looks up all memories that pass the filters, and ranks them.
func (c *nearSearch) findFiltered(ctx context.Context, q mem.Query, query []uint64) ([]mem.Hit, error) {
	var passing []int64
	for _, f := range listFilters(q) {
		some, err := rows(ctx, c.store.read, stmt("SELECT m.number FROM memory m").where(f), one[int64])
		if err != nil {
			return nil, err
		}
		passing = append(passing, some...)
	}
	slices.Sort(passing)
	short, _ := c.withSigns(q, func(s *vector.Signs) ([]int64, bool) {
		return s.Rank(c.v, s.NearestOf(query, preselected, passing), max(shortlist, c.most)), true
	})
	return c.best(ctx, short)
}

// withSigns calls f with the cached signs, which do not change meanwhile.
func (c *nearSearch) withSigns(q mem.Query, f func(*vector.Signs) ([]int64, bool)) ([]int64, bool) {
	v := c.store.cache
	v.mu.RLock()
	defer v.mu.RUnlock()
	if !v.has(c.model, len(c.v)) { // another model's vectors were loaded meanwhile
		return nil, true
	}
	return f(v.of(q))
}

// best returns the nearest of some memories that pass the filters, nearest first;
// ties break by newest.
func (c *nearSearch) best(ctx context.Context, numbers []int64) ([]mem.Hit, error) {
	order, err := c.byCosine(ctx, numbers)
	if err != nil {
		return nil, err
	}
	var hits []mem.Hit
	for len(order) > 0 && len(hits) < c.most {
		part := order[:min(len(order), 2*c.most)]
		order = order[len(part):]
		more, err := c.passing(ctx, part)
		if err != nil {
			return nil, err
		}
		hits = append(hits, more...)
	}
	return hits[:min(len(hits), c.most)], nil
}

// near is a memory and the cosine of its vector.
type near struct {
	number int64
	cos    float64
}

// byCosine sorts memories by the cosine with their stored vectors.
func (c *nearSearch) byCosine(ctx context.Context, numbers []int64) ([]near, error) {
	slices.Sort(numbers) // neighbours are on the same page
	found, err := lookUp(ctx, c.store.read,
		stmt("SELECT v.memory, v.data FROM json_each(?) j CROSS JOIN vector v ON v.memory = j.value WHERE v.model=?",
			array(numbers), c.model), func(r *sql.Rows) (x near, err error) {
			var data sql.RawBytes
			if err := r.Scan(&x.number, &data); err != nil {
				return x, err
			}
			cos, ok := vector.Cosine(c.v, c.length, data)
			if !ok {
				x.number = 0 // of another length
			}
			x.cos = cos
			return x, nil
		})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(x near) bool { return x.number == 0 })
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.cos, a.cos), cmp.Compare(b.number, a.number))
	})
	return found, nil
}

// passing reads the memories that pass the filters, in the given order, and no more
// than c.most.
func (c *nearSearch) passing(ctx context.Context, order []near) ([]mem.Hit, error) {
	numbers := make([]int64, 0, len(order))
	cos := make(map[string]float64, len(order))
	for _, x := range order {
		numbers = append(numbers, x.number)
		cos[stored.MemoryID(x.number)] = x.cos
	}
	ms, err := lookUp(ctx, c.store.read, stmt("SELECT "+memoryColumns+listedMemories, array(numbers)).where(c.filter).
		limit(c.most), scanMemory)
	if err != nil {
		return nil, err
	}
	hits := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		hits = append(hits, mem.Hit{Memory: m, Score: cos[m.ID], Parts: map[string]float64{mem.PartCos: cos[m.ID]}})
	}
	return hits, nil
}
