// Package views computes read models for the viewer, the API and the command line. It writes nothing
// but the uses of memories that an agent fetches. Start with Service.Status and Service.Show.
package views

import (
	"context"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/outcome"
	"remanence/internal/recall"
	"remanence/internal/redact"
)

// Config holds the dependencies of a Service.
type Config struct {
	Continuity *continuity.Service
	Curate     *curate.Service
	Event      *event.Service
	Filesync   *filesync.Service
	Recall     *recall.Service
	Redactor   *redact.Redactor
	Now        func() time.Time
	// Rel returns a path relative to the project, with slashes.
	Rel   func(p mem.Project, path string) string
	Store mem.Store
	// Log returns the commits of a repository since a time, and how some files stand there; nil means that
	// repositories are not read.
	Log func(ctx context.Context, dir string, since time.Time, files []string) (outcome.History, error)
}

// Service reads for pages and commands. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a Service. It does no I/O.
func New(c Config) *Service { return &Service{Config: c} }
