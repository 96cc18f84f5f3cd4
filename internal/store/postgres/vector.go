//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/vector"
)

// PutVectors implements mem.Store.
func (s *Store) PutVectors(ctx context.Context, model string, vs []mem.Vector) error {
	return wrap("put vectors", s.transact(ctx, func(tx *transaction) error {
		if n := stored.VectorLength(vs); n > 0 {
			if err := tx.exec(ctx, query("DELETE FROM vector WHERE model = ? AND octet_length(data) <> ?", model,
				n)); err != nil {
				return err
			}
		}
		return stored.Each(ctx, "vector", vs, func(ctx context.Context, v mem.Vector) error {
			return tx.putVector(ctx, model, v)
		})
	}))
}

func (tx *transaction) putVector(ctx context.Context, model string, v mem.Vector) error {
	model, scale, data := stored.PackVector(model, v)
	return tx.exec(ctx, query(`INSERT INTO vector (memory, model, scale, data)
		SELECT number, ?::text, ?::float8, ?::bytea FROM memory WHERE id = ? AND updated = ? AND status = 'active'
		ON CONFLICT (memory) DO UPDATE SET model = excluded.model, scale = excluded.scale, data = excluded.data`, model,
		scale, data, v.Memory, stored.Stamp(v.Updated)))
}

// Near implements mem.Store. Without the index of near.go it compares all vectors of the memories that pass the
// filters.
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
	n = stored.LimitOr(n)
	found, ok, err := s.near(ctx, model, v, where, n)
	if ctx.Err() != nil {
		return nil, wrap("near", err)
	}
	if !ok { // an error of the index is none of the comparison
		if found, err = s.compareAll(ctx, model, v, where); err != nil {
			return nil, wrap("near", err)
		}
	}
	stored.NearestFirst(found)
	hits, err := s.hits(ctx, found[:min(len(found), n)])
	for i := range hits {
		hits[i].Parts = map[string]float64{mem.PartCos: hits[i].Score}
	}
	return hits, wrap("near", err)
}

// compareAll compares all vectors of the memories that pass a filter.
func (s *database) compareAll(ctx context.Context, model string, v []float32, where *statement) ([]stored.Candidate,
	error,
) {
	return rows(ctx, s.pool, query(`SELECT m.number, v.data FROM vector v JOIN memory m ON m.number = v.memory
		WHERE v.model = ? AND octet_length(v.data) = ? AND `, model, len(v)).append(where), compared(v))
}

// WithoutVector implements mem.Store.
func (s *Store) WithoutVector(ctx context.Context, model, before string, n int) ([]mem.Memory, string, error) {
	from := int64(math.MaxInt64)
	if before != "" {
		// The exact id: as a prefix it could name another memory after this one was erased.
		if err := get(ctx, s.pool, query("SELECT number FROM memory WHERE id = ?", before), &from); err != nil {
			return nil, "", wrap(fmt.Sprintf("without vector before %s", before), err)
		}
	}
	all, err := rows(ctx, s.pool, query(`SELECT m.number, m.status = 'active' AND NOT EXISTS (SELECT 1 FROM vector v
		WHERE v.memory = m.number AND v.model = ANY(?)) FROM memory m WHERE m.number < ? ORDER BY m.number DESC LIMIT ?`,
		stored.ModelsOf(model), from, stored.VectorWindow), into((*stored.Examined).Fields))
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	numbers, next := stored.Lacking(all, n)
	ms, err := inOrder(ctx, s.pool, numbers)
	if err != nil {
		return nil, "", wrap("without vector", err)
	}
	return ms, next, nil
}

// CountVectors implements mem.Store.
func (s *Store) CountVectors(ctx context.Context, model string) (n int, err error) {
	err = get(ctx, s.pool, query("SELECT count(*) FROM vector WHERE model = ?", model), &n)
	return n, wrap("count vectors", err)
}

// dropStep is how many vectors one transaction deletes. New events wait for it.
const dropStep = 2000

// DropVectors implements mem.Store.
func (s *Store) DropVectors(ctx context.Context, model string) error {
	keep := stored.ModelsOf(model)
	for {
		n, err := s.changeRows(ctx, query("DELETE FROM vector WHERE memory IN "+
			"(SELECT memory FROM vector WHERE model <> ALL(?) LIMIT ?)", keep, dropStep))
		if err == nil && n < dropStep && model != "" { // all memories have one of the model
			err = s.indexVectors(ctx)
		}
		if err != nil || n < dropStep {
			return wrap("drop vectors", err)
		}
	}
}
