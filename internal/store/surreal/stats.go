//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Stats implements mem.Store. No client of SurrealDB learns the size of its files.
func (s *Store) Stats(ctx context.Context, project string, today time.Time) (st mem.Stats, err error) {
	err = s.consistently(ctx, func(tx querier) error {
		project, err := canonical(ctx, tx, project)
		if err != nil {
			return err
		}
		state, _, err := first(ctx, tx, query("SELECT schema FROM store:state"), whole)
		if err != nil {
			return err
		}
		st.Schema = state.Count("schema")
		return errors.Join(memoryStats(ctx, tx, &st, project, today), s.activityStats(ctx, tx, &st, project))
	})
	return st, wrap("stats", err)
}

// inProject is the condition of the records of a project, "" for all.
func inProject(project string) *statement { return query("true").Equal("project", project) }

func memoryStats(ctx context.Context, tx querier, st *mem.Stats, project string, today time.Time) error {
	counts, err := rows(ctx, tx, query("SELECT kind, status, math::sum(n) AS n FROM memory_total WHERE ").
		Append(inProject(project)).Add(" GROUP BY kind, status"), func(r row) (stored.KindCount, error) {
		return stored.KindCount{Kind: mem.Kind(r.Text("kind")), Status: mem.Status(r.Text("status")), N: r.Count("n")}, nil
	})
	if err != nil {
		return err
	}
	stored.CountMemories(st, counts)
	st.Today, err = countOf(ctx, tx, "memory", inProject(project).And("created >= ? AND status = 'active' "+
		"AND kind != 'utterance'", stored.Stamp(today)))
	return err
}

// activityStats counts sessions, events, turns, receipts and jobs.
func (s *database) activityStats(ctx context.Context, tx querier, st *mem.Stats, project string) error {
	sessions, _, err := first(ctx, tx, query("SELECT math::sum(n) AS n, math::max(last) AS last "+
		"FROM session_total WHERE ").Append(inProject(project)).Add(" GROUP ALL"), whole)
	if err != nil {
		return err
	}
	if st.Sessions = sessions.Count("n"); st.Sessions > 0 {
		last := sessions.Number("last")
		if st.LastSession, _, err = first(ctx, tx, query("SELECT sid, number FROM session WHERE last_event = ?", last).
			Equal("project", project).Add(" ORDER BY number DESC"), text("sid")); err != nil {
			return err
		}
		st.LastEvent = stored.TimeOf(last)
	}
	inside, of := query("true"), map[int64]bool(nil)
	if project != "" {
		numbers, err := rows(ctx, tx, query("SELECT number FROM session WHERE project = ?", project), number("number"))
		if err != nil {
			return err
		}
		inside, of = query("session IN ?", append([]int64{}, numbers...)), make(map[int64]bool, len(numbers))
		for _, n := range numbers {
			of[n] = true
		}
	}
	if st.Events, err = sumOf(ctx, tx, "event_total", of); err != nil {
		return err
	}
	if st.Turns, err = sumOf(ctx, tx, "turn_total", of); err != nil {
		return err
	}
	outcomes, err := tx.run(ctx, query("SELECT outcome, math::sum(n) AS n, math::sum(tokens) AS tokens "+
		"FROM receipt_total WHERE ").Append(inProject(project)).Add(" GROUP BY outcome"))
	if err != nil {
		return err
	}
	st.ByOutcome = map[mem.InjectionOutcome]int{}
	for _, r := range outcomes {
		st.Receipts += r.Count("n")
		st.InjectedTokens += r.Count("tokens")
		st.ByOutcome[mem.InjectionOutcome(r.Text("outcome"))] = r.Count("n")
	}
	st.Waiting, err = s.waiting(ctx, tx, inside)
	return err
}

// sumOf adds the counts of a table by session: of some sessions, or of all if of is nil.
func sumOf(ctx context.Context, tx querier, table string, of map[int64]bool) (n int, err error) {
	counts, err := tx.run(ctx, query("SELECT session, n FROM "+table))
	for _, r := range counts {
		if of == nil || of[r.Number("session")] {
			n += r.Count("n")
		}
	}
	return n, err
}

// Day implements mem.Store.
func (s *Store) Day(ctx context.Context, project string, since time.Time) (mem.Day, error) {
	d := mem.Day{Since: since}
	project, err := canonical(ctx, s, project)
	if err != nil {
		return d, wrap("day", err)
	}
	at := stored.Stamp(since)
	// Events and receipts have no index by time: they are looked up by the sessions that were active.
	active, err := s.sessionsSince(ctx, s, project, since)
	if err != nil {
		return d, wrap("day", err)
	}
	d.Sessions = len(active)
	captured, err := among(ctx, s, active, func(part []int64) *statement {
		return query("SELECT count() AS n FROM event WHERE session IN ? AND created_at >= ? GROUP ALL", part, at)
	})
	if err != nil {
		return d, wrap("day", err)
	}
	for _, r := range captured {
		d.Captured += r.Count("n")
	}
	if d.Memories, err = countOf(ctx, s, "memory", inProject(project).And("created >= ? AND kind != 'utterance'",
		at)); err != nil {
		return d, wrap("day", err)
	}
	receipts, err := among(ctx, s, active, func(part []int64) *statement {
		return query("SELECT outcome, count() AS n, math::sum(tokens) AS tokens FROM receipt "+
			"WHERE session IN ? AND at >= ? GROUP BY outcome", part, at)
	})
	for _, r := range receipts {
		d.Tokens += r.Count("tokens")
		switch mem.InjectionOutcome(r.Text("outcome")) {
		case mem.Injected:
			d.Recalled += r.Count("n")
		case mem.Abstained:
			d.Abstained += r.Count("n")
		default:
		}
	}
	return d, wrap("day", err)
}

// parts are the table of each part and the text that is most of it.
var parts = []struct {
	name        mem.PartName
	table, text string
}{
	{mem.PartPayloads, "event", "payload"},
	{mem.PartMemories, "memory", "doc"},
	{mem.PartSessions, "session", "doc"},
	{mem.PartReceipts, "receipt", "doc"},
	{mem.PartCheckpoints, "checkpoint", "doc"},
}

// Sizes implements mem.Store. No client of SurrealDB learns the size of its files: these are the lengths of the
// documents, which is most of what is stored once.
func (s *Store) Sizes(ctx context.Context) ([]mem.Part, error) {
	var out []mem.Part
	for _, p := range parts {
		r, _, err := first(ctx, s, query("SELECT count() AS n, math::sum(string::len("+p.text+")) AS bytes FROM "+p.table+
			" WHERE "+p.text+" != '' GROUP ALL"), whole)
		if err != nil {
			return nil, wrap("sizes", err)
		}
		out = append(out, mem.Part{Name: p.name, Bytes: r.Number("bytes"), Count: r.Number("n")})
	}
	return out, nil
}
