package views

import (
	"context"
	"slices"
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
	// Dead reports that it was injected at least DeadAfter times and never used.
	Dead bool `json:"dead,omitempty"`
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
		if st.Dead, err = neverUsed(ctx, s.Store, m); err != nil {
			return nil, err
		}
		out[m.ID] = st
	}
	return out, nil
}

// neverUsed reports whether a memory was injected at least DeadAfter times and never used.
func neverUsed(ctx context.Context, store mem.Store, m mem.Memory) (bool, error) {
	if m.Uses > 0 || m.Prevented > 0 {
		return false, nil
	}
	q := mem.ReceiptQuery{Memory: m.ID, Outcome: mem.Injected, Limit: 2 * DeadAfter, Brief: true}
	rs, err := store.Receipts(ctx, q)
	rs = slices.DeleteFunc(rs, func(r mem.Receipt) bool { // those that only list it in their index
		return !slices.ContainsFunc(injectedMemories(r), func(it mem.InjectedItem) bool { return it.ID == m.ID })
	})
	return len(rs) >= DeadAfter, err
}
