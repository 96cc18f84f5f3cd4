package daemon

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/stored"
)

// maxAutoRecover is the size in bytes up to which a damaged database is replaced without a request: callers
// wait for it.
const maxAutoRecover = 64 << 20

// openConfigured opens the store that is configured. The caller holds the lock.
func openConfigured(ctx context.Context, h *Daemon, cfg config.Config) (err error) {
	dsn, err := cfg.ServerDSN()
	switch {
	case err != nil:
		return fault.Config.WithMessage("store.dsn cannot be used").Because("%s", err).
			FixedBy("remanence config set store.dsn …")
	case dsn != "":
		h.engine = served.Of(dsn)
		h.process = rand.Text() // machines may have the same name and directories
		h.server, err = served.Open(ctx, served.Config{
			DSN: dsn, Getenv: h.Sys.Getenv, Owner: Owner(h.Paths), Process: h.process, Now: h.Sys.Now,
		})
		h.Store = h.server
		switch {
		case served.IsNotBuilt(err):
			return notBuilt(dsn)
		case errors.Is(err, stored.ErrUnfinished):
			return fault.NotMoved.WithMessage("a move to the server is not finished").Because("%s", err).
				FixedBy("remanence config set store.dsn sqlite:, and repeat: remanence db move --to ADDRESS")
		}
	default:
		if h.file, err = openStore(ctx, h.Sys, h.Paths, h.log); err != nil {
			return err
		}
		if err = recheck(ctx, h.file, h.Paths, h.log); err != nil {
			_ = h.file.Close()
		}
		h.Store = h.file
	}
	switch {
	case err != nil:
	case h.server != nil:
		h.indexed = index.NewSharedStore(h.Store)
	default:
		h.indexed = index.NewStore(h.Store)
	}
	return err
}

// notBuilt is the error of a store on a server in a program without a client for it.
func notBuilt(dsn string) error {
	e := served.Of(dsn)
	return fault.Store.Because("store.dsn names a server, and %s; remanence config unset store.dsn returns to the file, "+
		"make build TAGS=%s makes a program with it", e.Missing, e.Tag)
}

// StoreRefusal returns why a changed setting keeps the store from being opened: its key is store.dsn, it names a
// server, and this program has no client for it. It returns nil otherwise.
func StoreRefusal(file string, getenv func(string) string, key string) error {
	if key != "store.dsn" {
		return nil
	}
	cfg, err := config.LoadConfig(file, getenv)
	if err != nil {
		return nil //nolint:nilerr // the change itself reports it
	}
	dsn, err := cfg.ServerDSN()
	if err != nil || dsn == "" || served.Of(dsn).Built {
		return nil //nolint:nilerr // the value was validated
	}
	return notBuilt(dsn)
}

// Owner names this daemon among those of a server: by its machine and data directory.
func Owner(paths config.Paths) string {
	host, _ := os.Hostname() // without a name the directory has to do
	sum := sha256.Sum256([]byte(paths.Data))
	return host + " " + hex.EncodeToString(sum[:6])
}

// atFault reports whether the store is the cause of an error, not the caller's data.
func atFault(err error) bool { return sqlite.AtFault(err) || served.AtFault(err) }

// databaseFile is the store as a file. Without one it returns a fault.
func databaseFile(h *Daemon) (*sqlite.Store, error) {
	if h.file == nil {
		return nil, fault.OnServer.Because("store.dsn names a server")
	}
	return h.file, nil
}

// OnServer reports whether the store of these settings is on a database server.
func OnServer(paths config.Paths, getenv func(string) string) bool {
	cfg, _ := config.LoadConfig(paths.Config, getenv) // a mistake there is shown elsewhere
	dsn, err := cfg.ServerDSN()
	return dsn != "" || err != nil
}

// ErasedCopies lists the backups and set-aside databases that erasing removes; none if the store is on a server. The
// backup of the day is made anew and not worth a word.
func ErasedCopies(paths config.Paths, getenv func(string) string) []string {
	files := []string{}
	if OnServer(paths, getenv) {
		return files
	}
	list, _ := sqlite.Copies(paths.Database()) // only a malformed pattern fails
	for _, c := range list {
		if !c.Daily() {
			files = append(files, c.Path)
		}
	}
	return files
}

// unreachedByServer names what a purge and a scan do not reach on a server.
func unreachedByServer(h *Daemon) (out []string) {
	if h.server == nil {
		return out
	}
	if config.Exists(h.Paths.Database()) {
		out = append(out, "the SQLite file from before: "+h.Paths.Database())
	}
	copies, _ := sqlite.Copies(h.Paths.Database()) // only a malformed pattern fails
	for _, c := range copies {
		out = append(out, "a copy of the SQLite file from before: "+c.Path)
	}
	return append(out, h.engine.NotErased()...)
}

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
