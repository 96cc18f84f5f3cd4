package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// maxAutoRecover is the size in bytes up to which a damaged database is replaced without a request: callers
// wait for it.
const maxAutoRecover = 64 << 20

// openStore opens the database. A damaged one without a backup is set aside and replaced by a new one, so that
// nothing is left for the person to decide. The caller holds the lock.
func openStore(ctx context.Context, sys config.System, paths config.Paths, log *slog.Logger) (*sqlite.Store, error) {
	_, never := hookclient.ReadRuntime(paths)
	cfg := sqlite.Config{Path: paths.Database(), Now: sys.Now, Known: never == nil, Shared: FileSystem(paths.Data) != ""}
	st, err := sqlite.Open(ctx, cfg)
	if !errors.Is(err, mem.ErrCorrupt) || config.SizeOfFile(paths.Database()) > maxAutoRecover {
		return st, err
	}
	kept, berr := hasBackup(ctx, paths.Database())
	if kept || berr != nil {
		return nil, errors.Join(err, berr)
	}
	got, rerr := sqlite.Recover(ctx, paths.Database(), sys.Now())
	switch {
	case errors.Is(rerr, mem.ErrCorrupt), errors.Is(rerr, mem.ErrForeign):
		return nil, err // for a person to decide
	case rerr != nil:
		return nil, rerr
	}
	log.Warn("the damaged database is set aside and a new one begun", "error", err, "aside", got.Aside, "rows", got.Rows,
		"gaps", got.Gaps)
	writeAside(paths, asideRecord{sys.Now(), got.Aside, got.Rows["memory"], got.Gaps})
	return sqlite.Open(ctx, cfg)
}

// hasBackup reports whether a copy beside the database can replace it. A copy counts unless it is known to be
// unusable.
func hasBackup(ctx context.Context, path string) (bool, error) {
	copies, err := sqlite.Copies(path)
	if err != nil {
		return false, err
	}
	for _, c := range copies {
		if c.Kind == sqlite.CopyAside {
			continue
		}
		_, err := sqlite.Inspect(ctx, c.Path)
		if !errors.Is(err, mem.ErrCorrupt) && !errors.Is(err, mem.ErrForeign) {
			return true, nil
		}
	}
	return false, nil
}

// asideRecord records that a damaged database was set aside without a request.
type asideRecord struct {
	At       time.Time `json:"at"`
	Path     string    `json:"path"`     // where it is now
	Memories int       `json:"memories"` // that could be read of it
	Gaps     int       `json:"gaps"`     // places that could not be read
}

func writeAside(paths config.Paths, r asideRecord) {
	b, err := json.Marshal(r)
	if err != nil || os.MkdirAll(filepath.Dir(paths.Aside()), 0o700) != nil {
		return
	}
	_ = os.WriteFile(paths.Aside(), b, 0o600)
}

// AsideNotices returns, once, the notice that a damaged database was set aside.
func AsideNotices(paths config.Paths) []hookclient.Notice {
	var r asideRecord
	b, err := config.ReadSmall(paths.Aside())
	if err != nil || json.Unmarshal(b, &r) != nil || r.Path == "" {
		return nil
	}
	saved := "nothing of it could be read, and a new one is begun"
	if r.Memories > 0 {
		saved = fmt.Sprintf("the new one has the %s that could be read", fault.Count(r.Memories, "memory", "memories"))
	}
	text := fmt.Sprintf("remanence: the database was damaged and had no backup: %s. The damaged one is kept as %s", saved,
		r.Path)
	return []hookclient.Notice{{Cause: "aside: " + filepath.Base(r.Path), Level: r.At.Unix(), Text: text}}
}
