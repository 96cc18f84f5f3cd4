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

// Errors of a copy of a store into a schema.
var (
	ErrUnfinished = errors.New("a copy of another store into it is not finished")
	ErrNotEmpty   = errors.New("it has memories already")
)

// Target is what is at the place where a copy goes.
type Target struct {
	Version    string // of the server
	Full       bool   // something is stored there
	Unfinished bool   // by a copy that is not finished

	number int
}

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

// MaxNotice is how many bytes a text has that Store.Notify sends. The server takes 8,000.
const MaxNotice = 7500

// DefaultSchema is the schema that is used unless another one is configured.
const DefaultSchema = "remanence"

// Server describes the server of an open store.
type Server struct {
	Address   string        `json:"address"`   // without a password
	Version   string        `json:"version"`   // such as 15.18
	Schema    string        `json:"schema"`    // name of the schema
	Number    int           `json:"number"`    // version of the schema
	Latency   time.Duration `json:"latency"`   // of one statement, in nanoseconds
	Durable   bool          `json:"durable"`   // commits wait for the disk: fsync and synchronous_commit are on
	Superuser bool          `json:"superuser"` // the role may read and write everything, which is more than it needs
	Encrypted bool          `json:"encrypted"` // the connection uses TLS
	Local     bool          `json:"local"`     // the server is on this machine
	Bytes     int64         `json:"bytes"`     // of the tables

	Ahead time.Duration `json:"ahead"` // how far its clock is ahead of that of this machine, in nanoseconds
	// ReadOnly says that the role may not write all that it has to.
	ReadOnly bool `json:"read_only"`
	// CannotMigrate says that the role may not change the schema, as a newer version will.
	CannotMigrate bool `json:"cannot_migrate"`
}
