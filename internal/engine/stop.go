package engine

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// stop ends a turn: what the assistant said is digested. It never answers:
// context from here would start another turn of the model.
func (e *Engine) stop(ctx context.Context, m *moment) (mem.Reply, error) {
	if !m.person() {
		return mem.Reply{}, nil
	}
	idle := false
	m.batch.Session.Processing = &idle
	e.takeLater(m, takeWords)
	if m.StopActive {
		return mem.Reply{}, nil
	}
	m.batch.Edits = append(m.batch.Edits, cited(m)...)
	ms, err := e.digest(ctx, m)
	if err != nil {
		return mem.Reply{}, err
	}
	m.add(ms...)
	if m.Text == "" && ownTranscript(m.Event) { // an older client: the words are in the transcript, a little later
		m.batch.Jobs = append(m.batch.Jobs, lateDigest(m))
	}
	return mem.Reply{}, nil
}

// cited counts a use for each memory the session was told whose id the answer names.
func cited(m *moment) []mem.Edit {
	var out []mem.Edit
	for _, w := range strings.FieldsFunc(m.Text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.HasPrefix(w, "m_") && m.session.Told[w] && !slices.ContainsFunc(out, func(e mem.Edit) bool { return e.ID == w }) {
			out = append(out, mem.Edit{ID: w, Used: 1})
		}
	}
	return out
}

// stopFailure ends a turn that an error of the model's service cut off. What
// was in hand is saved: nobody says whether it goes on.
func (e *Engine) stopFailure(ctx context.Context, m *moment) (mem.Reply, error) {
	idle := false
	m.batch.Session.Processing = &idle
	cp, err := e.checkpoint(ctx, m, "stop-failure")
	if err != nil {
		return mem.Reply{}, err
	}
	m.batch.Checkpoints = append(m.batch.Checkpoints, cp)
	return mem.Reply{}, nil
}
