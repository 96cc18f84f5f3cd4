// Package filesync keeps state files and the vault in step with memories, in both
// directions. Start with Service.State and Service.SyncVault.
package filesync

import (
	"context"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/erase"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Config holds what a Service needs from outside.
type Config struct {
	Continuity *continuity.Service
	Curate     *curate.Service
	Erase      *erase.Service
	Event      *event.Service
	// Door removes secrets and private text.
	Door *redact.Door
	// Journal adds an entry to the person's journal and returns its file, "" without a journal.
	Journal func(entry string) (file string, err error)
	// Minds are the state files of projects; nil means none.
	Minds event.StateFiles
	Now   func() time.Time
	Store mem.Store

	// Calls into packages above this one.
	DeriveStanding func(ctx context.Context, p mem.Project, out *mem.Standing) error
}

// Service keeps files and memories in step. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
