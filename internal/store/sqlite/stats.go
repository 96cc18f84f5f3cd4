package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// Stats implements mem.Store.
func (s *statistics) Stats(ctx context.Context, project string, today time.Time) (mem.Stats, error) {
	st, err := s.stats(ctx, project, today)
	if err != nil {
		return st, fmt.Errorf("stats: %w", translate(err))
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		st.Bytes += fileSize(s.path + suffix)
	}
	return st, nil
}

// stats asks in one read transaction, so that the counts fit one another.
func (s *statistics) stats(ctx context.Context, project string, today time.Time) (st mem.Stats, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return st, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	if project != "" {
		if err := tx.QueryRowContext(ctx, "SELECT "+knownKey, project, project).Scan(&project); err != nil {
			return st, err
		}
	}
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&st.Schema); err != nil {
		return st, err
	}
	if err := memoryStats(ctx, tx, &st, project, today); err != nil {
		return st, err
	}
	return st, activityStats(ctx, tx, &st, project, s.now().Add(soon))
}

// of returns a condition by project, and its arguments. An OR would read all
// rows for the sake of one project's.
func of(project, condition string) (where string, args []any) {
	if project == "" {
		return "", nil
	}
	return " WHERE " + condition, []any{project}
}

func memoryStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, project string, today time.Time) error {
	type count struct {
		kind   mem.Kind
		status mem.Status
		n      int
	}
	where, args := of(project, "project = ?")
	// In the order of the index: to sort 100,000 rows takes longer than to count them.
	counts, err := rows(ctx, tx, "SELECT kind, status, count(*) FROM memory INDEXED BY memory_kind"+where+
		" GROUP BY project, kind, status", args,
		func(r *sql.Rows) (c count, err error) {
			err = r.Scan(&c.kind, &c.status, &c.n)
			return c, err
		})
	if err != nil {
		return err
	}
	index, own := "memory_created", ""
	if project != "" {
		index, own = "memory_project", " AND project = ?"
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM memory INDEXED BY "+index+
		" WHERE created >= ? AND status = 'active' AND kind <> 'utterance'"+own,
		append([]any{stamp(today)}, args...)...).Scan(&st.Today); err != nil {
		return err
	}
	st.Kinds = map[mem.Kind]int{}
	for _, c := range counts {
		if c.status != mem.Active {
			st.Hidden += c.n
			continue
		}
		st.Kinds[c.kind] += c.n
		if c.kind == mem.Utterance {
			continue
		}
		st.Memories += c.n
	}
	return nil
}

// soon is how far ahead the time of a job may lie that counts as waiting now.
const soon = time.Minute

// activityStats counts what happened.
func activityStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, project string, due time.Time) (err error) {
	own, args := of(project, "project = ?")
	inside, _ := of(project, "session IN (SELECT number FROM session WHERE project = ?)")
	var last int64
	for _, q := range []struct {
		query string
		dest  []any
	}{
		{"SELECT count(*), coalesce(max(last_event), 0) FROM session" + own, []any{&st.Sessions, &last}},
		{"SELECT count(*) FROM event" + inside, []any{&st.Events}},
		{"SELECT count(*) FROM turn" + inside, []any{&st.Turns}},
		{"SELECT count(*), coalesce(sum(tokens), 0) FROM receipt" + own, []any{&st.Receipts, &st.InjectedTokens}},
	} {
		if err := tx.QueryRowContext(ctx, q.query, args...).Scan(q.dest...); err != nil {
			return err
		}
	}
	if st.Waiting, err = jobsWaiting(ctx, tx, due, inside, args); err != nil {
		return err
	}
	st.LastEvent = moment(last)
	names, err := rows(ctx, tx, "SELECT id FROM session"+own+" ORDER BY last_event DESC, number DESC LIMIT 1", args,
		one[string])
	if err != nil {
		return err
	}
	if len(names) > 0 {
		st.LastSession = names[0]
	}
	return outcomeStats(ctx, tx, st, own, args)
}

// Waiting implements mem.Store.
func (s *jobStore) Waiting(ctx context.Context) (mem.Waiting, error) {
	w, err := jobsWaiting(ctx, s.read, s.now().Add(soon), "", nil)
	if err != nil {
		return w, fmt.Errorf("waiting jobs: %w", translate(err))
	}
	return w, nil
}

// jobsWaiting counts the jobs that pass a condition. One that was never tried is one
// for later if it is not due by then.
func jobsWaiting(ctx context.Context, db asker, due time.Time, where string, args []any) (w mem.Waiting, err error) {
	jobs := `SELECT coalesce(sum(NOT dead), 0), coalesce(sum(dead), 0), coalesce(sum(later), 0), coalesce(min(iif(dead
		OR later, NULL, since)), 0)
		FROM (SELECT dead, NOT dead AND attempts = 0 AND not_before > ? AS later, iif(attempts = 0, max(created,
		not_before), created) AS since FROM job` + where + ")"
	_, err = rows(ctx, db, jobs, append([]any{stamp(due)}, args...), func(r *sql.Rows) (oldest int64, err error) {
		err = r.Scan(&w.Jobs, &w.DeadJobs, &w.LaterJobs, &oldest)
		w.OldestJob = moment(oldest)
		return oldest, err
	})
	return w, err
}

func outcomeStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, own string, args []any) error {
	st.ByOutcome = map[mem.InjectionOutcome]int{}
	_, err := rows(ctx, tx, "SELECT outcome, count(*) FROM receipt"+own+" GROUP BY outcome", args,
		func(r *sql.Rows) (n int, err error) {
			var outcome mem.InjectionOutcome
			err = r.Scan(&outcome, &n)
			st.ByOutcome[outcome] = n
			return n, err
		})
	return err
}
