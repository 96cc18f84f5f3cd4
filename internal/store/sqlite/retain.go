package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// maxDropped is how many payloads one transaction drops. New events wait for it.
const maxDropped = 50

// DropPayloads implements mem.Store.
func (s *erasure) DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int,
	err error,
) {
	next, old, err := s.oldPayloads(ctx, before, from, n)
	for len(old) > 0 && err == nil {
		part := old[:min(len(old), maxDropped)]
		old = old[len(part):]
		if err = s.change(ctx, func(w *writer) error { return w.dropPayloads(ctx, part) }); err == nil {
			dropped += len(part)
		}
	}
	if err != nil {
		return from, dropped, wrap("drop payloads", err)
	}
	return next, dropped, nil
}

// oldPayloads examines n events and returns those that have a payload to drop.
func (s *erasure) oldPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, old []int64,
	err error,
) {
	var last sql.NullInt64
	err = stmt("SELECT seq FROM event WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ?+0", from, n).scan(ctx, s.read, &last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return from, nil, err
	}
	f := (&filter{}).and("seq >= ?", from)
	if last.Valid {
		f.and("seq < ?", last.Int64)
	}
	// Neither an erased payload nor a damaged one is JSON.
	f.and("created_at < ? AND CASE WHEN json_valid(payload) THEN json_extract(payload, '$.dropped') IS NULL ELSE 0 END",
		stored.Stamp(before))
	old, err = rows(ctx, s.read, stmt("SELECT seq FROM event").where(f).orderBy("seq"), one[int64])
	return last.Int64, old, err
}

// dropPayloads drops the payloads of events. An event that was erased meanwhile stays erased.
func (w *writer) dropPayloads(ctx context.Context, seqs []int64) error {
	for _, seq := range seqs {
		var payload string
		found, err := w.find(ctx, stmt("SELECT payload FROM event WHERE seq=? AND payload<>''", seq), &payload)
		if err != nil {
			return err
		}
		e, err := stored.Decode[mem.Event](fmt.Sprint("event ", seq), payload)
		if !found || err != nil { // erased, or damaged
			continue
		}
		if payload, err = stored.Text(e.WithoutPayload()); err != nil {
			return err
		}
		if _, err = w.exec(ctx, "UPDATE event SET payload=? WHERE seq=?", payload, seq); err != nil {
			return err
		}
	}
	return nil
}
