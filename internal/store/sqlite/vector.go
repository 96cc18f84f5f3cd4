package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// vectors are the signs of one model's vectors, read when they are first needed.
type vectors struct {
	mu          sync.RWMutex
	model       string
	dims        int   // 0: nothing is read
	notes, talk signs // of utterances, and of all else: they are never asked for together
}

// of are the signs of the kind of memories that q asks for.
func (v *vectors) of(q mem.Query) *signs {
	if slices.Contains(q.Kinds, mem.Utterance) {
		return &v.talk
	}
	return &v.notes
}

// forget drops what is known of memories.
func (v *vectors) forget(numbers map[int64]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.notes.drop(numbers)
	v.talk.drop(numbers)
}

// has reports whether the vectors of a model are the ones in hand. The caller
// holds the lock.
func (v *vectors) has(model string, dims int) bool {
	return v.model == model && v.dims == dims && dims > 0
}

// empty drops all that is in hand. The caller holds the lock.
func (v *vectors) empty() {
	v.model, v.dims, v.notes, v.talk = "", 0, signs{}, signs{}
}

// none is the model under which a memory stands that a model has no vector for.
func none(model string) string { return model + " (none)" }

// PutVectors implements mem.Store.
func (s *vectorStore) PutVectors(ctx context.Context, model string, vs []mem.Vector) error {
	if err := s.makeWay(ctx, model, vs); err != nil {
		return fmt.Errorf("put vectors: %w", translate(err))
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("put vectors: %w", err)
	}
	defer unlock()
	var kept []placed
	err = s.transact(context.WithoutCancel(ctx), func(w *writer) error {
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
		return fmt.Errorf("put vectors: %w", translate(err))
	}
	s.cache.put(model, kept)
	return nil
}

// makeWay erases the vectors of a model that have another length than the ones to
// come. All that are there have the same.
func (s *vectorStore) makeWay(ctx context.Context, model string, vs []mem.Vector) error {
	i := slices.IndexFunc(vs, func(v mem.Vector) bool { return len(v.Values) > 0 })
	if i < 0 {
		return nil
	}
	dims := len(vs[i].Values)
	had, err := s.dimensions(ctx, model)
	if err != nil || had == 0 || had == dims {
		return err
	}
	if err := s.drop(ctx, "model=? AND length(data)<>?", model, dims); err != nil {
		return err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.empty()
	return nil
}

// dimensions is the length of a model's vectors, 0 if there is none.
func (s *vectorStore) dimensions(ctx context.Context, model string) (int, error) {
	dims, err := rows(ctx, s.read, "SELECT length(data) FROM vector WHERE model=? LIMIT 1", []any{model}, one[int])
	if err != nil || len(dims) == 0 {
		return 0, err
	}
	return dims[0], nil
}

// placed is a vector that was written.
type placed struct {
	number int64
	talk   bool
	data   []byte // none where the model has none
}

func (w *writer) putVector(ctx context.Context, model string, v mem.Vector) (p placed, found bool, err error) {
	found, err = w.find(ctx, "SELECT number, kind = 'utterance' FROM memory WHERE id=? AND updated=? AND status='active'",
		[]any{v.Memory, stamp(v.Updated)}, &p.number, &p.talk)
	if err != nil || !found {
		return p, false, err
	}
	scale, data, ok := quantize(v.Values)
	if !ok {
		model, scale, data = none(model), 0, []byte{}
	}
	p.data = data
	_, err = w.exec(ctx, `INSERT INTO vector (memory, model, scale, data) VALUES (?,?,?,?)
		ON CONFLICT (memory) DO UPDATE SET model=excluded.model, scale=excluded.scale, data=excluded.data`, p.number, model,
		scale, data)
	return p, true, err
}

// put brings what is in hand up to date with what was written.
func (v *vectors) put(model string, kept []placed) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dims == 0 || v.model != model {
		return
	}
	out := map[int64]bool{}
	var notes, talk []row
	for _, p := range kept {
		switch r := (row{p.number, nil}); {
		case len(p.data) != v.dims:
			out[p.number] = true
		case p.talk:
			r.bits = storedSigns(p.data)
			talk = append(talk, r)
		default:
			r.bits = storedSigns(p.data)
			notes = append(notes, r)
		}
	}
	if len(out) > 0 {
		v.notes.drop(out)
		v.talk.drop(out)
	}
	v.notes.put(notes)
	v.talk.put(talk)
}

// load reads the signs of a model's vectors, unless they are in hand.
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
	v.empty()
	v.notes.width, v.talk.width = words(dims), words(dims)
	_, err := rows(ctx, s.read,
		`SELECT v.memory, v.data, m.kind = 'utterance' FROM vector v CROSS JOIN memory m ON m.number = v.memory
		WHERE v.model=? ORDER BY v.memory`, []any{model}, func(r *sql.Rows) (struct{}, error) {
			var number int64
			var data sql.RawBytes
			var talk bool
			err := r.Scan(&number, &data, &talk)
			if err != nil || len(data) != dims {
				return struct{}{}, err
			}
			into := &v.notes
			if talk {
				into = &v.talk
			}
			into.numbers, into.rows = append(into.numbers, number), append(into.rows, storedSigns(data)...)
			return struct{}{}, nil
		})
	if err != nil {
		v.empty()
		return err
	}
	v.model, v.dims = model, dims
	return nil
}

