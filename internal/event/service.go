// Package event holds what every use case needs to know about one event: its context, the settings in force, its scope
// and its trust. It owns no files and no connections. Start reading at [Context].
package event

import (
	"time"

	"remanence/internal/mem"
)

// Config holds what a Service needs from outside.
type Config struct {
	// Embedder returns what turns texts into vectors; nil, or a nil result, means none.
	Embedder func() Embedder
	// Commits returns the commits of a project's repository whose id begins with a prefix; nil means that repositories
	// are not read.
	Commits func(p mem.Project, prefix string) []mem.Commit
	// Log records an error that did not stop the work; nil means no log.
	Log func(what string, err error)
	// Instructed reports whether a file that an agent reads when a session begins, at since, says what m does. A zero
	// since means now. Nil means that no such file is read.
	Instructed func(p mem.Project, agent string, since time.Time, m mem.Memory) bool
	// Look opens a project's files for reading; nil means that files are not read.
	Look func(p mem.Project) Files
	// StateFiles are the state files of projects; nil means none.
	StateFiles StateFiles
	// Moved returns the key of the known project that was moved to p; empty if none.
	Moved func(p mem.Project, known []mem.Project) string
	Now   func() time.Time
	// Own lists our own directories; calls on files in them are not captured.
	Own []string
	// Paused is called with the new list of pauses after each change; may be nil.
	Paused func([]mem.Pause)
	// Project returns the project of a directory.
	Project func(dir string) (mem.Project, error)
	// Rel returns a path relative to the project, with slashes.
	Rel      func(p mem.Project, path string) string
	Settings func() Settings
	Store    mem.Store
	// Summarizer returns the model that digests turns; nil, or a nil result, means none.
	Summarizer func() Summarizer
	// Vault returns the person's memory in files; nil, or a nil result, means none.
	Vault func() Vault
}

// Service answers what all use cases ask of an event: its session, its project, its trust. It is safe for concurrent
// use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
