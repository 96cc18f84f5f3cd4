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
	cp, err := e.Continuity.Checkpoint(ctx, ec, "session-end")
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	summary, err := e.Capture.SessionSummary(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch.Merge(event.Changes{Checkpoints: []mem.Checkpoint{cp}}, summary,
		event.Changes{Jobs: []mem.Job{event.ConsolidateLater(ec.Session, ec.At.Add(event.ConsolidateLag))}},
		e.Capture.TranscriptLater(ec, capture.KeyIndex))
	return mem.Reply{}, ch, nil
}
