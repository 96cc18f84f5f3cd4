package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// stop ends a turn: what the assistant said is digested. It never answers:
// context from here would start another turn of the model.
func (e *Engine) stop(ctx context.Context, m *event.Context) (mem.Reply, error) {
	if !m.Person() {
		return mem.Reply{}, nil
	}
	m.Batch.Session.Processing = new(false)
	e.Capture.QueueTranscript(m, capture.KeyArchive)
	e.Continuity.QueueMeasureContext(m)
	e.Filesync.NoteTurn(ctx, m)
	uses, err := e.Capture.CountCitations(ctx, m.SessionInfo, m.PromptID, m.Text)
	e.Event.LogDegraded("uses", err)
	count(m, e, uses)
	if m.StopActive && m.Text == "" {
		return mem.Reply{}, nil
	}
	ms, err := e.Capture.Digest(ctx, m)
	if err != nil {
		return mem.Reply{}, err
	}
	m.Add(ms...)
	e.Digest.QueueRefine(m)
	if m.Text == "" && event.OwnTranscript(m.Event) { // an older client: the words are in the transcript, a little later
		m.Batch.Jobs = append(m.Batch.Jobs, continuity.DigestJob(m))
	}
	return mem.Reply{}, nil
}

// count adds uses to the batch, and has them written into the vault later.
func count(m *event.Context, e *Engine, uses []mem.Edit) {
	if len(uses) == 0 {
		return
	}
	m.Batch.Edits = append(m.Batch.Edits, uses...)
	if e.Event.CurrentVault() != nil {
		m.Batch.Jobs = append(m.Batch.Jobs, e.Event.VaultJob(m.At))
	}
}

// stopFailure ends a turn that an error of the model's service cut off. What
// was in hand is saved: nobody says whether it goes on.
func (e *Engine) stopFailure(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Batch.Session.Processing = new(false)
	e.Continuity.QueueMeasureContext(m)
	cp, err := e.Continuity.Checkpoint(ctx, m, "stop-failure")
	if err != nil {
		return mem.Reply{}, err
	}
	m.Batch.Checkpoints = append(m.Batch.Checkpoints, cp)
	return mem.Reply{}, nil
}
