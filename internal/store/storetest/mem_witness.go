package storetest

import (
	"context"
	"slices"

	"remanence/internal/mem"
)

var _ mem.Witness = (*Mem)(nil)

type silence struct {
	mem.Silence
	target string
}

// Heard implements mem.Witness.
func (s *Mem) Heard(ctx context.Context, session string) ([]mem.EventHeader, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var out []mem.EventHeader
	for _, e := range s.events {
		call := e.Kind == mem.PostToolUse || e.Kind == mem.PostToolUseFailure
		if e.session == nil || e.session.ID != session || e.AgentID != "" && !call {
			continue
		}
		h := mem.EventHeader{Kind: e.Kind, At: e.at, PromptID: e.PromptID, ToolUseID: e.ToolUseID}
		if e.Kind == mem.SessionStart {
			h.Source = e.Source
		}
		out = append(out, h)
	}
	return out, nil
}

// Checked implements mem.Witness.
func (s *Mem) Checked(ctx context.Context, session string) (mem.Checked, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return mem.Checked{}, err
	}
	defer unlock()
	if ss := s.find(session); ss != nil {
		return mem.Checked{Session: session, To: ss.checked.To, Hash: ss.checked.Hash}, nil
	}
	return mem.Checked{Session: session}, nil
}

// Silences implements mem.Witness.
func (s *Mem) Silences(ctx context.Context, targets ...string) ([]mem.Silence, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var out []mem.Silence
	for _, x := range s.silences {
		if slices.Contains(targets, x.target) {
			out = append(out, x.Silence)
		}
	}
	return out, nil
}

// keepSilent remembers a pause beyond its end.
func (d *deed) keepSilent(p mem.Pause) {
	for _, x := range d.silences {
		if x.target == p.Target && (x.Ended.IsZero() || x.Ended.After(d.at)) {
			x.Ended = d.at
		}
	}
	if !p.Lift && !p.InjectOnly {
		d.silences = append(d.silences, &silence{mem.Silence{Begun: d.at, Ended: p.Until}, p.Target})
	}
}

// standIn puts a turn that was found later behind the last one from before it.
func (d *deed) standIn(t *turn) {
	at := 0
	for i, other := range d.turns {
		if other.session == t.session && !other.At.After(t.At) {
			at = i + 1
		}
	}
	d.turns = slices.Insert(d.turns, at, t)
}
