//go:build surreal || backends

package surreal

import (
	"context"
	"os"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// Built is whether the program has the client of SurrealDB.
const Built = true

// engine is the name of the server.
const engine = "SurrealDB"

// Defaults of Config.
const (
	defaultWait  = 10 * time.Second
	defaultLimit = 3 * time.Second
	defaultPoll  = time.Second
)

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&c.Wait, defaultWait)
	set(&c.Limit, defaultLimit)
	set(&c.Poll, defaultPoll)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	return c
}

// Store is an open database. It implements mem.Store.
type Store struct{ *database }

// database is the link to one database of a server.
type database struct {
	link    *surql.Link
	owner   string
	process string
	now     func() time.Time
	wait    time.Duration
	poll    time.Duration
	writing chan struct{} // holds a value while a transaction of this process writes
}

var _ mem.Store = (*Store)(nil)

// Open connects to the server, makes the tables if they are missing and migrates them. It returns mem.ErrAway if the
// server cannot be reached, and mem.ErrNewer or mem.ErrForeign if the database is not one that this program may change.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := connect(cfg)
	if err != nil {
		return nil, wrap("open the database", err)
	}
	if err = s.migrate(ctx); err == nil && !cfg.Copy {
		err = s.checkCopy(ctx)
	}
	if err != nil {
		s.link.Close()
		return nil, wrap("open the database", err)
	}
	return s, nil
}

// connect returns a store that was not looked at. Its error does not contain the password.
func connect(cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	to, err := surql.PlaceOf(cfg.DSN, cfg.Getenv)
	if err != nil {
		return nil, err
	}
	return &Store{&database{
		link: &surql.Link{Place: to, Limit: cfg.Limit}, owner: cfg.Owner, process: cfg.Process, now: cfg.Now, wait: cfg.Wait,
		poll: cfg.Poll, writing: make(chan struct{}, 1),
	}}, nil
}

// Close closes the connection. A transaction that runs is finished first.
func (s *Store) Close() error {
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	s.link.Close()
	return nil
}

// Server asks the server about itself.
func (s *Store) Server(ctx context.Context) (v stored.Server, err error) {
	to := s.link.Place
	v.Engine, v.Durable = engine, true // it does not say whether it waits for its disk
	v.Address, v.Schema = to.Address(), to.Namespace+"/"+to.Database
	v.Encrypted, v.Local = to.Encrypted(), to.IsLocal()
	a, err := s.link.Get(ctx)
	if err != nil {
		return v, wrap("ask the server", err)
	}
	v.Superuser = a.Root
	if v.Version, err = s.version(ctx); err != nil {
		return v, wrap("ask the server", err)
	}
	begun := time.Now()
	state, _, err := first(ctx, s, query("SELECT schema, time::nano(time::now()) AS clock FROM store:state"), whole)
	v.Latency = time.Since(begun)
	v.Number = int(state.Number("schema"))
	if at := state.Time("clock"); !at.IsZero() {
		v.Ahead = at.Sub(begun.Add(v.Latency / 2))
	}
	return v, wrap("ask the server", err)
}

// version returns the version of the server, such as 3.0.2.
func (s *database) version(ctx context.Context) (version string, err error) {
	a, err := s.link.Get(ctx)
	if err != nil {
		return "", err
	}
	err = s.link.Call(ctx, a, func(ctx context.Context) error {
		v, err := a.DB.Version(ctx)
		if err == nil {
			version = strings.TrimPrefix(v.Version, "surrealdb-")
		}
		return err
	})
	return version, err
}
