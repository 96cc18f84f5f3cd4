package move

import (
	"context"
	"errors"

	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/sqlite"
)

// Readable is a store that an export reads.
type Readable interface {
	Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error
	List(ctx context.Context, q mem.Query) ([]mem.Memory, error)
	Close() error
}

// Open opens the store for reading, beside the daemon.
func Open(ctx context.Context, a *daemon.Connection) (Readable, error) {
	dsn, err := serverDSN(a)
	switch {
	case err != nil:
		return nil, err
	case dsn != "":
		return served.Open(ctx, served.Config{DSN: dsn, Getenv: a.Sys.Getenv, Now: a.Sys.Now})
	}
	return sqlite.OpenForReading(ctx, a.Paths.Database(), lockWait)
}

// serverDSN returns the address of the server that has the store, "" for the file.
func serverDSN(a *daemon.Connection) (string, error) {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return "", err
	}
	dsn, err := cfg.ServerDSN()
	if err != nil {
		return "", fault.Config.WithMessage("store.dsn cannot be used").Because("%s", err)
	}
	return dsn, nil
}

// Import is what an import of an export did.
type Import struct {
	mem.RecordCounts
	ID     string // to undo it, "" if it took over no memory
	Backup string // of the file from before, "" on a server
}

// ImportRecords writes the rows that next returns into the store: all, or after an error none.
func ImportRecords(ctx context.Context, a *daemon.Connection, next func() (mem.Record, error)) (done Import,
	err error,
) {
	dsn, err := serverDSN(a)
	if err != nil {
		return done, err
	}
	if dsn == "" {
		if err := daemon.CheckSpace(a.Paths.Data, a.Paths.DatabaseBytes()); err != nil {
			return done, err
		}
	}
	err = a.Exclusively(ctx, func() error {
		if dsn == "" {
			err = done.intoFile(ctx, a, next)
		} else {
			err = done.intoServer(ctx, served.Config{DSN: dsn, Getenv: a.Sys.Getenv, Now: a.Sys.Now}, next)
		}
		if err != nil || len(done.Memories) == 0 {
			return err
		}
		done.ID = "import-" + a.Sys.Now().UTC().Format("20060102-150405.000")
		return a.Paths.SaveImport(done.ID, done.Memories)
	})
	return done, err
}

// intoFile writes rows into the file, after a backup.
func (i *Import) intoFile(ctx context.Context, a *daemon.Connection, next func() (mem.Record, error)) error {
	store, err := sqlite.Open(ctx, sqlite.Config{Path: a.Paths.Database(), Now: a.Sys.Now})
	if err != nil {
		return err
	}
	copied, err := store.Keep(ctx)
	if err == nil {
		i.Backup = copied.Path
		i.RecordCounts, err = store.PutRecords(ctx, next)
	}
	return errors.Join(err, store.Close())
}

// intoServer writes rows into the store on a server.
func (i *Import) intoServer(ctx context.Context, cfg served.Config, next func() (mem.Record, error)) error {
	store, err := served.Open(ctx, cfg)
	if err != nil {
		return err
	}
	i.RecordCounts, err = store.PutRecords(ctx, next)
	return errors.Join(err, store.Close())
}
