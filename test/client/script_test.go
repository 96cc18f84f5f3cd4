package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// play starts the fake API with a script and returns a function that asks it one thing.
func play(t *testing.T, source string) func(body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	sc, err := loadScript(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{script: sc, out: t.TempDir(), given: map[string]int{}, memo: map[string]answer{}}
	return func(body string) string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(body)))
		return w.Body.String()
	}
}

// asked is a request with one tool and the given user messages.
func asked(messages ...string) string {
	body := obj{"model": "m", "tools": []obj{{"name": "Bash"}}}
	var list []obj
	for _, m := range messages {
		list = append(list, obj{"role": "user", "content": m})
	}
	body["messages"] = list
	return string(encode(body))
}

func said(t *testing.T, answer string) string {
	t.Helper()
	var msg struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(answer), &msg); err != nil || len(msg.Content) == 0 {
		t.Fatalf("no message in %q: %v", answer, err)
	}
	return msg.Content[0].Text
}

func TestTheScriptAnswersTurnByTurn(t *testing.T) {
	ask := play(t, `{"turns": [{"text": "one"}, {"text": "two"}],
		"conversations": [{"name": "sub", "match": "SUBAGENT", "turns": [{"text": "sub one"}]}]}`)
	for _, step := range []struct{ request, want string }{
		{asked("a"), "one"},
		{asked("SUBAGENT go"), "sub one"},
		{asked("a"), "one"}, // the same request again is a retry
		{asked("a", "b"), "two"},
		{asked("a", "b", "c"), "done (script exhausted)"},
		{`{"messages": [{"role": "user", "content": "name this"}]}`, `{"title": "Scripted title", "isNewTopic": false}`},
	} {
		if got := said(t, ask(step.request)); got != step.want {
			t.Errorf("answer to %s = %q, want %q", step.request, got, step.want)
		}
	}
}

func TestACompactionGetsTheScriptedSummary(t *testing.T) {
	ask := play(t, `{"compact_summary": "SHORT"}`)
	got := said(t, ask(asked("Create a detailed summary of the conversation")))
	if want := "<summary>SHORT</summary>"; !strings.HasSuffix(got, want) {
		t.Errorf("summary = %q, want it to end with %q", got, want)
	}
}

func TestExpectationsSearchTheWholeRequest(t *testing.T) {
	want := turn{Expect: []string{"in the system prompt", "absent"}, ExpectNot: []string{"hello"}}
	r := request{system: "in the system prompt", all: "hello"}
	got := strings.Join(want.unmet(r), "; ")
	if got != "missing: absent; unexpected: hello" {
		t.Errorf("unmet = %q", got)
	}
}

func TestAStreamedAnswerEndsEveryEventWithABlankLine(t *testing.T) {
	ask := play(t, `{"turns": [{"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}]}`)
	got := ask(`{"stream": true, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "a"}]}`)
	events := strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n")
	if len(events) != 6 {
		t.Fatalf("got %d events, want 6:\n%s", len(events), got)
	}
	if !strings.Contains(events[2], `{\"command\":\"ls\"}`) || !strings.Contains(events[4], `"stop_reason":"tool_use"`) {
		t.Errorf("events = %q", events)
	}
}
