package stored

import (
	"errors"
	"time"
)

// Errors of a copy of a store to a database server.
var (
	ErrUnfinished = errors.New("a copy of another store into it is not finished")
	ErrNotEmpty   = errors.New("it has memories already")
)

// Target is what is at the place on a database server where a copy goes.
type Target struct {
	Engine     string // PostgreSQL or SurrealDB
	Version    string // of the server
	Full       bool   // something is stored there
	Unfinished bool   // by a copy that is not finished
}

// MaxNotice is how many bytes a text has that a daemon sends to the others of its server. PostgreSQL takes 8,000.
const MaxNotice = 7500

// Server describes the database server of an open store.
type Server struct {
	Engine    string        `json:"engine"`    // PostgreSQL or SurrealDB
	Address   string        `json:"address"`   // without a password
	Version   string        `json:"version"`   // such as 15.18
	Schema    string        `json:"schema"`    // name of the schema; of SurrealDB, of the namespace and the database
	Number    int           `json:"number"`    // version of the schema
	Latency   time.Duration `json:"latency"`   // of one statement, in nanoseconds
	Durable   bool          `json:"durable"`   // commits wait for the disk, as far as the server says
	Superuser bool          `json:"superuser"` // the role may read and write everything, which is more than it needs
	Encrypted bool          `json:"encrypted"` // the connection uses TLS
	Local     bool          `json:"local"`     // the server is on this machine
	Bytes     int64         `json:"bytes"`     // of the tables; 0 if the server does not say

	Ahead time.Duration `json:"ahead"` // how far its clock is ahead of that of this machine, in nanoseconds
	// ReadOnly says that the role may not write all that it has to.
	ReadOnly bool `json:"read_only"`
	// CannotMigrate says that the role may not change the schema, as a newer version will.
	CannotMigrate bool `json:"cannot_migrate"`
}
