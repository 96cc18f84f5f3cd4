package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// The keys of its jobs: of each one waits at most.
const (
	embedMore = "more" // further down from where that came to
	embedAll  = "all"  // through the whole store
)

const (
	embedGroup = 32 // texts in one request
	embedTries = 7  // of a job, some 20 minutes; the next memory or start begins anew
)

// EmbedAll has every memory looked at that may lack a vector: after a start, and
// when the model has changed. Without an embedder nothing happens.
func (e *Service) EmbedAll(ctx context.Context) error {
	if _, ok := e.Event.CurrentEmbedder(); !ok {
		return nil
	}
	if _, err := e.Store.Apply(ctx, mem.Batch{Jobs: []mem.Job{{Kind: event.JobEmbed, Key: embedAll}}}); err != nil {
		return fmt.Errorf("embed all: %w", err)
	}
	return nil
}

// ForgetVectors erases all vectors. With an embedder they are made anew.
func (e *Service) ForgetVectors(ctx context.Context) error {
	if err := e.Store.DropVectors(ctx, ""); err != nil {
		return fmt.Errorf("forget vectors: %w", err)
	}
	return e.EmbedAll(ctx)
}

// Embed does a job: it gives one group of memories their vectors and leaves the
// rest to the next job, so that others get their turn in between.
func (e *Service) Embed(ctx context.Context, job mem.Job) (mem.Batch, error) {
	em, ok := e.Event.CurrentEmbedder()
	if !ok {
		return mem.Batch{}, nil // switched off since
	}
	ms, next, err := lacking(ctx, e.Store, em.Model(), job)
	if err != nil {
		return mem.Batch{}, fmt.Errorf("memories without vector: %w", err)
	}
	if len(ms) == 0 {
		if job.Key == embedAll { // what is left of other models belongs to hidden memories
			err = e.Store.DropVectors(ctx, em.Model())
		}
		return mem.Batch{}, err
	}
	vs, err := vectorsOf(ctx, em, ms)
	if err != nil {
		return e.embedLater(job, err)
	}
	if err := e.Store.PutVectors(ctx, em.Model(), vs); err != nil {
		return mem.Batch{}, fmt.Errorf("keep vectors: %w", err)
	}
	if next == "" && job.Key != embedAll {
		return mem.Batch{}, nil
	}
	after := mem.Job{Kind: event.JobEmbed, Key: job.Key, Data: next}
	if job.Key == event.EmbedNew {
		after.Key = embedMore
	}
	return mem.Batch{Jobs: []mem.Job{after}}, nil
}

// lacking returns the next group of memories without a vector. A job that goes
// through the whole store passes over parts where none lacks one.
func lacking(ctx context.Context, st mem.VectorStore, model string, job mem.Job) ([]mem.Memory, string, error) {
	before := job.Data
	for {
		ms, next, err := st.WithoutVector(ctx, model, before, embedGroup)
		if errors.Is(err, mem.ErrNotFound) && before != "" { // that memory was erased
			before = ""
			continue
		}
		if err != nil || len(ms) > 0 || next == "" || job.Key != embedAll {
			return ms, next, err
		}
		before = next
	}
}

// embedLater says what becomes of a job that got no vectors: it comes back when
// the server wants to be asked again, else after a pause, and not for ever.
func (e *Service) embedLater(job mem.Job, cause error) (mem.Batch, error) {
	if job.Attempts >= embedTries {
		e.Event.LogDegraded("vectors", cause)
		return mem.Batch{}, nil
	}
	var later mem.RetryLater
	if errors.As(cause, &later) && later.Wait > 0 {
		job.NotBefore, job.ID, job.Error = e.Now().Add(later.Wait), "", ""
		return mem.Batch{Jobs: []mem.Job{job}}, nil
	}
	return mem.Batch{}, cause
}

// canary is a text that every model has a vector for.
const canary = "a note"

// vectorsOf asks for the vectors of memories. Where that fails and one text may
// be the reason, each is asked for alone, and those that fail have none.
func vectorsOf(ctx context.Context, em event.Embedder, ms []mem.Memory) ([]mem.Vector, error) {
	texts := make([]string, 0, len(ms))
	for _, mm := range ms {
		texts = append(texts, WholeText(mm))
	}
	all, err := em.Embed(ctx, texts)
	if err == nil {
		return withVectors(ms, all), nil
	}
	if event.IsLater(err) || ctx.Err() != nil {
		return nil, err
	}
	if _, broken := em.Embed(ctx, []string{canary}); broken != nil {
		return nil, err
	}
	all = make([][]float32, len(ms))
	for i, text := range texts {
		one, err := em.Embed(ctx, []string{text})
		if err == nil {
			all[i] = one[0]
		} else if event.IsLater(err) || ctx.Err() != nil {
			return nil, err
		}
	}
	return withVectors(ms, all), nil
}

func withVectors(ms []mem.Memory, values [][]float32) []mem.Vector {
	out := make([]mem.Vector, 0, len(ms))
	for i, mm := range ms {
		out = append(out, mem.Vector{Memory: mm.ID, Updated: mm.Updated, Values: values[i]})
	}
	return out
}

// WholeText is all that a memory says.
func WholeText(mm mem.Memory) string {
	var parts []string
	if !strings.HasPrefix(mm.Body, mm.Title) {
		parts = append(parts, mm.Title)
	}
	parts = append(append(parts, mm.Body), mm.Facts...)
	if t := mm.Summary; t != nil {
		parts = append(parts, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n")
}
