//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindRun returns the number of a run.
func (e *entry) FindRun(ctx context.Context, id string) (int64, error) {
	return get(ctx, e, query("SELECT number FROM run WHERE ref = ?", id), number("number"))
}

// InsertRun writes a new run, without its changes.
func (e *entry) InsertRun(ctx context.Context, n int64, session any, r mem.Run) error {
	return e.exec(ctx, put("run", n, map[string]any{
		"number": n, "ref": r.ID, "kind": r.Kind, "project": r.Project, "session": numberOf(session),
		"at": stored.Stamp(r.At), "examined": r.Examined,
	}))
}

// memoryNumber returns the number of the memory with an id.
func (tx *transaction) memoryNumber(ctx context.Context, id string) (n int64, found bool, err error) {
	return first(ctx, tx, query("SELECT number FROM memory WHERE ref = ?", id), number("number"))
}

// InsertChange writes a change of a run, unless its memory was erased.
func (e *entry) InsertChange(ctx context.Context, run int64, c mem.Step) error {
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	m, found, err := e.memoryNumber(ctx, c.Memory)
	if err != nil || !found {
		return err
	}
	n, err := e.Next(ctx, "change")
	if err != nil {
		return err
	}
	return e.exec(ctx, put("change", n, map[string]any{"number": n, "run": run, "memory": m, "undone": 0, "doc": doc}))
}

// UndoRuns marks the changes of runs as undone.
func (e *entry) UndoRuns(ctx context.Context, ids []string) error {
	runs, err := rows(ctx, e, query("SELECT number FROM run WHERE ref IN ?", texts(ids)), number("number"))
	if err != nil {
		return err
	}
	return e.exec(ctx, query("UPDATE change SET undone = ? WHERE run IN ? AND undone = 0 RETURN NONE", stored.Stamp(e.Now),
		append([]int64{}, runs...)))
}

// InsertDismissal writes a dismissal, unless its memory was erased or it is there.
func (e *entry) InsertDismissal(ctx context.Context, d mem.Dismissal) error {
	n, found, err := e.memoryNumber(ctx, d.Memory)
	if err != nil || !found {
		return err
	}
	key := keyOf(d.Rule, d.Memory, d.Other)
	if _, found, err := first(ctx, e, query("SELECT at FROM type::record('dismissed', ?)", key), whole); err != nil || found {
		return err
	}
	return e.exec(ctx, put("dismissed", key, map[string]any{
		"rule": d.Rule, "memory": n, "other": d.Other, "at": stored.Stamp(d.At),
	}))
}

// AddSpending adds to the spending of a day.
func (e *entry) AddSpending(ctx context.Context, s mem.Spending) error {
	was, _, err := first(ctx, e, spentOn(s.Day), whole)
	if err != nil {
		return err
	}
	return e.exec(ctx, put("spent", keyOf(s.Day), map[string]any{
		"day": s.Day, "tokens": was.count("tokens") + s.Tokens, "calls": was.count("calls") + s.Calls,
		"failures": was.count("failures") + s.Failures,
	}))
}

func spentOn(day string) *statement {
	return query("SELECT tokens, calls, failures FROM type::record('spent', ?)", keyOf(day))
}

// Spent implements mem.Store.
func (s *Store) Spent(ctx context.Context, day string) (mem.Spending, error) {
	r, _, err := first(ctx, s, spentOn(day), whole)
	v := mem.Spending{Day: day, Tokens: r.count("tokens"), Calls: r.count("calls"), Failures: r.count("failures")}
	return v, wrap("spending", err)
}

// Runs implements mem.Store.
func (s *Store) Runs(ctx context.Context, q mem.RunQuery) ([]mem.Run, error) {
	which := query("true")
	if q.ID != "" {
		n, err := resolveID(ctx, s, "run", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("consolidation run %w", translate(err))
		}
		which.and("number = ?", n)
		q = mem.RunQuery{}
	}
	project, err := canonical(ctx, s, q.Project)
	if err != nil {
		return nil, wrap("consolidation runs", err)
	}
	numbers, err := rows(ctx, s, newest("run", "number", which.equal("project", project).equal("kind", string(q.Kind)),
		stored.LimitOr(q.Limit), max(q.Offset, 0)), number("number"))
	if err != nil {
		return nil, wrap("consolidation runs", err)
	}
	found, err := inTurn(ctx, s, "number, ref, kind, project, session, at, examined", "run", "number", numbers)
	if err != nil {
		return nil, wrap("consolidation runs", err)
	}
	sessions, err := sessionIDs(ctx, s, found)
	var out []mem.Run
	for _, r := range found {
		v := mem.Run{
			ID: r.text("ref"), Kind: mem.RunKind(r.text("kind")), Project: r.text("project"),
			Session: sessions[r.number("session")], At: r.time("at"), Examined: r.count("examined"),
		}
		err = errors.Join(err, s.changes(ctx, r.number("number"), &v))
		out = append(out, v)
	}
	return out, wrap("consolidation runs", err)
}

// changes reads the changes of a run.
func (s *database) changes(ctx context.Context, n int64, run *mem.Run) (err error) {
	run.Changes, err = rows(ctx, s, query("SELECT number, doc, undone FROM change WHERE run = ? ORDER BY number", n),
		func(r row) (mem.Step, error) {
			c, err := decode[mem.Step]("change of run "+run.ID, r.text("doc"))
			c.Undone = r.time("undone")
			return c, err
		})
	run.Undone = run.AllUndone()
	return err
}

// Dismissals implements mem.Store.
func (s *Store) Dismissals(ctx context.Context) ([]mem.Dismissal, error) {
	all, err := rows(ctx, s, query("SELECT rule, memory, other, at FROM dismissed ORDER BY at, rule, memory"),
		func(r row) (mem.Dismissal, error) {
			return mem.Dismissal{
				Rule: r.text("rule"), Memory: stored.MemoryID(r.number("memory")), Other: r.text("other"), At: r.time("at"),
			}, nil
		})
	return all, wrap("dismissals", err)
}
