package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/vector"
)

// vectors caches the signs of one model's vectors. They are read when they are first needed.
type vectors struct {
	mu         sync.RWMutex
	model      string
	dims       int          // 0: nothing is cached
	memories   vector.Signs // without utterances, which are never searched together with them
	utterances vector.Signs
}

// of returns the signs of the kinds of memories that q searches.
func (v *vectors) of(q mem.Query) *vector.Signs {
	if stored.SearchesUtterances(q) {
		return &v.utterances
	}
	return &v.memories
}

// drop removes memories from the cache.
func (v *vectors) drop(numbers map[int64]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(numbers)
}

// dropLocked is drop for a caller that holds the lock.
func (v *vectors) dropLocked(numbers map[int64]bool) {
	v.memories.Drop(numbers)
	v.utterances.Drop(numbers)
}

// has reports whether the vectors of a model are cached. The caller holds the lock.
func (v *vectors) has(model string, dims int) bool {
	return v.model == model && v.dims == dims && dims > 0
}

// clear empties the cache. The caller holds the lock.
func (v *vectors) clear() {
	v.model, v.dims, v.memories, v.utterances = "", 0, vector.Signs{}, vector.Signs{}
}

// PutVectors implements mem.Store.
func (s *vectorStore) PutVectors(ctx context.Context, model string, vs []mem.Vector) error {
	if err := s.dropOtherLengths(ctx, model, vs); err != nil {
		return wrap("put vectors", err)
	}
	var kept []storedVector
	err := s.change(ctx, func(w *writer) error {
		kept = kept[:0]
		for _, v := range vs {
			p, found, err := w.putVector(ctx, model, v)
			if err != nil {
				return fmt.Errorf("of %s: %w", v.Memory, err)
			}
			if found {
				kept = append(kept, p)
			}
		}
		return nil
	})
	if err != nil {
		return wrap("put vectors", err)
	}
	s.cache.put(model, kept)
	return nil
}

// dropOtherLengths deletes the vectors of a model if their length is not that of the
// new ones. All stored vectors of a model have the same length.
func (s *vectorStore) dropOtherLengths(ctx context.Context, model string, vs []mem.Vector) error {
	dims := stored.VectorLength(vs)
	if dims == 0 {
		return nil
	}
	had, err := s.dimensions(ctx, model)
	if err != nil || had == 0 || had == dims {
		return err
	}
	if err := s.drop(ctx, "model=? AND length(data)<>?", model, dims); err != nil {
		return err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.clear()
	return nil
}

// dimensions is the length of a model's vectors, 0 if there is none.
func (s *vectorStore) dimensions(ctx context.Context, model string) (int, error) {
	dims, _, err := first(ctx, s.read, stmt("SELECT length(data) FROM vector WHERE model=? LIMIT 1", model), one[int])
	return dims, err
}

// storedVector is a vector that was written.
type storedVector struct {
	number    int64
	utterance bool
	data      []byte // none if the model has no vector
}

func (w *writer) putVector(ctx context.Context, model string, v mem.Vector) (p storedVector, found bool, err error) {
	found, err = w.find(ctx, stmt("SELECT number, kind = 'utterance' FROM memory WHERE id=? AND updated=? "+
		"AND status='active'", v.Memory, stored.Stamp(v.Updated)), &p.number, &p.utterance)
	if err != nil || !found {
		return p, false, err
	}
	model, scale, data := stored.PackVector(model, v)
	p.data = data
	_, err = w.exec(ctx, `INSERT INTO vector (memory, model, scale, data) VALUES (?,?,?,?)
		ON CONFLICT (memory) DO UPDATE SET model=excluded.model, scale=excluded.scale, data=excluded.data`, p.number, model,
		scale, data)
	return p, true, err
}

// put updates the cache with vectors that were written.
func (v *vectors) put(model string, kept []storedVector) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dims == 0 || v.model != model {
		return
	}
	out := map[int64]bool{}
	var memories, utterances []vector.Row
	for _, p := range kept {
		switch {
		case len(p.data) != v.dims:
			out[p.number] = true
		case p.utterance:
			utterances = append(utterances, vector.Row{Number: p.number, Bits: vector.SignsOfStored(p.data)})
		default:
			memories = append(memories, vector.Row{Number: p.number, Bits: vector.SignsOfStored(p.data)})
		}
	}
	if len(out) > 0 {
		v.dropLocked(out)
	}
	v.memories.Put(memories)
	v.utterances.Put(utterances)
}

