// Package filesync synchronizes a project's state files, the person's vault and the files that a team
// shares with stored memories, in both directions. It parses no files; see mind and vault. Start with
// Service.State, Service.SyncVault and Service.SyncShared.
package filesync

import (
	"context"
	"sync"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/erase"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/workstate"
)

// Config holds the dependencies of a Service.
type Config struct {
	Continuity *continuity.Service
	Curate     *curate.Service
	Erase      *erase.Service
	Event      *event.Service
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	// Journal appends an entry to the person's journal and returns its file, or "" without a journal.
	Journal func(entry string) (file string, err error)
	// StateFiles are the state files of projects; nil means none.
	StateFiles event.StateFiles
	// Shared returns the folder of a repository's shared memories, and whether the person trusts the
	// repository. Nil means none.
	Shared func(p mem.Project) (folder SharedFolder, trusted bool)
	Now    func() time.Time
	Store  mem.Store

	// DeriveState fills in the state of the last session. It is above this package.
	DeriveState func(ctx context.Context, p mem.Project, out *workstate.State) error
}

// Service synchronizes files with memories. It is safe for concurrent use.
type Service struct {
	Config

	sharing sync.Mutex // held while shared files are read or written
}

// New returns a Service. It does no I/O.
func New(c Config) *Service { return &Service{Config: c} }
