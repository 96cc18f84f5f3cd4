// Package agent knows how coding agents speak: it turns the bytes that an agent
// gives to its hook into a mem.Event, and a mem.Reply into the bytes that the
// agent expects. It reads no file, no clock and no environment of its own, and
// it trusts no field: what has the wrong type is empty, what has the wrong
// shape is made safe.
package agent

import (
	"errors"

	"remanence/internal/mem"
)

// Errors of Decode. None of them holds text of the payload.
var (
	ErrNotObject    = errors.New("payload is not one JSON object")
	ErrUnknownEvent = errors.New("event is not one of ours")
	ErrNoSession    = errors.New("payload names no session")
	ErrOtherClient  = errors.New("the hook was called by a client that it was not registered for")
)

// Dialect is how one agent speaks.
type Dialect interface {
	// ID is the agent's name in every event, and in the command line of its hooks.
	ID() string

	// Environ picks the variables that the dialect may see. No other one is read.
	Environ(get func(string) string) Env

	// Decode reads one payload: a JSON object, already redacted. Unknown fields
	// are ignored, missing ones and those of the wrong type are empty in the
	// event. It sets neither At nor ID. The errors are ErrNotObject,
	// ErrUnknownEvent, ErrNoSession and ErrOtherClient.
	Decode(payload []byte, env Env) (mem.Event, error)

	// Encode returns what the hook of e prints for r, all of it: one JSON
	// object, or nothing. What the agent would misread for this event is left out.
	Encode(e mem.Event, r mem.Reply) []byte
}

// AnswerReader is a Dialect whose payload of a turn's end has no answer in it.
type AnswerReader interface {
	// LastAnswer finds the agent's last answer in the end of its transcript; "" if it has none since the last prompt.
	LastAnswer(transcript []byte) string
}

// Env is what a dialect knows beside the payload.
type Env struct {
	// Event is the event named on the command line, for runs by hand: the
	// agent's own name or its kebab-case form. It counts only if the payload
	// names none, and makes the session optional too.
	Event string

	ProjectDir string // directory the agent was started in
	SessionID  string
	Entrypoint string
	Client     string // process id of the agent
	TaskList   string // name of a task list that several sessions share
	EnvFile    string // file that takes variables for the session's later commands

	// Signs of who calls, for clients run hooks that are registered for others. A client
	// that was started in the shell of another inherits them.
	Sessions map[string]string // by the agent's name, the session that its variables name
	Copilot  bool              // GitHub Copilot, which names no session

	Model string // for payloads that name none
}

// ManualSession is the session of a run by hand that names none.
const ManualSession = "manual"

// Dialects returns the dialect of every agent, in the order in which they are shown.
func Dialects() []Dialect {
	return []Dialect{Claude{}, codex(), gemini(), copilot(), qwen(), opencode(), cursor(), windsurf()}
}

// ByName returns the dialect of the agent called name; ok is false if there is none.
func ByName(name string) (d Dialect, ok bool) {
	if name == "claude" {
		return Claude{}, true
	}
	for _, d := range Dialects() {
		if d.ID() == name {
			return d, true
		}
	}
	return nil, false
}
