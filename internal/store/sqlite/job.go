package sqlite

import (
	"context"
	"database/sql"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutJob adds a job, unless the same job waits already. A leased one does not
// count: it may have read its input before the cause of the new one was stored.
func (e *entry) PutJob(ctx context.Context, session any, j mem.Job) error {
	var n int64
	found, err := e.find(ctx, stmt("SELECT number FROM job WHERE kind=? AND session IS ? AND key=? AND dead=0 "+
		"AND leased<=? LIMIT 1", j.Kind, session, j.Key, stored.Stamp(e.Now)), &n)
	if err != nil || found {
		return err
	}
	if n, err = e.Next(ctx, "job"); err != nil {
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO job (number, id, kind, session, key, data, not_before, attempts, created, error,
		dead, leased) VALUES (?,?,?,?,?,?,?,?,?,?,?,0)`, n, chars.ShortID("j_", n), j.Kind, session, j.Key, j.Data,
		stored.Stamp(j.NotBefore), j.Attempts, stored.Stamp(j.Created), j.Error, j.Dead)
	return err
}

// FinishJobs deletes jobs.
func (e *entry) FinishJobs(ctx context.Context, ids []string) error {
	_, err := e.exec(ctx, "DELETE FROM job WHERE id IN "+listed, array(ids))
	return err
}

// FailJob ends the lease of a job that failed. A job that was finished meanwhile stays finished.
func (e *entry) FailJob(ctx context.Context, j mem.Job) error {
	_, err := e.exec(ctx, "UPDATE job SET error=?, not_before=?, dead=?, leased=0 WHERE id=?", j.Error,
		stored.Stamp(j.NotBefore), j.Dead, j.ID)
	return err
}

// dueJobs completes a SELECT of jobs of some kinds that are due. While a job of a
// session waits for a retry, the others of that session and kind are not due; after
// that time they delay no other session.
func dueJobs(columns string, kinds mem.JobKinds, now time.Time) statement {
	at := stored.Stamp(now)
	s := stmt("SELECT "+columns+` FROM job j LEFT JOIN session s ON s.number = j.session
		LEFT JOIN (SELECT kind, session, max(attempts) AS tries, max(iif(dead, 0, not_before)) AS until
			FROM job WHERE error <> '' AND session IS NOT NULL GROUP BY kind, session) f ON f.kind = j.kind
			AND f.session = j.session
		WHERE j.dead = 0 AND j.not_before <= ? AND j.leased <= ? AND coalesce(f.until, 0) <= ?`, at, at, at)
	if len(kinds.Only) > 0 {
		s = s.add(" AND j.kind IN "+listed, array(kinds.Only))
	}
	if len(kinds.Except) > 0 {
		s = s.add(" AND j.kind NOT IN "+listed, array(kinds.Except))
	}
	return s
}

// Lease implements mem.Store. The attempts of a returned job include this one.
func (s *jobStore) Lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration,
	n int,
) (jobs []mem.Job, err error) {
	_, due, err := first(ctx, s.read, dueJobs("1", kinds, now).add(" LIMIT 1"), one[int])
	if err != nil || !due || n <= 0 {
		return nil, wrap("lease", err)
	}
	err = s.change(ctx, func(w *writer) (err error) {
		jobs, err = w.lease(ctx, kinds, now, lease, n)
		return err
	})
	if err != nil {
		return nil, wrap("lease", err)
	}
	return jobs, nil
}

const jobColumns = `j.id, j.kind, coalesce(s.id, ''), j.key, j.data, j.not_before, j.attempts, j.created, j.error,
	j.dead`

func jobFields(j *mem.Job) []any {
	return []any{
		&j.ID, &j.Kind, &j.Session, &j.Key, &j.Data, timeAt(&j.NotBefore), &j.Attempts, timeAt(&j.Created), &j.Error, &j.Dead,
	}
}

func (w *writer) lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration, n int) ([]mem.Job,
	error,
) {
	var jobs []mem.Job
	// Two statements: the first can stop early, while one that sorts reads all jobs.
	for _, rest := range []string{
		" AND f.tries IS NULL ORDER BY j.number",
		" AND f.tries IS NOT NULL ORDER BY f.tries, j.number",
	} {
		more, err := rows(ctx, w.conn, dueJobs(jobColumns, kinds, now).add(rest).limit(n-len(jobs)), into(jobFields))
		if err != nil {
			return nil, err
		}
		if jobs = append(jobs, more...); len(jobs) == n {
			break
		}
	}
	for i := range jobs {
		jobs[i].Attempts++
		if _, err := w.exec(ctx, "UPDATE job SET leased=?, attempts=? WHERE id=?", stored.Stamp(now.Add(lease)),
			jobs[i].Attempts,
			jobs[i].ID); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// RetryDeadJobs implements mem.Store.
func (s *jobStore) RetryDeadJobs(ctx context.Context) (n int, err error) {
	err = s.change(ctx, func(w *writer) (err error) {
		n, err = w.changed(ctx, "UPDATE job SET dead = 0, attempts = 0, not_before = 0 WHERE dead = 1")
		return err
	})
	if err != nil {
		return 0, wrap("retry dead jobs", err)
	}
	return n, nil
}

// DropJobs implements mem.Store.
func (s *jobStore) DropJobs(ctx context.Context, before time.Time, n int) (dropped int, err error) {
	err = s.change(ctx, func(w *writer) (err error) {
		dropped, err = w.changed(ctx, `DELETE FROM job WHERE number IN
			(SELECT number FROM job WHERE dead = 1 AND created < ? AND not_before < ? LIMIT ?+0)`, stored.Stamp(before),
			stored.Stamp(before), n)
		return err
	})
	if err != nil {
		return 0, wrap("drop jobs", err)
	}
	return dropped, nil
}

// EndLeases implements mem.Store. As a rule there are no leases at a start, and nothing is written.
func (s *jobStore) EndLeases(ctx context.Context) error {
	_, leased, err := first(ctx, s.read, stmt("SELECT 1 FROM job WHERE leased > 0 LIMIT 1"), one[int])
	if err == nil && leased {
		err = s.change(ctx, func(w *writer) error {
			_, err := w.exec(ctx, "UPDATE job SET leased = 0 WHERE leased > 0")
			return err
		})
	}
	return wrap("end leases", err)
}

// Jobs implements mem.Store.
func (s *jobStore) Jobs(ctx context.Context, kind string, limit int) ([]mem.Job, error) {
	jobs, err := rows(ctx, s.read, stmt("SELECT "+jobColumns+" FROM job j LEFT JOIN session s ON s.number = j.session "+
		"WHERE j.kind = ? ORDER BY j.number", kind).limit(limit), into(jobFields))
	return jobs, wrap("jobs", err)
}

// Waiting implements mem.Store.
func (s *jobStore) Waiting(ctx context.Context) (mem.Waiting, error) {
	w, err := jobsWaiting(ctx, s.read, s.now().Add(stored.Soon), &filter{})
	return w, wrap("waiting jobs", err)
}

// jobsWaiting counts the jobs that pass a filter. A job that was never tried and
// is not due at that time counts as later.
func jobsWaiting(ctx context.Context, db querier, due time.Time, f *filter) (w mem.Waiting, err error) {
	jobs := stmt(`SELECT coalesce(sum(NOT dead), 0), coalesce(sum(dead), 0), coalesce(sum(later), 0),
		coalesce(min(iif(dead OR later, NULL, since)), 0)
		FROM (SELECT dead, NOT dead AND attempts = 0 AND not_before > ? AS later,
		iif(attempts = 0, max(created, not_before), created) AS since FROM job`, stored.Stamp(due)).where(f).add(")")
	_, err = rows(ctx, db, jobs, func(r *sql.Rows) (none struct{}, err error) {
		return none, r.Scan(&w.Jobs, &w.DeadJobs, &w.LaterJobs, timeAt(&w.OldestJob))
	})
	return w, err
}
