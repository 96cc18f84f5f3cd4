package stored

import (
	"context"
	"errors"
)

// Errors of the memories of a team.
var (
	ErrNoTeams  = errors.New("the server is not set up for teams: run docs/team.sql there")
	ErrNoMember = errors.New("the role is no member of the team")
	ErrNewer    = errors.New("the server has another text since")
)

// TeamFile is one memory that a team shares on a server, as Markdown.
type TeamFile struct {
	File    string // its name on the server
	Text    string // "" if it was deleted
	Deleted bool
	Author  string // the role that wrote it last
	Version int64  // rises within a project
}

// TeamStore holds the memories that a team shares.
type TeamStore interface {
	// Changes returns up to n files of a project with a version after the given one, oldest first, and the version
	// after which the next call goes on. Files whose text has the hash that known has for them are left out; "" is
	// that of a deleted one.
	Changes(ctx context.Context, project string, after int64, known map[string]string, n int) ([]TeamFile, int64, error)
	// Put writes a file. was is the hash of the text that it replaces; "" if there is none. It returns ErrNewer if
	// there is another text. A deleted file is written anew.
	Put(ctx context.Context, project, file, text, was string) error
	// Delete removes the text of a file whose text has the hash. It returns ErrNewer if there is another text.
	Delete(ctx context.Context, project, file, was string) error
	// Server describes the server.
	Server(ctx context.Context) (TeamServer, error)
	Close() error
}

// TeamServer describes the server of a team.
type TeamServer struct {
	Address   string `json:"address"` // without a password
	Team      string `json:"team"`
	Role      string `json:"role"`
	Version   string `json:"version"`   // of the server
	Members   int    `json:"members"`   // of the team
	Memories  int    `json:"memories"`  // of the team, of all projects
	Everyone  bool   `json:"everyone"`  // the role sees the memories of all teams: it is a superuser or ignores policies
	Encrypted bool   `json:"encrypted"` // the connection uses TLS
	Local     bool   `json:"local"`     // the server is on this machine
}
