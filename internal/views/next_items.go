package views

import (
	"context"
	"time"

	"remanence/internal/mem"
)

// ItemState says how a memory of a briefing stands, so that a person sees why it is there.
type ItemState struct {
	Uses        int           `json:"uses,omitempty"`
	Pinned      bool          `json:"pinned,omitempty"`
	Yours       bool          `json:"yours,omitempty"`       // it has your trust: you said or approved it
	Stale       mem.Freshness `json:"stale,omitempty"`       // of its files
	Contradicts []string      `json:"contradicts,omitempty"` // ids of memories that cannot be true together with it
	Created     time.Time     `json:"created,omitzero"`
}

// ItemStates returns the states of the memories of a receipt by their id. Erased ones are left out.
func (s *Service) ItemStates(ctx context.Context, r mem.Receipt) (map[string]ItemState, error) {
	ids, stale := []string{}, map[string]mem.Freshness{}
	for _, it := range injectedMemories(r) {
		ids, stale[it.ID] = append(ids, it.ID), it.Stale
	}
	known, err := s.Recall.ByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	ms := make([]mem.Memory, 0, len(known))
	for _, m := range known {
		ms = append(ms, m)
	}
	beside, err := s.Recall.Beside(ctx, ms)
	if err != nil {
		return nil, err
	}
	out := map[string]ItemState{}
	for _, m := range ms {
		st := ItemState{
			Uses: m.Uses, Pinned: m.Pinned, Yours: m.Trust == mem.TrustUser, Stale: stale[m.ID], Created: m.Created,
		}
		for _, l := range beside[m.ID] {
			if l.Kind == mem.LinkContradicts {
				st.Contradicts = append(st.Contradicts, l.ID)
			}
		}
		out[m.ID] = st
	}
	return out, nil
}
