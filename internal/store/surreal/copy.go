//go:build surreal || backends

package surreal

import (
	"context"

	"remanence/internal/store/stored"
)

// A copy into the database that is not finished is marked in store:state: copy is its source.

// checkCopy returns stored.ErrUnfinished if a copy into the database is not finished.
func (s *database) checkCopy(ctx context.Context) error {
	from, _, err := first(ctx, s, query("SELECT copy FROM store:state"), text("copy"))
	if err == nil && from != "" {
		err = stored.ErrUnfinished
	}
	return err
}

// BeginCopy allows that a store is copied into this one. begun says that an earlier copy from it is not finished. It
// returns stored.ErrNotEmpty if there is something else, and stored.ErrUnfinished if a copy from elsewhere is not
// finished.
func (s *database) BeginCopy(ctx context.Context, from string) (begun bool, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		was := tx.state.Text("copy")
		if begun = was == from; begun {
			return nil
		}
		if was != "" {
			return stored.ErrUnfinished
		}
		full, err := holds(ctx, tx)
		if err == nil && full {
			err = stored.ErrNotEmpty
		}
		tx.state["copy"] = from
		return err
	})
	return begun, wrap("begin a copy", err)
}

// holds reports whether anything was ever stored.
func holds(ctx context.Context, db querier) (bool, error) {
	for _, table := range []string{"project", "session", "event", "memory", "pause"} {
		found, err := db.run(ctx, query("SELECT id FROM "+table+" LIMIT 1"))
		if err != nil || len(found) > 0 {
			return len(found) > 0, err
		}
	}
	return false, nil
}

// copied are the tables that a copy writes.
var copied = []string{
	"project", "project_common", "project_root", "project_alias", "session", "injected_key", "turn", "event", "memory",
	"vector", "checkpoint", "receipt", "job", "pause", "paused_period", "spent", "run", "change", "dismissed", "relation",
	"entity", "mention",
}

// clearStep is how many records one statement deletes.
const clearStep = 2000

// ClearCopy deletes what an unfinished copy wrote. It is not finished afterwards either.
func (s *database) ClearCopy(ctx context.Context) error {
	for _, table := range copied {
		for {
			found, err := s.run(ctx, query("DELETE (SELECT VALUE id FROM "+table+" LIMIT ?) RETURN BEFORE", clearStep))
			if err != nil {
				return wrap("clear a copy", err)
			}
			if len(found) < clearStep {
				break
			}
		}
	}
	return wrap("clear a copy", s.transact(ctx, func(tx *transaction) error {
		tx.state = row{"schema": tx.state["schema"], "copy": tx.state["copy"]}
		return nil
	}))
}

// EndCopy marks a copy as finished. From then on the store can be opened.
func (s *database) EndCopy(ctx context.Context) error {
	return wrap("end a copy", s.transact(ctx, func(tx *transaction) error {
		delete(tx.state, "copy")
		return nil
	}))
}

// Look asks a server what is there, and changes nothing.
func Look(ctx context.Context, cfg Config) (t stored.Target, err error) {
	s, err := connect(cfg)
	if err != nil {
		return t, wrap("look at the server", err)
	}
	defer s.link.Close()
	t.Engine = engine
	if t.Version, err = s.version(ctx); err != nil {
		return t, wrap("look at the server", err)
	}
	if err := s.checkVersion(ctx); err != nil {
		return t, wrap("look at the server", err)
	}
	have, err := s.identify(ctx)
	if err != nil || have == 0 {
		return t, wrap("look at the server", err)
	}
	if t.Full, err = holds(ctx, s); err != nil {
		return t, wrap("look at the server", err)
	}
	if err := s.checkCopy(ctx); err != nil {
		t.Unfinished = true
	}
	return t, nil
}
