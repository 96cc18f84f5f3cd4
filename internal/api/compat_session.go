package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"remanence/internal/capture"
	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

const (
	compatAgent = "claude-code" // agent of claude-mem's hooks
	maxSession  = 128           // bytes of a session's id

	fullBudget   = 2000            // tokens of a briefing with full=true
	injectWithin = 5 * time.Second // for a briefing
)

// sessionRef names the session of a write: its id, in one of three spellings, and its
// directory.
type sessionRef struct {
	Claude  string `json:"claudeSessionId"`
	Content string `json:"contentSessionId"`
	Plain   string `json:"session_id"`
	Project string `json:"project"` // name
	Cwd     string `json:"cwd"`
}

// key returns the agent's id of the session.
func (s sessionRef) key() (string, error) {
	id := ""
	for _, given := range []string{s.Claude, s.Content, s.Plain} {
		if given != "" && id != "" && given != id {
			return "", refused("two different sessions are named", "name one session, as contentSessionId")
		}
		if id == "" {
			id = given
		}
	}
	if !plain(id) || len(id) > maxSession {
		return "", refused(
			fmt.Sprintf("no session is named, or not by letters, digits and . _ - of %d bytes at most", maxSession),
			"send its id as contentSessionId or claudeSessionId")
	}
	return id, nil
}

// event returns an event of the session without its details.
func (s sessionRef) event(ctx context.Context, c Caller, kind mem.EventKind) (mem.Event, error) {
	id, err := s.key()
	if err != nil {
		return mem.Event{}, err
	}
	return s.eventOf(ctx, c, kind, id)
}

// eventOf is event for a known id. The directory is that of the stored session, of the
// request, or of the project.
func (s sessionRef) eventOf(ctx context.Context, c Caller, kind mem.EventKind, id string) (mem.Event, error) {
	e := mem.Event{Agent: compatAgent, Kind: kind, At: time.Now().UTC(), Session: id, Root: s.Cwd, Cwd: s.Cwd}
	known, err := sessionByID(ctx, c, id)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return e, err
	}
	if known.Root != "" {
		e.Root = known.Root
	}
	if e.Root == "" && s.Project != "" {
		e.Root, err = rootOf(ctx, c, s.Project)
		return e, err
	}
	return e, nil
}

// sessionByID returns the session of exactly this id.
func sessionByID(ctx context.Context, c Caller, id string) (mem.Session, error) {
	s, err := GetSession.Call(ctx, c, views.MemoryRequest{ID: id})
	if errors.Is(err, mem.ErrAmbiguous) || err == nil && s.ID != id {
		return mem.Session{}, fmt.Errorf("session %s: %w", id, mem.ErrNotFound)
	}
	return s, err
}

// rootOf returns the root of a project by name, "" if it is unknown. Of several it
// returns the one active last.
func rootOf(ctx context.Context, c Caller, name string) (string, error) {
	all, err := Projects.Call(ctx, c, Nothing{})
	for _, p := range all.Projects {
		if p.Name == name || p.Key == name {
			return p.Root, err
		}
	}
	return "", err
}

// report stores an event and returns the outcome.
func report(ctx context.Context, c Caller, e mem.Event) (capture.Outcome, error) {
	e.Identify(random(4))
	return Report.Call(ctx, c, e)
}

// writeStatus is the response to most writes.
type writeStatus struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// queued returns the status of a stored event, or why it was skipped.
func queued(did capture.Outcome) writeStatus {
	if did.Outcome == capture.ReportKept {
		return writeStatus{Status: "queued"}
	}
	return writeStatus{"skipped", did.Outcome}
}

// injectContext returns the briefing of a new session. For an unknown project it is
// empty, not an error: claude-mem's hooks inject any body.
func injectContext(ctx context.Context, c compatRequest) (any, error) {
	budget, err := c.number("budget", 0, 1<<20)
	if err != nil {
		return nil, err
	}
	ask := views.NextRequest{
		ProjectRef: mem.ProjectRef{Project: c.query.Get("project")}, Source: c.query.Get("source"),
		Session: c.query.Get("session_id"), Budget: budget,
	}
	if full, _ := strconv.ParseBool(c.query.Get("full")); full && budget == 0 {
		ask.Budget = fullBudget
	}
	if ask.Project == "" {
		return nil, fmt.Errorf("%w: which project?", ErrInvalid)
	}
	ctx, stop := context.WithTimeout(ctx, injectWithin)
	defer stop()
	r, err := Next.Call(ctx, c, ask)
	return orIfNotFound(markdown(r.Text), markdown(""), err)
}

// initResponse is the response to a prompt.
type initResponse struct {
	Session int64  `json:"sessionDbId"`
	Number  int    `json:"promptNumber"`
	Skipped bool   `json:"skipped,omitempty"`
	Reason  string `json:"reason,omitempty"` // private, duplicate or excluded
}

