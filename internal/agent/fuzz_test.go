package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/agent"
	"remanence/internal/mem"
)

// Any bytes decode or fail with a named error, an event is the same for any
// order of its keys, and what is printed for it is one object or nothing.
func FuzzDecode(f *testing.F) {
	for _, c := range recorded(f) {
		f.Add("claude-code", []byte(c.Stdin), "")
	}
	for _, c := range recordedOfClients(f) {
		f.Add(c.client, []byte(c.Stdin), kebabEvents[c.Event])
	}
	f.Add("claude-code", []byte(`{"source":"startup"}`), "session-start")
	f.Add("claude-code",
		[]byte("{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"\\ud800\",\"prompt\":\"\xff\"}"), "")
	f.Fuzz(func(t *testing.T, client string, payload []byte, event string) {
		d, ok := agent.ByName(client)
		if !ok {
			return
		}
		e, err := d.Decode(payload, agent.Env{Event: event})
		if err != nil {
			if !errors.Is(err, agent.ErrNotObject) && !errors.Is(err, agent.ErrUnknownEvent) &&
				!errors.Is(err, agent.ErrNoSession) && !errors.Is(err, agent.ErrOtherClient) {
				t.Fatalf("unnamed error %v", err)
			}
			return
		}
		e.Identify("n")
		if again := e2(t, d, reversed(t, payload), event); !cmp.Equal(e, again) {
			t.Fatalf("key order matters:\n%s", cmp.Diff(e, again))
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatalf("event can not be handed over: %v", err)
		}
		out := d.Encode(e, mem.Reply{Context: e.Text, Notice: e.Text})
		if len(out) > 0 && (out[0] != '{' || !json.Valid(out) || bytes.ContainsRune(out, '\n')) {
			t.Fatalf("printed %q", out)
		}
	})
}

func e2(t *testing.T, d agent.Dialect, payload []byte, event string) mem.Event {
	t.Helper()
	e, err := d.Decode(payload, agent.Env{Event: event})
	if err != nil {
		t.Fatalf("reversed payload: %v", err)
	}
	e.Identify("n")
	return e
}

// reversed writes the members of an object in the reverse order of their names.
func reversed(t *testing.T, payload []byte) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(bytes.ToValidUTF8(payload, []byte("\uFFFD")), &m); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(m))
	slices.Reverse(names)
	var b bytes.Buffer
	for i, name := range names {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		key, _ := json.Marshal(name)
		b.WriteString(sep + string(key) + ":" + string(m[name]))
	}
	b.WriteByte('}')
	return b.Bytes()
}