// load reads the signs of a model's vectors, unless they are cached.
func (s *vectorStore) load(ctx context.Context, model string, dims int) error {
	v := s.cache
	v.mu.RLock()
	have := v.has(model, dims)
	v.mu.RUnlock()
	if have || dims == 0 {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.has(model, dims) {
		return nil
	}
	v.clear()
	v.memories, v.utterances = vector.NewSigns(dims), vector.NewSigns(dims)
	_, err := rows(ctx, s.read,
		stmt(`SELECT v.memory, v.data, m.kind = 'utterance' FROM vector v CROSS JOIN memory m ON m.number = v.memory
		WHERE v.model=? ORDER BY v.memory`, model), func(r *sql.Rows) (struct{}, error) {
			var number int64
			var data sql.RawBytes
			var utterance bool
			err := r.Scan(&number, &data, &utterance)
			if err != nil || len(data) != dims {
				return struct{}{}, err
			}
			into := &v.memories
			if utterance {
				into = &v.utterances
			}
			into.Append(number, data)
			return struct{}{}, nil
		})
	if err != nil {
		v.clear()
		return err
	}
	v.model, v.dims = model, dims
	return nil
}

// preload reads the signs before the first search needs them. Callers that look for
// memories without vectors have the time.
func (s *vectorStore) preload(ctx context.Context, model string) error {
	s.cache.mu.RLock()
	have := s.cache.model == model
	s.cache.mu.RUnlock()
	if have {
		return nil
	}
	dims, err := s.dimensions(ctx, model)
	if err != nil {
		return err
	}
	return s.load(ctx, model, dims)
}

// WithoutVector implements mem.Store.
func (s *vectorStore) WithoutVector(ctx context.Context, model, before string, n int) ([]mem.Memory, string, error) {
	numbers, next, err := s.lacking(ctx, model, before, n)
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	ms, err := s.inOrder(ctx, numbers)
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	return ms, next, nil
}

// lacking returns the numbers of the memories of WithoutVector, and its next.
func (s *vectorStore) lacking(ctx context.Context, model, before string, n int) (numbers []int64, next string,
	err error,
) {
	from := furthest
	if before != "" {
		// The exact id: as a prefix it could name another memory after this one was erased.
		if err := stmt("SELECT number FROM memory WHERE id=?", before).scan(ctx, s.read, &from); err != nil {
			return nil, "", fmt.Errorf("before %s: %w", before, err)
		}
	}
	if err := s.preload(ctx, model); err != nil {
		return nil, "", err
	}
	all, err := rows(ctx, s.read, stmt(`SELECT m.number, m.status = 'active' AND NOT EXISTS (SELECT 1 FROM vector v
			WHERE v.memory = m.number AND v.model IN (?, ?))
		FROM memory m WHERE m.number < ? ORDER BY m.number DESC`, model, stored.NoVector(model), from).
		limit(stored.VectorWindow), into((*stored.Examined).Fields))
	numbers, next = stored.Lacking(all, n)
	return numbers, next, err
}

// inOrder returns the memories of numbers that are there, in that order.
func (s *vectorStore) inOrder(ctx context.Context, numbers []int64) ([]mem.Memory, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	return rows(ctx, s.read, inListedOrder(numbers), scanMemory)
}

// CountVectors implements mem.Store.
func (s *vectorStore) CountVectors(ctx context.Context, model string) (n int, err error) {
	err = stmt("SELECT count(*) FROM vector WHERE model=?", model).scan(ctx, s.read, &n)
	return n, wrap("count vectors", err)
}

// dropStep is how many vectors one transaction deletes. New events wait for it.
const dropStep = 500

// DropVectors implements mem.Store.
func (s *vectorStore) DropVectors(ctx context.Context, model string) error {
	if err := s.drop(ctx, "model NOT IN "+listed, array(stored.ModelsOf(model))); err != nil {
		return wrap("drop vectors", err)
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if s.cache.model != model {
		s.cache.clear()
	}
	return nil
}

// drop deletes the vectors that meet a condition.
func (s *vectorStore) drop(ctx context.Context, where string, args ...any) error {
	for {
		var n int
		err := s.change(ctx, func(w *writer) (err error) {
			n, err = w.changed(ctx, "DELETE FROM vector WHERE memory IN (SELECT memory FROM vector WHERE "+where+
				" LIMIT ?+0)", append(slices.Clone(args), dropStep)...)
			return err
		})
		if err != nil || n < dropStep {
			return err
		}
	}
}

// numbersOf is the set of the numbers of memories.
func numbersOf(memories map[int64]stored.MemoryRow) map[int64]bool {
	out := make(map[int64]bool, len(memories))
	for n := range maps.Keys(memories) {
		out[n] = true
	}
	return out
}
