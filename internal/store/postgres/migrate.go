//go:build postgres || backends

package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

//go:embed schema/*.sql
var schemas embed.FS

// minVersion is the oldest server that is supported, as server_version_num.
const minVersion = 140000

// migrate brings the schema to the newest version. Other processes that open it meanwhile wait.
func (s *database) migrate(ctx context.Context) error {
	steps, err := stored.Migrations(schemas)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx *transaction) error {
		var version int
		if err := tx.get(ctx, query("SELECT current_setting('server_version_num')::int"), &version); err != nil {
			return err
		}
		if version < minVersion {
			return fmt.Errorf("%w: the server is too old: PostgreSQL %d, at least %d is needed", mem.ErrForeign, version/10000,
				minVersion/10000)
		}
		have, err := tx.identify(ctx, s.schema)
		if err != nil {
			return err
		}
		if have > len(steps) {
			return fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, have, len(steps))
		}
		for n, text := range steps[have:] {
			if _, err := tx.tx.Exec(ctx, text); err != nil {
				return fmt.Errorf("migrate to schema %d: %w", have+n+1, err)
			}
		}
		if have == len(steps) {
			return nil
		}
		return tx.exec(ctx, query("INSERT INTO counter (name, n) VALUES ('schema', ?) ON CONFLICT (name) "+
			"DO UPDATE SET n = excluded.n", len(steps)))
	})
}

// identify returns the version of the schema, 0 if it has no tables yet.
func (tx *transaction) identify(ctx context.Context, schema string) (int, error) {
	var exists bool
	var tables int
	err := tx.get(ctx, query(`SELECT to_regnamespace(?) IS NOT NULL,
		(SELECT count(*) FROM pg_tables WHERE schemaname = ?)`, pgx.Identifier{schema}.Sanitize(), schema), &exists, &tables)
	if err != nil {
		return 0, err
	}
	if !exists {
		_, err := tx.tx.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{schema}.Sanitize())
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	var known bool
	if err := tx.get(ctx, query("SELECT to_regclass('counter') IS NOT NULL AND to_regclass('memory') IS NOT NULL"),
		&known); err != nil || !known {
		return 0, errors.Join(err, mem.ErrForeign)
	}
	var n int
	found, err := tx.find(ctx, query("SELECT n FROM counter WHERE name = 'schema'"), &n)
	if err == nil && !found {
		err = mem.ErrForeign
	}
	return n, err
}
