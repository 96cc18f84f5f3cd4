// Package continuity carries work across compactions and sessions: checkpoints,
// context usage, handoffs, resume. It reads no transcripts and no files itself. Start
// with Service.Checkpoint and Service.PreCompact.
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
	// Archive stores the conversation word for word; nil means nothing is archived.
	Archive event.Archive
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	// ReadContextUsage reads the context usage from a transcript. The error wraps fs.ErrNotExist if there is none.
	ReadContextUsage func(path string) (mem.ContextUsage, error)
	// Handoffs are the handoff files of projects; nil means none are written.
	Handoffs Handoffs
	Now      func() time.Time
	// Program is the path of the command line program; empty means its name.
	Program  string
	Settings func() event.Settings
	Store    mem.Store

	// Calls into packages above this one.
	AuthorAt        func(ctx context.Context, by event.Author, at time.Time) (event.Author, error)
	IndexUtterances func(ctx context.Context, ec event.Context) (made int, err error)
	// ApplyDeclaredState overrides a derived state with the declared fields of the project.
	ApplyDeclaredState func(ctx context.Context, project string, s *mem.State) error
	Reconcile          func(ctx context.Context, s mem.Session) (found int, err error)
	ArchiveTranscript  func(ctx context.Context, s mem.Session) (mem.TranscriptImport, error)
}

// Service keeps checkpoints and handoffs. It is safe for concurrent use.
type Service struct {
	Config
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c} }
