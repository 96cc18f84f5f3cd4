package continuity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// ErrLongHandoff is returned for a handoff of more than MaxHandoff characters.
// Nothing of it is stored.
var ErrLongHandoff = errors.New("the handoff is too long")

// Handoff stores a note for the next session together with a checkpoint. It returns
// event.ErrNoText for an empty text and ErrLongHandoff for a long one. An agent's
// handoff has trust assistant, or less if its turn read external text.
func (s *Service) Handoff(ctx context.Context, ask HandoffRequest) (mem.Checkpoint, error) {
	text, _ := mem.SplitHandoff(s.Redactor.Prompt(ask.Text)) // who copies an earlier handoff copies its tail, too
	if text = strings.TrimSpace(text); text == "" {
		return mem.Checkpoint{}, event.ErrNoText
	}
	if n := utf8.RuneCountInString(text); n > MaxHandoff {
		return mem.Checkpoint{}, fmt.Errorf("%w: %d characters, %d at most", ErrLongHandoff, n, MaxHandoff)
	}
	ec, err := s.HandoffContext(ctx, ask)
	if err != nil {
		return mem.Checkpoint{}, err
	}
	defer ec.Files.Close()
	trust := mem.TrustAssistant
	if ask.Agent != "" {
		if trust, err = s.Event.ByAgent(ctx, ask.Agent); err != nil {
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
	kept, err := s.Store.Checkpoints(
		ctx,
		mem.CheckpointQuery{Session: cp.Session, Project: cp.Project, Trigger: mem.TriggerHandoff, Limit: 1},
	)
	if err == nil && len(kept) == 0 { // it was erased at once
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

// pastHandoffs bounds the earlier handoffs that a handoff file is compared with.
const pastHandoffs = 100

// fileTimeSlack is how far a file's modification time may lag behind the clock:
// kernels round it to ticks.
const fileTimeSlack = 20 * time.Millisecond

// ReadHandoffFile stores an edited handoff file as a handoff. A text that equals an
// earlier handoff is ignored: the file is out of date.
func (s *Service) ReadHandoffFile(ctx context.Context, ec event.Context, by event.Author) error {
	if s.Handoffs == nil || ec.Project.Key == "" || ec.Project.Key == event.Nowhere.Key {
		return nil
	}
	note, err := s.Handoffs.ReadHandoff(ec.Project)
	if err != nil {
		return fmt.Errorf("handoff file: %w", err)
	}
	text := WholeLines(strings.TrimSpace(s.Redactor.Prompt(note.Rich)), MaxHandoff)
	if text == "" {
		return nil
	}
	past, err := s.Store.Checkpoints(
		ctx,
		mem.CheckpointQuery{Project: ec.Project.Key, Trigger: mem.TriggerHandoff, Limit: pastHandoffs},
	)
	if err != nil {
		return fmt.Errorf("past handoffs: %w", err)
	}
	if slices.ContainsFunc(past, func(cp mem.Checkpoint) bool { return cp.Handoff == text }) ||
		len(past) > 0 && note.At.Before(past[0].At.Add(-fileTimeSlack)) {
		return nil
	}
	if by, err = s.AuthorAt(ctx, by, note.Changed); err != nil || by.Private {
		return err
	}
	handoff, err := s.HandoffContext(ctx, HandoffRequest{
		ProjectRef: mem.ProjectRef{Project: ec.Project.Key},
		Session:    ec.SessionInfo.ID,
	})
	if errors.Is(err, mem.ErrNotFound) { // the project is not stored yet
		return nil
	}
	if err != nil {
		return err
	}
	defer handoff.Files.Close()
	at := handoff.At
	if note.At.Before(at) {
		at = note.At
	}
	if len(past) > 0 && !at.After(past[0].At) { // the file was edited after that handoff
		at = past[0].At.Add(1)
	}
	_, err = s.storeHandoff(ctx, handoff, at, text, by.Trust)
	return err
}

// WholeLines cuts a text to at most n characters, at a line end if there is one.
func WholeLines(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if end := strings.LastIndexByte(s, '\n'); end > 0 { // else it is one line: a part of it is more than nothing
		s = s[:end]
	}
	return strings.TrimSpace(s)
}

// HandoffContext returns the event context of a handoff. Its project is the session's,
// which may differ from the project of the request's directory. The caller closes its
// files.
func (s *Service) HandoffContext(ctx context.Context, ask HandoffRequest) (event.Context, error) {
	p, err := s.Event.Place(ctx, ask.ProjectRef)
	if err != nil {
		return event.Context{}, err
	}
	sess, err := s.handoffSession(ctx, ask, p)
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
func (s *Service) handoffSession(ctx context.Context, ask HandoffRequest, p mem.Project) (mem.Session, error) {
	switch {
	case ask.Session != "":
		return s.Store.Session(ctx, ask.Session)
	case ask.Agent != "":
		return s.Event.SessionOf(ctx, ask.Agent)
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
	// that it is of, by any id; "" means the agent's, of a person the newest of the project
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"` // as in AddAsk
}

// ContextUsage is the context usage of a session and its limits, in tokens.
type ContextUsage struct {
	Tokens    int    `json:"tokens"`     // in use when last looked at
	Window    int    `json:"window"`     // what it can hold
	Model     string `json:"model"`      // empty if unknown
	Cliff     int    `json:"cliff"`      // where the client of that model compacts by itself; 0 if that was never seen
	HandoffAt int    `json:"handoff_at"` // from here on a handoff is asked for; 0 is never
	Asked     bool   `json:"asked"`      // one was, and there was no room since
}
