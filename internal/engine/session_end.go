package engine

import (
	"cmp"
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// sessionEnd closes a session and saves the state of its work. An unknown session is closed as well.
func (e *Engine) sessionEnd(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	reason := cmp.Or(ec.Source, "other")
	ch := event.Changes{
		Session: mem.SessionChange{Processing: new(false), Status: mem.Completed, EndReason: reason},
	}
	ch.Merge(e.Filesync.NoteSessionEnd(ctx, ec, reason))
	if ec.SessionInfo.Prompts == 0 {
		return mem.Reply{}, ch, nil
	}
	cps, err := e.checkpointAtEnd(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	stated, err := e.Capture.SessionEnd(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	summary, err := e.Capture.SessionSummary(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch.Merge(event.Changes{Checkpoints: cps}, stated, summary,
		event.Changes{Jobs: []mem.Job{event.ConsolidateLater(ec.Session, ec.Started.Add(event.ConsolidateLag))}},
		e.Capture.TranscriptLater(ec, capture.KeyIndex))
	return mem.Reply{}, ch, nil
}

// checkpointAtEnd returns the checkpoint of a session that ends. A session of the past has none if the project has
// one already: a project's newest checkpoint is the one that was stored last.
func (e *Engine) checkpointAtEnd(ctx context.Context, ec event.Context) ([]mem.Checkpoint, error) {
	if ec.Backfilled() {
		there, err := e.Store.Checkpoints(ctx, mem.CheckpointQuery{Project: ec.Project.Key, Limit: 1})
		if err != nil || len(there) > 0 {
			return nil, err
		}
	}
	cp, err := e.Continuity.Checkpoint(ctx, ec, "session-end")
	return []mem.Checkpoint{cp}, err
}
