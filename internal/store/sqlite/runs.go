package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putRun writes the changes of a consolidation run, marks changes of earlier runs
// as undone and stores dismissals.
func (e *entry) putRun(ctx context.Context, b mem.Batch, r *mem.Result) error {
	if b.Run != nil {
		n, err := e.openRun(ctx, b.Run, r)
		if err != nil {
			return err
		}
		for _, c := range b.Run.Changes {
			if err := e.putChange(ctx, n, c); err != nil {
				return fmt.Errorf("change of %s: %w", c.Memory, err)
			}
		}
	}
	for _, id := range b.UndoneRuns {
		if _, err := e.exec(ctx, "UPDATE change SET undone=? WHERE undone=0 AND run=(SELECT number FROM run WHERE id=?)",
			stored.Stamp(e.Now), id); err != nil {
			return err
		}
	}
	for _, d := range b.Dismissals(r.IDs) {
		_, err := e.exec(ctx, `INSERT INTO dismissed (rule, memory, other, at) SELECT ?, number, ?, ? FROM memory WHERE id=?
			ON CONFLICT DO NOTHING`, d.Rule, d.Other, stored.Stamp(stored.FirstOf(d.At, e.Now)), d.Memory)
		if err != nil {
			return err
		}
	}
	return nil
}

// openRun returns the number of a run. A run without an id is new.
func (e *entry) openRun(ctx context.Context, run *mem.Run, r *mem.Result) (n int64, err error) {
	if r.Run = run.ID; run.ID != "" {
		return n, e.get(ctx, stmt("SELECT number FROM run WHERE id=?", run.ID), &n)
	}
	project, err := e.canonicalProject(ctx, run.Project)
	if err != nil {
		return 0, err
	}
	session, err := e.sessionOf(ctx, run.Session, project, "")
	if err != nil {
		return 0, err
	}
	if n, err = e.next(ctx, "run"); err != nil {
		return 0, err
	}
	r.Run = chars.ShortID("k_", n)
	_, err = e.exec(ctx, "INSERT INTO run (number, id, kind, project, session, at, looked) VALUES (?,?,?,?,?,?,?)",
		n, r.Run, string(run.Kind), project, session, stored.Stamp(stored.FirstOf(run.At, e.Now)), run.Examined)
	return n, err
}

// putChange writes one change, unless its memory was erased.
func (e *entry) putChange(ctx context.Context, run int64, c mem.Step) error {
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
		limit(stored.LimitOr(q.Limit)),
		func(r *sql.Rows) (v mem.Run, err error) {
			var n int64
			err = r.Scan(&n, &v.ID, &v.Kind, &v.Project, &v.Session, timeAt(&v.At), &v.Examined)
			numbers = append(numbers, n)
			return v, err
		})
	if err != nil {
		return nil, wrap("consolidation runs", err)
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
			if c.Was, err = decodeDoc[mem.Lifecycle]("change of "+c.Memory, was); err != nil {
				return c, err
			}
			c.Became, err = decodeDoc[mem.Lifecycle]("change of "+c.Memory, became)
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

// addSpending adds to the sums of a day.
func (e *entry) addSpending(ctx context.Context, s mem.Spending) error {
	_, err := e.exec(ctx, `INSERT INTO spent (day, tokens, calls, failures) VALUES (?,?,?,?)
		ON CONFLICT (day) DO UPDATE SET tokens=tokens+excluded.tokens, calls=calls+excluded.calls,
		failures=failures+excluded.failures`,
		s.Day, s.Tokens, s.Calls, s.Failures)
	if err != nil {
		return fmt.Errorf("add spending: %w", err)
	}
	return nil
}

// Spent implements mem.Store.
func (s *runStore) Spent(ctx context.Context, day string) (mem.Spending, error) {
	v, _, err := first(ctx, s.read, stmt("SELECT tokens, calls, failures FROM spent WHERE day = ?", day),
		into(func(v *mem.Spending) []any { return []any{&v.Tokens, &v.Calls, &v.Failures} }))
	v.Day = day
	return v, wrap("spending", err)
}
