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
// transcript; failures of that are reported in Problems and do not stop the rest.
// It returns ErrNotFound if the project has no session, and ErrPrivateTurn if an
// agent adds a note in a private turn.
func (s *Service) Save(ctx context.Context, req SaveRequest) (SaveResponse, error) {
	ec, err := s.HandoffContext(ctx, HandoffRequest{ProjectRef: req.ProjectRef, Session: req.Session, Agent: req.Agent})
	if err != nil {
		return SaveResponse{}, err
	}
	defer ec.Files.Close()
	if ec.SessionInfo.ID == "" {
		return SaveResponse{}, fmt.Errorf("session: %w", mem.ErrNotFound)
	}
	note := chars.Clip(strings.TrimSpace(s.Redactor.Prompt(req.Note)), maxSaveNote)
	if err := s.Event.MayKeep(ctx, req.Agent, note); err != nil {
		return SaveResponse{}, err
	}
	out := SaveResponse{Short: ec.SessionInfo.Short, Problems: []string{}}
	if req.Index {
		s.indexTranscript(ctx, ec, &out)
	}
	cp, err := s.Checkpoint(ctx, ec, TriggerSave)
	if err != nil {
		return out, err
	}
	cp.Note = note
	if _, err := s.Store.Apply(ctx, mem.Batch{Checkpoints: []mem.Checkpoint{cp}}); err != nil {
		return out, fmt.Errorf("store checkpoint: %w", err)
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
	report := func(what string, err error) {
		if err != nil {
			out.Problems = append(out.Problems, fmt.Sprintf("%s: %s", what, err))
		}
	}
	switch {
	case s.Archive == nil:
		report("archive", errors.New("transcripts are not kept here"))
		return
	case !event.OwnTranscript(ec.Event):
		report("archive", errors.New("the agent named no transcript of this session"))
	default:
		var err error
		out.Recovered, err = s.Reconcile(ctx, ec.SessionInfo)
		report("missing events", err)
		out.Archived, err = s.ArchiveTranscript(ctx, ec.SessionInfo)
		report("archive", err)
		if err == nil && !out.Archived.Found {
			report("archive", fmt.Errorf("the transcript does not exist: %s", ec.SessionInfo.Transcript))
		}
		if out.Archived.BadLines > 0 {
			report("archive",
				fmt.Errorf("%d lines of the transcript could not be read and are left out", out.Archived.BadLines))
		}
	}
	var err error
	out.Indexed, err = s.IndexUtterances(ctx, ec)
	report("index", err)
}

// SaveRequest asks for a checkpoint.
type SaveRequest struct {
	mem.ProjectRef
	Session string `json:"session,omitempty"` // "" means the agent's, else the last one of the project
	Agent   string `json:"agent,omitempty"`   // ID of the agent's session; "" means that a person asks
	Note    string `json:"note,omitempty"`    // a remark of the person or the agent
	Index   bool   `json:"index,omitempty"`   // archive and index the session's transcript now
}

// TriggerSave is the Trigger of a checkpoint saved on request.
const TriggerSave = "save"

// SaveResponse is the answer to a SaveRequest. It always has the checkpoint.
type SaveResponse struct {
	Checkpoint mem.Checkpoint       `json:"checkpoint"`
	Short      string               `json:"session_short,omitempty"`
	Archived   mem.TranscriptImport `json:"archived"`
	Indexed    int                  `json:"indexed"`   // pieces of utterances that became searchable
	Recovered  int                  `json:"recovered"` // missing events that were found in the transcript
	Problems   []string             `json:"problems"`  // empty if everything worked
}
