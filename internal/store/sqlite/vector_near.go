package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

const (
	glance    = 2000 // how many vectors have their signs weighed
	shortlist = 400  // how many of those are read and compared number by number
	longer    = 1200 // as many if too few of the shortlist pass
)

// Near implements mem.Store. The signs in memory pick a shortlist, the stored
// vectors order it, and the best that pass the filters are read. Only if too few
// do are all that pass looked up, and the nearest picked among them.
func (s *vectorStore) Near(ctx context.Context, model string, v []float32, q mem.Query, n int) ([]mem.Hit, error) {
	c := &closest{store: s, model: model, v: v, length: lengthOf(v), most: limitOr(n), filter: memoryFilter(q)}
	if c.length == 0 {
		return nil, nil
	}
	hits, err := c.find(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("near: %w", translate(err))
	}
	return hits, nil
}

// closest is one search by a vector.
type closest struct {
	store  *vectorStore
	model  string
	v      []float32
	length float64
	most   int
	filter *filter
}

func (c *closest) find(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
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
	asked := signsOf(c.v)
	short, all := c.look(q, func(s *signs) ([]int64, bool) {
		return s.weigh(c.v, s.glance(asked, glance), glance), len(s.numbers) <= glance
	})
	for _, n := range [...]int{shortlist, longer} {
		n = min(n, len(short))
		hits, err := c.best(ctx, short[:n])
		if err != nil || len(hits) == c.most || all && n == len(short) {
			return hits, err
		}
		if len(hits)*longer < c.most*shortlist { // nor will the longer one do
			break
		}
	}
	return c.among(ctx, q, asked)
}

// among looks up all memories that pass the filters, and picks the nearest of them.
func (c *closest) among(ctx context.Context, q mem.Query, asked []uint64) ([]mem.Hit, error) {
	var passing []int64
	for _, f := range listFilters(q) {
		some, err := rows(ctx, c.store.read, "SELECT m.number FROM memory m WHERE "+f.where(), f.args, one[int64])
		if err != nil {
			return nil, err
		}
		passing = append(passing, some...)
	}
	slices.Sort(passing)
	short, _ := c.look(q, func(s *signs) ([]int64, bool) {
		return s.weigh(c.v, s.glanceOf(asked, glance, passing), max(shortlist, c.most)), true
	})
	return c.best(ctx, short)
}

// look looks at the signs, which nobody changes meanwhile.
func (c *closest) look(q mem.Query, at func(*signs) ([]int64, bool)) ([]int64, bool) {
	v := c.store.cache
	v.mu.RLock()
	defer v.mu.RUnlock()
	if !v.has(c.model, len(c.v)) { // another model's were loaded in between
		return nil, true
	}
	return at(v.of(q))
}

// best returns the nearest of some memories that pass the filters, nearest
// first; ties break by newest.
func (c *closest) best(ctx context.Context, numbers []int64) ([]mem.Hit, error) {
	order, err := c.order(ctx, numbers)
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

// order compares with the stored vectors of some memories, number by number.
func (c *closest) order(ctx context.Context, numbers []int64) ([]near, error) {
	slices.Sort(numbers) // neighbours lie on one page
	found, err := lookUp(ctx, c.store.read,
		`SELECT v.memory, v.data FROM json_each(?) j CROSS JOIN vector v ON v.memory = j.value WHERE v.model=?`,
		[]any{array(numbers), c.model}, func(r *sql.Rows) (x near, err error) {
			var data sql.RawBytes
			if err := r.Scan(&x.number, &data); err != nil {
				return x, err
			}
			cos, ok := cosine(c.v, c.length, data)
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

// passing reads the memories that pass the filters, in the order given, and no
// more of them than are asked for.
func (c *closest) passing(ctx context.Context, order []near) ([]mem.Hit, error) {
	numbers := make([]int64, 0, len(order))
	cos := make(map[string]float64, len(order))
	for _, x := range order {
		numbers = append(numbers, x.number)
		cos[chars.ShortID("m_", x.number)] = x.cos
	}
	args := append([]any{array(numbers)}, c.filter.args...)
	ms, err := lookUp(ctx, c.store.read, "SELECT "+memoryColumns+
		` FROM json_each(?) j CROSS JOIN memory m ON m.number = j.value
		LEFT JOIN session s ON s.number = m.session WHERE `+c.filter.where()+" LIMIT ?+0", append(args, c.most), scanMemory)
	if err != nil {
		return nil, err
	}
	hits := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		hits = append(hits, mem.Hit{Memory: m, Score: cos[m.ID], Parts: map[string]float64{mem.PartCos: cos[m.ID]}})
	}
	return hits, nil
}
