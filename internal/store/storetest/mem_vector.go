package storetest

import (
	"context"
	"maps"
	"math"
	"reflect"
	"slices"

	"remanence/internal/mem"
)

var _ mem.Vectors = (*Mem)(nil)

// meaning is a memory's vector and the memory as it was then.
type meaning struct {
	model  string
	values []float32
	of     mem.Memory
}

// vectorOf returns the vector of a memory, unless its text is another by now.
func (s *Mem) vectorOf(m *memory, model string) (v meaning, ok bool) {
	v, ok = s.vectors[m.ID]
	same := v.of.Title == m.Title && v.of.Body == m.Body && slices.Equal(v.of.Facts, m.Facts) && reflect.DeepEqual(v.of.Summary, m.Summary)
	return v, ok && same && v.model == model
}

// PutVectors implements mem.Vectors.
func (s *Mem) PutVectors(ctx context.Context, model string, vs []mem.Vector) error {
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if s.vectors == nil {
		s.vectors = map[string]meaning{}
	}
	if i := slices.IndexFunc(vs, func(v mem.Vector) bool { return len(v.Values) > 0 }); i >= 0 {
		maps.DeleteFunc(s.vectors, func(_ string, had meaning) bool {
			return had.model == model && len(had.values) > 0 && len(had.values) != len(vs[i].Values)
		})
	}
	for _, v := range vs {
		for _, m := range s.memories {
			if m.ID == v.Memory && m.Updated.Equal(v.Updated) && m.Status == mem.Active {
				s.vectors[m.ID] = meaning{model, v.Values, m.Memory}
			}
		}
	}
	return nil
}

// Near implements mem.Vectors by looking at each vector.
func (s *Mem) Near(ctx context.Context, model string, v []float32, q mem.Query, n int) ([]mem.Hit, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	pool := s.newest()
	if len(q.IDs) > 0 {
		named, err := s.named(q)
		if isAmbiguous(err) {
			return nil, err
		}
		pool = slices.DeleteFunc(pool, func(m *memory) bool { return !slices.Contains(named, m) })
		q = mem.Query{Hidden: q.Hidden, Within: "*"}
	}
	var hits []mem.Hit
	for _, m := range pool {
		have, ok := s.vectorOf(m, model)
		if !ok || len(have.values) != len(v) || !s.passes(m, q) {
			continue
		}
		if cos := cosine(v, have.values); !math.IsNaN(cos) {
			hits = append(hits, mem.Hit{Memory: shown(m), Score: cos, Parts: map[string]float64{mem.PartCos: cos}})
		}
	}
	slices.SortStableFunc(hits, func(a, b mem.Hit) int { return compare(b.Score, a.Score) })
	return page(hits, 0, n, mem.DefaultLimit), nil
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

// Without implements mem.Vectors.
func (s *Mem) Without(ctx context.Context, model, before string, n int) (ms []mem.Memory, next string, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	from := int64(math.MaxInt64)
	if before != "" {
		named, err := s.named(mem.Query{IDs: []string{before}, Hidden: true})
		if err != nil {
			return nil, "", err
		}
		from = named[0].number
	}
	pool := slices.Clone(s.memories)
	slices.SortFunc(pool, func(a, b *memory) int { return int(b.number - a.number) })
	for _, m := range pool {
		if m.number >= from || m.Status != mem.Active {
			continue
		}
		if _, ok := s.vectorOf(m, model); ok {
			continue
		}
		if ms = append(ms, shown(m)); len(ms) == n {
			return ms, m.ID, nil
		}
	}
	return ms, "", nil
}

// CountVectors implements mem.Vectors.
func (s *Mem) CountVectors(ctx context.Context, model string) (int, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	n := 0
	for _, m := range s.memories {
		if v, ok := s.vectorOf(m, model); ok && !math.IsNaN(cosine(v.values, v.values)) {
			n++
		}
	}
	return n, nil
}

// DropVectors implements mem.Vectors.
func (s *Mem) DropVectors(ctx context.Context, model string) error {
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for id, v := range s.vectors {
		if model == "" || v.model != model {
			delete(s.vectors, id)
		}
	}
	return nil
}
