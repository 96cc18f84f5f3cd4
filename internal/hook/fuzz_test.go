package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"remanence/internal/agent"
	"remanence/internal/chars"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// Whatever comes in, one object for the right event goes out, or nothing, and
// the event is kept, known to be none of ours, or counted.
func FuzzRun(f *testing.F) {
	f.Add([]byte(promptPayload), "", false)
	f.Add([]byte(startPayload), "", true)
	f.Add([]byte(`{"source":"startup"}`), "session-start", false)
	f.Add([]byte("\xef\xbb\xbf"+promptPayload), "", false)
	f.Add([]byte(`{"hook_event_name":"PreCompact","session_id":"s"}{"hook_event_name":"Stop","session_id":"s"}`), "",
		false)
	f.Add([]byte(`{"hook_event_name":"PostToolUse","session_id":"../..","tool_input":{"command":"\u0000"}}`), "", false)
	f.Fuzz(func(t *testing.T, payload []byte, event string, broken bool) {
		var seen mem.Event
		worker := handler(func(_ context.Context, e mem.Event) (mem.Reply, error) {
			if broken {
				panic("broken")
			}
			seen = e
			return mem.Reply{Context: e.Text + strings.Repeat("💥", len(e.Text)), Notice: e.Text}, nil
		})
		var spool kept
		s := newFixture("", hook.FirstOf(worker, &spool, busy))
		s.Stdin, s.Event = bytes.NewReader(payload), event
		hook.Run(s.Config)
		if len(s.exits) > 0 || len(s.lines) != 1 {
			t.Fatalf("exits %v, logged %q", s.exits, s.lines)
		}
		checkOutput(t, s.out.Bytes(), seen.Kind)
		if broken && len(spool.events) == 0 && len(s.dropped) == 0 && !strings.Contains(s.lines[0], "not one") {
			t.Fatalf("an event was lost without a word: %q", s.lines)
		}
	})
}

func checkOutput(t *testing.T, out []byte, kind mem.EventKind) {
	t.Helper()
	if len(out) == 0 {
		return
	}
	var got struct {
		Notice *string `json:"systemMessage"`
		Hook   *struct {
			Event   mem.EventKind `json:"hookEventName"`
			Context string        `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || d.More() || out[0] != '{' {
		t.Fatalf("printed %q: %v", out, err)
	}
	if got.Hook != nil && (got.Hook.Event != kind || chars.Units(got.Hook.Context) > agent.MaxContext) {
		t.Fatalf("answered %s with %d units as %s", kind, chars.Units(got.Hook.Context), got.Hook.Event)
	}
}
