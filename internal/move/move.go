// Package move moves the store to another place: from the SQLite file to a database server, or back. It opens both,
// with the daemon's lock held, and leaves the copying to package transfer. It also opens the store, wherever it is, for
// an export and an import.
package move

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/stored"
	"remanence/internal/transfer"
)

// Request asks to move the store to another place.
type Request struct {
	To     string // a value of store.dsn
	DryRun bool
	// Confirm is called before anything is written. Its error ends the move.
	Confirm func() error
	// Configure sets store.dsn, after the copy was compared with the store.
	Configure func(dsn string) error
	// Report is called after each part that was copied.
	Report func(table string, rows int)
}

// lockWait is how long a move waits for a lock of the database.
const lockWait = 5 * time.Second

// storeMove is one move.
type storeMove struct {
	*daemon.Connection
	Request
	from     string // address of the server, "" for the file
	response transfer.Moved
}

// Run copies the store to another place and compares both. Only then the settings name the other place. The store
// of before stays as it is. An interrupted move is continued by the next one.
func Run(ctx context.Context, a *daemon.Connection, q Request) (transfer.Moved, error) {
	m := storeMove{Connection: a, Request: q}
	if err := m.check(); err != nil {
		return m.response, err
	}
	begun := a.Sys.Now()
	var err error
	if q.DryRun {
		err = m.preview(ctx)
	} else if err = q.Confirm(); err == nil {
		err = a.Exclusively(ctx, func() error { return m.run(ctx) })
	}
	m.response.Seconds = a.Sys.Now().Sub(begun).Seconds()
	return m.response, err
}

// check refuses what cannot be moved.
func (m *storeMove) check() error {
	if name := config.EnvName("store.dsn"); m.Sys.Getenv(name) != "" {
		return fault.NotMoved.WithMessage("the place of the store cannot be changed").
			Because("the variable %s overrides the file of settings", name).FixedBy("unset " + name)
	}
	var err error
	if m.from, err = serverDSN(m.Connection); err != nil {
		return err
	}
	if m.To == config.SQLiteDSN {
		m.To = ""
	}
	m.response.DryRun, m.response.From, m.response.To = m.DryRun, m.place(m.from), m.place(m.To)
	switch {
	case m.from == m.To:
		return fault.NotMoved.WithMessage("the memory is there already").Because("it is in %s", m.response.From).
			FixedBy("remanence db info")
	case m.missing() != nil:
		return fault.NotMoved.WithMessage("this program cannot use a server").
			Because("%s, which released programs leave out", m.missing()).
			FixedBy("make build TAGS=" + m.engine().Tag + ", and use the program that it makes")
	case m.from == "" && !config.Exists(m.Paths.Database()):
		return fault.NoDatabase.Because("%s is not there; nothing has to be moved", m.Paths.Database()).
			FixedBy("remanence config set store.dsn ADDRESS")
	}
	return nil
}

// engine is the sort of server that the store is moved to, or from.
func (m *storeMove) engine() served.Engine { return served.Of(cmp.Or(m.To, m.from)) }

// missing says which client of a server this program has not, nil if it has those that it needs.
func (m *storeMove) missing() error {
	for _, dsn := range []string{m.To, m.from} {
		if e := served.Of(dsn); dsn != "" && !e.Built {
			return e.Missing
		}
	}
	return nil
}

// at says where a store on a server is.
func (m *storeMove) at(dsn string) served.Config {
	return served.Config{DSN: dsn, Getenv: m.Sys.Getenv, Now: m.Sys.Now}
}

// place is a store as a person knows it.
func (m *storeMove) place(dsn string) string {
	if dsn == "" {
		return m.Paths.Database()
	}
	return dsn
}

// preview counts what would be moved, and looks at the other place. It writes nothing.
func (m *storeMove) preview(ctx context.Context) error {
	if m.To != "" {
		t, err := served.Look(ctx, m.at(m.To))
		switch {
		case err != nil:
			return unusable(err)
		case t.Full && !t.Unfinished:
			return m.notEmpty()
		}
		m.response.Server = t.Engine + " " + t.Version
	}
	source, err := m.source(ctx)
	if err != nil {
		return err
	}
	defer source.Close()
	m.response.Tables, err = transfer.Sums(ctx, source)
	for _, t := range m.response.Tables {
		m.response.Rows += t.Rows
	}
	return err
}

// movable is a store that can be copied.
type movable interface {
	mem.MoveStore
	Close() error
}

// source opens the store of before.
func (m *storeMove) source(ctx context.Context) (movable, error) {
	if m.from != "" {
		return served.Open(ctx, m.at(m.from))
	}
	s, err := sqlite.OpenForReading(ctx, m.Paths.Database(), lockWait)
	if errors.Is(err, mem.ErrForeign) {
		return nil, fault.Foreign.WithMessage("the database has to be brought to this version first").Because("%s", err).
			FixedBy("remanence db migrate")
	}
	return s, err
}

