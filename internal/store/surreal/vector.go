//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
	"remanence/internal/vector"
)

// PutVectors implements mem.Store.
func (s *Store) PutVectors(ctx context.Context, model string, vs []mem.Vector) error {
	return wrap("put vectors", s.transact(ctx, func(tx *transaction) error {
		if n := stored.VectorLength(vs); n > 0 {
			if err := tx.exec(ctx, query("DELETE vector WHERE model = ? AND size != ? RETURN NONE", model, n)); err != nil {
				return err
			}
		}
		return stored.Each(ctx, "vector", vs, func(ctx context.Context, v mem.Vector) error {
			return tx.putVector(ctx, model, v)
		})
	}))
}

func (tx *transaction) putVector(ctx context.Context, model string, v mem.Vector) error {
	n, found, err := first(ctx, tx, query("SELECT number FROM memory WHERE ref = ? AND updated = ? AND status = 'active'",
		v.Memory, stored.Stamp(v.Updated)), number("number"))
	if err != nil || !found {
		return err
	}
	model, scale, data := stored.PackVector(model, v)
	return tx.exec(ctx, vectorRow(n, model, scale, data))
}

// vectorRow is the statement that writes a vector.
func vectorRow(memory int64, model string, scale float64, data []byte) *statement {
	return put("vector", memory, map[string]any{
		"memory": memory, "model": model, "scale": scale, "size": len(data), "data": data,
	})
}

// Near implements mem.Store. It reads all vectors and compares them here: the server takes ten times as long for each,
// and its index over vectors is either slower with a filter, or wrong: with numbers of 16 bits their products overflow.
func (s *Store) Near(ctx context.Context, model string, v []float32, q mem.Query, n int) ([]mem.Hit, error) {
	if vector.Length(v) == 0 {
		return nil, nil
	}
	where, err := s.matchFilter(ctx, q)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap("near", err)
	}
	all, err := rows(ctx, s, query("SELECT memory, data FROM vector WITH NOINDEX WHERE model = ?", model), compared(v))
	if err != nil {
		return nil, wrap("near", err)
	}
	stored.NearestFirst(all)
	best, err := s.nearest(ctx, all, where, stored.LimitOr(n))
	if err != nil {
		return nil, wrap("near", err)
	}
	hits, err := s.hits(ctx, best)
	for i := range hits {
		hits[i].Parts = map[string]float64{mem.PartCos: hits[i].Score}
	}
	return hits, wrap("near", err)
}

// compared scans the number of a memory and its vector, and compares that with v.
func compared(v []float32) func(row) (stored.Candidate, error) {
	length := vector.Length(v)
	return func(r row) (c stored.Candidate, err error) {
		ok := false
		if c.Score, ok = vector.Cosine(v, length, r.Bytes("data")); !ok {
			return c, stored.ErrUnreadable
		}
		c.Number = r.Number("memory")
		return c, nil
	}
}

// firstExamined is how many memories are looked up first, to see whether they pass the filters; then ever more.
const firstExamined = 100

// nearest returns the first of some candidates whose memories meet a condition.
func (s *database) nearest(ctx context.Context, all []stored.Candidate, where *statement, n int) (
	best []stored.Candidate, err error,
) {
	for step := firstExamined; len(all) > 0 && len(best) < n; step *= 4 {
		part := all[:min(len(all), step)]
		all = all[len(part):]
		numbers := make([]int64, len(part))
		for i, c := range part {
			numbers[i] = c.Number
		}
		found, err := rows(ctx, s, selectRecords("number", "memory", numbers).Add(" WHERE ").Append(where), number("number"))
		if err != nil {
			return nil, err
		}
		passes := make(map[int64]bool, len(found))
		for _, m := range found {
			passes[m] = true
		}
		best = append(best, slices.DeleteFunc(part, func(c stored.Candidate) bool { return !passes[c.Number] })...)
	}
	return best[:min(len(best), n)], nil
}

// WithoutVector implements mem.Store.
func (s *Store) WithoutVector(ctx context.Context, model, before string, n int) ([]mem.Memory, string, error) {
	from := int64(math.MaxInt64)
	if before != "" {
		// The exact id: as a prefix it could name another memory after this one was erased.
		var err error
		if from, err = get(ctx, s, query("SELECT number FROM memory WHERE ref = ?", before), number("number")); err != nil {
			return nil, "", wrap(fmt.Sprintf("without vector before %s", before), err)
		}
	}
	all, err := s.run(ctx, surql.Newest("memory", "number, status", query("number < ?", from),
		stored.VectorWindow, 0))
	if err != nil || len(all) == 0 {
		return nil, "", wrap("without vector", err)
	}
	have, err := rows(ctx, s, query("SELECT memory FROM vector WHERE memory >= ? AND memory < ? AND model IN ?",
		all[len(all)-1].Number("number"), from, stored.ModelsOf(model)), number("memory"))
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	has := make(map[int64]bool, len(have))
	for _, m := range have {
		has[m] = true
	}
	window := make([]stored.Examined, len(all))
	for i, r := range all {
		m := r.Number("number")
		window[i] = stored.Examined{Number: m, Lacks: r.Text("status") == string(mem.Active) && !has[m]}
	}
	numbers, next := stored.Lacking(window, n)
	ms, err := inOrder(ctx, s, numbers)
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	return ms, next, nil
}

// CountVectors implements mem.Store.
func (s *Store) CountVectors(ctx context.Context, model string) (int, error) {
	n, err := countOf(ctx, s, "vector", query("model = ?", model))
	return n, wrap("count vectors", err)
}

// dropStep is how many vectors one transaction deletes. New events wait for it.
const dropStep = 500

// DropVectors implements mem.Store.
func (s *Store) DropVectors(ctx context.Context, model string) error {
	keep := stored.ModelsOf(model)
	old, err := rows(ctx, s, query("SELECT memory FROM vector WHERE model NOT IN ?", keep), number("memory"))
	for part := range slices.Chunk(old, dropStep) {
		if err != nil {
			break
		}
		err = s.transact(ctx, func(tx *transaction) error {
			return tx.exec(ctx, query("DELETE vector WHERE memory IN ? AND model NOT IN ? RETURN NONE", part, keep))
		})
	}
	return wrap("drop vectors", err)
}
