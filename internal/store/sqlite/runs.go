package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindRun returns the number of a run.
func (e *entry) FindRun(ctx context.Context, id string) (n int64, err error) {
	err = e.get(ctx, stmt("SELECT number FROM run WHERE id=?", id), &n)
	return n, err
}

// InsertRun writes a new run, without its changes.
func (e *entry) InsertRun(ctx context.Context, n int64, session any, r mem.Run) error {
	_, err := e.exec(ctx, "INSERT INTO run (number, id, kind, project, session, at, looked) VALUES (?,?,?,?,?,?,?)",
		n, r.ID, string(r.Kind), r.Project, session, stored.Stamp(r.At), r.Examined)
	return err
}

// InsertChange writes a change of a run, unless its memory was erased.
func (e *entry) InsertChange(ctx context.Context, run int64, c mem.Step) error {
	was, err := stored.Text(c.Was)
	if err != nil {
		return err
	}
	became, err := stored.Text(c.Became)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO change (run, memory, other, rule, reason, was, became, undone)
		SELECT ?, number, ?, ?, ?, ?, ?, 0 FROM memory WHERE id=?`, run, c.Other, c.Rule, c.Reason, was, became, c.Memory)
	return err
}

// UndoRuns marks the changes of runs as undone.
func (e *entry) UndoRuns(ctx context.Context, ids []string) error {
	_, err := e.exec(ctx, "UPDATE change SET undone=? WHERE undone=0 AND run IN (SELECT number FROM run WHERE id IN "+
		listed+")", stored.Stamp(e.Now), array(ids))
	return err
}

// InsertDismissal writes a dismissal, unless its memory was erased.
func (e *entry) InsertDismissal(ctx context.Context, d mem.Dismissal) error {
	_, err := e.exec(ctx, `INSERT INTO dismissed (rule, memory, other, at) SELECT ?, number, ?, ? FROM memory WHERE id=?
		ON CONFLICT DO NOTHING`, d.Rule, d.Other, stored.Stamp(d.At), d.Memory)
	return err
}

// Runs implements mem.Store.
func (s *runStore) Runs(ctx context.Context, q mem.RunQuery) ([]mem.Run, error) {
	f := &filter{}
	if q.ID != "" {
		n, err := resolveID(ctx, s.read, "run", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("consolidation run %w", err)
		}
		f.and("r.number = ?", n)
		q = mem.RunQuery{}
	}
	f.project("r.project", q.Project).equal("r.kind", string(q.Kind))
	var numbers []int64
	runs, err := rows(ctx, s.read, stmt(`SELECT r.number, r.id, r.kind, r.project, coalesce(s.id, ''), r.at, r.looked
		FROM run r LEFT JOIN session s ON s.number = r.session`).where(f).orderBy("r.number DESC").
		page(q.Limit, q.Offset),
		func(r *sql.Rows) (v mem.Run, err error) {
			var n int64
			err = r.Scan(&n, &v.ID, &v.Kind, &v.Project, &v.Session, timeAt(&v.At), &v.Examined)
			numbers = append(numbers, n)
			return v, err
		})
	if err != nil || q.Brief {
		return runs, wrap("consolidation runs", err)
	}
	for i := range runs {
		if err := s.changes(ctx, numbers[i], &runs[i]); err != nil {
			return nil, wrap("consolidation run "+runs[i].ID, err)
		}
	}
	return runs, nil
}

// changes reads the changes of a run.
func (s *runStore) changes(ctx context.Context, number int64, run *mem.Run) (err error) {
	run.Changes, err = rows(ctx, s.read, stmt(`SELECT c.rule, m.id, c.other, c.reason, c.was, c.became, c.undone
		FROM change c JOIN memory m ON m.number = c.memory WHERE c.run = ? ORDER BY c.number`, number),
		func(r *sql.Rows) (c mem.Step, err error) {
			var was, became string
			if err := r.Scan(&c.Rule, &c.Memory, &c.Other, &c.Reason, &was, &became, timeAt(&c.Undone)); err != nil {
				return c, err
			}
			if c.Was, err = stored.Decode[mem.Lifecycle]("change of "+c.Memory, was); err != nil {
				return c, err
			}
			c.Became, err = stored.Decode[mem.Lifecycle]("change of "+c.Memory, became)
			return c, err
		})
	run.Undone = run.AllUndone()
	return err
}

// Dismissals implements mem.Store.
func (s *runStore) Dismissals(ctx context.Context) ([]mem.Dismissal, error) {
	all, err := rows(ctx, s.read, stmt(`SELECT d.rule, m.id, d.other, d.at FROM dismissed d
		JOIN memory m ON m.number = d.memory ORDER BY d.at, d.rule, d.memory`),
		into(func(d *mem.Dismissal) []any { return []any{&d.Rule, &d.Memory, &d.Other, timeAt(&d.At)} }))
	return all, wrap("dismissals", err)
}

// AddSpending adds to the spending of a day.
func (e *entry) AddSpending(ctx context.Context, s mem.Spending) error {
	_, err := e.exec(ctx, `INSERT INTO spent (day, tokens, calls, failures) VALUES (?,?,?,?)
		ON CONFLICT (day) DO UPDATE SET tokens=tokens+excluded.tokens, calls=calls+excluded.calls,
		failures=failures+excluded.failures`,
		s.Day, s.Tokens, s.Calls, s.Failures)
	return err
}

// Spent implements mem.Store.
func (s *runStore) Spent(ctx context.Context, day string) (mem.Spending, error) {
	v, _, err := first(ctx, s.read, stmt("SELECT tokens, calls, failures FROM spent WHERE day = ?", day),
		into(func(v *mem.Spending) []any { return []any{&v.Tokens, &v.Calls, &v.Failures} }))
	v.Day = day
	return v, wrap("spending", err)
}