// run copies with the daemon's lock held.
func (m *storeMove) run(ctx context.Context) error {
	source, err := m.source(ctx)
	if err != nil {
		return err
	}
	defer source.Close()
	if m.To == "" {
		err = m.toFile(ctx, source)
	} else {
		err = m.toServer(ctx, source)
	}
	if err != nil {
		return err
	}
	dsn := m.To
	if dsn == "" {
		dsn = config.SQLiteDSN
	}
	return m.Configure(dsn)
}

// toServer copies to a server.
func (m *storeMove) toServer(ctx context.Context, source mem.MoveStore) error {
	at := m.at(m.To)
	at.Copy = true
	to, err := served.Open(ctx, at)
	if err != nil {
		return unusable(err)
	}
	defer to.Close()
	sum := sha256.Sum256([]byte(daemon.Owner(m.Paths) + m.from))
	_, err = to.BeginCopy(ctx, hex.EncodeToString(sum[:8]))
	switch {
	case errors.Is(err, stored.ErrNotEmpty):
		return m.sameAs(ctx, source, to)
	case errors.Is(err, stored.ErrUnfinished):
		return fault.NotMoved.WithMessage("another move into it is not finished").
			Because("another store was being copied to %s", m.To).
			FixedBy("finish that one", "or on the server: "+m.engine().Empty())
	case err != nil:
		return unusable(err)
	}
	clear := func() (mem.MoveStore, error) { return to, to.ClearCopy(ctx) }
	if err := m.copy(ctx, source, to, clear); err != nil {
		return err
	}
	return to.EndCopy(ctx)
}

// sameAs is nil if a store that is there already is the same: an earlier move was interrupted at its very end.
func (m *storeMove) sameAs(ctx context.Context, source, to mem.MoveStore) (err error) {
	m.response.Copied, err = transfer.Compare(ctx, source, to)
	if errors.Is(err, transfer.ErrDiffers) {
		return m.notEmpty()
	}
	return err
}

// notEmpty is the error of a server that has other memories.
func (m *storeMove) notEmpty() error {
	return fault.NotMoved.WithMessage("there are other memories already").
		Because("%s is not empty, and a move mixes nothing", m.To).
		FixedBy("name another database", "to use what is there: remanence config set store.dsn ADDRESS",
			"to remove what is there, on the server: "+m.engine().Empty())
}

// toFile copies into a new file, which then takes the place of the one of before. That is kept aside.
func (m *storeMove) toFile(ctx context.Context, source mem.MoveStore) error {
	path := m.Paths.Database()
	next := path + ".moving"
	open := func() (*sqlite.Store, error) { return sqlite.Open(ctx, sqlite.Config{Path: next, Now: m.Sys.Now}) }
	to, err := open()
	if err != nil {
		return err
	}
	clear := func() (mem.MoveStore, error) {
		if err := errors.Join(to.Close(), sqlite.Remove(next)); err != nil {
			return nil, err
		}
		to, err = open()
		return to, err
	}
	err = m.copy(ctx, source, to, clear)
	if to != nil {
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return err
	}
	got, err := sqlite.Restore(ctx, path, next, m.Sys.Now())
	if err != nil {
		return err
	}
	m.response.Before = got.Aside
	return sqlite.Remove(next)
}

// copy copies and compares. If something else than a part of the store is there, the store changed since an earlier
// move was interrupted: clear empties the other place, and it is copied anew.
func (m *storeMove) copy(ctx context.Context, from, to mem.MoveStore, clear func() (mem.MoveStore, error)) (err error) {
	c := transfer.Copy{From: from, To: to, Report: m.Report}
	m.response.Copied, err = c.Run(ctx)
	if errors.Is(err, transfer.ErrOther) {
		if c.To, err = clear(); err != nil {
			return err
		}
		m.response.Copied, err = c.Run(ctx)
	}
	if errors.Is(err, transfer.ErrDiffers) {
		return fault.NotMoved.WithMessage("the copy is not the same as the memory").Because("%s; store.dsn was not changed",
			err).FixedBy("end the daemons of other machines that use the server, and move again")
	}
	if err != nil {
		return fmt.Errorf("copy to %s: %w", m.response.To, err)
	}
	return nil
}

// unusable is the error of a server that cannot be moved to.
func unusable(err error) error {
	return fault.NotMoved.WithMessage("that server cannot be used").Because("%s; nothing was changed", err).
		FixedBy("try the address with psql", "remanence help postgresql")
}
