package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// entry is one batch on its way into the database.
type entry struct {
	*writer
	at       time.Time         // of the event, or now
	event    mem.Event         // zero where the batch has none
	session  *mem.Session      // of the event
	prompt   int               // number of the event's turn, 0 if it is not a person's
	trust    mem.Trust         // of the event's turn; means nothing without a prompt id
	projects map[string]string // project key given -> key it is known under
	sessions map[string]int64  // agent's session id -> number
	talk     talk              // what was said and is not indexed yet
}

// apply writes one batch. After an error the transaction must be rolled back.
func (w *writer) apply(ctx context.Context, b mem.Batch) (mem.Result, error) {
	e := &entry{writer: w, at: w.now, projects: map[string]string{}, sessions: map[string]int64{}, talk: talk{}}
	var r mem.Result
	if b.Event != nil {
		if b.Event.ID == "" {
			return r, errors.New("event without an id")
		}
		e.event, e.at = *b.Event, firstOf(b.Event.At, w.now)
		seq, err := w.known(ctx, e.event)
		if err != nil {
			return r, fmt.Errorf("look up event %s: %w", e.event.ID, err)
		}
		if seq != 0 {
			return mem.Result{Duplicate: true, Seq: seq}, nil
		}
	}
	if err := e.happening(ctx, b, &r); err != nil {
		return r, err
	}
	if err := e.knowledge(ctx, b, &r); err != nil {
		return r, err
	}
	return r, e.work(ctx, b, &r)
}

// happening writes what took place: project, event, turn, session.
func (e *entry) happening(ctx context.Context, b mem.Batch, r *mem.Result) (err error) {
	if b.Project != nil {
		if err := e.putProject(ctx, *b.Project); err != nil {
			return fmt.Errorf("project %s: %w", b.Project.Key, err)
		}
	}
	if b.Event == nil {
		return nil
	}
	if err := e.openSession(ctx, b); err != nil {
		return fmt.Errorf("session %s: %w", e.event.Session, err)
	}
	if r.Seq, err = e.putEvent(ctx); err != nil {
		return fmt.Errorf("event %s: %w", e.event.ID, err)
	}
	if e.session == nil {
		return nil
	}
	if err := e.putTurn(ctx, b.Turn); err != nil {
		return fmt.Errorf("turn of %s: %w", e.event.ID, err)
	}
	r.Prompt = e.prompt
	var c mem.SessionChange
	if b.Session != nil {
		c = *b.Session
	}
	if err := e.changeSession(ctx, c); err != nil {
		return fmt.Errorf("session %s: %w", e.event.Session, err)
	}
	return nil
}

// knowledge writes what is kept of it: memories, checkpoints, receipts.
func (e *entry) knowledge(ctx context.Context, b mem.Batch, r *mem.Result) error {
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
	if err := e.indexTalk(ctx); err != nil {
		return fmt.Errorf("index what was said: %w", err)
	}
	for _, v := range b.Links {
		if err := e.weave(ctx, v); err != nil {
			return fmt.Errorf("what %s names: %w", v.Memory, err)
		}
	}
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
		if err := e.unhear(ctx, id); err != nil {
			return fmt.Errorf("receipt %s: %w", id, err)
		}
	}
	for _, f := range b.ContextUsage {
		if err := e.putFill(ctx, f); err != nil {
			return fmt.Errorf("context of %s: %w", f.Session, err)
		}
	}
	for _, id := range b.IdleSessions {
		if _, err := e.exec(ctx, `UPDATE session SET processing=0 WHERE id=?`, id); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	return nil
}

// work writes what is to be done and what is switched off.
func (e *entry) work(ctx context.Context, b mem.Batch, r *mem.Result) error {
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
	for _, c := range b.TranscriptPositions {
		if _, err := e.exec(ctx, "UPDATE session SET checked_to=?, checked_hash=? WHERE id=?", c.To, c.Hash,
			c.Session); err != nil {
			return fmt.Errorf("mark of session %s: %w", c.Session, err)
		}
	}
	for _, p := range b.Pauses {
		if err := e.putPause(ctx, p); err != nil {
			return fmt.Errorf("pause %s: %w", p.Target, err)
		}
	}
	if err := e.putRun(ctx, b, r); err != nil {
		return fmt.Errorf("round of consolidation: %w", err)
	}
	if b.Spent != nil {
		return e.addSpent(ctx, *b.Spent)
	}
	return nil
}
