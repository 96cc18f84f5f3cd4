package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// putRun writes what a round of consolidation changed, what of others is taken
// back, and what is not to be done again.
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
			stamp(e.now), id); err != nil {
			return err
		}
	}
	for _, d := range b.Dismissed {
		if d.Memory == "" && len(r.IDs) > 0 {
			d.Memory = r.IDs[0]
		}
		if d.Memory == d.Other {
			continue
		}
		_, err := e.exec(ctx, `INSERT INTO dismissed (rule, memory, other, at) SELECT ?, number, ?, ? FROM memory WHERE id=?
			ON CONFLICT DO NOTHING`, d.Rule, d.Other, stamp(firstOf(d.At, e.now)), d.Memory)
		if err != nil {
			return err
		}
	}
	return nil
}

// openRun returns the number of a round, which is new if it has no id.
func (e *entry) openRun(ctx context.Context, run *mem.Run, r *mem.Result) (n int64, err error) {
	if r.Run = run.ID; run.ID != "" {
		return n, e.get(ctx, "SELECT number FROM run WHERE id=?", []any{run.ID}, &n)
	}
	project, err := e.knownProject(ctx, run.Project)
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
		n, r.Run, string(run.Kind), project, session, stamp(firstOf(run.At, e.now)), run.Examined)
	return n, err
}

// putChange writes one change. One of a memory that is gone is not written.
func (e *entry) putChange(ctx context.Context, run int64, c mem.Step) error {
	was, err := text(c.Was)
	if err != nil {
		return err
	}
	became, err := text(c.Became)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO change (run, memory, other, rule, reason, was, became, undone)
		SELECT ?, number, ?, ?, ?, ?, ?, 0 FROM memory WHERE id=?`, run, c.Other, c.Rule, c.Reason, was, became, c.Memory)
	return err
}

const runColumns = "SELECT r.number, r.id, r.kind, r.project, coalesce(s.id, ''), r.at, r.looked FROM run r LEFT " +
	"JOIN session s ON s.number = r.session"

// Runs implements mem.Chronicle.
func (s *runStore) Runs(ctx context.Context, q mem.RunQuery) ([]mem.Run, error) {
	f := &filter{}
	if q.ID != "" {
		n, err := resolveID(ctx, s.read, "run", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("round of consolidation %w", err)
		}
		f.and("r.number = ?", n)
		q = mem.RunQuery{}
	}
	if q.Project != "" {
		f.and("r.project = "+knownKey, q.Project, q.Project)
	}
	if q.Kind != "" {
		f.and("r.kind = ?", string(q.Kind))
	}
	var numbers []int64
	runs, err := rows(ctx, s.read, runColumns+" WHERE "+f.where()+" ORDER BY r.number DESC LIMIT ?+0",
		append(f.args, limitOr(q.Limit)), func(r *sql.Rows) (mem.Run, error) {
			var v mem.Run
			var n, at int64
			err := r.Scan(&n, &v.ID, &v.Kind, &v.Project, &v.Session, &at, &v.Examined)
			v.At, numbers = moment(at), append(numbers, n)
			return v, err
		})
	if err != nil {
		return nil, fmt.Errorf("rounds of consolidation: %w", translate(err))
	}
	for i := range runs {
		if err := s.changes(ctx, numbers[i], &runs[i]); err != nil {
			return nil, fmt.Errorf("round of consolidation %s: %w", runs[i].ID, translate(err))
		}
	}
	return runs, nil
}

// changes reads what a round changed.
func (s *runStore) changes(ctx context.Context, number int64, run *mem.Run) (err error) {
	run.Changes, err = rows(ctx, s.read, `SELECT c.rule, m.id, c.other, c.reason, c.was, c.became, c.undone
		FROM change c JOIN memory m ON m.number = c.memory WHERE c.run = ? ORDER BY c.number`, []any{number},
		func(r *sql.Rows) (mem.Step, error) {
			var c mem.Step
			var was, became string
			var undone int64
			if err := r.Scan(&c.Rule, &c.Memory, &c.Other, &c.Reason, &was, &became, &undone); err != nil {
				return c, err
			}
			var err error
			if c.Was, err = undoc[mem.Lifecycle]("change of "+c.Memory, was); err != nil {
				return c, err
			}
			c.Became, err = undoc[mem.Lifecycle]("change of "+c.Memory, became)
			c.Undone = moment(undone)
			return c, err
		})
	run.Undone = len(run.Changes) > 0
	for _, c := range run.Changes {
		run.Undone = run.Undone && !c.Undone.IsZero()
	}
	return err
}

// Dismissals implements mem.Chronicle.
func (s *runStore) Dismissals(ctx context.Context) ([]mem.Dismissal, error) {
	all, err := rows(ctx, s.read, "SELECT d.rule, m.id, d.other, d.at FROM dismissed d JOIN memory m ON m.number = "+
		"d.memory ORDER BY d.at, d.rule, d.memory", nil,
		func(r *sql.Rows) (mem.Dismissal, error) {
			var d mem.Dismissal
			var at int64
			err := r.Scan(&d.Rule, &d.Memory, &d.Other, &at)
			d.At = moment(at)
			return d, err
		})
	if err != nil {
		return nil, fmt.Errorf("dismissals: %w", translate(err))
	}
	return all, nil
}
