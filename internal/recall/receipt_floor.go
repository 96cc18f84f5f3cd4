package recall

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// HitsOf returns the items of a receipt that pass a floor, best first, and those that do not or that another rule
// left out. Injected items keep their order. Memories that were erased since are left out.
func (e *Service) HitsOf(ctx context.Context, r mem.Receipt, floor, near float64) (hits []mem.Hit,
	cuts []mem.LeftOutItem, err error,
) {
	judge := floorOf(r, floor, near)
	passes := func(parts map[string]float64) bool {
		ok, _ := judge(parts)
		return ok
	}
	add := func(c mem.LeftOutItem, at int) error {
		ms, err := e.Store.List(ctx, mem.Query{IDs: []string{c.ID}, Hidden: true, Within: "*"})
		switch {
		case errors.Is(err, mem.ErrNotFound):
			return nil
		case err != nil:
			return fmt.Errorf("memory %s: %w", c.ID, err)
		}
		h := mem.Hit{Memory: ms[0], Score: c.Score, Parts: maps.Clone(c.Parts)}
		delete(h.Parts, rank.PartShare)
		if _, share := judge(h.Parts); share > 0 {
			h.Parts[rank.PartShare] = share
		}
		hits = slices.Insert(hits, at, h)
		return nil
	}
	for _, it := range r.Items {
		c := mem.LeftOutItem{ID: it.ID, Title: it.Title, Score: it.Score, Parts: it.Parts, Gate: rank.BelowFloor}
		if !strings.HasPrefix(it.ID, "m_") {
			continue
		}
		if measured(it.Parts) && floor > r.Floor && !passes(it.Parts) {
			cuts = append(cuts, c)
			continue
		}
		if err := add(c, len(hits)); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range r.LeftOut {
		fits := c.Gate == "budget" || c.Gate == rank.BelowFloor && floor < r.Floor && passes(c.Parts)
		if !fits {
			cuts = append(cuts, c)
			continue
		}
		at := len(hits)
		for at > 0 && hits[at-1].Score < c.Score {
			at--
		}
		if err := add(c, at); err != nil {
			return nil, nil, err
		}
	}
	return hits, cuts, nil
}

// measured reports whether a hit with such parts was judged by its words.
func measured(parts map[string]float64) bool {
	_, ok := parts[rank.PartCoverage]
	return ok
}

// floorOf returns a function that reports whether a memory or utterance with such parts passes a floor: by itself, or
// with the share beside one of the receipt that does; see rank.Floor.
func floorOf(r mem.Receipt, floor, near float64) func(parts map[string]float64) (passes bool, share float64) {
	alone := func(parts map[string]float64) bool { return rank.Passes(parts, floor, near) }
	said := func(parts map[string]float64) bool {
		_, ok := parts[rank.PartSession]
		return ok
	}
	best := map[bool]float64{} // match of what passes by itself; memories and utterances are apart
	add := func(parts map[string]float64) {
		if measured(parts) && alone(parts) {
			best[said(parts)] = max(best[said(parts)], rank.Match(parts, nil))
		}
	}
	for _, it := range r.Items {
		add(it.Parts)
	}
	for _, c := range r.LeftOut {
		if c.Gate == rank.BelowFloor || c.Gate == "budget" {
			add(c.Parts)
		}
	}
	return func(parts map[string]float64) (passes bool, share float64) {
		if alone(parts) {
			return true, 0
		}
		if measured(parts) {
			share = rank.Beside(rank.Match(parts, nil), best[said(parts)])
		}
		return share > 0, share
	}
}
