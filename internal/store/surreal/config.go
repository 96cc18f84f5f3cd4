// Package surreal implements [mem.Store] in one database of a SurrealDB server, version 3, which several daemons may
// share. It knows the types of package mem and SurrealQL, and nothing about agents, ranking or policy.
//
// A record holds a JSON document with everything, and fields with what queries compare. A transaction reads the record
// of the store first and writes it last: of two that write at the same time the server refuses one, which begins anew.
// So transactions take effect one after the other, and the numbers of new records have no gaps.
//
// A program has it only if it is built with the tag surreal: every hook would initialise the client, and most people
// need none. Without the tag [Open] returns an error that says so.
//
// Start reading at [Open] and [Store.Apply]. Each file named after a kind of records writes and reads them; query.go
// puts statements together, link.go sends them, search.go makes the text index, purge.go and scrub.go erase.
package surreal

import (
	"errors"
	"time"
)

// ErrNotBuilt is the error of a program that was built without the client of SurrealDB.
var ErrNotBuilt = errors.New("this program is built without SurrealDB")

// Config says where the database is.
type Config struct {
	// DSN is a URL, surreal://user@host:8000/namespace/database, or surreals:// for TLS. What it leaves out comes from
	// the environment: SURREAL_URL, SURREAL_NS, SURREAL_DB, SURREAL_USER, and always the password: SURREAL_PASS, or a
	// file with it, ?passfile=FILE or SURREAL_PASSFILE.
	DSN     string
	Getenv  func(string) string // nil means os.Getenv
	Owner   string              // names the daemon that leases jobs, the same after a restart
	Process string              // names this process in the notices of what it wrote, as no other
	Now     func() time.Time    // nil means time.Now
	Wait    time.Duration       // limit of beginning a transaction anew; 0 means 10 s
	Limit   time.Duration       // limit of one call to the server; 0 means 3 s
	Poll    time.Duration       // how often Listen asks for notices; 0 means 1 s
	Copy    bool                // a copy into it may be unfinished; otherwise Open refuses that
}
