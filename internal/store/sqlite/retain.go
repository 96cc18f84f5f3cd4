package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// maxDropped is how many payloads one transaction drops. Events that come
// meanwhile wait for it.
const maxDropped = 50

// DropPayloads implements mem.Store.
func (s *erasure) DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int,
	err error,
) {
	next, old, err := s.oldPayloads(ctx, before, from, n)
	for len(old) > 0 && err == nil {
		part := old[:min(len(old), maxDropped)]
		old = old[len(part):]
		err = s.husk(ctx, part)
		if err == nil {
			dropped += len(part)
		}
	}
	if err != nil {
		return from, dropped, fmt.Errorf("drop payloads: %w", translate(err))
	}
	return next, dropped, nil
}

// DropJobs implements mem.Store.
func (s *jobStore) DropJobs(ctx context.Context, before time.Time, n int) (dropped int, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("drop jobs: %w", err)
	}
	defer unlock()
	err = s.transact(context.WithoutCancel(ctx), func(w *writer) error {
		res, err := w.exec(ctx, `DELETE FROM job WHERE number IN
			(SELECT number FROM job WHERE dead = 1 AND created < ? AND not_before < ? LIMIT ?+0)`, stamp(before), stamp(before),
			n)
		if err != nil {
			return err
		}
		gone, err := res.RowsAffected()
		dropped = int(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop jobs: %w", translate(err))
	}
	return dropped, nil
}

// oldPayloads looks at n events and returns those that have a payload to drop.
func (s *erasure) oldPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, old []int64,
	err error,
) {
	var last sql.NullInt64
	err = s.read.QueryRowContext(ctx, "SELECT seq FROM event WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ?+0", from,
		n).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return from, nil, err
	}
	end := &filter{}
	end.and("seq >= ?", from)
	if last.Valid {
		end.and("seq < ?", last.Int64)
	}
	// An erased payload is no JSON, nor is one that cannot be read any more.
	old, err = rows(ctx, s.read, "SELECT seq FROM event WHERE "+end.where()+` AND created_at < ?
		AND CASE WHEN json_valid(payload) THEN json_extract(payload, '$.dropped') IS NULL ELSE 0 END ORDER BY seq`,
		append(end.args, stamp(before)), one[int64])
	return last.Int64, old, err
}

// husk drops the payloads of events in one transaction. One that was erased
// meanwhile stays so.
func (s *erasure) husk(ctx context.Context, seqs []int64) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.transact(context.WithoutCancel(ctx), func(w *writer) error {
		for _, seq := range seqs {
			if err := w.husk(ctx, seq); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) husk(ctx context.Context, seq int64) error {
	var payload string
	found, err := w.find(ctx, "SELECT payload FROM event WHERE seq=? AND payload<>''", []any{seq}, &payload)
	if err != nil || !found {
		return err
	}
	e, err := undoc[mem.Event](fmt.Sprint("event ", seq), payload)
	if err != nil {
		return despite(err)
	}
	if payload, err = text(e.WithoutPayload()); err != nil {
		return err
	}
	_, err = w.exec(ctx, "UPDATE event SET payload=? WHERE seq=?", payload, seq)
	return err
}
