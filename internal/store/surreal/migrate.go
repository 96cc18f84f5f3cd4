//go:build surreal || backends

package surreal

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/surrealdb/surrealdb.go"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

//go:embed schema/*.surql
var schemas embed.FS

// minVersion is the oldest major version of a server that is supported.
const minVersion = 3

// migrate brings the schema to the newest version. Each step may be done twice, by two processes that open it at once.
func (s *database) migrate(ctx context.Context) error {
	steps, err := stored.Migrations(schemas)
	if err != nil {
		return err
	}
	if err := s.checkVersion(ctx); err != nil {
		return err
	}
	have, err := s.identify(ctx)
	if err != nil {
		return err
	}
	if have > len(steps) {
		return fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, have, len(steps))
	}
	if have == len(steps) {
		return nil
	}
	for n, text := range steps[have:] {
		if _, err := s.run(surql.Patient(ctx), query(text)); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", have+n+1, err)
		}
	}
	return s.transact(ctx, func(tx *transaction) error {
		tx.state["schema"] = max(tx.state.Number("schema"), int64(len(steps)))
		return nil
	})
}

func (s *database) checkVersion(ctx context.Context) error {
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < minVersion {
		return fmt.Errorf("%w: the server is too old: SurrealDB %s, at least %d is needed", mem.ErrForeign, version,
			minVersion)
	}
	return nil
}

// identify returns the version of the schema, 0 if the database has no tables yet.
func (s *database) identify(ctx context.Context) (int, error) {
	a, err := s.link.Get(ctx)
	if err != nil {
		return 0, err
	}
	var tables map[string]any
	err = s.link.Call(ctx, a, func(ctx context.Context) error {
		info, err := sdk.Query[struct {
			Tables map[string]any `json:"tables"`
		}](ctx, a.DB, "INFO FOR DB", nil)
		if err == nil {
			tables = (*info)[0].Result.Tables
		}
		return err
	})
	if err != nil || len(tables) == 0 {
		return 0, err
	}
	if tables["store"] == nil {
		if tables["project"] != nil { // another process makes them
			return 0, nil
		}
		return 0, mem.ErrForeign
	}
	n, _, err := first(ctx, s, query("SELECT schema FROM store:state"), number("schema"))
	return int(n), err
}
