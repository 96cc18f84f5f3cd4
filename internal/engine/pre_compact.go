package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"remanence/internal/mem"
)

// snapshotLines is how much of a transcript a snapshot looks at, and
// snapshotChars how much of its text it keeps, the newest.
const (
	snapshotLines = 200
	snapshotChars = 4000
)

// preCompact saves the work in hand before the client shortens its context. It
// answers nothing at all: whatever is printed here becomes part of the
// summariser's instructions. That it fired does not mean that a compaction follows.
func (e *Engine) preCompact(ctx context.Context, m *moment) (mem.Reply, error) {
	cp, err := e.checkpoint(ctx, m, cmp.Or(m.Source, "auto"))
	if err != nil {
		return mem.Reply{}, err
	}
	m.batch.Checkpoints = append(m.batch.Checkpoints, cp)
	m.leave(mem.MindNotes{Compaction: cmp.Or(m.Source, "auto"), Derived: linesOf(stateItems(cp.State))})
	marker := m.newMemory(mem.Snapshot, mem.ScopeSession)
	marker.Title, marker.Event = "context compaction occurred", "pre-compact"
	marker.Tags, marker.Importance = []string{"compaction-event", autoCaptured}, 0.4
	marker.Key = "compaction:" + m.ID
	m.add(marker)
	if ownTranscript(m.Event) {
		m.batch.Jobs = append(m.batch.Jobs, mem.Job{Kind: JobSnapshot, Session: m.Session, Key: m.ID, Data: jobData(m)})
	}
	e.takeLater(m, takeWords)
	e.tailLater(m)
	return mem.Reply{}, nil
}

// postCompact keeps the summary the client made; it stays readable in the
// event, nothing is answered. What was said is out of the agent's sight now.
func (e *Engine) postCompact(_ context.Context, m *moment) (mem.Reply, error) {
	e.takeLater(m, indexWords)
	return mem.Reply{}, nil
}

// The kinds of jobs.
const (
	JobSnapshot = "snapshot" // keep the newest words before a compaction
	JobDigest   = "digest"   // digest a turn whose words came only with the transcript
)

// transcriptLag is how long after Stop a transcript may be read: the client
// writes its last lines up to a quarter of a second late.
const transcriptLag = time.Second

// ownTranscript reports whether the event names the record of its own session.
// Any other file may be anybody's, and is not read.
func ownTranscript(ev mem.Event) bool {
	return path.Base(slashed(ev.Transcript)) == ev.Session+".jsonl"
}

func lateDigest(m *moment) mem.Job {
	return mem.Job{Kind: JobDigest, Session: m.Session, Key: m.ID, Data: jobData(m), NotBy: m.At.Add(transcriptLag)}
}

// jobData carries the event that asked for the job, without its bulk.
func jobData(m *moment) string {
	ev := m.Event
	ev.Input, ev.Response, ev.Text = nil, nil, ""
	b, err := json.Marshal(ev)
	if err != nil {
		return ""
	}
	return string(b)
}

// Work does one job and returns what it writes. The caller finishes the job in
// the same batch.
func (e *Engine) Work(ctx context.Context, job mem.Job) (mem.Batch, error) {
	switch job.Kind {
	case JobEmbed:
		return e.embed(ctx, job)
	case JobRefine:
		return e.refine(ctx, job)
	case JobConsolidate:
		return e.consolidateJob(ctx, job)
	case JobWeave:
		return e.weave(ctx, job)
	case JobVault:
		return mem.Batch{}, e.workVault(ctx)
	}
	do := e.work
	if job.Kind == JobMind || job.Kind == JobNote {
		do = e.mindWork
	}
	b, err := do(ctx, job)
	e.follow(&b)
	return b, err
}

// patience is how often a transcript is looked for that is not there yet.
const patience = 3

// work does a job that an event asked for.
func (e *Engine) work(ctx context.Context, job mem.Job) (mem.Batch, error) {
	var ev mem.Event
	if err := json.Unmarshal([]byte(job.Data), &ev); err != nil {
		return mem.Batch{}, fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	m, err := e.open(ctx, ev)
	if err != nil {
		return mem.Batch{}, err
	}
	defer m.view.close()
	switch job.Kind {
	case JobTranscript:
		return e.takeIn(ctx, m, job)
	case JobFill:
		return e.fill(ctx, m)
	case JobTail:
		return mem.Batch{}, e.writeTail(ctx, m)
	}
	if e.Tail == nil || !ownTranscript(ev) {
		return mem.Batch{}, nil
	}
	said, err := e.Tail(ev.Transcript, snapshotLines)
	if errors.Is(err, fs.ErrNotExist) && job.Attempts >= patience { // the agent keeps none
		err = nil
	}
	if err != nil {
		return mem.Batch{}, fmt.Errorf("read transcript: %w", err)
	}
	if said, err = e.unerased(ctx, m.Session, said); err != nil {
		return mem.Batch{}, err
	}
	if said, err = e.unpaused(ctx, m, said); err != nil {
		return mem.Batch{}, err
	}
	if m.turn, err = e.turnOf(ctx, m); err != nil || m.turn.Private {
		return mem.Batch{}, err
	}
	switch job.Kind {
	case JobSnapshot:
		return mem.Batch{Memories: m.complete(snapshot(m, said))}, nil
	case JobDigest:
		// The newest words may be of a later turn.
		if m.turn.Trust, err = e.worstSince(ctx, m, ev.PromptID); err != nil {
			return mem.Batch{}, err
		}
		for i := len(said) - 1; i >= 0 && m.Text == ""; i-- {
			if said[i].Who == "assistant" {
				m.Text = said[i].Text
			}
		}
		ms, err := e.digest(ctx, m)
		return mem.Batch{Memories: m.complete(ms), Edits: m.batch.Edits}, err
	}
	return mem.Batch{}, fmt.Errorf("unknown kind of job %q", job.Kind)
}

// snapshot keeps the newest words of both sides.
func snapshot(m *moment, said []mem.Said) []mem.Memory {
	text, left := "", snapshotChars
	for i := len(said) - 1; i >= 0 && left > 0; i-- {
		line := said[i].Who + ": " + said[i].Text
		if rs := []rune(line); len(rs) > left {
			line = "…" + string(rs[len(rs)-left+1:]) // the newest part of it
		}
		left -= len([]rune(line)) + 1
		text = line + "\n" + text
	}
	if text == "" {
		return nil
	}
	mm := m.newMemory(mem.Snapshot, mem.ScopeSession)
	mm.Title, mm.Body, mm.Event = "words before compaction", text, "pre-compact"
	mm.Tags, mm.Origin, mm.Key = []string{"compaction-snapshot", autoCaptured}, mem.FromAssistant, "snapshot:"+m.ID
	mm.Trust = mem.TrustNone // words of many turns, whatever those have read
	return []mem.Memory{mm}
}
