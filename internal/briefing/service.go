// Package briefing composes the text injected at session start: state, open work,
// decisions, sessions, the vault. Start with Service.Brief.
package briefing

import (
	"time"

	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/redact"
)

// Config holds what a Service needs from outside.
type Config struct {
	Continuity *continuity.Service
	Event      *event.Service
	Filesync   *filesync.Service
	Recall     *recall.Service
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	Now      func() time.Time
	Store    mem.Store
	// Warnings returns lines for the person that were not shown today.
	Warnings func(p mem.Project) []string
}

// Service composes briefings. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
