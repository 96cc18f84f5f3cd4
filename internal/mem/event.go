// Package mem defines the data types of the project and the two interfaces that
// connect its layers. [Event] and [Reply] are what a hook reports and returns.
// [Memory], [Session], [Checkpoint], [Receipt] and [Job] are stored rows; a
// [Batch] writes them, a [Query] selects memories. [Handler] answers events,
// and [Store] is the contract of a storage back end.
//
// The package does no I/O, reads no clock, and does not depend on a particular
// agent or database. Start reading at [Event], [Memory] and [Store].
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

// EventKind is the kind of an event that an agent reports through a hook.
type EventKind string

// The event kinds. Package agent maps each agent's own names to these.
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

// Event is one event that an agent reported through a hook, redacted and bounded
// in size. Fields that the kind does not have, or that the client did not send,
// are zero.
type Event struct {
	ID    string    `json:"id"`            // set by [Event.Identify]; an event is stored once per ID
	Key   string    `json:"key,omitempty"` // only for kinds without an id of their own, see [DuplicateWindow]
	Agent string    `json:"agent"`         // "claude-code"
	Kind  EventKind `json:"kind"`
	At    time.Time `json:"at"` // when the hook received it, UTC

	Session    string `json:"session"`              // the agent's session id
	PromptID   string `json:"prompt_id,omitempty"`  // the turn, where the client numbers turns
	Root       string `json:"root,omitempty"`       // directory the agent was started in
	Cwd        string `json:"cwd,omitempty"`        // current directory of the session; moves with cd
	Transcript string `json:"transcript,omitempty"` // path of the agent's transcript
	Entrypoint string `json:"entrypoint,omitempty"`
	Model      string `json:"model,omitempty"`

	// Source is the variant of the kind: SessionStart source, PreCompact,
	// PostCompact and Setup trigger, SessionEnd reason, Notification type,
	// StopFailure error kind, and Interrupted of a Stop that stands for one.
	Source string `json:"source,omitempty"`
	// Text is the prompt of UserPromptSubmit, the last assistant message of Stop
	// and SubagentStop, the summary of PostCompact, the message of Notification,
	// the instructions of PreCompact, or the subject of TaskCompleted.
	Text    string `json:"text,omitempty"`
	Private bool   `json:"private,omitempty"` // the text was not empty, and all of it was private

	Tool           string          `json:"tool,omitempty"` // its canonical name, such as ToolShell
	ToolUseID      string          `json:"tool_use_id,omitempty"`
	Input          json.RawMessage `json:"input,omitempty"`    // tool_input
	Response       json.RawMessage `json:"response,omitempty"` // tool_response: object, array or string
	ResponseTokens int             `json:"weight,omitempty"`   // estimated tokens of a Response that was not kept
	Error          string          `json:"error,omitempty"`    // PostToolUseFailure
	Interrupt      bool            `json:"interrupt,omitempty"`
	DurationMS     int64           `json:"duration_ms,omitempty"`

	AgentID   string `json:"agent_id,omitempty"` // set only inside a subagent
	AgentType string `json:"agent_type,omitempty"`
	TaskID    string `json:"task_id,omitempty"`
	TaskList  string `json:"task_list,omitempty"` // id of the task list if several sessions share it
	By        string `json:"by,omitempty"`        // who completed the task; empty means the session itself

	Tokens int64 `json:"tokens,omitempty"` // in the session's context; 0 if the client does not report it
	Window int64 `json:"window,omitempty"` // size of the context window in tokens; 0 if not reported

	StopActive     bool  `json:"stop_active,omitempty"`
	Background     int   `json:"background,omitempty"`   // background tasks still running at Stop
	Client         int   `json:"client,omitempty"`       // process id of the agent; of SessionStart only
	EnvFile        bool  `json:"env_file,omitempty"`     // the client accepts environment variables
	Size           int64 `json:"size,omitempty"`         // bytes of the original payload
	Truncated      bool  `json:"cut,omitempty"`          // text was cut to the size limits
	InjectionOff   bool  `json:"quiet,omitempty"`        // injection is disabled for this client; capture is not
	Redelivered    bool  `json:"again,omitempty"`        // delivered again: the first daemon ended before it answered
	SpentUS        int64 `json:"spent_us,omitempty"`     // microseconds from the hook's start to delivery
	PayloadDropped bool  `json:"dropped,omitempty"`      // the payload was deleted, see [Event.WithoutPayload]
	LateRestore    bool  `json:"late_restore,omitempty"` // takes text, from a client that reports no compaction's end
	Recovered      bool  `json:"recovered,omitempty"`    // read from the transcript; no hook delivered it
}

// WithoutPayload returns a copy of the event without its payload. The copy keeps ids, kind,
// times and sizes, and none of the text, paths, input or response.
func (e *Event) WithoutPayload() Event {
	return Event{
		ID: e.ID, Key: e.Key, Agent: e.Agent, Kind: e.Kind, At: e.At, Session: e.Session, PromptID: e.PromptID,
		Source: e.Source, Private: e.Private, Tool: e.Tool, ToolUseID: e.ToolUseID, Interrupt: e.Interrupt,
		DurationMS: e.DurationMS, AgentID: e.AgentID, AgentType: e.AgentType, TaskID: e.TaskID, Size: e.Size,
		ResponseTokens: e.ResponseTokens, Truncated: e.Truncated, PayloadDropped: true, Recovered: e.Recovered,
	}
}

// DuplicateWindow is the longest time between two deliveries with equal [Event.Key] that
// count as one event. No other event of the session may lie between them.
const DuplicateWindow = 5 * time.Second

// Identify sets ID, and for kinds without an id of their own also Key. A process
// uses one nonce for all its deliveries of an event. So the store recognises a
// retry of the same process by ID, and the delivery of another process by Key.
func (e *Event) Identify(nonce string) {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			_, _ = io.WriteString(h, strconv.Itoa(len(p)))
			_, _ = io.WriteString(h, ":"+p)
		}
	}
	put(e.Agent, e.Session, string(e.Kind), e.PromptID, e.ToolUseID, e.AgentID, e.TaskID, e.Source, e.Text,
		strconv.FormatBool(e.StopActive))
	if e.ToolUseID == "" {
		put(e.Tool, string(e.Input), e.Error)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:12])
	e.ID, e.Key = "e_"+sum, ""
	if !e.hasOwnID() {
		e.ID, e.Key = "e_"+sum+"."+nonce, sum
	}
}

// hasOwnID reports whether the event's fields distinguish it from every later
// event of its kind. Two compactions of one turn have the same prompt id, so a
// prompt id is not enough for those kinds.
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

// Interrupted is the Source of a Stop that no client reported: the transcript leaves the
// turn without an end. The real end may still come.
const Interrupted = "interrupted"

// Reply is the answer to an event. The zero value changes nothing. A Reply can
// add context; it cannot block, deny or rewrite an action of the agent.
type Reply struct {
	Context string   `json:"context,omitempty"` // text injected into the model's context
	Notice  string   `json:"notice,omitempty"`  // one line shown to the person
	Env     []EnvVar `json:"env,omitempty"`     // set in the session's later shell commands
}

// Empty reports whether the reply is empty.
func (r Reply) Empty() bool { return r.Context == "" && r.Notice == "" && len(r.Env) == 0 }

// EnvVar is an environment variable of the session.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Handler answers events. The engine, the daemon's client and the spool implement it.
type Handler interface {
	// Handle stores the event and returns the reply. A nil error acknowledges the
	// event: it is durable and survives the end of any process.
	Handle(ctx context.Context, e Event) (Reply, error)
}
