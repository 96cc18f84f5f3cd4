package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// putJob adds a job, unless one like it waits. One that somebody works on does
// not count: it may have read before what the new one is about came in.
func (e *entry) putJob(ctx context.Context, j mem.Job) error {
	session, err := e.sessionOf(ctx, j.Session, "", e.event.Agent)
	if err != nil {
		return err
	}
	var n int64
	found, err := e.find(ctx, "SELECT number FROM job WHERE kind=? AND session IS ? AND key=? AND dead=0 AND leased<=? LIMIT 1",
		[]any{j.Kind, session, j.Key, stamp(e.now)}, &n)
	if err != nil || found {
		return err
	}
	if n, err = e.next(ctx, "job"); err != nil {
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO job (number, id, kind, session, key, data, not_before, attempts, created, error, dead, leased)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,0)`, n, shortID("j_", n), j.Kind, session, j.Key, j.Data, stamp(j.NotBy), j.Attempts,
		stamp(firstOf(j.Created, e.now)), j.Error, j.Dead)
	return err
}

// failJob ends a job's lease. A job that is gone has been finished by another.
func (e *entry) failJob(ctx context.Context, j mem.Job) error {
	_, err := e.exec(ctx, "UPDATE job SET error=?, not_before=?, dead=?, leased=0 WHERE id=?", j.Error, stamp(j.NotBy), j.Dead, j.ID)
	return err
}

const dueJobs = "dead = 0 AND not_before <= ? AND leased <= ?"

// Lease implements mem.Store. Attempts of a job returned counts this one.
func (s *Store) Lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	due, err := lookUp(ctx, s.read, "SELECT 1 FROM job WHERE "+dueJobs+" LIMIT 1", []any{stamp(now), stamp(now)}, one[int])
	if err != nil {
		return nil, fmt.Errorf("lease: %w", translate(err))
	}
	if len(due) == 0 || n <= 0 {
		return nil, nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	defer unlock()
	var jobs []mem.Job
	err = s.transact(context.WithoutCancel(ctx), func(w *writer) (err error) {
		jobs, err = w.lease(ctx, now, lease, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease: %w", translate(err))
	}
	return jobs, nil
}

func (w *writer) lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	jobs, err := rows(ctx, w.conn, `SELECT j.id, j.kind, coalesce(s.id, ''), j.key, j.data, j.not_before, j.attempts, j.created, j.error
		FROM job j LEFT JOIN session s ON s.number = j.session WHERE `+dueJobs+" ORDER BY j.number LIMIT ?+0",
		[]any{stamp(now), stamp(now), n}, scanJob)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].Attempts++
		if _, err := w.exec(ctx, "UPDATE job SET leased=?, attempts=? WHERE id=?", stamp(now.Add(lease)), jobs[i].Attempts, jobs[i].ID); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

func scanJob(r *sql.Rows) (mem.Job, error) {
	var j mem.Job
	var notBefore, created int64
	err := r.Scan(&j.ID, &j.Kind, &j.Session, &j.Key, &j.Data, &notBefore, &j.Attempts, &created, &j.Error)
	j.NotBy, j.Created = moment(notBefore), moment(created)
	return j, err
}

// putPause sets or lifts a pause.
func (e *entry) putPause(ctx context.Context, p mem.Pause) error {
	target, err := e.knownProject(ctx, p.Target)
	if err != nil {
		return err
	}
	if p.Lift {
		_, err = e.exec(ctx, "DELETE FROM pause WHERE target=?", target)
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO pause (target, until, inject_only) VALUES (?,?,?)
		ON CONFLICT (target) DO UPDATE SET until=excluded.until, inject_only=excluded.inject_only`,
		target, stamp(p.Until), p.InjectOnly)
	return err
}

// Paused implements mem.Store.
func (s *Store) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	pauses, err := rows(ctx, s.read, "SELECT target, until, inject_only FROM pause WHERE until = 0 OR until > ? ORDER BY target",
		[]any{stamp(now)}, func(r *sql.Rows) (mem.Pause, error) {
			var p mem.Pause
			var until int64
			err := r.Scan(&p.Target, &until, &p.InjectOnly)
			p.Until = moment(until)
			return p, err
		})
	if err != nil {
		return nil, fmt.Errorf("pauses: %w", translate(err))
	}
	return pauses, nil
}
