//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutJob adds a job, unless the same job waits already. A leased one does not count: it may have read its input before
// the cause of the new one was stored.
func (e *entry) PutJob(ctx context.Context, session any, j mem.Job) error {
	_, found, err := first(ctx, e, query("SELECT number FROM job WHERE session = ? AND kind = ? AND key = ? "+
		"AND dead = false AND leased <= ?", numberOf(session), j.Kind, j.Key, stored.Stamp(e.Now)), whole)
	if err != nil || found {
		return err
	}
	n, err := e.Next(ctx, "job")
	if err != nil {
		return err
	}
	return e.exec(ctx, put("job", n, map[string]any{
		"number": n, "ref": chars.ShortID("j_", n), "kind": j.Kind, "session": numberOf(session), "key": j.Key,
		"data": j.Data, "not_before": stored.Stamp(j.NotBefore), "attempts": j.Attempts,
		"created": stored.Stamp(j.Created), "error": j.Error, "dead": j.Dead, "leased": 0, "owner": "",
	}))
}

// FinishJobs deletes jobs.
func (e *entry) FinishJobs(ctx context.Context, ids []string) error {
	return e.exec(ctx, query("DELETE job WHERE ref IN ? RETURN NONE", texts(ids)))
}

// FailJob ends the lease of a job that failed. A job that was finished meanwhile stays finished.
func (e *entry) FailJob(ctx context.Context, j mem.Job) error {
	return e.exec(ctx, query("UPDATE job SET error = ?, not_before = ?, dead = ?, leased = 0 WHERE ref = ? RETURN NONE",
		j.Error, stored.Stamp(j.NotBefore), j.Dead, j.ID))
}

// jobs reads the jobs that a statement selects.
func jobs(ctx context.Context, db querier, q *statement) ([]mem.Job, error) {
	found, err := db.run(ctx, q)
	if err != nil {
		return nil, err
	}
	sessions, err := sessionIDs(ctx, db, found)
	var out []mem.Job
	for _, r := range found {
		out = append(out, mem.Job{
			ID: r.Text("ref"), Kind: r.Text("kind"), Session: sessions[r.Number("session")], Key: r.Text("key"),
			Data: r.Text("data"), NotBefore: r.Time("not_before"), Attempts: r.Count("attempts"), Created: r.Time("created"),
			Error: r.Text("error"), Dead: r.Flag("dead"),
		})
	}
	return out, err
}

// jobNumber is the number of a job.
func jobNumber(j mem.Job) int64 {
	n, _ := chars.ShortNumber("j_", j.ID)
	return n
}

// Lease implements mem.Store. The attempts of a returned job include this one.
func (s *Store) Lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration,
	n int,
) (out []mem.Job, err error) {
	if n <= 0 {
		return nil, nil
	}
	// Most often nothing waits, and a transaction would make others begin anew.
	due, err := dueJobs(ctx, s, kinds, now)
	if err != nil || len(due) == 0 {
		return nil, wrap("lease", err)
	}
	err = s.transact(ctx, func(tx *transaction) error {
		due, err := dueJobs(ctx, tx, kinds, now)
		if err != nil {
			return err
		}
		due = due[:min(n, len(due))]
		if out, err = jobs(ctx, tx, selectRecords("*", "job", due)); err != nil {
			return err
		}
		slices.SortFunc(out, func(a, b mem.Job) int {
			return cmp.Compare(slices.Index(due, jobNumber(a)), slices.Index(due, jobNumber(b)))
		})
		for i := range out {
			out[i].Attempts++
		}
		return tx.exec(ctx, query("UPDATE job SET leased = ?, owner = ?, attempts += 1 WHERE number IN ? RETURN NONE",
			stored.Stamp(now.Add(lease)), s.owner, due))
	})
	if err != nil {
		return nil, wrap("lease", err)
	}
	return out, nil
}

