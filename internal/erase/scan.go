package erase

import (
	"context"
	"slices"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// PrivateSpan is the Kind of a Find that is a private span.
const PrivateSpan = "private"

// NotReached lists copies of text that this program cannot erase.
func (s *Service) NotReached() []string {
	list := []string{
		"the agent's own transcripts and spilled tool results",
		"copies kept elsewhere: exports, backups on another path, git history",
	}
	if s.StateFiles != nil {
		list = append(list, "state files of projects and the checkpoints beside them, in .mind/")
	}
	if _, ok := s.Event.CurrentEmbedder(); ok {
		list = append(list, "texts that were sent to the embedding server, if it keeps them")
	}
	if s.Event.CurrentModel() != nil {
		list = append(list, "turns that were sent to the model's service, if it keeps them")
	}
	return list
}

const idsNamed = 100 // ids that a report names of each kind and place

// Scan searches stored text for what the current rules would redact. With Fix it removes the finds.
func (s *Service) Scan(ctx context.Context, req event.ScanRequest) (mem.ScanResponse, error) {
	// A separate redactor, so that the counts of captured text stay unchanged.
	d := &redact.Redactor{Key: s.Redactor.Key, Rules: s.Redactor.Rules}
	got, err := s.Store.Scrub(ctx, req.Fix, nil, func(doc []byte) ([]byte, map[string]int, error) {
		out, c, err := d.ScrubJSON(doc)
		if err != nil {
			return nil, nil, err
		}
		found := c.Secrets
		if c.Private > 0 {
			if found == nil {
				found = map[string]int{}
			}
			found[PrivateSpan] += c.Private
		}
		return out, found, nil
	})
	if err != nil {
		return got, err
	}
	for i, f := range got.Finds {
		got.Finds[i].IDs = f.IDs[:min(len(f.IDs), idsNamed)]
	}
	if err := s.scanArchive(ctx, req.Fix, d, &got); err != nil {
		return got, err
	}
	got.Unreached = s.NotReached()
	return got, nil
}

// PreviewPurge returns what Purge would erase. It erases nothing.
func (s *Service) PreviewPurge(ctx context.Context, req event.IDs) (event.PurgeResponse, error) {
	ms, would, err := s.Store.PreviewPurge(ctx, req.IDs...)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	return event.PurgeResponse{Purged: would, Memories: ms, Unreached: s.NotReached()}, nil
}

// WithoutErased drops quotes from before the session's last purge: the agent's transcript still has them,
// but they must not be stored again.
func (s *Service) WithoutErased(ctx context.Context, session string, quotes []mem.Quote) ([]mem.Quote, error) {
	until, err := s.Store.ErasedUntil(ctx, session)
	if err != nil || until.IsZero() {
		return quotes, err
	}
	return slices.DeleteFunc(quotes, func(q mem.Quote) bool { return !q.At.After(until) }), nil
}
