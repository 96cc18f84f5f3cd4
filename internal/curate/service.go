// Package curate changes stored memories on request of a person or an agent, or by rule: add, edit,
// import, feedback, links, consolidation, decay, review and lint. It neither captures events nor
// searches. Start with Service.Add, Service.Consolidate and Service.Review.
package curate

import (
	"context"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/redact"
)

// Config holds the dependencies of a Service.
type Config struct {
	Event  *event.Service
	Recall *recall.Service
	// Redactor removes secrets and private text.
	Redactor *redact.Redactor
	// OpenFiles opens a project's files for reading; nil means that files are not read.
	OpenFiles func(p mem.Project) event.Files
	Now       func() time.Time
	// Rel returns a path relative to the project, with slashes.
	Rel      func(p mem.Project, path string) string
	Settings func() event.Settings
	Store    mem.Store
	// CountStore stores the sizes of the review queues; nil keeps them in memory only.
	CountStore CountStore
	// GiveWay is called between small parts of long jobs: with false it waits a bounded time while hooks are answered.
	// Nil does not wait.
	GiveWay func(ctx context.Context, jobs bool)

	// Calls into higher packages, connected by the wiring.
	DeadWeight  func(ctx context.Context, p mem.Project) ([]Finding, error)
	Purge       func(ctx context.Context, req event.IDs) (event.PurgeResponse, error)
	Scan        func(ctx context.Context, req event.ScanRequest) (mem.ScanResponse, error)
	SyncVault   func(ctx context.Context, by event.Author) error
	WriteNotes  func(ctx context.Context, restored bool, ids ...string) error
	RewriteNote func(ctx context.Context, m mem.Memory) error
}

// Service changes memories. It is safe for concurrent use.
type Service struct {
	Config
	counts   reviewCounts
	verdicts verdicts
}

// New returns a Service. It does no I/O.
func New(c Config) *Service { return &Service{Config: c, counts: reviewCounts{store: c.CountStore}} }

// searchesAtOnce is how many searches of a job follow one another before it gives way.
const searchesAtOnce = 8

// giveWay waits a bounded time while hooks are answered, each time after some searches of a job.
func (c *Config) giveWay(ctx context.Context, searches int) {
	if c.GiveWay != nil && searches%searchesAtOnce == 0 {
		c.GiveWay(ctx, false)
	}
}