// warm has the signs in hand before the first question needs them: who looks for
// memories without vectors has the time.
func (s *vectorStore) warm(ctx context.Context, model string) error {
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

// window is how many memories one call of Without looks at.
const window = 2000

// WithoutVector implements mem.Store.
func (s *vectorStore) WithoutVector(ctx context.Context, model, before string, n int) (ms []mem.Memory, next string,
	err error,
) {
	from := furthest
	if before != "" {
		// In full: the start of another's id would do where that memory is erased.
		if err := s.read.QueryRowContext(ctx, "SELECT number FROM memory WHERE id=?", before).Scan(&from); err != nil {
			return nil, "", fmt.Errorf("without vector, before %s: %w", before, translate(err))
		}
	}
	if err := s.warm(ctx, model); err != nil {
		return nil, "", fmt.Errorf("without vector: %w", translate(err))
	}
	seen, err := rows(ctx, s.read,
		`SELECT m.number, m.status = 'active' AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory = m.number
			AND v.model IN (?, ?))
		FROM memory m WHERE m.number < ? ORDER BY m.number DESC LIMIT ?+0`, []any{model, none(model), from, window},
		func(r *sql.Rows) (l lacking, err error) {
			err = r.Scan(&l.number, &l.lacks)
			return l, err
		})
	if err != nil {
		return nil, "", fmt.Errorf("without vector: %w", translate(err))
	}
	var numbers []int64
	for i, l := range seen {
		if l.lacks {
			numbers = append(numbers, l.number)
		}
		if len(numbers) == n || i == window-1 {
			next = chars.ShortID("m_", l.number)
			break
		}
	}
	ms, err = s.inOrder(ctx, numbers)
	if err != nil {
		return nil, "", fmt.Errorf("without vector: %w", translate(err))
	}
	return ms, next, nil
}

// lacking is a memory and whether it has no vector.
type lacking struct {
	number int64
	lacks  bool
}

// inOrder returns the memories of numbers that are there, in that order.
func (s *vectorStore) inOrder(ctx context.Context, numbers []int64) ([]mem.Memory, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	return rows(ctx, s.read, "SELECT "+memoryColumns+` FROM json_each(?) j CROSS JOIN memory m ON m.number = j.value
		LEFT JOIN session s ON s.number = m.session ORDER BY j.key`, []any{array(numbers)}, scanMemory)
}

// CountVectors implements mem.Store.
func (s *vectorStore) CountVectors(ctx context.Context, model string) (int, error) {
	found, err := rows(ctx, s.read, "SELECT count(*) FROM vector WHERE model=?", []any{model}, one[int])
	if err != nil {
		return 0, fmt.Errorf("count vectors: %w", translate(err))
	}
	return found[0], nil
}

// dropStep is how many vectors one transaction erases. Events that come
// meanwhile wait for it.
const dropStep = 500

// DropVectors implements mem.Store.
func (s *vectorStore) DropVectors(ctx context.Context, model string) error {
	keep := []string{model, none(model)}
	if model == "" {
		keep = nil
	}
	if err := s.drop(ctx, "model NOT IN (SELECT value FROM json_each(?))", array(keep)); err != nil {
		return fmt.Errorf("drop vectors: %w", translate(err))
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if s.cache.model != model {
		s.cache.empty()
	}
	return nil
}

// drop erases the vectors that a condition names.
func (s *vectorStore) drop(ctx context.Context, where string, args ...any) error {
	for {
		n, err := s.dropSome(ctx, where, args...)
		if err != nil || n < dropStep {
			return err
		}
	}
}

func (s *vectorStore) dropSome(ctx context.Context, where string, args ...any) (n int64, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	err = s.transact(context.WithoutCancel(ctx), func(w *writer) error {
		res, err := w.exec(ctx, "DELETE FROM vector WHERE memory IN (SELECT memory FROM vector WHERE "+where+" LIMIT ?+0)",
			append(slices.Clone(args), dropStep)...)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	return n, err
}

// numbersOf is the set of the numbers of memories.
func numbersOf(memories map[int64]mem.Memory) map[int64]bool {
	out := make(map[int64]bool, len(memories))
	for n := range maps.Keys(memories) {
		out[n] = true
	}
	return out
}
