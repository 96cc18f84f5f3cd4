package engine

import (
	"context"
	"fmt"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// Drift finds unrecorded work of a session, without a model, for a person to review. It returns ErrNotFound if the
// place has no session.
func (e *Engine) Drift(ctx context.Context, ask views.DriftRequest) (curate.FindingsResponse, error) {
	m, err := e.Continuity.HandoffContext(ctx, continuity.HandoffRequest{
		ProjectRef: ask.ProjectRef, Session: ask.Session,
		Agent: ask.Agent,
	})
	if err != nil {
		return curate.FindingsResponse{}, err
	}
	defer m.Files.Close()
	if m.SessionInfo.ID == "" {
		return curate.FindingsResponse{}, fmt.Errorf("session: %w", mem.ErrNotFound)
	}
	own, err := e.Store.List(ctx, mem.Query{Session: m.Session, Within: m.Session, Limit: 1000})
	if err != nil {
		return curate.FindingsResponse{}, fmt.Errorf("what the session did: %w", err)
	}
	out := curate.FindingsResponse{
		Project: m.Project, Session: m.SessionInfo.Short, Examined: len(own),
		Findings: []curate.Finding{},
	}
	all, err := e.Curate.LastingMemories(ctx, m.Project)
	if err != nil {
		return out, err
	}
	state, err := e.Continuity.Checkpoint(ctx, m, continuity.TriggerSave)
	if err != nil {
		return out, err
	}
	for _, found := range [][]curate.Finding{
		curate.Undeclared(own, all, state.State), curate.Unattributed(own), curate.Contradictions(own, all),
		curate.Skipped(own, state.State),
	} {
		out.Findings = append(out.Findings, found[:min(len(found), curate.MaxOfOneRule)]...)
	}
	return out, nil
}
