// Package postgres implements [mem.Store] in one schema of a PostgreSQL server, which several daemons may share. It
// knows the types of package mem and SQL, and nothing about agents, ranking or policy.
//
// A row holds a JSON document with everything, and columns with what queries compare. One transaction writes at a
// time: it holds an advisory lock of the schema, so that what it read before it writes cannot change. Acknowledged
// batches are durable as far as the server is: commits wait for its write-ahead log.
//
// Start reading at [Open] and [Store.Apply]. Each file named after a kind of rows writes and reads them; query.go puts
// statements together, search.go makes the text index, purge.go and scrub.go erase.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"remanence/internal/mem"
)

// Config says where the database is.
type Config struct {
	// DSN is a URL, postgres://…, or a list of key=value. Passwords may come from PGPASSWORD, PGPASSFILE or
	// ~/.pgpass instead.
	DSN      string
	Schema   string           // made if it is missing; empty means DefaultSchema
	Owner    string           // names the process that leases jobs, the same after a restart
	Now      func() time.Time // nil means time.Now
	Connect  time.Duration    // limit of a new connection; 0 means 5 s
	Wait     time.Duration    // limit of waiting for a lock; 0 means 10 s
	Limit    time.Duration    // limit of one statement; 0 means 60 s
	MaxConns int              // 0 means 6
}

// DefaultSchema is the schema that is used unless another one is configured.
const DefaultSchema = "remanence"

// Defaults of Config.
const (
	defaultConnect = 5 * time.Second
	defaultWait    = 10 * time.Second
	defaultLimit   = time.Minute
	defaultConns   = 6
	idleConn       = 5 * time.Minute // after which an idle connection is closed
	keptStatements = 256             // prepared statements of a connection
)

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&c.Connect, defaultConnect)
	set(&c.Wait, defaultWait)
	set(&c.Limit, defaultLimit)
	if c.Schema == "" {
		c.Schema = DefaultSchema
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxConns <= 0 {
		c.MaxConns = defaultConns
	}
	return c
}

// Store is an open database. It implements mem.Store.
type Store struct{ *database }

// database is the connections to one schema of a server.
type database struct {
	pool   *pgxpool.Pool
	schema string
	owner  string
	now    func() time.Time
}

var _ mem.Store = (*Store)(nil)

// Open connects to the server, makes the schema if it is missing and migrates it. It returns mem.ErrAway if the server
// cannot be reached, and mem.ErrNewer or mem.ErrForeign if the schema is not one that this program may change.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	pool, err := connect(ctx, cfg)
	if err != nil {
		return nil, wrap("open the database", err)
	}
	s := &Store{&database{pool: pool, schema: cfg.Schema, owner: cfg.Owner, now: cfg.Now}}
	if err := s.migrate(ctx); err != nil {
		pool.Close()
		return nil, wrap("open the database", err)
	}
	if err := s.finishPurge(ctx); err != nil && !errors.Is(translate(err), mem.ErrLocked) {
		pool.Close()
		return nil, wrap("finish an earlier purge", err)
	}
	return s, nil
}

// connect returns a pool of connections. The error does not contain the DSN, which may hold a password.
func connect(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	conf, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, errDSN
	}
	conf.MaxConns = int32(cfg.MaxConns)
	conf.MaxConnIdleTime = idleConn
	c := conf.ConnConfig
	c.ConnectTimeout = cfg.Connect
	c.StatementCacheCapacity = keptStatements
	for name, value := range map[string]string{
		"application_name":                    "remanence",
		"search_path":                         pgx.Identifier{cfg.Schema}.Sanitize(),
		"lock_timeout":                        milliseconds(cfg.Wait),
		"statement_timeout":                   milliseconds(cfg.Limit),
		"idle_in_transaction_session_timeout": milliseconds(cfg.Limit),
		"synchronous_commit":                  "on",
		"timezone":                            "UTC",
	} {
		c.RuntimeParams[name] = value
	}
	return pgxpool.NewWithConfig(ctx, conf)
}

// errDSN hides the reason why a DSN cannot be read: it may quote the password.
var errDSN = errors.New("the address of the database cannot be read; it looks like postgres://user@host:5432/database")

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Close closes the connections. Statements that run are finished first.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Server describes the server of an open store.
type Server struct {
	Version   string        // such as 15.18
	Schema    string        // name of the schema
	Number    int           // of the schema's tables, as Schema returns it
	Latency   time.Duration // of one statement
	Durable   bool          // commits wait for the disk: fsync and synchronous_commit are on
	Superuser bool          // the role may read and write everything, which is more than it needs
	Bytes     int64         // of the tables
}

// Server asks the server about itself.
func (s *Store) Server(ctx context.Context) (v Server, err error) {
	v.Schema = s.schema
	begun := time.Now()
	if _, err := s.pool.Exec(ctx, "SELECT 1"); err != nil {
		return v, wrap("ask the server", err)
	}
	v.Latency = time.Since(begun)
	err = s.pool.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1),
		current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off',
		(SELECT rolsuper FROM pg_roles WHERE rolname = current_user), (SELECT n FROM counter WHERE name = 'schema')`).
		Scan(&v.Version, &v.Durable, &v.Superuser, &v.Number)
	if err == nil {
		v.Bytes, err = s.bytes(ctx)
	}
	return v, wrap("ask the server", err)
}

// Name describes where a store is without its password.
func Name(dsn string) string {
	conf, err := pgx.ParseConfig(dsn)
	if err != nil {
		return "postgres"
	}
	return fmt.Sprintf("postgres://%s@%s:%d/%s", conf.User, conf.Host, conf.Port, conf.Database)
}
