package engine

import (
	"context"
	"time"

	"remanence/internal/briefing"
	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/digest"
	"remanence/internal/erase"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

// services are the use cases that events and requests are dispatched to.
type services struct {
	Event      *event.Service
	Recall     *recall.Service
	Curate     *curate.Service
	Erase      *erase.Service
	Continuity *continuity.Service
	Filesync   *filesync.Service
	Digest     *digest.Service
	Capture    *capture.Service
	Briefing   *briefing.Service
	Views      *views.Service
}

// connect builds the services from the lowest to the highest. A call into a
// higher one goes through a function, which is used only after all are built.
func (e *Engine) connect(c Config) {
	e.Event = event.New(event.Config{
		Embedder: c.Embedder, Log: c.Log, Look: c.OpenFiles, StateFiles: c.StateFiles, Moved: c.Moved, Now: c.Now, Own: c.Own,
		Paused: c.Paused, Project: c.Project, Rel: c.Rel, Settings: c.Settings, Store: c.Store,
		Summarizer: c.Summarizer, Vault: c.Vault, Instructed: c.Instructed, Commits: c.Commits,
	})
	syncVault := func(ctx context.Context, by event.Author) error { return e.Filesync.SyncVault(ctx, by) }
	e.Recall = recall.New(recall.Config{
		Event: e.Event, Redactor: c.Redactor, Now: c.Now, Rel: c.Rel, Secret: c.Secret, Settings: c.Settings, Store: c.Store,
		SyncVault: syncVault, Slack: c.Slack,
	})
	e.Curate = curate.New(curate.Config{
		Event: e.Event, Recall: e.Recall, Redactor: c.Redactor, OpenFiles: c.OpenFiles, Now: c.Now, Rel: c.Rel,
		Settings: c.Settings, Store: c.Store, CountStore: c.CountStore, SyncVault: syncVault, GiveWay: c.GiveWay,
		DeadWeight:  func(ctx context.Context, p mem.Project) ([]curate.Finding, error) { return e.Views.DeadWeight(ctx, p) },
		Purge:       e.Purge,
		Scan:        func(ctx context.Context, r event.ScanRequest) (mem.ScanResponse, error) { return e.Erase.Scan(ctx, r) },
		RewriteNote: func(ctx context.Context, m mem.Memory) error { return e.Filesync.RewriteNote(ctx, m) },
		WriteNotes: func(ctx context.Context, restored bool, ids ...string) error {
			return e.Filesync.WriteNotes(ctx, restored, ids...)
		},
	})
	e.Erase = erase.New(erase.Config{
		Event: e.Event, Archive: c.Archive, Redactor: c.Redactor, StateFiles: c.StateFiles, Store: c.Store,
	})
	e.Continuity = continuity.New(continuity.Config{
		Event: e.Event, Archive: c.Archive, Redactor: c.Redactor, ReadContextUsage: c.ReadContextUsage,
		Handoffs: c.Handoffs, Now: c.Now,
		Program: c.Program, Settings: c.Settings, Store: c.Store,
		AuthorAt: func(ctx context.Context, by event.Author, at time.Time) (event.Author, error) {
			return e.Filesync.AuthorAt(ctx, by, at)
		},
		IndexUtterances: func(ctx context.Context, ec event.Context) (int, error) {
			return e.Capture.IndexUtterances(ctx, ec)
		},
		ApplyDeclaredState: func(ctx context.Context, project string, s *mem.State) error {
			return e.Filesync.ApplyDeclaredState(ctx, project, s)
		},
		Reconcile: func(ctx context.Context, s mem.Session) (int, error) { return e.Capture.Reconcile(ctx, s) },
		ArchiveTranscript: func(ctx context.Context, s mem.Session) (mem.TranscriptImport, error) {
			return e.Capture.ArchiveTranscript(ctx, s)
		},
	})
	e.Filesync = filesync.New(filesync.Config{
		Continuity: e.Continuity, Curate: e.Curate, Erase: e.Erase, Event: e.Event, Redactor: c.Redactor, Journal: c.Journal,
		StateFiles: c.StateFiles, Shared: c.Shared,
		Now: c.Now, Store: c.Store,
		DeriveState: func(ctx context.Context, p mem.Project, out *workstate.State) error {
			return e.Briefing.DeriveStanding(ctx, p, out)
		},
	})
	e.Digest = digest.New(digest.Config{
		Event: e.Event, Archive: c.Archive, Redactor: c.Redactor, Now: c.Now, Settings: c.Settings, Store: c.Store,
	})
	e.Capture = capture.New(capture.Config{
		Event: e.Event, Archive: c.Archive, Now: c.Now, OwnDirs: c.Own, ReadPastEvents: c.TranscriptEvents, Store: c.Store,
		HandleEvent: e.HandleEvent, ListTranscripts: c.ListTranscripts, GiveWay: c.GiveWay, Consolidator: e.Curate,
	})
	e.Briefing = briefing.New(briefing.Config{
		Continuity: e.Continuity, Event: e.Event, Filesync: e.Filesync, Recall: e.Recall, Redactor: c.Redactor, Now: c.Now,
		Store: c.Store, Warnings: c.Warnings,
	})
	e.Views = views.New(views.Config{
		Continuity: e.Continuity, Curate: e.Curate, Event: e.Event, Filesync: e.Filesync, Recall: e.Recall,
		Now: c.Now, Rel: c.Rel, Store: c.Store, Redactor: c.Redactor,
	})
}
