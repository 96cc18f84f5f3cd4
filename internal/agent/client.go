package agent

import (
	"bytes"
	"encoding/json"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// client is the dialect of an agent other than Claude Code, as the ways in which it differs from that one.
type client struct {
	id      string
	events  map[string]mem.EventKind // by the client's names
	members map[string]string        // its name of a payload's member, and the name that Claude Code has for it
	flatten func(f fields) fields    // for payloads that have the members of Claude Code deeper inside; may be nil
	environ func(get func(string) string) Env
	// read completes an event from a payload, and makes a tool call canonical. It returns false for a call that
	// reports nothing.
	read func(e *mem.Event, f fields) bool

	answers map[mem.EventKind]string // events whose answer reaches the model, by the name that an answer gives them
	flat    string                   // member of the whole that is the context; "" if it lies as deep as Claude Code's
	nothing string                   // what is printed instead of nothing
	notices bool                     // the person sees a notice
	late    bool                     // the end of a compaction is not reported
}

// ID implements Dialect.
func (c client) ID() string { return c.id }

// Environ implements Dialect.
func (c client) Environ(get func(string) string) Env {
	env := c.environ(get)
	env.Sessions, env.Copilot = sessionsIn(get), get("COPILOT_CLI") != ""
	return env
}

// Decode implements Dialect.
func (c client) Decode(payload []byte, env Env) (mem.Event, error) {
	f, ok := open(payload)
	if !ok {
		return mem.Event{}, ErrNotObject
	}
	if c.flatten != nil {
		f = c.flatten(f)
	}
	f = f.renamed(c.members)
	if by := caller(f, env); by != "" && by != c.id {
		return mem.Event{}, ErrOtherClient
	}
	kind, ok := c.kind(f.text("hook_event_name"), env.Event)
	if !ok {
		return mem.Event{}, ErrUnknownEvent
	}
	e, err := common(c.id, f, env)
	if err != nil {
		return mem.Event{}, err
	}
	e.Kind = kind
	own(&e, f)
	if !c.read(&e, f) {
		return mem.Event{}, ErrUnknownEvent
	}
	_, answered := c.answers[e.Kind]
	e.LateRestore = c.late && answered && e.Kind != mem.SessionStart && e.Kind != mem.PreToolUse
	e.InjectionOff = takesContext(e.Kind) && !answered // else a receipt would claim what never reaches the model
	return e, nil
}

// kind returns the event that a payload names, else that of the command line.
func (c client) kind(name, commandLine string) (mem.EventKind, bool) {
	if name != "" {
		kind, ok := c.events[name]
		return kind, ok
	}
	if kind, ok := c.events[commandLine]; ok {
		return kind, true
	}
	return Kind(commandLine)
}

// Encode implements Dialect. No member is printed that the client does not know: Codex drops an answer with one.
func (c client) Encode(e mem.Event, r mem.Reply) []byte {
	event, taken := c.answers[e.Kind]
	taken = taken && r.Context != "" && chars.UTF16Len(r.Context) <= MaxContext
	if c.flat != "" {
		if !taken {
			return []byte(c.nothing)
		}
		return oneLine(map[string]string{c.flat: r.Context})
	}
	var out claudeOutput
	if taken {
		out.Hook = &claudeAnswer{Event: mem.EventKind(event), Context: r.Context}
	}
	if c.notices && takesNotice(e.Kind) {
		out.Notice = chars.Clip(chars.Line(r.Notice), maxNotice)
	}
	if out == (claudeOutput{}) {
		return nil
	}
	return oneLine(out)
}

// oneLine returns JSON without the escapes that only web pages need.
func oneLine(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// sameNames lists events under their own names.
func sameNames(kinds ...mem.EventKind) map[mem.EventKind]string {
	m := map[mem.EventKind]string{}
	for _, k := range kinds {
		m[k] = string(k)
	}
	return m
}

// claudeEvents are the events under the names of Claude Code.
func claudeEvents() map[string]mem.EventKind {
	m := map[string]mem.EventKind{}
	for _, k := range kinds() {
		m[string(k)] = k
	}
	return m
}
