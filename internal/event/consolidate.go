package event

import (
	"context"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// JobConsolidate is the kind of job that brings memories in order: those of the
// session that is its key, once it ended or fell silent, or all of a project. Its
// data says which. It is no job of the session's own, which need not wait for it.
const JobConsolidate = "consolidate"

// ConsolidateLag is how long after a session's end its memories are consolidated.
const ConsolidateLag = 10 * time.Second // after a session's end, for what is still on its way

// SilentFor is how long a session without events counts as running.
const SilentFor = 30 * time.Minute // after which a session counts as over

// ConsolidateLater has a session that is over consolidated.
func ConsolidateLater(session string, at time.Time) mem.Job {
	return mem.Job{Kind: JobConsolidate, Key: session, Data: string(mem.SessionRun), NotBefore: at}
}

// All are the memories of a query, as many as are ever looked at together.
func (e *Service) All(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	return e.UpTo(ctx, maxLinted, q)
}

// UpTo are the first most memories of a query, in pages. What is kept meanwhile
// moves the others on: those that come again are there already.
func (e *Service) UpTo(ctx context.Context, most int, q mem.Query) ([]mem.Memory, error) {
	var out []mem.Memory
	known := map[string]bool{}
	for q.Limit = lintPage; len(out) < most; q.Offset += lintPage {
		page, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories: %w", err)
		}
		for _, m := range page {
			if !known[m.ID] {
				known[m.ID], out = true, append(out, m)
			}
		}
		if len(page) < lintPage {
			break
		}
	}
	return out, nil
}
