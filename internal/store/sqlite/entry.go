package sqlite

import (
	"context"
	"errors"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// entry is one batch while it is written.
type entry struct {
	*writer
	stored.Entry
}

func newEntry(w *writer) *entry { return &entry{w, stored.NewEntry(w.now)} }

// apply writes one batch. After an error the transaction must be rolled back.
func (w *writer) apply(ctx context.Context, b mem.Batch) (mem.Result, error) {
	e := newEntry(w)
	var r mem.Result
	if b.Event != nil {
		if b.Event.ID == "" {
			return r, errors.New("event without an id")
		}
		e.Event, e.At = *b.Event, stored.FirstOf(b.Event.At, w.now)
		seq, err := w.duplicateOf(ctx, e.Event)
		if err != nil {
			return r, fmt.Errorf("look up event %s: %w", e.Event.ID, err)
		}
		if seq != 0 {
			return mem.Result{Duplicate: true, Seq: seq}, nil
		}
	}
	for _, part := range []func(context.Context, mem.Batch, *mem.Result) error{
		e.applyEvent, e.applyMemories, e.applyReceipts, e.applyJobs, e.applyPositions, e.applyRuns,
	} {
		if err := part(ctx, b, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// applyEvent writes project, event, turn and session.
func (e *entry) applyEvent(ctx context.Context, b mem.Batch, r *mem.Result) (err error) {
	if b.Project != nil {
		if err := e.putProject(ctx, *b.Project); err != nil {
			return fmt.Errorf("project %s: %w", b.Project.Key, err)
		}
	}
	if b.Event == nil {
		return nil
	}
	if err := e.openSession(ctx, b); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	if r.Seq, err = e.putEvent(ctx); err != nil {
		return fmt.Errorf("event %s: %w", e.Event.ID, err)
	}
	if e.Session == nil {
		return nil
	}
	if err := e.putTurn(ctx, b.Turn); err != nil {
		return fmt.Errorf("turn of %s: %w", e.Event.ID, err)
	}
	r.Prompt = e.Prompt
	if err := e.changeSession(ctx, b.Session); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	return nil
}

// applyMemories writes memories, edits and links.
func (e *entry) applyMemories(ctx context.Context, b mem.Batch, r *mem.Result) error {
	for _, m := range b.Memories {
		id, err := e.putMemory(ctx, m)
		if err != nil {
			return fmt.Errorf("memory %q: %w", chars.Clip(m.Title, 40), err)
		}
		r.IDs = append(r.IDs, id)
	}
	for _, ed := range b.Edits {
		if err := e.edit(ctx, ed); err != nil {
			return fmt.Errorf("edit %s: %w", ed.ID, err)
		}
	}
	if err := e.indexUtterances(ctx); err != nil {
		return fmt.Errorf("index utterances: %w", err)
	}
	for _, l := range b.Links {
		if err := e.putLinks(ctx, l); err != nil {
			return fmt.Errorf("links of %s: %w", l.Memory, err)
		}
	}
	return nil
}

// applyReceipts writes checkpoints, receipts and context usage.
func (e *entry) applyReceipts(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	for _, c := range b.Checkpoints {
		if err := e.putCheckpoint(ctx, c); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	for _, rc := range b.Receipts {
		if err := e.putReceipt(ctx, rc); err != nil {
			return fmt.Errorf("receipt %s: %w", rc.ID, err)
		}
	}
	for _, id := range b.Undelivered {
		if err := e.removeReceipt(ctx, id); err != nil {
			return fmt.Errorf("receipt %s: %w", id, err)
		}
	}
	for _, u := range b.ContextUsage {
		if err := e.putContextUsage(ctx, u); err != nil {
			return fmt.Errorf("context usage of %s: %w", u.Session, err)
		}
	}
	for _, id := range b.IdleSessions {
		if _, err := e.exec(ctx, "UPDATE session SET processing=0 WHERE id=?", id); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	return nil
}

// applyJobs writes jobs.
func (e *entry) applyJobs(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	for _, j := range b.Jobs {
		if err := e.putJob(ctx, j); err != nil {
			return fmt.Errorf("job %s: %w", j.Kind, err)
		}
	}
	for _, id := range b.FinishedJobs {
		if _, err := e.exec(ctx, "DELETE FROM job WHERE id=?", id); err != nil {
			return fmt.Errorf("finish job %s: %w", id, err)
		}
	}
	for _, j := range b.FailedJobs {
		if err := e.failJob(ctx, j); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	return nil
}

// applyPositions writes positions in transcripts and pauses.
func (e *entry) applyPositions(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	for _, p := range b.TranscriptPositions {
		if _, err := e.exec(ctx, "UPDATE session SET checked_to=?, checked_hash=? WHERE id=?", p.To, p.Hash,
			p.Session); err != nil {
			return fmt.Errorf("transcript position of %s: %w", p.Session, err)
		}
	}
	for _, p := range b.Pauses {
		if err := e.putPause(ctx, p); err != nil {
			return fmt.Errorf("pause %s: %w", p.Target, err)
		}
	}
	return nil
}

// applyRuns writes a consolidation run, what is undone of others, dismissals and spending.
func (e *entry) applyRuns(ctx context.Context, b mem.Batch, r *mem.Result) error {
	if err := e.putRun(ctx, b, r); err != nil {
		return fmt.Errorf("consolidation run: %w", err)
	}
	if b.Spent != nil {
		return e.addSpending(ctx, *b.Spent)
	}
	return nil
}
