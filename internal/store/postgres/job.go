//go:build postgres || backends

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutJob adds a job, unless the same job waits already. A leased one does not count: it may have read its input before
// the cause of the new one was stored. One that waits is locked, so that it is not leased before then.
func (e *entry) PutJob(ctx context.Context, session any, j mem.Job) error {
	var n int64
	found, err := e.find(ctx, query("SELECT number FROM job WHERE kind = ? AND session IS NOT DISTINCT FROM ?::bigint "+
		"AND key = ? AND NOT dead AND leased <= ? LIMIT 1 FOR UPDATE", j.Kind, session, j.Key, stored.Stamp(e.Now)), &n)
	if err != nil || found {
		return err
	}
	if n, err = e.Next(ctx, "job"); err != nil {
		return err
	}
	return e.exec(ctx, query(`INSERT INTO job (number, id, kind, session, key, data, not_before, attempts, created, error,
		dead, leased, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '')`, n, chars.ShortID("j_", n), j.Kind, session,
		j.Key, j.Data, stored.Stamp(j.NotBefore), j.Attempts, stored.Stamp(j.Created), j.Error, j.Dead))
}

// FinishJobs deletes jobs.
func (e *entry) FinishJobs(ctx context.Context, ids []string) error {
	return e.exec(ctx, query("DELETE FROM job WHERE id = ANY(?)", ids))
}

// FailJob ends the lease of a job that failed. A job that was finished meanwhile stays finished.
func (e *entry) FailJob(ctx context.Context, j mem.Job) error {
	return e.exec(ctx, query("UPDATE job SET error = ?, not_before = ?, dead = ?, leased = 0 WHERE id = ?", j.Error,
		stored.Stamp(j.NotBefore), j.Dead, j.ID))
}

const jobColumns = `j.id, j.kind, coalesce((SELECT s.id FROM session s WHERE s.number = j.session), ''), j.key, j.data,
	j.not_before, j.attempts, j.created, j.error, j.dead`

func jobFields(j *mem.Job) []any {
	return []any{
		&j.ID, &j.Kind, &j.Session, &j.Key, &j.Data, timeAt(&j.NotBefore), &j.Attempts, timeAt(&j.Created), &j.Error, &j.Dead,
	}
}

// Lease implements mem.Store. The attempts of a returned job include this one. Rows that another daemon leases at the
// same time are skipped, so that no two wait for each other. While a job of a session waits for a retry, the others of
// that session and kind are not due; after that time they delay no other session.
func (s *Store) Lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration,
	n int,
) (jobs []mem.Job, err error) {
	if n <= 0 {
		return nil, nil
	}
	at := stored.Stamp(now)
	due := query(`SELECT `+jobColumns+` FROM job j
		LEFT JOIN (SELECT kind, session, max(attempts) AS tries,
			max(CASE WHEN dead THEN 0 ELSE not_before END) AS until
			FROM job WHERE error <> '' AND session IS NOT NULL GROUP BY kind, session) f ON f.kind = j.kind
			AND f.session = j.session
		WHERE NOT j.dead AND j.not_before <= ? AND j.leased <= ? AND coalesce(f.until, 0) <= ?`, at, at, at)
	if len(kinds.Only) > 0 {
		due.and("j.kind = ANY(?)", kinds.Only)
	}
	if len(kinds.Except) > 0 {
		due.and("j.kind <> ALL(?)", kinds.Except)
	}
	due.add(" ORDER BY f.tries NULLS FIRST, j.number LIMIT ? FOR UPDATE OF j SKIP LOCKED", n)
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if jobs, err = rows(ctx, tx, due, into(jobFields)); err != nil || len(jobs) == 0 {
			return err
		}
		ids := make([]string, len(jobs))
		for i := range jobs {
			jobs[i].Attempts++
			ids[i] = jobs[i].ID
		}
		q := query("UPDATE job SET leased = ?, owner = ?, attempts = attempts + 1 WHERE id = ANY(?)",
			stored.Stamp(now.Add(lease)), s.owner, ids)
		_, err := tx.Exec(ctx, q.sql(), q.args...)
		return err
	})
	if err != nil {
		return nil, wrap("lease", err)
	}
	return jobs, nil
}

// EndLeases implements mem.Store. It ends those of this store's owner: other daemons work on theirs.
func (s *Store) EndLeases(ctx context.Context) error {
	_, err := s.changeRows(ctx, query("UPDATE job SET leased = 0 WHERE leased > 0 AND owner = ?", s.owner))
	return wrap("end leases", err)
}

// RetryDeadJobs implements mem.Store.
func (s *Store) RetryDeadJobs(ctx context.Context) (int, error) {
	n, err := s.changeRows(ctx, query("UPDATE job SET dead = false, attempts = 0, not_before = 0 WHERE dead"))
	return n, wrap("retry dead jobs", err)
}

// DropJobs implements mem.Store.
func (s *Store) DropJobs(ctx context.Context, before time.Time, n int) (int, error) {
	at := stored.Stamp(before)
	dropped, err := s.changeRows(ctx, query(`DELETE FROM job WHERE number IN
		(SELECT number FROM job WHERE dead AND created < ? AND not_before < ? ORDER BY number LIMIT ?)`, at, at, max(n, 0)))
	return dropped, wrap("drop jobs", err)
}

func (s *database) changeRows(ctx context.Context, q *statement) (n int, err error) {
	err = s.transact(ctx, func(tx *transaction) (err error) {
		n, err = tx.changed(ctx, q)
		return err
	})
	return n, err
}

// Jobs implements mem.Store.
func (s *Store) Jobs(ctx context.Context, kind string, limit int) ([]mem.Job, error) {
	jobs, err := rows(ctx, s.pool, query("SELECT "+jobColumns+" FROM job j WHERE j.kind = ? ORDER BY j.number LIMIT ?",
		kind, limit), into(jobFields))
	return jobs, wrap("jobs", err)
}

// Waiting implements mem.Store.
func (s *Store) Waiting(ctx context.Context) (mem.Waiting, error) {
	w, err := s.waiting(ctx, s.pool, "")
	return w, wrap("waiting jobs", err)
}

// waiting counts the jobs of a project, given by its stored key, or of all. A job that was never tried and is not due
// soon counts as later.
func (s *database) waiting(ctx context.Context, db querier, project string) (w mem.Waiting, err error) {
	q := query(`SELECT count(*) FILTER (WHERE NOT dead), count(*) FILTER (WHERE dead), count(*) FILTER (WHERE later),
		coalesce(min(since) FILTER (WHERE NOT dead AND NOT later), 0)
		FROM (SELECT dead, NOT dead AND attempts = 0 AND not_before > ? AS later,
			CASE WHEN attempts = 0 THEN greatest(created, not_before) ELSE created END AS since FROM job WHERE true`,
		stored.Stamp(s.now().Add(stored.Soon)))
	if project != "" {
		q.and("session IN (SELECT number FROM session WHERE project = ?)", project)
	}
	err = get(ctx, db, q.add(") jobs"), &w.Jobs, &w.DeadJobs, &w.LaterJobs, timeAt(&w.OldestJob))
	return w, err
}
