// Package mem holds the nouns of the house: what happened (Event), what is
// said back (Reply), what is kept (Memory, Session, Checkpoint, Receipt, Job),
// what is written (Batch), what is asked (Query, Hit), and the two contracts
// that join the floors, Handler and Store. It knows no agent, no database, no
// file and no clock.
package mem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// EventKind names one thing an agent can report.
type EventKind string

// Every event that is handled. Agents' own names are mapped to these by package agent.
const (
	SessionStart       EventKind = "SessionStart"
	UserPromptSubmit   EventKind = "UserPromptSubmit"
	PreToolUse         EventKind = "PreToolUse"
	PostToolUse        EventKind = "PostToolUse"
	PostToolUseFailure EventKind = "PostToolUseFailure"
	Stop               EventKind = "Stop"
	StopFailure        EventKind = "StopFailure"
	SubagentStart      EventKind = "SubagentStart"
	SubagentStop       EventKind = "SubagentStop"
	TaskCompleted      EventKind = "TaskCompleted"
	PreCompact         EventKind = "PreCompact"
	PostCompact        EventKind = "PostCompact"
	Notification       EventKind = "Notification"
	SessionEnd         EventKind = "SessionEnd"
	Setup              EventKind = "Setup"
)

// Event is one report of an agent, already redacted and bounded. A field that
// does not belong to the kind, or that the client did not send, is zero.
type Event struct {
	ID    string    `json:"id"`            // see Identify; the key of the batch that the event becomes
	Key   string    `json:"key,omitempty"` // set only on events with no id of their own, see Window
	Agent string    `json:"agent"`         // "claude-code"
	Kind  EventKind `json:"kind"`
	At    time.Time `json:"at"` // when the hook received it, UTC

	Session    string `json:"session"`              // the agent's session id, never ours
	PromptID   string `json:"prompt_id,omitempty"`  // the turn, where the client numbers turns
	Root       string `json:"root,omitempty"`       // directory the agent was started in
	Cwd        string `json:"cwd,omitempty"`        // current directory of the session; moves with cd
	Transcript string `json:"transcript,omitempty"` // path of the client's own record
	Entrypoint string `json:"entrypoint,omitempty"`
	Model      string `json:"model,omitempty"`

	// Source is the variant of the kind: SessionStart source, PreCompact,
	// PostCompact and Setup trigger, SessionEnd reason, Notification type,
	// StopFailure error kind.
	Source string `json:"source,omitempty"`
	// Text is what was said: the prompt, the last assistant message of Stop
	// and SubagentStop, the summary of PostCompact, the message of
	// Notification, the instructions of PreCompact, the subject of TaskCompleted.
	Text    string `json:"text,omitempty"`
	Private bool   `json:"private,omitempty"` // something was said and all of it was private

	Tool       string          `json:"tool,omitempty"`
	ToolUseID  string          `json:"tool_use_id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`    // tool_input
	Response   json.RawMessage `json:"response,omitempty"` // tool_response: object, array or string
	Weight     int             `json:"weight,omitempty"`   // tokens of a Response that was not kept
	Error      string          `json:"error,omitempty"`    // PostToolUseFailure
	Interrupt  bool            `json:"interrupt,omitempty"`
	DurationMS int64           `json:"duration_ms,omitempty"`

	AgentID   string `json:"agent_id,omitempty"` // set inside a subagent only
	AgentType string `json:"agent_type,omitempty"`
	TaskID    string `json:"task_id,omitempty"`
	TaskList  string `json:"task_list,omitempty"` // the list that the session's tasks are on, if others share it
	By        string `json:"by,omitempty"`        // who completed the task; empty means the session itself

	Tokens int64 `json:"tokens,omitempty"` // in the session's context, where the client tells
	Window int64 `json:"window,omitempty"` // that it can hold, likewise

	StopActive bool  `json:"stop_active,omitempty"`
	Background int   `json:"background,omitempty"` // background tasks still running at Stop
	EnvFile    bool  `json:"env_file,omitempty"`   // the client offers a file for environment variables
	Size       int64 `json:"size,omitempty"`       // bytes of the original payload
	Cut        bool  `json:"cut,omitempty"`        // some of its text was cut to the bounds
	Quiet      bool  `json:"quiet,omitempty"`      // the person switched telling off for this client; capture goes on
	Again      bool  `json:"again,omitempty"`      // handed in once more: the worker that took it ended before it answered
	SpentUS    int64 `json:"spent_us,omitempty"`   // microseconds the hook took before it handed the event over
	Dropped    bool  `json:"dropped,omitempty"`    // its payload was let go, see Husk
	Recovered  bool  `json:"recovered,omitempty"`  // no hook delivered it: it was found in the agent's own record
}

