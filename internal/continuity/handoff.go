package continuity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// ErrLongHandoff is returned for a handoff of more than MaxHandoff characters.
// Nothing of it is stored.
var ErrLongHandoff = errors.New("the handoff is too long")

// Handoff stores a note for the next session together with a checkpoint. It returns
// event.ErrNoText for an empty text and ErrLongHandoff for a long one. An agent's
// handoff has trust assistant, or less if its turn read external text.
func (s *Service) Handoff(ctx context.Context, req HandoffRequest) (mem.Checkpoint, error) {
	// A copy of an earlier handoff includes its appendix.
	text, _ := vaultfile.SplitHandoff(s.Redactor.Prompt(req.Text))
	if text = strings.TrimSpace(text); text == "" {
		return mem.Checkpoint{}, event.ErrNoText
	}
	if n := utf8.RuneCountInString(text); n > MaxHandoff {
		return mem.Checkpoint{}, fmt.Errorf("%w: %d characters, %d at most", ErrLongHandoff, n, MaxHandoff)
	}
	ec, err := s.HandoffContext(ctx, req)
	if err != nil {
		return mem.Checkpoint{}, err
	}
	defer ec.Files.Close()
	trust := mem.TrustAssistant
	if req.Agent != "" {
		if trust, err = s.Event.ByAgent(ctx, req.Agent); err != nil {
			return mem.Checkpoint{}, err
		}
	}
	// An edit of the file is stored first; this handoff replaces it.
	s.Event.LogDegraded("handoff file", s.ReadHandoffFile(ctx, ec, event.Person))
	cp, err := s.storeHandoff(ctx, ec, ec.At, text, trust)
	if err != nil {
		return cp, err
	}
	if s.Handoffs != nil {
		s.Event.LogDegraded("handoff file", s.Handoffs.WriteHandoff(ec.Project, text))
	}
	kept, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{
		Session: cp.Session, Project: cp.Project, Trigger: mem.TriggerHandoff, Limit: 1,
	})
	if err == nil && len(kept) == 0 { // it was purged meanwhile
		err = mem.ErrNotFound
	}
	if err != nil {
		return cp, fmt.Errorf("read handoff back: %w", err)
	}
	return kept[0], nil
}

// storeHandoff stores a text as the handoff of the context's session at a time.
func (s *Service) storeHandoff(
	ctx context.Context, ec event.Context, at time.Time, text string, t mem.Trust,
) (mem.Checkpoint, error) {
	cp, err := s.Checkpoint(ctx, ec, mem.TriggerHandoff)
	if err != nil {
		return cp, err
	}
	cp.At, cp.Handoff, cp.Trust = at, text, t
	if t < mem.TrustUser { // a person's text does not depend on the trust of a turn
		cp.PromptID = ec.Turn.PromptID
	}
	if _, err := s.Store.Apply(ctx, mem.Batch{Checkpoints: []mem.Checkpoint{cp}}); err != nil {
		return cp, fmt.Errorf("store handoff: %w", err)
	}
	return cp, nil
}

// HandoffContext returns the event context of a handoff. Its project is the session's,
// which may differ from the project of the request's directory. The caller closes its
// files.
func (s *Service) HandoffContext(ctx context.Context, req HandoffRequest) (event.Context, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return event.Context{}, err
	}
	sess, err := s.handoffSession(ctx, req, p)
	if err != nil {
		return event.Context{}, err
	}
	if sess.Project != "" && sess.Project != p.Key {
		if p, err = s.Event.Place(ctx, mem.ProjectRef{Project: sess.Project}); err != nil {
			return event.Context{}, err
		}
	}
	if p.Key == "" {
		p = event.Nowhere
	}
	turns, err := s.Store.Turns(ctx, sess.ID, 1)
	if err != nil {
		return event.Context{}, fmt.Errorf("turns: %w", err)
	}
	var turn mem.Turn
	if len(turns) > 0 {
		turn = turns[0]
	}
	return event.Context{
		Event: mem.Event{
			Session: sess.ID, Agent: sess.Agent, At: s.Now(), Root: sess.Root, Cwd: sess.Cwd, Transcript: sess.Transcript,
		},
		Settings: s.Settings(), Project: p, SessionInfo: sess, Turn: turn, Files: s.Event.OpenFiles(p), Started: s.Now(),
	}, nil
}

// handoffSession returns the session of a handoff; the zero value if it is unknown.
func (s *Service) handoffSession(ctx context.Context, req HandoffRequest, p mem.Project) (mem.Session, error) {
	switch {
	case req.Session != "":
		return s.Store.Session(ctx, req.Session)
	case req.Agent != "":
		return s.Event.SessionOf(ctx, req.Agent)
	case p.Key == "":
		return mem.Session{}, nil
	}
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: 1})
	if err != nil || len(ss) == 0 {
		return mem.Session{}, err
	}
	return ss[0], nil
}

// MaxHandoff bounds a handoff, in characters.
const MaxHandoff = 4000

// HandoffRequest stores a note for the next session: the current task and its next
// step, open work, decisions and constraints.
type HandoffRequest struct {
	mem.ProjectRef
	Text string `json:"text"`
	// Session is any ID of a session; "" means the agent's, for a person the newest of the project.
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"` // ID of the agent's session; "" means that a person asks
}