// dueJobs returns the numbers of the jobs that can be leased, in order. While a job of a session waits for a retry, the
// others of that session and kind are not due; after that time they delay no other session.
func dueJobs(ctx context.Context, db querier, kinds mem.JobKinds, now time.Time) ([]int64, error) {
	all, err := db.run(ctx, query("SELECT number, kind, session, not_before, attempts, error != '' AS failed, dead, "+
		"leased FROM job ORDER BY number"))
	if err != nil {
		return nil, err
	}
	type group struct {
		kind    string
		session int64
	}
	of := func(r row) group { return group{r.Text("kind"), r.Number("session")} }
	tries, until := map[group]int64{}, map[group]int64{}
	for _, r := range all {
		if g := of(r); r.Flag("failed") && g.session != 0 {
			tries[g] = max(tries[g], r.Number("attempts")+1) // 0 is none that failed
			if !r.Flag("dead") {
				until[g] = max(until[g], r.Number("not_before"))
			}
		}
	}
	at := stored.Stamp(now)
	due := slices.DeleteFunc(all, func(r row) bool {
		return r.Flag("dead") || r.Number("not_before") > at || r.Number("leased") > at || until[of(r)] > at ||
			len(kinds.Only) > 0 && !slices.Contains(kinds.Only, r.Text("kind")) || slices.Contains(kinds.Except, r.Text("kind"))
	})
	slices.SortStableFunc(due, func(a, b row) int { return cmp.Compare(tries[of(a)], tries[of(b)]) })
	numbers := make([]int64, len(due))
	for i, r := range due {
		numbers[i] = r.Number("number")
	}
	return numbers, nil
}

// EndLeases implements mem.Store. It ends those of this store's owner: other daemons work on theirs.
func (s *Store) EndLeases(ctx context.Context) error {
	return wrap("end leases", s.transact(ctx, func(tx *transaction) error {
		return tx.exec(ctx, query("UPDATE job SET leased = 0 WHERE leased > 0 AND owner = ? RETURN NONE", s.owner))
	}))
}

// RetryDeadJobs implements mem.Store.
func (s *Store) RetryDeadJobs(ctx context.Context) (n int, err error) {
	err = s.transact(ctx, func(tx *transaction) (err error) {
		n, err = tx.changed(ctx, query("UPDATE job SET dead = false, attempts = 0, not_before = 0 WHERE dead = true"))
		return err
	})
	return n, wrap("retry dead jobs", err)
}

// DropJobs implements mem.Store.
func (s *Store) DropJobs(ctx context.Context, before time.Time, n int) (dropped int, err error) {
	if n <= 0 {
		return 0, nil
	}
	at := stored.Stamp(before)
	err = s.transact(ctx, func(tx *transaction) error {
		old, err := rows(ctx, tx, query("SELECT number FROM job WHERE dead = true AND created < ? AND not_before < ?", at,
			at), number("number"))
		slices.Sort(old)
		old = old[:min(n, len(old))]
		if dropped = len(old); err != nil || dropped == 0 {
			return err
		}
		return tx.exec(ctx, query("DELETE job WHERE number IN ? RETURN NONE", old))
	})
	return dropped, wrap("drop jobs", err)
}

// Jobs implements mem.Store.
func (s *Store) Jobs(ctx context.Context, kind string, limit int) ([]mem.Job, error) {
	numbers, err := rows(ctx, s, query("SELECT number FROM job WHERE kind = ?", kind), number("number"))
	slices.Sort(numbers)
	if numbers = numbers[:min(max(limit, 0), len(numbers))]; err != nil || len(numbers) == 0 {
		return nil, wrap("jobs", err)
	}
	found, err := jobs(ctx, s, selectRecords("*", "job", numbers))
	slices.SortFunc(found, func(a, b mem.Job) int { return cmp.Compare(jobNumber(a), jobNumber(b)) })
	return found, wrap("jobs", err)
}

// Waiting implements mem.Store.
func (s *Store) Waiting(ctx context.Context) (mem.Waiting, error) {
	w, err := s.waiting(ctx, s, query("true"))
	return w, wrap("waiting jobs", err)
}

// waiting counts the jobs that meet a condition. A job that was never tried and is not due soon counts as later.
func (s *database) waiting(ctx context.Context, db querier, where *statement) (w mem.Waiting, err error) {
	found, err := db.run(ctx, query("SELECT dead, attempts, not_before, created FROM job WHERE ").Append(where))
	limit := s.now().Add(stored.Soon)
	for _, r := range found {
		since := r.Time("created")
		due := r.Time("not_before")
		untried := r.Number("attempts") == 0
		if untried && due.After(since) {
			since = due
		}
		switch later := untried && due.After(limit); {
		case r.Flag("dead"):
			w.DeadJobs++
			continue
		case later:
			w.LaterJobs++
		case w.OldestJob.IsZero() || since.Before(w.OldestJob):
			w.OldestJob = since
		}
		w.Jobs++
	}
	return w, err
}
