package event

import (
	"context"

	"remanence/internal/mem"
)

// Summarizer is a language model that digests turns. A mem.Later among its errors
// says that the same may work later, a mem.Unusable what was spent in vain, and
// mem.ErrTooMuch that a shorter text may do.
type Summarizer interface {
	Model() string
	Cost(turn string) int // tokens that Digest may take at most
	Digest(ctx context.Context, turn string) (mem.Digest, error)
}

// JobRefine is the kind of job that has a model digest a turn that was digested by
// rule. Its key is the turn's prompt id, and of a subagent's part its id behind a slash.
const JobRefine = "refine"

// CurrentModel is the model that digests, nil if there is none.
func (e *Service) CurrentModel() Summarizer {
	if e.Summarizer == nil {
		return nil
	}
	return e.Summarizer()
}
