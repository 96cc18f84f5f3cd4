package continuity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxSaveNote bounds the note of a checkpoint, in characters.
const maxSaveNote = 1000

// Save stores a checkpoint. With Index it first archives and indexes the session's
// transcript; failures of that are reported in Trouble and do not stop the rest.
// It returns ErrNotFound if the project has no session, and ErrPrivateTurn if an
// agent adds a note in a private turn.
func (s *Service) Save(ctx context.Context, ask SaveRequest) (SaveResponse, error) {
	ec, err := s.HandoffContext(ctx, HandoffRequest{ProjectRef: ask.ProjectRef, Session: ask.Session, Agent: ask.Agent})
	if err != nil {
		return SaveResponse{}, err
	}
	defer ec.Files.Close()
	if ec.SessionInfo.ID == "" {
		return SaveResponse{}, fmt.Errorf("session: %w", mem.ErrNotFound)
	}
	note := chars.Clip(strings.TrimSpace(s.Redactor.Prompt(ask.Note)), maxSaveNote)
	if err := s.Event.MayKeep(ctx, ask.Agent, note); err != nil {
		return SaveResponse{}, err
	}
	out := SaveResponse{Short: ec.SessionInfo.Short, Trouble: []string{}}
	if ask.Index {
		s.indexTranscript(ctx, ec, &out)
	}
	cp, err := s.Checkpoint(ctx, ec, TriggerSave)
	if err != nil {
		return out, err
	}
	cp.Note = note
	if _, err := s.Store.Apply(ctx, mem.Batch{Checkpoints: []mem.Checkpoint{cp}}); err != nil {
		return out, fmt.Errorf("keep checkpoint: %w", err)
	}
	kept, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: cp.Session, Trigger: TriggerSave, Limit: 1})
	if err != nil || len(kept) == 0 {
		return out, fmt.Errorf("read checkpoint back: %w", errors.Join(err, mem.ErrNotFound))
	}
	out.Checkpoint = kept[0]
	return out, nil
}

// indexTranscript archives and indexes the session's transcript.
func (s *Service) indexTranscript(ctx context.Context, ec event.Context, out *SaveResponse) {
	trouble := func(what string, err error) {
		if err != nil {
			out.Trouble = append(out.Trouble, fmt.Sprintf("%s: %s", what, err))
		}
	}
	switch {
	case s.Archive == nil:
		trouble("archive", errors.New("transcripts are not kept here"))
		return
	case !event.OwnTranscript(ec.Event):
		trouble("archive", errors.New("the agent named no transcript of this session"))
	default:
		var err error
		out.Found, err = s.Reconcile(ctx, ec.SessionInfo)
		trouble("lost reports", err)
		out.Taken, err = s.ArchiveTranscript(ctx, ec.SessionInfo)
		trouble("archive", err)
		if err == nil && !out.Taken.Found {
			trouble("archive", fmt.Errorf("the transcript is not there: %s", ec.SessionInfo.Transcript))
		}
		if out.Taken.BadLines > 0 {
			trouble(
				"archive",
				fmt.Errorf("%d lines of the transcript could not be read and are left out", out.Taken.BadLines),
			)
		}
	}
	var err error
	out.Indexed, err = s.IndexUtterances(ctx, ec)
	trouble("index", err)
}

// SaveRequest asks for a checkpoint.
type SaveRequest struct {
	mem.ProjectRef
	Session string `json:"session,omitempty"` // "" means the agent's, else the last one of the project
	Agent   string `json:"agent,omitempty"`   // as in AddAsk
	Note    string `json:"note,omitempty"`    // what the person or the agent has to say to it
	Index   bool   `json:"index,omitempty"`   // take in what the session's transcript says, and index it, now
}

// TriggerSave is the Trigger of a checkpoint saved on request.
const TriggerSave = "save"

// SaveResponse is the answer to a SaveRequest. It always has the checkpoint.
type SaveResponse struct {
	Checkpoint mem.Checkpoint       `json:"checkpoint"`
	Short      string               `json:"session_short,omitempty"`
	Taken      mem.TranscriptImport `json:"taken"`
	Indexed    int                  `json:"indexed"` // pieces of what was said that can be found now and could not before
	Found      int                  `json:"found"`   // reports of the session that had been lost
	Trouble    []string             `json:"trouble"` // what did not work; empty if all is well
}

// CheckpointsRequest asks for checkpoints, newest first: one by its ID, else those
// of a session or of a project.
type CheckpointsRequest struct {
	mem.ProjectRef
	ID      string `json:"id,omitempty"`      // exact or unique prefix; "last" is the newest
	Session string `json:"session,omitempty"` // id, short id or unique prefix
	Limit   int    `json:"limit,omitempty"`   // 0 means DefaultLimit
}

// Checkpoints are checkpoints and the short ids of their sessions.
type Checkpoints struct {
	Project     mem.Project       `json:"project"`
	Checkpoints []mem.Checkpoint  `json:"checkpoints"`
	Shorts      map[string]string `json:"shorts"` // by session
}

// ResumeResponse is what a session needs to continue the work.
type ResumeResponse struct {
	Checkpoint mem.Checkpoint  `json:"checkpoint"`
	Handoff    *mem.Checkpoint `json:"handoff,omitempty"` // the newest of the same session, if there is one
	Project    mem.Project     `json:"project"`
	Session    mem.Session     `json:"session"` // zero if it is erased
	Text       string          `json:"text"`    // the same as Markdown
}

// DiffRequest compares two checkpoints; without ids the newest of the place with the
// one before it of the same session.
type DiffRequest struct {
	mem.ProjectRef
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // "" means the newest of From's session
}

// DiffResponse lists what changed between two checkpoints.
type DiffResponse struct {
	From    mem.Checkpoint `json:"from"`
	To      mem.Checkpoint `json:"to"`
	Changes []Changed      `json:"changes"`
}

// Changed is one entry that was added or removed.
type Changed struct {
	// request, status, phase, next, open, doing, blocked, waiting, files, commands, errors, numbers
	What string `json:"what"`
	Gone bool   `json:"gone"` // it was in the first and is not in the second
	Text string `json:"text"`
}