// Husk is what stays of an event when its payload is let go: that it happened,
// when, where it belongs and how it ended, and no word of what was said.
func (e *Event) Husk() Event {
	return Event{
		ID: e.ID, Key: e.Key, Agent: e.Agent, Kind: e.Kind, At: e.At, Session: e.Session, PromptID: e.PromptID,
		Source: e.Source, Private: e.Private, Tool: e.Tool, ToolUseID: e.ToolUseID, Interrupt: e.Interrupt, DurationMS: e.DurationMS,
		AgentID: e.AgentID, AgentType: e.AgentType, TaskID: e.TaskID, Size: e.Size, Weight: e.Weight, Cut: e.Cut, Dropped: true, Recovered: e.Recovered,
	}
}

// Window is how long two equal reports of an event that has no id of its own
// count as one, if no other event of the session lies between them.
const Window = 5 * time.Second

// Identify sets ID, and Key where the kind has no id of its own. nonce tells
// two deliveries of such an event apart: one process uses one nonce for all its
// tries, so that a second try of its own is recognised by ID and the report of
// another process by Key.
func (e *Event) Identify(nonce string) {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			_, _ = io.WriteString(h, strconv.Itoa(len(p)))
			_, _ = io.WriteString(h, ":"+p)
		}
	}
	put(e.Agent, e.Session, string(e.Kind), e.PromptID, e.ToolUseID, e.AgentID, e.TaskID, e.Source, e.Text, strconv.FormatBool(e.StopActive))
	if e.ToolUseID == "" {
		put(e.Tool, string(e.Input), e.Error)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:12])
	e.ID, e.Key = "e_"+sum, ""
	if !e.hasOwnID() {
		e.ID, e.Key = "e_"+sum+"."+nonce, sum
	}
}

// hasOwnID reports whether the fields alone tell this event from every later
// one like it. Two compactions of one turn share a prompt id, so the prompt id
// is not enough for those.
func (e *Event) hasOwnID() bool {
	switch e.Kind {
	case SessionStart, SessionEnd, PreCompact, PostCompact, Notification, Setup:
		return false
	case PreToolUse, PostToolUse, PostToolUseFailure:
		return e.ToolUseID != ""
	case SubagentStart, SubagentStop:
		return e.AgentID != ""
	case TaskCompleted:
		return e.TaskID != ""
	default:
		return e.PromptID != ""
	}
}

// Reply is what is said back. The zero value is silence. There is no way to
// block, deny or rewrite anything of the agent's.
type Reply struct {
	Context string   `json:"context,omitempty"` // for the model
	Notice  string   `json:"notice,omitempty"`  // one line for the person
	Env     []EnvVar `json:"env,omitempty"`     // for the session's later shell commands
}

// Silent reports whether there is nothing to say.
func (r Reply) Silent() bool { return r.Context == "" && r.Notice == "" && len(r.Env) == 0 }

// EnvVar is one environment variable for the session.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Handler answers events: the engine, the worker's client, the spool.
type Handler interface {
	// Handle keeps the event and answers it. A nil error means the event is
	// acknowledged: it will not be lost by the end of any process.
	Handle(ctx context.Context, e Event) (Reply, error)
}
