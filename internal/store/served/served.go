// Package served opens a store on a database server: the one whose back end the address names. It knows which back ends
// there are, and which of them this program was built with.
package served

import (
	"context"
	"errors"
	"strings"
	"time"

	"remanence/internal/store/postgres"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal"
)

// Config says where a store is.
type Config struct {
	DSN     string
	Getenv  func(string) string // of the credentials; nil means os.Getenv
	Owner   string              // names the daemon that leases jobs, the same after a restart
	Process string              // names this process in the notices of what it wrote, as no other
	Now     func() time.Time    // nil means time.Now
	Copy    bool                // a copy into it may be unfinished; otherwise Open refuses that
}

func (c Config) postgres() postgres.Config {
	return postgres.Config{DSN: c.DSN, Owner: c.Owner, Process: c.Process, Now: c.Now, Copy: c.Copy}
}

func (c Config) surreal() surreal.Config {
	return surreal.Config{
		DSN: c.DSN, Getenv: c.Getenv, Owner: c.Owner, Process: c.Process, Now: c.Now, Copy: c.Copy,
	}
}

// Engine is a sort of server.
type Engine struct {
	Name  string
	Tag   string // with which a program has its client
	Built bool   // this program has it

	Missing error // says that this program has not

	secure, empty string
	notErased     []string
	open          func(context.Context, Config) (stored.ServerStore, error)
	look          func(context.Context, Config) (stored.Target, error)
}

// Of returns the engine of an address.
func Of(dsn string) Engine {
	if strings.HasPrefix(dsn, "surreal") {
		return Engine{
			Name: "SurrealDB", Tag: "surreal", Built: surreal.Built, Missing: surreal.ErrNotBuilt,
			secure: "begin store.dsn with surreals://", empty: "REMOVE DATABASE …", notErased: []string{
				"backups and replicas of the database server",
				"the files of the database server, until its storage engine compacts them: no client can ask for that",
			},
			open: func(ctx context.Context, c Config) (stored.ServerStore, error) {
				return opened(surreal.Open(ctx, c.surreal()))
			},
			look: func(ctx context.Context, c Config) (stored.Target, error) { return surreal.Look(ctx, c.surreal()) },
		}
	}
	return Engine{
		Name: "PostgreSQL", Tag: "postgres", Built: postgres.Built, Missing: postgres.ErrNotBuilt,
		secure: "add ?sslmode=verify-full to store.dsn", empty: "DROP SCHEMA " + postgres.DefaultSchema + " CASCADE",
		notErased: []string{
			"backups, replicas and the write-ahead log of the database server",
			"rows that an older transaction on the server still sees, until a later purge",
		},
		open: func(ctx context.Context, c Config) (stored.ServerStore, error) {
			return opened(postgres.Open(ctx, c.postgres()))
		},
		look: func(ctx context.Context, c Config) (stored.Target, error) { return postgres.Look(ctx, c.postgres()) },
	}
}

// Secure says how the connection gets encrypted.
func (e Engine) Secure() string { return e.secure }

// Empty is the statement that removes all that is stored.
func (e Engine) Empty() string { return e.empty }

// NotErased names what a purge on the server does not reach.
func (e Engine) NotErased() []string { return e.notErased }

// opened returns a store. One of no type would not be nil.
func opened[S stored.ServerStore](s S, err error) (stored.ServerStore, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Open opens the store of an address.
func Open(ctx context.Context, c Config) (stored.ServerStore, error) { return Of(c.DSN).open(ctx, c) }

// OpenTeam opens the memories that a team shares on a PostgreSQL server.
func OpenTeam(ctx context.Context, c Config, team string) (stored.TeamStore, error) {
	t, err := postgres.OpenTeam(ctx, c.postgres(), team)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// IsNotBuilt reports whether an error is that of a program that was built without the client of a server.
func IsNotBuilt(err error) bool {
	return errors.Is(err, postgres.ErrNotBuilt) || errors.Is(err, surreal.ErrNotBuilt)
}

// Look asks the server of an address what is there, and changes nothing.
func Look(ctx context.Context, c Config) (stored.Target, error) { return Of(c.DSN).look(ctx, c) }

// AtFault reports whether a store is the cause of an error, not the caller's data: the same call may succeed later.
func AtFault(err error) bool { return postgres.AtFault(err) || surreal.AtFault(err) }
