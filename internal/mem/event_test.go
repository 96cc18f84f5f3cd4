package mem_test

import (
	"testing"
	"time"

	"remanence/internal/mem"
)

// id identifies a copy of e as one process would.
func id(e mem.Event, nonce string) (string, string) {
	e.Identify(nonce)
	return e.ID, e.Key
}

func TestDeliveryByTwoProcessesIsOneEvent(t *testing.T) {
	base := mem.Event{Agent: "claude-code", Session: "s", PromptID: "p", At: time.Unix(1, 0)}
	for name, change := range map[string]func(*mem.Event){
		"tool":          func(e *mem.Event) { e.Kind, e.ToolUseID = mem.PostToolUse, "t1" },
		"prompt":        func(e *mem.Event) { e.Kind, e.Text = mem.UserPromptSubmit, "hello" },
		"stop":          func(e *mem.Event) { e.Kind, e.Text = mem.Stop, "done" },
		"subagent":      func(e *mem.Event) { e.Kind, e.AgentID = mem.SubagentStop, "a1" },
		"task":          func(e *mem.Event) { e.Kind, e.TaskID = mem.TaskCompleted, "7" },
		"session start": func(e *mem.Event) { e.Kind, e.Source = mem.SessionStart, "startup" },
		"compaction":    func(e *mem.Event) { e.Kind, e.Source = mem.PreCompact, "auto" },
		"old stop":      func(e *mem.Event) { e.Kind, e.PromptID = mem.Stop, "" },
	} {
		e := base
		change(&e)
		id1, key1 := id(e, "a")
		e.At = e.At.Add(time.Second)
		id2, key2 := id(e, "b")
		if key1 != key2 {
			t.Errorf("%s: keys differ: %q, %q", name, key1, key2)
		}
		if key1 == "" && id1 != id2 {
			t.Errorf("%s: ids differ and there is no key: %q, %q", name, id1, id2)
		}
		if again, _ := id(e, "b"); again != id2 {
			t.Errorf("%s: a second try of one process is another event", name)
		}
		if key1 != "" && id1 == id2 {
			t.Errorf("%s: two processes share an id, so that two compactions of one turn would be one", name)
		}
	}
}

func TestEventsOfOnePromptAreDistinct(t *testing.T) {
	stop := mem.Event{Session: "s", PromptID: "p", Kind: mem.Stop, Text: "first"}
	other := stop
	other.Text = "second"
	agent := mem.Event{Session: "s", PromptID: "p", Kind: mem.SubagentStart, AgentID: "a1"}
	agent2 := agent
	agent2.AgentID = "a2"
	task := mem.Event{Session: "s", PromptID: "p", Kind: mem.TaskCompleted, TaskID: "1"}
	task2 := task
	task2.TaskID = "2"
	startup := mem.Event{Session: "s", Kind: mem.SessionStart, Source: "startup"}
	resume := startup
	resume.Source = "resume"
	for name, pair := range map[string][2]mem.Event{
		"two stops": {stop, other}, "two subagents": {agent, agent2}, "two tasks": {task, task2},
		"startup and resume": {startup, resume},
	} {
		id1, key1 := id(pair[0], "n")
		id2, key2 := id(pair[1], "n")
		if id1 == id2 || key1 != "" && key1 == key2 {
			t.Errorf("%s are one event: %q %q, %q %q", name, id1, key1, id2, key2)
		}
	}
}

func TestFieldBoundariesChangeTheID(t *testing.T) {
	a, _ := id(mem.Event{Session: "ab", PromptID: "c", Kind: mem.Stop}, "n")
	b, _ := id(mem.Event{Session: "a", PromptID: "bc", Kind: mem.Stop}, "n")
	if a == b {
		t.Error("two events whose fields join to the same text are one")
	}
}
