package briefing

import (
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// LateRestore returns the block that restores the context after a compaction, with the first event after it that can
// carry text, for clients that do not report the end of a compaction. Text that is given while the compaction runs is
// behind what it summarises, and stays. The zero value means that there is nothing to restore.
func (e *Service) LateRestore(ctx context.Context, ec event.Context) (text string, ch event.Changes, err error) {
	if !ec.LateRestore || ec.Private || ec.Turn.Private || ec.Settings.Budgets.Compact == 0 {
		return "", event.Changes{}, nil
	}
	compactions, err := e.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PreCompact}, Limit: 1,
	})
	if err != nil {
		return "", event.Changes{}, fmt.Errorf("compaction: %w", err)
	}
	if len(compactions) == 0 || !compactions[0].At.After(ec.SessionInfo.Compacted) {
		return "", event.Changes{}, nil
	}
	ec.Source = "compact"
	ec.SessionInfo.Injected, ec.SessionInfo.InjectedTokens = nil, 0
	r, err := e.Brief(ctx, ec, Request{Budget: ec.Settings.Budgets.Compact})
	if err != nil {
		return "", event.Changes{}, err
	}
	ch.Session.Compacted = true
	if r.ID != "" {
		ch.Receipts = []mem.Receipt{r}
	}
	return r.Text, ch, nil
}
