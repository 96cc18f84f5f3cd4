//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindRun returns the number of a run.
func (e *entry) FindRun(ctx context.Context, id string) (n int64, err error) {
	err = e.get(ctx, query("SELECT number FROM run WHERE id = ?", id), &n)
	return n, err
}

// InsertRun writes a new run, without its changes.
func (e *entry) InsertRun(ctx context.Context, n int64, session any, r mem.Run) error {
	return e.exec(ctx, query("INSERT INTO run (number, id, kind, project, session, at, examined) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?)", n, r.ID, r.Kind, r.Project, session, stored.Stamp(r.At), r.Examined))
}

// InsertChange writes a change of a run, unless its memory was erased.
func (e *entry) InsertChange(ctx context.Context, run int64, c mem.Step) error {
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	n, err := e.Next(ctx, "change")
	if err != nil {
		return err
	}
	return e.exec(ctx, query(`INSERT INTO change (number, run, memory, undone, doc)
		SELECT ?::bigint, ?::bigint, number, 0, ?::text FROM memory WHERE id = ?`, n, run, doc, c.Memory))
}

// UndoRuns marks the changes of runs as undone.
func (e *entry) UndoRuns(ctx context.Context, ids []string) error {
	return e.exec(ctx, query("UPDATE change SET undone = ? WHERE undone = 0 AND run IN "+
		"(SELECT number FROM run WHERE id = ANY(?))", stored.Stamp(e.Now), ids))
}

// InsertDismissal writes a dismissal, unless its memory was erased.
func (e *entry) InsertDismissal(ctx context.Context, d mem.Dismissal) error {
	return e.exec(ctx, query(`INSERT INTO dismissed (rule, memory, other, at)
		SELECT ?::text, number, ?::text, ?::bigint FROM memory WHERE id = ? ON CONFLICT DO NOTHING`, d.Rule, d.Other,
		stored.Stamp(d.At), d.Memory))
}

// AddSpending adds to the spending of a day.
func (e *entry) AddSpending(ctx context.Context, s mem.Spending) error {
	return e.exec(ctx, query(`INSERT INTO spent AS s (day, tokens, calls, failures) VALUES (?, ?, ?, ?)
		ON CONFLICT (day) DO UPDATE SET tokens = s.tokens + excluded.tokens, calls = s.calls + excluded.calls,
		failures = s.failures + excluded.failures`, s.Day, s.Tokens, s.Calls, s.Failures))
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
	runs, err := rows(ctx, s.pool, sel.add(" ORDER BY r.number DESC").page(q.Limit, q.Offset),
		func(r pgx.Rows) (v mem.Run, err error) {
			var n int64
			err = r.Scan(&n, &v.ID, &v.Kind, &v.Project, &v.Session, timeAt(&v.At), &v.Examined)
			numbers = append(numbers, n)
			return v, err
		})
	if q.Brief {
		return runs, wrap("consolidation runs", err)
	}
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
			c, err = stored.Decode[mem.Step]("change of run "+run.ID, doc)
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
