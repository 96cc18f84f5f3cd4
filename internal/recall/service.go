// Package recall searches memories: for the person, for a prompt, for a tool call,
// and for quotes of past conversation. It builds the injected block and its receipt.
// Start with Service.Search.
package recall

import (
	"context"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/redact"
)

// Config holds what a Service needs from outside.
type Config struct {
	Event *event.Service
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	Now      func() time.Time
	// Rel returns a path relative to the project, with slashes.
	Rel func(p mem.Project, path string) string
	// Secret keys the boundary of injected blocks.
	Secret   []byte
	Settings func() event.Settings
	Store    mem.Store
	// Slack is added to the time that the search for undone decisions may take. Only tests set it.
	Slack time.Duration

	// Calls into packages above this one.
	SyncVault func(ctx context.Context, by event.Author) error
}

// Service searches memories. It is safe for concurrent use.
type Service struct {
	Config
	Floors  Floors
	lexicon *rank.Lexicon
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service {
	s := &Service{Config: c, lexicon: &rank.Lexicon{}}
	s.Floors.recall, s.Floors.due = s, make(chan struct{}, 1)
	return s
}
