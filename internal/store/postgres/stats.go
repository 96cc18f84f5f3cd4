//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Stats implements mem.Store.
func (s *Store) Stats(ctx context.Context, project string, today time.Time) (st mem.Stats, err error) {
	err = s.consistently(ctx, func(tx pgx.Tx) error {
		if project != "" {
			if err := get(ctx, tx, query("SELECT "+canonicalKey, project, project), &project); err != nil {
				return err
			}
		}
		if err := get(ctx, tx, query("SELECT n FROM counter WHERE name = 'schema'"), &st.Schema); err != nil {
			return err
		}
		return errors.Join(memoryStats(ctx, tx, &st, project, today), s.activityStats(ctx, tx, &st, project))
	})
	if err == nil {
		st.Bytes, err = s.bytes(ctx)
	}
	return st, wrap("stats", err)
}

// consistently runs f in a transaction that sees the store as it is now.
func (s *database) consistently(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

func memoryStats(ctx context.Context, tx pgx.Tx, st *mem.Stats, project string, today time.Time) error {
	counts, err := rows(ctx, tx, query("SELECT kind, status, count(*) FROM memory WHERE true").equal("project", project).
		add(" GROUP BY kind, status"), into((*stored.KindCount).Fields))
	if err != nil {
		return err
	}
	stored.CountMemories(st, counts)
	return get(ctx, tx, query("SELECT count(*) FROM memory WHERE created >= ? AND status = 'active' "+
		"AND kind <> 'utterance'", stored.Stamp(today)).equal("project", project), &st.Today)
}

// activityStats counts sessions, events, turns, receipts and jobs.
func (s *database) activityStats(ctx context.Context, tx pgx.Tx, st *mem.Stats, project string) (err error) {
	inside := func(q *statement) *statement {
		if project != "" {
			q.and("session IN (SELECT number FROM session WHERE project = ?)", project)
		}
		return q
	}
	for _, c := range []struct {
		q    *statement
		dest []any
	}{
		{
			query("SELECT count(*), coalesce(max(last_event), 0) FROM session WHERE true").equal("project", project),
			[]any{&st.Sessions, timeAt(&st.LastEvent)},
		},
		{inside(query("SELECT count(*) FROM event WHERE true")), []any{&st.Events}},
		{inside(query("SELECT count(*) FROM turn WHERE true")), []any{&st.Turns}},
		{
			query("SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM receipt WHERE true").equal("project", project),
			[]any{&st.Receipts, &st.InjectedTokens},
		},
	} {
		if err := get(ctx, tx, c.q, c.dest...); err != nil {
			return err
		}
	}
	if st.Waiting, err = s.waiting(ctx, tx, project); err != nil {
		return err
	}
	if st.LastSession, _, err = first(ctx, tx, query("SELECT id FROM session WHERE true").equal("project", project).
		add(" ORDER BY last_event DESC, number DESC LIMIT 1"), one[string]); err != nil {
		return err
	}
	st.ByOutcome = map[mem.InjectionOutcome]int{}
	_, err = rows(ctx, tx, query("SELECT outcome, count(*) FROM receipt WHERE true").equal("project", project).
		add(" GROUP BY outcome"), func(r pgx.Rows) (n int, err error) {
		var outcome mem.InjectionOutcome
		err = r.Scan(&outcome, &n)
		st.ByOutcome[outcome] = n
		return n, err
	})
	return err
}

// Day implements mem.Store.
func (s *Store) Day(ctx context.Context, project string, since time.Time) (mem.Day, error) {
	d := mem.Day{Since: since}
	at := stored.Stamp(since)
	// Events and receipts have no index by time: they are looked up by the sessions that were active.
	active := func(text string, args ...any) *statement {
		return query(text+" AND session IN (SELECT number FROM session WHERE last_event >= ?", append(args, at)...).
			project("project", project).add(")")
	}
	for _, c := range []struct {
		q    *statement
		dest []any
	}{
		{query("SELECT count(*) FROM session WHERE last_event >= ?", at).project("project", project), []any{&d.Sessions}},
		{active("SELECT count(*) FROM event WHERE created_at >= ?", at), []any{&d.Captured}},
		{
			query("SELECT count(*) FROM memory WHERE created >= ? AND kind <> 'utterance'", at).project("project", project),
			[]any{&d.Memories},
		},
		{
			active(`SELECT count(*) FILTER (WHERE outcome = 'injected'), count(*) FILTER (WHERE outcome = 'abstained'),
			coalesce(sum(tokens), 0)::bigint FROM receipt WHERE at >= ?`, at), []any{&d.Recalled, &d.Abstained, &d.Tokens},
		},
	} {
		if err := get(ctx, s.pool, c.q, c.dest...); err != nil {
			return d, wrap("day", err)
		}
	}
	return d, nil
}

// bytes is the size of all tables with their indexes.
func (s *database) bytes(ctx context.Context) (n int64, err error) {
	err = get(ctx, s.pool, query("SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c "+
		"WHERE c.relnamespace = to_regnamespace(?) AND c.relkind = 'r'", pgx.Identifier{s.schema}.Sanitize()), &n)
	return n, err
}

// parts are the tables of each part, in the order of a report, and which of their rows are counted.
var parts = []struct {
	name   mem.PartName
	count  string
	tables []string
}{
	{mem.PartEvents, "event", []string{"event"}},
	{mem.PartMemories, "memory", []string{
		"memory", "run", "change", "dismissed", "relation", "entity", "mention",
	}},
	{mem.PartSessions, "session", []string{"session", "turn", "injected_key"}},
	{mem.PartReceipts, "receipt", []string{"receipt", "receipt_item"}},
	{mem.PartCheckpoints, "checkpoint", []string{"checkpoint"}},
}

// Sizes implements mem.Store. The server's log and its free space belong to no store alone and are left out.
func (s *Store) Sizes(ctx context.Context) ([]mem.Part, error) {
	all, err := s.bytes(ctx)
	if err != nil {
		return nil, wrap("sizes", err)
	}
	payloads := mem.Part{Name: mem.PartPayloads}
	var words, vectors int64 // bytes of the index of texts, which are part of table memory, and of vectors
	if err := get(ctx, s.pool, query(`SELECT coalesce(sum(octet_length(payload)), 0)::bigint, count(*)
		FILTER (WHERE payload <> ''), pg_relation_size('memory_search') + pg_relation_size('memory_utterance_search'),
		pg_total_relation_size('vector') FROM event`), &payloads.Bytes, &payloads.Count, &words, &vectors); err != nil {
		return nil, wrap("sizes", err)
	}
	rest := all - vectors
	var out []mem.Part
	for _, p := range parts {
		part := mem.Part{Name: p.name}
		q := query("SELECT (SELECT coalesce(sum(pg_total_relation_size(t::regclass)), 0)::bigint FROM unnest(?::text[]) t), "+
			"(SELECT count(*) FROM "+p.count+")", p.tables)
		if err := get(ctx, s.pool, q, &part.Bytes, &part.Count); err != nil {
			return nil, wrap("sizes", err)
		}
		rest -= part.Bytes
		switch p.name {
		case mem.PartEvents: // payloads are compressed: they may have more bytes than their table
			payloads.Bytes = min(payloads.Bytes, part.Bytes)
			part.Bytes -= payloads.Bytes
			out = append(out, payloads)
		case mem.PartMemories:
			part.Bytes -= words
		default:
		}
		out = append(out, part)
	}
	return append(out, mem.Part{Name: mem.PartIndex, Bytes: words + vectors},
		mem.Part{Name: mem.PartOther, Bytes: rest}), nil
}
