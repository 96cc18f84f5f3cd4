//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ran is what a session left behind.
type ran struct {
	t   *testing.T
	out string
}

// manners judges what every call of our hook keeps to, beyond the lint: no word
// to stderr, and none at all where nothing may be injected.
func (r ran) manners() error {
	if !r.has("hooks.jsonl") {
		return nil
	}
	for event, calls := range r.hooks() {
		for _, c := range calls {
			if s, _ := c["stderr"].(string); s != "" {
				return fmt.Errorf("%s: stderr has %q", event, s)
			}
			said, _ := c["stdout"].(string)
			switch event {
			case "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStart":
			default:
				if said != "" {
					return fmt.Errorf("%s: printed %q", event, said)
				}
			}
			var o map[string]json.RawMessage
			if said != "" && json.Unmarshal([]byte(said), &o) != nil {
				return fmt.Errorf("%s: printed %q", event, said)
			}
			for k := range o {
				if k != "hookSpecificOutput" && k != "systemMessage" {
					return fmt.Errorf("%s: answered with %q", event, k)
				}
			}
		}
	}
	return nil
}

func (r ran) has(name string) bool {
	_, err := os.Stat(filepath.Join(r.out, name))
	return err == nil
}

// lines decodes a JSON-lines file of the run.
func (r ran) lines(name string) []map[string]any {
	f, err := os.Open(filepath.Join(r.out, name))
	if err != nil {
		r.t.Error(err)
		return nil
	}
	defer f.Close()
	var out []map[string]any
	for dec := json.NewDecoder(f); dec.More(); {
		var m map[string]any
		if err := dec.Decode(&m); err != nil {
			r.t.Errorf("%s: %v", name, err)
			return out
		}
		out = append(out, m)
	}
	return out
}

// requests is the text of every request of the main conversation, in order.
func (r ran) asked() []string { return r.requests("main") }

// requests are the texts of the requests of one kind, or of a conversation of the script.
func (r ran) requests(kind string) []string {
	var out []string
	for _, m := range r.lines("requests.jsonl") {
		if m["kind"] == kind {
			body, _ := m["body"].(map[string]any)
			out = append(out, texts(body["messages"]))
		}
	}
	return out
}

// last is the text of the last request of the main conversation.
func (r ran) last() string {
	all := r.asked()
	if len(all) == 0 {
		r.t.Fatal("the model was never asked")
	}
	return all[len(all)-1]
}

// texts joins every string of a JSON value.
func texts(v any) string {
	switch x := v.(type) {
	case string:
		return x + "\n"
	case []any:
		var sb strings.Builder
		for _, y := range x {
			sb.WriteString(texts(y))
		}
		return sb.String()
	case map[string]any:
		var sb strings.Builder
		for _, y := range x {
			sb.WriteString(texts(y))
		}
		return sb.String()
	}
	return ""
}

// hooks are the finished calls of our hook, by event.
func (r ran) hooks() map[string][]map[string]any { return r.calls("end") }

// calls are the records of one phase, by event: of "start" with the payload, of "end" with the answer.
func (r ran) calls(phase string) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, m := range r.lines("hooks.jsonl") {
		if m["phase"] == phase {
			name, _ := m["event"].(string)
			out[name] = append(out[name], m)
		}
	}
	return out
}

// sent are the values of one field of the client's payloads of an event.
func (r ran) sent(event, field string) []string {
	var out []string
	for _, m := range r.calls("start")[event] {
		payload, _ := m["stdin"].(map[string]any)
		s, _ := payload[field].(string)
		out = append(out, s)
	}
	return out
}

// printed joins what our hook printed on an event; without an event, on all.
func (r ran) printed(events ...string) string {
	var sb strings.Builder
	for event, calls := range r.hooks() {
		for _, m := range calls {
			if s, _ := m["stdout"].(string); len(events) == 0 || strings.Contains(strings.Join(events, " ")+" ", event+" ") {
				sb.WriteString(s)
			}
		}
	}
	return sb.String()
}

// injections are the contexts that the model got, one for each call that injected
// something, in the order of the calls.
func (r ran) injections(event string) []string {
	var out []string
	for _, m := range r.hooks()[event] {
		s, _ := m["stdout"].(string)
		var answer struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if json.Unmarshal([]byte(s), &answer) == nil && answer.HookSpecificOutput.AdditionalContext != "" {
			out = append(out, answer.HookSpecificOutput.AdditionalContext)
		}
	}
	return out
}

// injected joins the injections of all events.
func (r ran) injected() string {
	var sb strings.Builder
	for event := range r.hooks() {
		sb.WriteString(strings.Join(r.injections(event), "\n"))
	}
	return sb.String()
}
