package event

import (
	"context"
	"errors"
	"slices"

	"remanence/internal/mem"
)

// Embedder computes vectors with one model. A call returns all vectors or an error. A mem.RetryLater among its
// errors means that a later retry may succeed.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)    // texts to search
	EmbedQuestion(ctx context.Context, text string) ([]float32, error) // of a query
}

// JobEmbed is the kind of job that computes the vectors of memories.
const JobEmbed = "embed"

// EmbedNew is the key of the job that embeds new memories.
const EmbedNew = "new"

// CurrentEmbedder returns the embedder; ok is false if there is none.
func (e *Service) CurrentEmbedder() (em Embedder, ok bool) {
	if e.Embedder == nil {
		return nil, false
	}
	em = e.Embedder()
	return em, em != nil
}

// toEmbed adds the job that embeds the batch's memories.
func (e *Service) toEmbed(b *mem.Batch) {
	if len(b.Memories) == 0 && !slices.ContainsFunc(b.Edits, saysElse) {
		return
	}
	if _, ok := e.CurrentEmbedder(); ok {
		b.Jobs = append(b.Jobs, mem.Job{Kind: JobEmbed, Key: EmbedNew})
	}
}

// saysElse reports whether an edit changes text or status, so that the memory may lack a vector.
func saysElse(ed mem.Edit) bool { return ed.Title != nil || ed.Body != nil || ed.Status != nil }

// IsLater reports whether an error is a server's request to wait.
func IsLater(err error) bool {
	var later mem.RetryLater
	return errors.As(err, &later)
}

// Summarizer is a language model that digests turns. Its errors may contain mem.RetryLater, if a later retry may
// succeed; mem.UnusableAnswer, with the tokens that were spent; and mem.ErrTextTooLong, if a shorter text may
// succeed.
type Summarizer interface {
	Model() string
	Cost(turn string) int // largest number of tokens that Digest may use
	Digest(ctx context.Context, turn string) (mem.Digest, error)
}

// ProseWriter is a Summarizer that also summarizes a recap in sentences. Its errors are those of a Summarizer.
type ProseWriter interface {
	ProseCost(recap string) int // largest number of tokens that Prose may use
	Prose(ctx context.Context, recap string) (text string, tokens int, err error)
}

// JobRefine is the kind of job in which a model digests a turn that was digested without one. Its key is the
// prompt id of the turn; for a subagent also "/" and the subagent's id.
const JobRefine = "refine"

// CurrentModel returns the model for digests, nil if there is none.
func (e *Service) CurrentModel() Summarizer {
	if e.Summarizer == nil {
		return nil
	}
	return e.Summarizer()
}
