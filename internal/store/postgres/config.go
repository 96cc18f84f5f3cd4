// Package postgres implements [mem.Store] in one schema of a PostgreSQL server, which several daemons may share. It
// knows the types of package mem and SQL, and nothing about agents, ranking or policy.
//
// A row holds a JSON document with everything, and columns with what queries compare. One transaction writes at a
// time: it holds an advisory lock of the schema, so that what it read before it writes cannot change. Acknowledged
// batches are durable as far as the server is: commits wait for its write-ahead log.
//
// A program has it only if it is built with the tag postgres: every hook would initialise the client, and most people
// need none. Without the tag [Open] returns an error that says so.
//
// Start reading at [Open] and [Store.Apply]. Each file named after a kind of rows writes and reads them; query.go puts
// statements together, search.go makes the text index, purge.go and scrub.go erase.
package postgres

import (
	"errors"
	"time"
)

// ErrNotBuilt is the error of a program that was built without the client of PostgreSQL.
var ErrNotBuilt = errors.New("this program is built without PostgreSQL")

// Config says where the database is.
type Config struct {
	// DSN is a URL, postgres://…; package config accepts no list of key=value. Passwords may come from PGPASSWORD,
	// PGPASSFILE or ~/.pgpass instead.
	DSN      string
	Schema   string           // made if it is missing; empty means DefaultSchema
	Owner    string           // names the daemon that leases jobs, the same after a restart
	Process  string           // names this process in the notices of what it wrote, as no other
	Now      func() time.Time // nil means time.Now
	Connect  time.Duration    // limit of a new connection; 0 means 5 s
	Wait     time.Duration    // limit of waiting for a lock; 0 means 10 s
	Limit    time.Duration    // limit of one statement; 0 means 60 s
	MaxConns int              // 0 means 6
	Copy     bool             // a copy into it may be unfinished; otherwise Open refuses that
}

// DefaultSchema is the schema that is used unless another one is configured.
const DefaultSchema = "remanence"
