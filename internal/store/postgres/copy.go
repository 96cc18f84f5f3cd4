//go:build postgres || backends

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// copyMark begins the name of the counter that exists while a copy into the schema is not finished. The source follows.
const copyMark = "copy from "

// checkCopy returns stored.ErrUnfinished if a copy into the schema is not finished.
func (s *database) checkCopy(ctx context.Context) error {
	_, found, err := first(ctx, s.pool, query("SELECT 1 FROM counter WHERE starts_with(name, ?) LIMIT 1", copyMark),
		one[int])
	if err == nil && found {
		err = stored.ErrUnfinished
	}
	return err
}

// BeginCopy allows that a store is copied into this one. begun says that an earlier copy from it is not finished. It
// returns stored.ErrNotEmpty if there is something else, and stored.ErrUnfinished if a copy from elsewhere is not
// finished.
func (s *database) BeginCopy(ctx context.Context, from string) (begun bool, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		var other, full bool
		if err := tx.get(ctx, query(`SELECT coalesce(bool_or(name = ?), false), coalesce(bool_or(name <> ?), false)
			FROM counter WHERE starts_with(name, ?)`, copyMark+from, copyMark+from, copyMark), &begun, &other); err != nil {
			return err
		}
		if other {
			return stored.ErrUnfinished
		}
		if begun {
			return nil
		}
		if err := tx.get(ctx, query(holds), &full); err != nil || full {
			return errors.Join(err, stored.ErrNotEmpty)
		}
		return tx.exec(ctx, query("INSERT INTO counter (name, n) VALUES (?, 1)", copyMark+from))
	})
	return begun, wrap("begin a copy", err)
}

// holds asks whether anything was ever stored.
const holds = `SELECT EXISTS (SELECT 1 FROM project) OR EXISTS (SELECT 1 FROM session) OR EXISTS (SELECT 1 FROM event)
	OR EXISTS (SELECT 1 FROM memory) OR EXISTS (SELECT 1 FROM pause)`

// ClearCopy deletes what an unfinished copy wrote. It is not finished afterwards either.
func (s *database) ClearCopy(ctx context.Context) error {
	return wrap("clear a copy", s.transact(ctx, func(tx *transaction) error {
		if err := tx.exec(ctx, query("TRUNCATE project, project_common, project_root, project_alias, session, event, "+
			"memory, checkpoint, receipt, entity, run, job, pause, paused_period, spent CASCADE")); err != nil {
			return err
		}
		return tx.exec(ctx, query("DELETE FROM counter WHERE name <> 'schema' AND NOT starts_with(name, ?)", copyMark))
	}))
}

// EndCopy marks a copy as finished. From then on the store can be opened.
func (s *database) EndCopy(ctx context.Context) error {
	return wrap("end a copy", s.transact(ctx, func(tx *transaction) error {
		return tx.exec(ctx, query("DELETE FROM counter WHERE starts_with(name, ?)", copyMark))
	}))
}

// Look asks a server what is there, and changes nothing.
func Look(ctx context.Context, cfg Config) (t stored.Target, err error) {
	cfg = cfg.withDefaults()
	pool, err := connect(ctx, cfg)
	if err != nil {
		return t, wrap("look at the server", err)
	}
	defer pool.Close()
	name := pgx.Identifier{cfg.Schema}.Sanitize()
	var known bool
	var number int
	t.Engine = engine
	err = pool.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1),
		current_setting('server_version_num')::int, to_regclass($1) IS NOT NULL`, name+".counter").
		Scan(&t.Version, &number, &known)
	if err != nil || !known {
		return t, wrap("look at the server", err)
	}
	err = pool.QueryRow(ctx, holds).Scan(&t.Full)
	if err == nil {
		err = pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM counter WHERE starts_with(name, $1))", copyMark).
			Scan(&t.Unfinished)
	}
	if err == nil && number < minVersion {
		err = mem.ErrForeign
	}
	return t, wrap("look at the server", err)
}
