//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Built is whether the program has the client of PostgreSQL.
const Built = true

// engine is the name of the server.
const engine = "PostgreSQL"

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
	if err := s.checkCopy(ctx); err != nil && !cfg.Copy {
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
	if err := checkPassfile(cfg.DSN); err != nil {
		return nil, err
	}
	conf.MaxConns = int32(cfg.MaxConns)
	conf.MaxConnIdleTime = idleConn
	conf.PingTimeout = cfg.Connect
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
		"remanence.process":                   cfg.Process, // for announce_written
	} {
		c.RuntimeParams[name] = value
	}
	limits := &limiter{statement: cfg.Limit + cfg.Connect, begin: cfg.Connect}
	c.Tracer = limits
	pool, err := pgxpool.NewWithConfig(ctx, conf)
	limits.pool = pool
	return pool, err
}

// errDSN hides the reason why a DSN cannot be read: it may quote the password.
var errDSN = errors.New("the address of the database cannot be read; it looks like postgres://user@host:5432/database")

// checkPassfile returns an error for a file with passwords that other users can read. psql ignores such a file.
func checkPassfile(dsn string) error {
	file := os.Getenv("PGPASSFILE")
	if u, err := url.Parse(dsn); err == nil && u.Query().Has("passfile") {
		file = u.Query().Get("passfile")
	}
	if home, err := os.UserHomeDir(); err == nil && file == "" {
		file = filepath.Join(home, ".pgpass")
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil //nolint:nilerr // without the file the server asks for no password, or refuses
	}
	return fmt.Errorf("%w: others can read the file with passwords, %s: chmod 600 it", mem.ErrUnsafe, file)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Close closes the connections. Statements that run are finished first.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Server asks the server about itself.
func (s *Store) Server(ctx context.Context) (v stored.Server, err error) {
	conf := s.pool.Config().ConnConfig
	v.Engine = engine
	v.Schema, v.Encrypted = s.schema, conf.TLSConfig != nil
	v.Address = fmt.Sprintf("postgres://%s@%s:%d/%s", conf.User, conf.Host, conf.Port, conf.Database)
	v.Local = isLocal(conf.Host)
	begun := time.Now()
	var clock time.Time
	if err := s.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&clock); err != nil {
		return v, wrap("ask the server", err)
	}
	v.Latency = time.Since(begun)
	v.Ahead = clock.Sub(begun.Add(v.Latency / 2))
	err = s.pool.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1),
		current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off',
		(SELECT rolsuper FROM pg_roles WHERE rolname = current_user), (SELECT n FROM counter WHERE name = 'schema'),
		current_setting('transaction_read_only') = 'on' OR (SELECT NOT bool_and(has_table_privilege(c.oid, 'SELECT') AND
			has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') AND
			has_table_privilege(c.oid, 'DELETE')) FROM pg_class c WHERE c.relnamespace = to_regnamespace($1) AND
			c.relkind = 'r'),
		NOT has_schema_privilege(to_regnamespace($1), 'CREATE') OR (SELECT NOT bool_and(pg_has_role(c.relowner, 'USAGE'))
			FROM pg_class c WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r')`,
		pgx.Identifier{s.schema}.Sanitize()).
		Scan(&v.Version, &v.Durable, &v.Superuser, &v.Number, &v.ReadOnly, &v.CannotMigrate)
	if err == nil {
		v.Bytes, err = s.bytes(ctx)
	}
	if err == nil {
		v.VectorSearch, err = s.vectorSearch(ctx)
	}
	return v, wrap("ask the server", err)
}

// isLocal reports whether a host is this machine, by its name alone.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasPrefix(host, "/") || ip != nil && ip.IsLoopback()
}
