package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"remanence/internal/chars"
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
	found, err := e.find(ctx, "SELECT number FROM job WHERE kind=? AND session IS ? AND key=? AND dead=0 AND leased<=? "+
		"LIMIT 1",
		[]any{j.Kind, session, j.Key, stamp(e.now)}, &n)
	if err != nil || found {
		return err
	}
	if n, err = e.next(ctx, "job"); err != nil {
		return err
	}
	_,
		err = e.exec(ctx,
		`INSERT INTO job (number, id, kind, session, key, data, not_before, attempts, created, error, dead, leased)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,0)`, n, chars.ShortID("j_", n), j.Kind, session, j.Key, j.Data, stamp(j.NotBefore),
		j.Attempts,
		stamp(firstOf(j.Created, e.now)), j.Error, j.Dead)
	return err
}

// failJob ends a job's lease. A job that is gone has been finished by another.
func (e *entry) failJob(ctx context.Context, j mem.Job) error {
	_, err := e.exec(ctx, "UPDATE job SET error=?, not_before=?, dead=?, leased=0 WHERE id=?", j.Error, stamp(j.NotBefore),
		j.Dead, j.ID)
	return err
}

// dueJobs has now as its argument, three times, before the lane's. A session in
// which something failed rests as a whole, and holds up no other when it has rested.
const dueJobs = `FROM job j LEFT JOIN session s ON s.number = j.session
	LEFT JOIN (SELECT kind, session, max(attempts) AS tries, max(iif(dead, 0, not_before)) AS until
		FROM job WHERE error <> '' AND session IS NOT NULL GROUP BY kind, session) f ON f.kind = j.kind
		AND f.session = j.session
	WHERE j.dead = 0 AND j.not_before <= ? AND j.leased <= ? AND coalesce(f.until, 0) <= ?`

// Lease implements mem.Store. Attempts of a job returned counts this one.
func (s *jobStore) Lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration,
	n int,
) ([]mem.Job, error) {
	of, args := kindsCondition(kinds)
	due, err := lookUp(ctx, s.read, "SELECT 1 "+dueJobs+of+" LIMIT 1",
		append([]any{stamp(now), stamp(now), stamp(now)}, args...), one[int])
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
		jobs, err = w.lease(ctx, kinds, now, lease, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease: %w", translate(err))
	}
	return jobs, nil
}

// kindsCondition returns the condition of jobs by kind, and its arguments.
func kindsCondition(kinds mem.JobKinds) (condition string, args []any) {
	if len(kinds.Only) > 0 {
		condition, args = " AND j.kind IN (SELECT value FROM json_each(?))", append(args, array(kinds.Only))
	}
	if len(kinds.Except) > 0 {
		condition += " AND j.kind NOT IN (SELECT value FROM json_each(?))"
		args = append(args, array(kinds.Except))
	}
	return condition, args
}

const jobColumns = "SELECT j.id, j.kind, coalesce(s.id, ''), j.key, j.data, j.not_before, j.attempts, j.created, " +
	"j.error, j.dead "

// RetryDeadJobs implements mem.Store.
func (s *jobStore) RetryDeadJobs(ctx context.Context) (n int, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("retry dead jobs: %w", err)
	}
	defer unlock()
	err = s.transact(ctx, func(w *writer) error {
		if err := w.get(ctx, "SELECT count(*) FROM job WHERE dead = 1", nil, &n); err != nil || n == 0 {
			return err
		}
		_, err := w.exec(ctx, "UPDATE job SET dead = 0, attempts = 0, not_before = 0 WHERE dead = 1")
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("retry dead jobs: %w", translate(err))
	}
	return n, nil
}

// EndLeases implements mem.Store.
func (s *jobStore) EndLeases(ctx context.Context) error {
	held, err := lookUp(ctx, s.read, "SELECT 1 FROM job WHERE leased > 0 LIMIT 1", nil, one[int])
	if err != nil {
		return fmt.Errorf("end leases: %w", translate(err))
	}
	if len(held) == 0 { // as a rule: nothing is written at a start
		return nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("end leases: %w", err)
	}
	defer unlock()
	err = s.transact(ctx, func(w *writer) error {
		_, err := w.exec(ctx, "UPDATE job SET leased = 0 WHERE leased > 0")
		return err
	})
	if err != nil {
		return fmt.Errorf("end leases: %w", translate(err))
	}
	return nil
}

func (w *writer) lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration, n int) ([]mem.Job,
	error,
) {
	condition, args := kindsCondition(kinds)
	args = append([]any{stamp(now), stamp(now), stamp(now)}, args...)
	var jobs []mem.Job
	// Two questions, for the first ends early where one that sorts looks at all.
	for _, of := range []string{
		" AND f.tries IS NULL ORDER BY j.number LIMIT ?+0",
		" AND f.tries IS NOT NULL ORDER BY f.tries, j.number LIMIT ?+0",
	} {
		more, err := rows(ctx, w.conn, jobColumns+dueJobs+condition+of, append(slices.Clone(args), n-len(jobs)), scanJob)
		if err != nil {
			return nil, err
		}
		if jobs = append(jobs, more...); len(jobs) == n {
			break
		}
	}
	for i := range jobs {
		jobs[i].Attempts++
		if _, err := w.exec(ctx, "UPDATE job SET leased=?, attempts=? WHERE id=?", stamp(now.Add(lease)), jobs[i].Attempts,
			jobs[i].ID); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// Jobs implements mem.Store.
func (s *jobStore) Jobs(ctx context.Context, kind string, limit int) ([]mem.Job, error) {
	jobs, err := rows(ctx, s.read, jobColumns+
		"FROM job j LEFT JOIN session s ON s.number = j.session WHERE j.kind = ? ORDER BY j.number LIMIT ?+0",
		[]any{kind, limit}, scanJob)
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", translate(err))
	}
	return jobs, nil
}

func scanJob(r *sql.Rows) (mem.Job, error) {
	var j mem.Job
	var notBefore, created int64
	err := r.Scan(&j.ID, &j.Kind, &j.Session, &j.Key, &j.Data, &notBefore, &j.Attempts, &created, &j.Error, &j.Dead)
	j.NotBefore, j.Created = moment(notBefore), moment(created)
	return j, err
}

// putPause sets or lifts a pause.
func (e *entry) putPause(ctx context.Context, p mem.Pause) error {
	target, err := e.knownProject(ctx, p.Target)
	if err != nil {
		return err
	}
	if err := e.keepSilent(ctx, target, p); err != nil {
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
func (s *sessionStore) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	pauses, err := lookUp(ctx, s.read,
		"SELECT target, until, inject_only FROM pause WHERE until = 0 OR until > ? ORDER BY target",
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
