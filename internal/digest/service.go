// Package digest lets a language model write memories of a turn, within a daily
// limit of tokens. It does not connect to a model itself; see llm. Start with
// Service.Refine.
package digest

import (
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Config holds what a Service needs from outside.
type Config struct {
	Event *event.Service
	// Archive stores the conversation word for word; nil means nothing is archived.
	Archive event.Archive
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	Now      func() time.Time
	Settings func() event.Settings
	Store    mem.Store
}

// Service digests turns with a model. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
