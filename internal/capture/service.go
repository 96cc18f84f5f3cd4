// Package capture makes memories of tool calls, turns, subagents and transcripts,
// and finds events that no hook reported. It stores only what it finds in transcripts:
// of an event it returns the changes. Start with Service.ToolSucceeded and
// Service.TurnEnd.
package capture

import (
	"context"
	"sync/atomic"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// Config holds what a Service needs from outside.
type Config struct {
	Event *event.Service
	// Archive stores the conversation word for word; nil means nothing is archived.
	Archive event.Archive
	Now     func() time.Time
	// OwnDirs lists our own directories; calls on files in them are not captured.
	OwnDirs []string
	// ReadPastEvents reads the events of a transcript after a position and returns the new position.
	ReadPastEvents func(ctx context.Context, s mem.Session, since mem.TranscriptPosition, until time.Time,
		give func(mem.Event) error) (mem.TranscriptPosition, error)
	Store mem.Store
	// ListTranscripts lists transcripts below a folder of Claude Code and a home directory, those that ended last first.
	ListTranscripts func(ctx context.Context, folder, home string) ([]mem.TranscriptFile, error)
	// GiveWay returns when no hook is being answered, and with jobs when no other job is run; it waits a bounded time.
	// Nil does not wait.
	GiveWay func(ctx context.Context, jobs bool)

	// Calls into packages above this one.
	HandleEvent func(ctx context.Context, ev mem.Event, replay bool) (reply mem.Reply, did Outcome, err error)
	// Consolidator runs the consolidation of a session that waits.
	Consolidator interface {
		RunNow(ctx context.Context, session string) error
	}
}

// Service captures memories from events. It is safe for concurrent use.
type Service struct {
	Config
	backfilling chan struct{} // holds an element while a job reads sessions in
	stops       atomic.Int64  // how often jobs of backfills were to be removed
	later       courseChanges // than the past session that is read in
}

// New returns a service over c. It reads and writes nothing.
func New(c Config) *Service { return &Service{Config: c, backfilling: make(chan struct{}, 1)} }
