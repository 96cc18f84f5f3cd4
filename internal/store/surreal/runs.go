//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
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
	_, found, err = first(ctx, e, query("SELECT at FROM type::record('dismissed', ?)", key), whole)
	if err != nil || found {
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
		"day": s.Day, "tokens": was.Count("tokens") + s.Tokens, "calls": was.Count("calls") + s.Calls,
		"failures": was.Count("failures") + s.Failures,
	}))
}

func spentOn(day string) *statement {
	return query("SELECT tokens, calls, failures FROM type::record('spent', ?)", keyOf(day))
}

// Spent implements mem.Store.
func (s *Store) Spent(ctx context.Context, day string) (mem.Spending, error) {
	r, _, err := first(ctx, s, spentOn(day), whole)
	v := mem.Spending{Day: day, Tokens: r.Count("tokens"), Calls: r.Count("calls"), Failures: r.Count("failures")}
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
		which.And("number = ?", n)
		q = mem.RunQuery{}
	}
	project, err := canonical(ctx, s, q.Project)
	if err != nil {
		return nil, wrap("consolidation runs", err)
	}
	which.Equal("project", project).Equal("kind", string(q.Kind))
	numbers, err := rows(ctx, s, surql.Newest("run", "number", which, stored.LimitOr(q.Limit), max(q.Offset, 0)),
		number("number"))
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
			ID: r.Text("ref"), Kind: mem.RunKind(r.Text("kind")), Project: r.Text("project"),
			Session: sessions[r.Number("session")], At: r.Time("at"), Examined: r.Count("examined"),
		}
		if !q.Brief {
			err = errors.Join(err, s.changes(ctx, r.Number("number"), &v))
		}
		out = append(out, v)
	}
	return out, wrap("consolidation runs", err)
}

// changes reads the changes of a run.
func (s *database) changes(ctx context.Context, n int64, run *mem.Run) (err error) {
	run.Changes, err = rows(ctx, s, query("SELECT number, doc, undone FROM change WHERE run = ? ORDER BY number", n),
		func(r row) (mem.Step, error) {
			c, err := stored.Decode[mem.Step]("change of run "+run.ID, r.Text("doc"))
			c.Undone = r.Time("undone")
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
				Rule: r.Text("rule"), Memory: stored.MemoryID(r.Number("memory")), Other: r.Text("other"), At: r.Time("at"),
			}, nil
		})
	return all, wrap("dismissals", err)
}
