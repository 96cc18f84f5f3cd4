package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// recoverMost is up to which size a damaged database is replaced without a
// person's order, in bytes: callers wait for it.
const recoverMost = 64 << 20

// openStore opens the database. One that cannot be opened and has no backup is
// set aside, and a new one takes its place, where a person has nothing to decide.
// The caller holds the lock.
func openStore(ctx context.Context, sys System, paths Paths, log *slog.Logger) (*sqlite.Store, error) {
	_, never := paths.worker()
	cfg := sqlite.Config{Path: paths.Database(), Now: sys.Now, Known: never == nil, Shared: fileSystem(paths.Data) != ""}
	st, err := sqlite.Open(ctx, cfg)
	if !errors.Is(err, mem.ErrCorrupt) || sizeOfFile(paths.Database()) > recoverMost {
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
	log.Warn("the damaged database is set aside and a new one begun", "error", err, "aside", got.Aside, "rows", got.Rows, "gaps", got.Gaps)
	writeAside(paths, asideRecord{sys.Now(), got.Aside, got.Rows["memory"], got.Gaps})
	return sqlite.Open(ctx, cfg)
}

// hasBackup reports whether a copy beside the database may take its place. A copy
// counts unless it is known to be unusable.
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

// asideRecord says that a damaged database was set aside without being asked for.
type asideRecord struct {
	At       time.Time `json:"at"`
	Path     string    `json:"path"`     // where it is now
	Memories int       `json:"memories"` // that could be read of it
	Gaps     int       `json:"gaps"`     // places that could not be read
}

func (p Paths) aside() string { return filepath.Join(filepath.Dir(p.Runtime()), "aside.json") }

func writeAside(paths Paths, r asideRecord) {
	b, err := json.Marshal(r)
	if err != nil || os.MkdirAll(filepath.Dir(paths.aside()), 0o700) != nil {
		return
	}
	_ = os.WriteFile(paths.aside(), b, 0o600)
}

// asideNotices tells the person, once, that a damaged database was set aside.
func asideNotices(paths Paths) []notice {
	var r asideRecord
	b, err := readSmall(paths.aside())
	if err != nil || json.Unmarshal(b, &r) != nil || r.Path == "" {
		return nil
	}
	saved := "nothing of it could be read, and a new one is begun"
	if r.Memories > 0 {
		saved = fmt.Sprintf("the new one has the %s that could be read", plural(r.Memories, "memory", "memories"))
	}
	text := fmt.Sprintf("remanence: the database was damaged and had no backup: %s. The damaged one is kept as %s", saved, r.Path)
	return []notice{{"aside: " + filepath.Base(r.Path), r.At.Unix(), text}}
}

// sayAside tells the person who runs a command what the next session would be told.
func (a *app) sayAside() {
	if a.flags.quiet || a.flags.json || a.flags.jsonl {
		return
	}
	due := dueOf(a.paths.Notices(), a.sys.Now(), asideNotices(a.paths))
	for _, n := range due {
		a.out.say("%s", n.text)
	}
	shownNow(a.paths.Notices(), a.sys.Now(), due)
}
