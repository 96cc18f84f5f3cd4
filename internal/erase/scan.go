package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// PrivateSpan is the Kind of a Find that is a private span.
const PrivateSpan = "private"

// errUnable reports a store without the requested ability.
var errUnable = errors.New("this store cannot scan or preview")

// NotReached lists copies of text that this program cannot erase.
func (s *Service) NotReached() []string {
	list := []string{
		"the agent's own transcripts and spilled tool results",
		"copies kept elsewhere: exports, backups on another path, git history",
	}
	if s.StateFiles != nil {
		list = append(list, "state files of projects and the checkpoints beside them, in .mind/")
	}
	if _, _, ok := s.Event.CurrentEmbedder(); ok {
		list = append(list, "texts that were sent to the embedding server, if it keeps them")
	}
	if s.Event.CurrentModel() != nil {
		list = append(list, "turns that were sent to the model's service, if it keeps them")
	}
	return list
}

// scrubber is a store whose texts can be scanned and redacted in place.
type scrubber interface {
	Scrub(ctx context.Context, fix bool, clean func(doc []byte) ([]byte, map[string]int, error)) (mem.ScanResponse, error)
}

// Scan searches stored text for what the current rules would redact. With Fix it removes the finds.
func (s *Service) Scan(ctx context.Context, req event.ScanRequest) (mem.ScanResponse, error) {
	st, ok := s.Store.(scrubber)
	if !ok {
		return mem.ScanResponse{}, fmt.Errorf("scan: %w", errUnable)
	}
	// A separate redactor, so that the counts of captured text stay unchanged.
	d := &redact.Redactor{Key: s.Redactor.Key, Rules: s.Redactor.Rules}
	got, err := st.Scrub(ctx, req.Fix, func(doc []byte) ([]byte, map[string]int, error) {
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
	if err := s.scanArchive(ctx, req.Fix, d, &got); err != nil {
		return got, err
	}
	got.Unreached = s.NotReached()
	return got, nil
}

// PreviewPurge returns what Purge would erase. It erases nothing.
func (s *Service) PreviewPurge(ctx context.Context, req event.IDs) (event.PurgeResponse, error) {
	st, ok := s.Store.(event.Rehearser)
	if !ok {
		return event.PurgeResponse{}, fmt.Errorf("purge: %w", errUnable)
	}
	ms, would, err := st.Doomed(ctx, req.IDs...)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	return event.PurgeResponse{Purged: would, Memories: ms, Unreached: s.NotReached()}, nil
}

// WithoutErased drops quotes from before the session's last purge: the agent's transcript still has them,
// but they must not be stored again.
func (s *Service) WithoutErased(ctx context.Context, session string, quotes []mem.Quote) ([]mem.Quote, error) {
	until, err := s.Event.ErasedUntil(ctx, session)
	if err != nil || until.IsZero() {
		return quotes, err
	}
	return slices.DeleteFunc(quotes, func(q mem.Quote) bool { return !q.At.After(until) }), nil
}
