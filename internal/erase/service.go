// Package erase finds and removes every byte of purged memories and sessions, and scans stored text
// for secrets. It does not touch the vault; see filesync. Start with Service.Erase and Service.Scan.
package erase

import (
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Config holds the dependencies of a Service.
type Config struct {
	Event *event.Service
	// Archive stores the conversations word for word; nil means no archive.
	Archive event.Archive
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	// StateFiles are the state files of projects; nil means none.
	StateFiles event.StateFiles
	Store      mem.Store
}

// Service erases memories and scans for secrets. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a Service. It does no I/O.
func New(c Config) *Service { return &Service{Config: c} }
