package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// Stats implements mem.Store.
func (s *Store) Stats(ctx context.Context, project string, today time.Time) (mem.Stats, error) {
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
func (s *Store) stats(ctx context.Context, project string, today time.Time) (st mem.Stats, err error) {
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
	all := project == ""
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&st.Schema); err != nil {
		return st, err
	}
	if err := memoryStats(ctx, tx, &st, all, project, today); err != nil {
		return st, err
	}
	return st, activityStats(ctx, tx, &st, all, project)
}

func memoryStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, all bool, project string, today time.Time) error {
	type count struct {
		kind      mem.Kind
		active    bool
		n, recent int
	}
	counts, err := rows(ctx, tx, `SELECT kind, status = 'active', count(*), coalesce(sum(created >= ?), 0) FROM memory
		WHERE ? OR project = ? GROUP BY 1, 2`, []any{stamp(today), all, project}, func(r *sql.Rows) (c count, err error) {
		err = r.Scan(&c.kind, &c.active, &c.n, &c.recent)
		return c, err
	})
	if err != nil {
		return err
	}
	st.Kinds = map[mem.Kind]int{}
	for _, c := range counts {
		if !c.active {
			st.Hidden += c.n
			continue
		}
		st.Memories += c.n
		st.Today += c.recent
		st.Kinds[c.kind] = c.n
	}
	return nil
}

func activityStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, all bool, project string) error {
	const own = " WHERE ? OR session IN (SELECT number FROM session WHERE project = ?)"
	args := []any{all, project}
	var last, oldest int64
	for _, q := range []struct {
		query string
		dest  []any
	}{
		{"SELECT count(*), coalesce(max(last_event), 0) FROM session WHERE ? OR project = ?", []any{&st.Sessions, &last}},
		{"SELECT count(*) FROM event" + own, []any{&st.Events}},
		{"SELECT count(*) FROM turn" + own, []any{&st.Turns}},
		{"SELECT count(*), coalesce(sum(tokens), 0) FROM receipt WHERE ? OR project = ?", []any{&st.Receipts, &st.ToldTokens}},
		{"SELECT coalesce(sum(NOT dead), 0), coalesce(sum(dead), 0), coalesce(min(iif(dead, NULL, created)), 0) FROM job" + own, []any{&st.Jobs, &st.DeadJobs, &oldest}},
	} {
		if err := tx.QueryRowContext(ctx, q.query, args...).Scan(q.dest...); err != nil {
			return err
		}
	}
	st.LastEvent, st.OldestJob = moment(last), moment(oldest)
	names, err := rows(ctx, tx, "SELECT id FROM session WHERE ? OR project = ? ORDER BY last_event DESC, number DESC LIMIT 1", args, one[string])
	if err != nil {
		return err
	}
	if len(names) > 0 {
		st.LastSession = names[0]
	}
	return outcomeStats(ctx, tx, st, args)
}

func outcomeStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, args []any) error {
	st.ByOutcome = map[string]int{}
	_, err := rows(ctx, tx, "SELECT outcome, count(*) FROM receipt WHERE ? OR project = ? GROUP BY outcome", args,
		func(r *sql.Rows) (n int, err error) {
			var outcome string
			err = r.Scan(&outcome, &n)
			st.ByOutcome[outcome] = n
			return n, err
		})
	return err
}
