// Package erase finds and removes every byte of what is purged, and scans stored
// text for secrets. Start with Service.Scan.
package erase

import (
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Config holds what a Service needs from outside.
type Config struct {
	Event *event.Service
	// Archive stores what was said, word for word; nil means that nothing is archived.
	Archive event.Archive
	// Door removes secrets and private text.
	Door *redact.Door
	// Minds are the state files of projects; nil means none.
	Minds event.StateFiles
	Store mem.Store
}

// Service erases memories and scans for secrets. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
