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

// vectorRow is the statement that writes a vector: its bytes, and as numbers for what the server computes.
func vectorRow(memory int64, model string, scale float64, data []byte) *statement {
	values := make([]int64, len(data))
	for i, b := range data {
		values[i] = int64(int8(b))
	}
	return put("vector", memory, map[string]any{
		"memory": memory, "model": model, "scale": scale, "size": len(data), "data": data, "values": values,
	})
}

// Near implements mem.Store. The server compares all vectors of the memories that pass the filters.
func (s *Store) Near(ctx context.Context, model string, v []float32, q mem.Query, n int) ([]mem.Hit, error) {
	length := vector.Length(v)
	if length == 0 {
		return nil, nil
	}
	where, err := s.matchFilter(ctx, q)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap("near", err)
	}
	values := make([]float64, len(v))
	for i := range v {
		values[i] = float64(v[i])
	}
	const of = "type::record('vector', number)"
	found, err := rows(ctx, s, query("SELECT number, vector::similarity::cosine("+of+".values, ?) AS cos "+
		"FROM memory WHERE "+of+".model = ? AND "+of+".size = ? AND ", values, model, len(v)).Append(where).
		Add(" ORDER BY cos DESC, number DESC"), func(r row) (stored.Candidate, error) {
		return stored.Candidate{Number: r.Number("number"), Score: r.Float("cos")}, nil
	})
	if err != nil {
		return nil, wrap("near", err)
	}
	hits, err := s.hits(ctx, stored.Page(found, n, 0))
	for i := range hits {
		hits[i].Parts = map[string]float64{mem.PartCos: hits[i].Score}
	}
	return hits, wrap("near", err)
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
