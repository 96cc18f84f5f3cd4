package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"remanence/internal/agent"
	"remanence/internal/chars"
	"remanence/internal/mem"
)

func TestOnlySomeEventsAreAnswered(t *testing.T) {
	both := map[mem.EventKind]bool{mem.SessionStart: true, mem.UserPromptSubmit: true}
	context := map[mem.EventKind]bool{
		mem.PreToolUse: true, mem.PostToolUse: true, mem.PostToolUseFailure: true,
		mem.SubagentStart: true,
	}
	for _, k := range []mem.EventKind{
		mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure,
		mem.Stop, mem.StopFailure, mem.SubagentStart, mem.SubagentStop, mem.TaskCompleted, mem.PreCompact, mem.PostCompact,
		mem.Notification, mem.SessionEnd, mem.Setup, "Unheard",
	} {
		got := string(agent.Claude{}.Encode(mem.Event{Kind: k},
			mem.Reply{Context: "c", Notice: "n", Env: []mem.EnvVar{{Name: "A"}}}))
		want := ""
		switch {
		case both[k]:
			want = `{"systemMessage":"n","hookSpecificOutput":{"hookEventName":"` + string(k) + `","additionalContext":"c"}}`
		case context[k]:
			want = `{"hookSpecificOutput":{"hookEventName":"` + string(k) + `","additionalContext":"c"}}`
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", k, got, want)
		}
	}
}

func TestNothingToSayPrintsNothing(t *testing.T) {
	for _, r := range []mem.Reply{{}, {Env: []mem.EnvVar{{Name: "A", Value: "b"}}}, {Notice: " \n"}} {
		if got := (agent.Claude{}).Encode(mem.Event{Kind: mem.SessionStart}, r); len(got) != 0 {
			t.Errorf("%+v: got %s, want nothing", r, got)
		}
	}
}

func TestContextIsWholeOrNotThere(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("é", agent.MaxContext):     true,
		strings.Repeat("é", agent.MaxContext+1):   false,
		strings.Repeat("💥", agent.MaxContext/2):   true,
		strings.Repeat("💥", agent.MaxContext/2+1): false,
	} {
		out := agent.Claude{}.Encode(mem.Event{Kind: mem.UserPromptSubmit}, mem.Reply{Context: text, Notice: "n"})
		var got struct {
			Notice string `json:"systemMessage"`
			Hook   struct {
				Context string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		if got.Notice != "n" || (got.Hook.Context == text) != want || (got.Hook.Context == "") == want {
			t.Errorf("context of %d units: got notice %q and %d bytes of context, want it %t", chars.UTF16Len(text), got.Notice,
				len(got.Hook.Context), want)
		}
	}
}
