package event

import (
	"context"
	"errors"
	"slices"

	"remanence/internal/mem"
)

// Embedder turns texts into vectors of one model. Both calls are all or
// nothing; a mem.Later among their errors says that the same may work later.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)    // that are to be found
	EmbedQuestion(ctx context.Context, text string) ([]float32, error) // that asks
}

// JobEmbed is the kind of job that gives memories their vectors.
const JobEmbed = "embed"

// EmbedNew is the key of the job that embeds what was just stored.
const EmbedNew = "new" // from the newest memory on, as long as any lack a vector

// CurrentEmbedder returns the source of vectors; ok is false if there is none.
func (e *Service) CurrentEmbedder() (em Embedder, ok bool) {
	if e.Embedder == nil {
		return nil, false
	}
	em = e.Embedder()
	return em, em != nil
}

// toEmbed adds to a batch the job that gives its memories their vectors.
func (e *Service) toEmbed(b *mem.Batch) {
	if len(b.Memories) == 0 && !slices.ContainsFunc(b.Edits, saysElse) {
		return
	}
	if _, ok := e.CurrentEmbedder(); ok {
		b.Jobs = append(b.Jobs, mem.Job{Kind: JobEmbed, Key: EmbedNew})
	}
}

// saysElse reports whether a memory may lack a vector after an edit.
func saysElse(ed mem.Edit) bool { return ed.Title != nil || ed.Body != nil || ed.Status != nil }

// IsLater reports whether an error means that a server asks to wait.
func IsLater(err error) bool {
	var later mem.RetryLater
	return errors.As(err, &later)
}

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
