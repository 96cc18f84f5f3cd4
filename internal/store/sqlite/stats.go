package sqlite

import (
	"context"
	"database/sql"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Stats implements mem.Store.
func (s *statistics) Stats(ctx context.Context, project string, today time.Time) (mem.Stats, error) {
	st, err := s.stats(ctx, project, today)
	if err != nil {
		return st, wrap("stats", err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		st.Bytes += fileSize(s.path + suffix)
	}
	return st, nil
}

// stats reads everything in one transaction, so that the counts are consistent.
func (s *statistics) stats(ctx context.Context, project string, today time.Time) (st mem.Stats, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return st, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	if project != "" {
		if err := tx.QueryRowContext(ctx, "SELECT "+canonicalKey, project, project).Scan(&project); err != nil {
			return st, err
		}
	}
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&st.Schema); err != nil {
		return st, err
	}
	if err := memoryStats(ctx, tx, &st, project, today); err != nil {
		return st, err
	}
	return st, activityStats(ctx, tx, &st, project, s.now().Add(stored.Soon))
}

func memoryStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, project string, today time.Time) error {
	own := (&filter{}).equal("project", project)
	// In the order of the index: sorting 100,000 rows takes longer than counting them.
	counts, err := rows(ctx, tx, stmt("SELECT kind, status, count(*) FROM memory INDEXED BY memory_kind").where(own).
		add(" GROUP BY project, kind, status"), into((*stored.KindCount).Fields))
	if err != nil {
		return err
	}
	index := "memory_created"
	if project != "" {
		index = "memory_project"
	}
	own.and("created >= ? AND status = 'active' AND kind <> 'utterance'", stored.Stamp(today))
	if err := stmt("SELECT count(*) FROM memory INDEXED BY "+index).where(own).scan(ctx, tx, &st.Today); err != nil {
		return err
	}
	stored.CountMemories(st, counts)
	return nil
}

// activityStats counts sessions, events, turns, receipts and jobs.
func activityStats(ctx context.Context, tx *sql.Tx, st *mem.Stats, project string, due time.Time) (err error) {
	own, inside := (&filter{}).equal("project", project), &filter{}
	if project != "" { // with an OR all rows would be read
		inside.and("session IN (SELECT number FROM session WHERE project = ?)", project)
	}
	for _, q := range []struct {
		text string
		f    *filter
		dest []any
	}{
		{"SELECT count(*), coalesce(max(last_event), 0) FROM session", own, []any{&st.Sessions, timeAt(&st.LastEvent)}},
		{"SELECT count(*) FROM event", inside, []any{&st.Events}},
		{"SELECT count(*) FROM turn", inside, []any{&st.Turns}},
		{"SELECT count(*), coalesce(sum(tokens), 0) FROM receipt", own, []any{&st.Receipts, &st.InjectedTokens}},
	} {
		if err := stmt(q.text).where(q.f).scan(ctx, tx, q.dest...); err != nil {
			return err
		}
	}
	if st.Waiting, err = jobsWaiting(ctx, tx, due, inside); err != nil {
		return err
	}
	if st.LastSession, _, err = first(ctx, tx, stmt("SELECT id FROM session").where(own).
		orderBy("last_event DESC, number DESC LIMIT 1"), one[string]); err != nil {
		return err
	}
	st.ByOutcome = map[mem.InjectionOutcome]int{}
	_, err = rows(ctx, tx, stmt("SELECT outcome, count(*) FROM receipt").where(own).add(" GROUP BY outcome"),
		func(r *sql.Rows) (n int, err error) {
			var outcome mem.InjectionOutcome
			err = r.Scan(&outcome, &n)
			st.ByOutcome[outcome] = n
			return n, err
		})
	return err
}

// Day implements mem.Store.
func (s *statistics) Day(ctx context.Context, project string, since time.Time) (mem.Day, error) {
	d := mem.Day{Since: since}
	at := stored.Stamp(since)
	sessions := (&filter{}).and("last_event >= ?", at).project("project", project)
	// Events and receipts have no index by time: they are looked up by the sessions that were active.
	inside := (&filter{}).and("session IN (SELECT number FROM session WHERE "+sessions.text()+")", sessions.args...)
	memories := (&filter{}).and("created >= ? AND kind <> 'utterance'", at).project("project", project)
	for _, q := range []struct {
		text string
		f    *filter
		dest []any
	}{
		{"SELECT count(*) FROM session", sessions, []any{&d.Sessions}},
		{"SELECT count(*) FROM event", inside.with("created_at >= ?", at), []any{&d.Captured}},
		{"SELECT count(*) FROM memory", memories, []any{&d.Memories}},
		{
			`SELECT coalesce(sum(outcome = 'injected'), 0), coalesce(sum(outcome = 'abstained'), 0),
			coalesce(sum(tokens), 0) FROM receipt`, inside.with("at >= ?", at), []any{&d.Recalled, &d.Abstained, &d.Tokens},
		},
	} {
		if err := stmt(q.text).where(q.f).scan(ctx, s.read, q.dest...); err != nil {
			return d, wrap("day", err)
		}
	}
	return d, nil
}
