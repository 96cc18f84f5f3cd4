package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// Work runs one job and returns the batch of its changes. The caller finishes the job in the same batch.
func (e *Engine) Work(ctx context.Context, job mem.Job) (mem.Batch, error) {
	switch job.Kind {
	case event.JobEmbed:
		return e.Recall.Embed(ctx, job)
	case event.JobRefine:
		return e.Digest.Refine(ctx, job)
	case event.JobConsolidate:
		return e.Curate.ConsolidateJob(ctx, job)
	case event.JobLink:
		return e.Curate.LinkJob(ctx, job)
	case event.JobBackfill:
		return mem.Batch{}, e.Capture.RunBackfill(ctx, job)
	case event.JobVault:
		return mem.Batch{}, e.Filesync.VaultJob(ctx)
	}
	do := e.work
	if job.Kind == event.JobMind || job.Kind == event.JobNote {
		do = e.Filesync.StateFileJob
	}
	b, err := do(ctx, job)
	e.Event.Follow(&b)
	return b, err
}

// patience is how often a missing transcript is looked for.
const patience = 3

// work runs a job that an event added.
func (e *Engine) work(ctx context.Context, job mem.Job) (mem.Batch, error) {
	var ev mem.Event
	if err := json.Unmarshal([]byte(job.Data), &ev); err != nil {
		return mem.Batch{}, fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	ec, err := e.open(ctx, ev)
	if err != nil {
		return mem.Batch{}, err
	}
	defer ec.Files.Close()
	switch job.Kind {
	case event.JobTranscript:
		return e.Capture.RunTranscriptJob(ctx, ec, job)
	case event.JobFill:
		return e.Continuity.MeasureContext(ctx, ec)
	case event.JobAppendix:
		return mem.Batch{}, e.Continuity.WriteAppendix(ctx, ec)
	}
	if e.LastUtterances == nil || !event.OwnTranscript(ev) {
		return mem.Batch{}, nil
	}
	said, err := e.LastUtterances(ev.Transcript, continuity.SnapshotLines)
	if errors.Is(err, fs.ErrNotExist) && job.Attempts >= patience { // the agent keeps none
		err = nil
	}
	if err != nil {
		return mem.Batch{}, fmt.Errorf("read transcript: %w", err)
	}
	if said, err = e.Erase.WithoutErased(ctx, ec.Session, said); err != nil {
		return mem.Batch{}, err
	}
	if said, err = e.Event.Unpaused(ctx, ec.Project.Key, ec.Session, said); err != nil {
		return mem.Batch{}, err
	}
	if ec.Turn, err = e.turnOf(ctx, ec); err != nil || ec.Turn.Private {
		return mem.Batch{}, err
	}
	switch job.Kind {
	case event.JobSnapshot:
		return mem.Batch{Memories: ec.Complete(continuity.Snapshot(ec, said))}, nil
	case event.JobDigest:
		ch, err := capture.DigestTranscript(ctx, e.Capture, ec, job, said)
		return mem.Batch{Memories: ec.Complete(ch.Memories), Edits: ch.Edits, Jobs: ch.Jobs}, err
	}
	return mem.Batch{}, fmt.Errorf("unknown kind of job %q", job.Kind)
}
