// Package continuity carries work across compactions and sessions: checkpoints,
// context usage, handoffs, resume. Start with Service.Checkpoint.
package continuity

import (
	"context"
	"time"

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
	// Fill reads from a transcript how full the context is; errors wrap fs.ErrNotExist without one.
	Fill func(path string) (mem.Fill, error)
	// Handoffs are where a person reads handoffs; nil means nowhere.
	Handoffs Handoffs
	Now      func() time.Time
	// Program is how a shell calls our command line; empty means by its name.
	Program  string
	Settings func() event.Settings
	Store    mem.Store

	// Calls into packages above this one.
	HandAt        func(ctx context.Context, by event.Hand, at time.Time) (event.Hand, error)
	IndexSaid     func(ctx context.Context, m *event.Context) (made int, err error)
	LaidDownState func(ctx context.Context, project string, s *mem.State) error
	Reconcile     func(ctx context.Context, s mem.Session) (found int, err error)
	TakeSaid      func(ctx context.Context, m *event.Context) (mem.Taken, error)
}

// Service keeps checkpoints and handoffs. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
