//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putRun writes the changes of a consolidation run, marks changes of earlier runs as undone and stores dismissals.
func (e *entry) putRun(ctx context.Context, b mem.Batch, r *mem.Result) error {
	if b.Run != nil {
		n, err := e.openRun(ctx, b.Run, r)
		if err != nil {
			return err
		}
		if err := putEach(ctx, "change", b.Run.Changes, func(ctx context.Context, c mem.Step) error {
			return e.putChange(ctx, n, c)
		}); err != nil {
			return err
		}
	}
	if len(b.UndoneRuns) > 0 {
		if err := e.exec(ctx, query("UPDATE change SET undone = ? WHERE undone = 0 AND run IN "+
			"(SELECT number FROM run WHERE id = ANY(?))", stored.Stamp(e.Now), b.UndoneRuns)); err != nil {
			return err
		}
	}
	for _, d := range b.Dismissals(r.IDs) {
		if err := e.exec(ctx, query(`INSERT INTO dismissed (rule, memory, other, at)
			SELECT ?::text, number, ?::text, ?::bigint FROM memory WHERE id = ? ON CONFLICT DO NOTHING`, d.Rule, d.Other,
			stored.Stamp(stored.FirstOf(d.At, e.Now)), d.Memory)); err != nil {
			return err
		}
	}
	return nil
}

// openRun returns the number of a run. A run without an id is new.
func (e *entry) openRun(ctx context.Context, run *mem.Run, r *mem.Result) (n int64, err error) {
	if r.Run = run.ID; run.ID != "" {
		return n, e.get(ctx, query("SELECT number FROM run WHERE id = ?", run.ID), &n)
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
	return n, e.exec(ctx, query("INSERT INTO run (number, id, kind, project, session, at, examined) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?)", n, r.Run, run.Kind, project, session, stored.Stamp(stored.FirstOf(run.At, e.Now)),
		run.Examined))
}

// putChange writes one change, unless its memory was erased.
func (e *entry) putChange(ctx context.Context, run int64, c mem.Step) error {
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	n, err := e.next(ctx, "change")
	if err != nil {
		return err
	}
	return e.exec(ctx, query(`INSERT INTO change (number, run, memory, undone, doc)
		SELECT ?::bigint, ?::bigint, number, 0, ?::text FROM memory WHERE id = ?`, n, run, doc, c.Memory))
}

// Runs implements mem.Store.
func (s *Store) Runs(ctx context.Context, q mem.RunQuery) ([]mem.Run, error) {
	sel := query(`SELECT r.number, r.id, r.kind, r.project, coalesce(s.id, ''), r.at, r.examined
		FROM run r LEFT JOIN session s ON s.number = r.session WHERE true`)
	if q.ID != "" {
		n, err := resolveID(ctx, s.pool, "run", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("consolidation run %w", translate(err))
		}
		sel.and("r.number = ?", n)
		q = mem.RunQuery{}
	}
	sel.project("r.project", q.Project).equal("r.kind", string(q.Kind))
	var numbers []int64
	runs, err := rows(ctx, s.pool, sel.add(" ORDER BY r.number DESC LIMIT ?", stored.LimitOr(q.Limit)),
		func(r pgx.Rows) (v mem.Run, err error) {
			var n int64
			err = r.Scan(&n, &v.ID, &v.Kind, &v.Project, &v.Session, timeAt(&v.At), &v.Examined)
			numbers = append(numbers, n)
			return v, err
		})
	for i := range runs {
		err = errors.Join(err, s.changes(ctx, numbers[i], &runs[i]))
	}
	return runs, wrap("consolidation runs", err)
}

// changes reads the changes of a run.
func (s *database) changes(ctx context.Context, number int64, run *mem.Run) (err error) {
	run.Changes, err = rows(ctx, s.pool, query("SELECT doc, undone FROM change WHERE run = ? ORDER BY number", number),
		func(r pgx.Rows) (c mem.Step, err error) {
			var doc string
			var undone storedTime
			if err := r.Scan(&doc, &undone); err != nil {
				return c, err
			}
			c, err = decode[mem.Step]("change of run "+run.ID, doc)
			c.Undone = time.Time(undone)
			return c, err
		})
	run.Undone = run.AllUndone()
	return err
}

// Dismissals implements mem.Store.
func (s *Store) Dismissals(ctx context.Context) ([]mem.Dismissal, error) {
	all, err := rows(ctx, s.pool, query(`SELECT d.rule, m.id, d.other, d.at FROM dismissed d
		JOIN memory m ON m.number = d.memory ORDER BY d.at, d.rule, d.memory`),
		into(func(d *mem.Dismissal) []any { return []any{&d.Rule, &d.Memory, &d.Other, timeAt(&d.At)} }))
	return all, wrap("dismissals", err)
}

// Spent implements mem.Store.
func (s *Store) Spent(ctx context.Context, day string) (mem.Spending, error) {
	v, _, err := first(ctx, s.pool, query("SELECT tokens, calls, failures FROM spent WHERE day = ?", day),
		into(func(v *mem.Spending) []any { return []any{&v.Tokens, &v.Calls, &v.Failures} }))
	v.Day = day
	return v, wrap("spending", err)
}
