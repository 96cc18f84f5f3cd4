package engine

import (
	"context"

	"remanence/internal/mem"
)

// stop ends a turn: what the assistant said is digested. It never answers:
// context from here would start another turn of the model.
func (e *Engine) stop(ctx context.Context, m *moment) (mem.Reply, error) {
	if !m.person() {
		return mem.Reply{}, nil
	}
	m.batch.Session.Processing = new(false)
	e.takeLater(m, takeWords)
	e.fillLater(m)
	e.leaveTurn(ctx, m)
	uses, err := e.cited(ctx, m.session, m.PromptID, m.Text)
	e.without("uses", err)
	m.count(e, uses)
	if m.StopActive && m.Text == "" {
		return mem.Reply{}, nil
	}
	ms, err := e.digest(ctx, m)
	if err != nil {
		return mem.Reply{}, err
	}
	m.add(ms...)
	e.refineLater(m)
	if m.Text == "" && ownTranscript(m.Event) { // an older client: the words are in the transcript, a little later
		m.batch.Jobs = append(m.batch.Jobs, lateDigest(m))
	}
	return mem.Reply{}, nil
}

// count adds uses to the batch, and has them written into the vault later.
func (m *moment) count(e *Engine, uses []mem.Edit) {
	if len(uses) == 0 {
		return
	}
	m.batch.Edits = append(m.batch.Edits, uses...)
	if e.vault() != nil {
		m.batch.Jobs = append(m.batch.Jobs, e.vaultJob(m.At))
	}
}

// stopFailure ends a turn that an error of the model's service cut off. What
// was in hand is saved: nobody says whether it goes on.
func (e *Engine) stopFailure(ctx context.Context, m *moment) (mem.Reply, error) {
	m.batch.Session.Processing = new(false)
	e.fillLater(m)
	cp, err := e.checkpoint(ctx, m, "stop-failure")
	if err != nil {
		return mem.Reply{}, err
	}
	m.batch.Checkpoints = append(m.batch.Checkpoints, cp)
	return mem.Reply{}, nil
}
