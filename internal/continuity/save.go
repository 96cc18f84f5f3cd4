package continuity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxSaveNote bounds what is said to a checkpoint, in characters.
const maxSaveNote = 1000

// Save keeps where the work stands, as before a compaction. With Index it first
// takes in and indexes what the session's transcript says: whatever of that does
// not work is named in the answer and keeps nothing else from being done.
// ErrNotFound where no session of the place is known: there is nothing to save.
// ErrPrivateTurn if an agent says something to it in a turn that is private.
func (e *Service) Save(ctx context.Context, ask mem.SaveAsk) (mem.Saved, error) {
	m, err := e.HandingOff(ctx, mem.HandoffAsk{Place: ask.Place, Session: ask.Session, Agent: ask.Agent})
	if err != nil {
		return mem.Saved{}, err
	}
	defer m.View.Close()
	if m.SessionInfo.ID == "" {
		return mem.Saved{}, fmt.Errorf("session: %w", mem.ErrNotFound)
	}
	note := mem.Clip(strings.TrimSpace(e.Door.Prompt(ask.Note)), maxSaveNote)
	if err := e.Event.MayKeep(ctx, ask.Agent, note); err != nil {
		return mem.Saved{}, err
	}
	out := mem.Saved{Short: m.SessionInfo.Short, Trouble: []string{}}
	if ask.Index {
		e.takeNow(ctx, m, &out)
	}
	cp, err := e.Checkpoint(ctx, m, mem.TriggerSave)
	if err != nil {
		return out, err
	}
	cp.Note = note
	if _, err := e.Store.Apply(ctx, mem.Batch{Checkpoints: []mem.Checkpoint{cp}}); err != nil {
		return out, fmt.Errorf("keep checkpoint: %w", err)
	}
	kept, err := e.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: cp.Session, Trigger: mem.TriggerSave, Limit: 1})
	if err != nil || len(kept) == 0 {
		return out, fmt.Errorf("read checkpoint back: %w", errors.Join(err, mem.ErrNotFound))
	}
	out.Checkpoint = kept[0]
	return out, nil
}

// takeNow takes in and indexes what the session's transcript says.
func (e *Service) takeNow(ctx context.Context, m *event.Context, out *mem.Saved) {
	trouble := func(what string, err error) {
		if err != nil {
			out.Trouble = append(out.Trouble, fmt.Sprintf("%s: %s", what, err))
		}
	}
	m.Transcript, m.Root, m.Cwd = m.SessionInfo.Transcript, m.SessionInfo.Root, m.SessionInfo.Cwd
	switch {
	case e.Archive == nil:
		trouble("archive", errors.New("transcripts are not kept here"))
		return
	case !event.OwnTranscript(m.Event):
		trouble("archive", errors.New("the agent named no transcript of this session"))
	default:
		var err error
		out.Found, err = e.Reconcile(ctx, m.SessionInfo)
		trouble("lost reports", err)
		out.Taken, err = e.TakeSaid(ctx, m)
		trouble("archive", err)
		if err == nil && !out.Taken.There {
			trouble("archive", fmt.Errorf("the transcript is not there: %s", m.SessionInfo.Transcript))
		}
		if out.Taken.Bad > 0 {
			trouble("archive", fmt.Errorf("%d lines of the transcript could not be read and are left out", out.Taken.Bad))
		}
	}
	var err error
	out.Indexed, err = e.IndexSaid(ctx, m)
	trouble("index", err)
}