// initSession stores a prompt and, if it is new, the session.
func initSession(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		sessionRef
		Prompt string `json:"prompt"`
		User   string `json:"userPrompt"`
		Number int    `json:"promptNumber"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	var e mem.Event
	var err error
	if number, ok := c.part["id"]; ok {
		e, err = in.numbered(ctx, c, number)
	} else {
		e, err = in.event(ctx, c, mem.UserPromptSubmit)
	}
	if err != nil {
		return nil, err
	}
	if e.Text = in.Prompt + in.User; in.Prompt != "" && in.User != "" || e.Text == "" {
		return nil, fmt.Errorf("%w: one prompt is needed", ErrInvalid)
	}
	if in.Number > 0 {
		e.PromptID = fmt.Sprint("prompt-", in.Number)
	}
	did, err := report(ctx, c, e)
	if err != nil {
		return nil, err
	}
	out := initResponse{Session: did.Session.Number, Number: did.Prompt}
	if did.Outcome != capture.ReportKept {
		out.Number, out.Skipped, out.Reason = did.Session.Prompts, true, did.Outcome
	}
	return out, nil
}

// numbered returns an event of a session by its number.
func (s sessionRef) numbered(ctx context.Context, c Caller, number string) (mem.Event, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return mem.Event{}, fmt.Errorf("%w: %q is not the number of a session", ErrInvalid, number)
	}
	known, err := GetSession.Call(ctx, c, views.MemoryRequest{ID: chars.ShortID("s_", n)})
	if err != nil {
		return mem.Event{}, err
	}
	if known.Number != n {
		return mem.Event{}, fmt.Errorf("session %d: %w", n, mem.ErrNotFound)
	}
	return s.eventOf(ctx, c, mem.UserPromptSubmit, known.ID)
}

// addToolUse stores a tool call.
func addToolUse(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		sessionRef
		Tool     string          `json:"tool_name"`
		Input    json.RawMessage `json:"tool_input"`
		Response json.RawMessage `json:"tool_response"`
		UseID    string          `json:"tool_use_id"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	e, err := in.event(ctx, c, mem.PostToolUse)
	if err != nil {
		return nil, err
	}
	if !plain(in.Tool) || in.UseID != "" && !plain(in.UseID) {
		return nil, fmt.Errorf("%w: a tool_name is needed", ErrInvalid)
	}
	e.Tool, e.Input, e.Response, e.ToolUseID = in.Tool, in.Input, in.Response, in.UseID
	did, err := report(ctx, c, e)
	return queued(did), err
}

// endTurn ends a turn. If the session has no prompt yet, it first stores the given one.
func endTurn(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		sessionRef
		User      string `json:"last_user_message"`
		Assistant string `json:"last_assistant_message"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	e, err := in.event(ctx, c, mem.Stop)
	if err != nil {
		return nil, err
	}
	known, err := sessionByID(ctx, c, e.Session)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return nil, err
	}
	if in.User != "" && known.Prompts == 0 {
		prompt := e
		prompt.Kind, prompt.Text = mem.UserPromptSubmit, in.User
		if _, err := report(ctx, c, prompt); err != nil {
			return nil, err
		}
	}
	e.Text = in.Assistant
	did, err := report(ctx, c, e)
	return queued(did), err
}

// endSession ends a stored session.
func endSession(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		sessionRef
		Reason string `json:"reason"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	e, err := in.event(ctx, c, mem.SessionEnd)
	if err != nil {
		return nil, err
	}
	if _, err := sessionByID(ctx, c, e.Session); err != nil {
		return orIfNotFound(nil, writeStatus{Status: "unknown"}, err)
	}
	if e.Source = in.Reason; e.Source != "" && !plain(e.Source) {
		detail := fmt.Sprintf("%q is not a reason for the end of a session", chars.Clip(in.Reason, 40))
		return nil, refused(detail, "send one word as reason, or none")
	}
	if _, err := report(ctx, c, e); err != nil {
		return nil, err
	}
	return writeStatus{Status: "completed"}, nil
}

// setProcessing marks every session as idle. It cannot mark one as busy: only a prompt
// does.
func setProcessing(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		On *bool `json:"isProcessing"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.On == nil {
		return nil, fmt.Errorf("%w: isProcessing is needed", ErrInvalid)
	}
	route := EndPrompts
	if *in.On {
		route = Processing
	}
	now, err := route.Call(ctx, c, Nothing{})
	return map[string]bool{"isProcessing": now.IsProcessing}, err
}

func getProcessing(ctx context.Context, c compatRequest) (any, error) {
	return Processing.Call(ctx, c, Nothing{})
}
