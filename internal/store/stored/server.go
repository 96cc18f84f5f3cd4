package stored

import (
	"context"
	"errors"
	"time"

	"remanence/internal/mem"
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

// ServerStore is a store on a database server.
type ServerStore interface {
	mem.Store
	mem.RecordStore
	mem.MoveStore

	// Server asks the server about itself.
	Server(ctx context.Context) (Server, error)
	// BeginCopy allows that a store is copied into this one. begun says that an earlier copy from it is not finished. It
	// returns ErrNotEmpty if there is something else, and ErrUnfinished if a copy from elsewhere is not finished.
	BeginCopy(ctx context.Context, from string) (begun bool, err error)
	// ClearCopy deletes what an unfinished copy wrote. It is not finished afterwards either.
	ClearCopy(ctx context.Context) error
	// EndCopy marks a copy as finished. From then on the store can be opened.
	EndCopy(ctx context.Context) error
	// Notify sends a text of at most MaxNotice bytes to all who listen.
	Notify(ctx context.Context, text string) error
	// Listen passes on what is sent, its own too, until ctx ends or the connection does. It calls ready when it begins.
	Listen(ctx context.Context, ready func(), receive func(text string)) error
}

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

	VectorSearch VectorSearch `json:"vector_search"`
}

// VectorSearch says how a server searches vectors. Only PostgreSQL has an extension for it; the zero value means none.
type VectorSearch struct {
	Vectors   int    `json:"vectors"`   // that are stored
	Extension string `json:"extension"` // with its version, if the database has it: pgvector 0.8.0
	Available string `json:"available"` // the same, if the server has it and the database does not
	Usable    bool   `json:"usable"`    // its version is new enough
	Indexed   bool   `json:"indexed"`   // the vectors are in its index; else they are compared one by one
}
