//go:build fire

package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// What a shop's till is made of, and statements about its parts.
var (
	parts = []string{
		"receipt printer", "barcode scanner", "coupon engine", "loyalty ledger", "card terminal", "cash drawer",
		"invoice exporter",
		"stock forecast", "price catalogue", "tax table", "refund desk", "gift voucher", "shift roster", "supplier feed",
		"delivery planner",
	}
	habits = []string{
		"retries a lost connection three times, with jitter", "rounds half to even, never half up",
		"must not hold the lock while it talks to the network", "reads dates as local time and stores them as UTC",
		"drops messages that are older than a day", "writes a temporary file first and renames it",
	}
	reasons = []string{
		"because the vendor's gateway times out at peak hours",
		"after the accountant's complaint in spring", "so that two shops can share one database",
	}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// payload is what the client gives to a hook.
type payload map[string]any

// session plays one session of the client, n events of it, and gives each to
// emit: what a person asks, what tools did, subagents, tasks, notices,
// compactions, the end.
func session(r *rand.Rand, id string, n int, emit func(payload)) {
	s := &scene{Rand: r, id: id, left: n, emit: emit}
	s.say("SessionStart", payload{"source": "startup", "model": "claude-opus-5-5"})
	for s.left > 30 {
		s.turn()
		if s.IntN(12) == 0 {
			s.compact()
		}
	}
	for s.left > 1 {
		s.tool()
	}
	s.say("SessionEnd", payload{"reason": "other"})
}

// scene is a session being played.
type scene struct {
	*rand.Rand
	id     string
	prompt string
	turns  int
	tools  int
	left   int // events
	emit   func(payload)
}

func (s *scene) say(event string, more payload) {
	p := payload{"hook_event_name": event, "session_id": s.id}
	if s.prompt != "" {
		p["prompt_id"] = s.prompt
	}
	maps.Copy(p, more)
	s.left--
	s.emit(p)
}

// turn is a prompt and what follows it.
func (s *scene) turn() {
	s.turns++
	s.prompt = fmt.Sprintf("%s-p%d", s.id, s.turns)
	part := pick(s.Rand, parts)
	s.say("UserPromptSubmit", payload{"prompt": fmt.Sprintf("find out why the %s %s, %s", part, pick(s.Rand, habits),
		s.words(6))})
	for range 6 + s.IntN(16) {
		s.tool()
	}
	switch s.IntN(8) {
	case 0:
		s.subagent(part)
	case 1:
		s.say("TaskCompleted", payload{
			"task_id": fmt.Sprint(s.turns), "task_subject": "mend the " + part,
			"task_description": "all of it",
		})
	case 2:
		s.say("Notification", payload{"message": "Claude is waiting for your input", "notification_type": "idle_prompt"})
	}
	s.say("Stop", payload{"stop_hook_active": false, "last_assistant_message": fmt.Sprintf(
		"Decided: the %s %s %s, as for %s.\nFixed the flaky test of %s.", part, pick(s.Rand, habits), pick(s.Rand, reasons),
		s.words(5), s.words(3),
	)})
}

// tool is one call of a tool. One in fifty returns a megabyte.
func (s *scene) tool() {
	s.tools++
	file := fmt.Sprintf("internal/%s/%d.go", strings.ReplaceAll(pick(s.Rand, parts), " ", "_"), s.IntN(40))
	more := payload{"tool_use_id": fmt.Sprintf("%s-t%d", s.id, s.tools), "duration_ms": s.IntN(4000)}
	out := s.words(20 + s.IntN(300))
	if s.IntN(50) == 0 {
		out = s.words(150_000)
	}
	event := "PostToolUse"
	switch s.IntN(5) {
	case 0:
		more["tool_name"], more["tool_input"] = "Read", payload{"file_path": "/src/till/" + file}
		more["tool_response"] = payload{"file": payload{"content": out, "filePath": "/src/till/" + file}, "type": "text"}
	case 1, 2:
		more["tool_name"], more["tool_input"] = "Edit", payload{
			"file_path": "/src/till/" + file, "old_string": s.words(20),
			"new_string": s.words(25),
		}
		more["tool_response"] = payload{"filePath": "/src/till/" + file, "originalFile": out}
	default:
		more["tool_name"], more["tool_input"] = "Bash", payload{
			"command":     "go test ./" + file,
			"description": "run the tests",
		}
		more["tool_response"] = payload{"stdout": out, "stderr": "", "interrupted": false}
		if s.IntN(6) == 0 {
			event = "PostToolUseFailure"
			delete(more, "tool_response")
			more["error"] = "Exit code 1\n" + file + ":12: undefined: Retry\n" + s.words(100)
		}
	}
	s.say(event, more)
}

func (s *scene) subagent(part string) {
	agent := payload{"agent_id": fmt.Sprintf("a%x", s.Uint64()), "agent_type": "general-purpose"}
	s.say("PreToolUse", payload{
		"tool_name": "Agent", "tool_use_id": fmt.Sprintf("%s-a%d", s.id, s.turns),
		"tool_input": payload{
			"description": "look into it", "prompt": "find out how the " + part + " works",
			"subagent_type": "general-purpose",
		},
	})
	s.say("SubagentStart", agent)
	agent["last_assistant_message"] = "The " + part + " " + pick(s.Rand, habits) + "."
	s.say("SubagentStop", agent)
}

func (s *scene) compact() {
	s.say("PreCompact", payload{"trigger": "auto", "custom_instructions": nil})
	s.say("PostCompact", payload{"trigger": "auto", "compact_summary": "<summary>" + s.words(400) + "</summary>"})
	s.say("SessionStart", payload{"source": "compact", "model": "claude-opus-5-5"})
}

// syllables make words of an invented language: common ones come often, rare
// ones seldom, as in every language.
var syllables = strings.Fields("ba de fi go lu ka me ni po ru sa te vi wo zu bar del fin gor lum kas men nil por " +
	"rus sat tev vin wol zun")

// words is a text of n words.
func (s *scene) words(n int) string {
	zipf := rand.NewZipf(s.Rand, 1.2, 4, 20_000)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(" \n"[min(1, i%12/11)])
		}
		for w := zipf.Uint64() + 1; w > 0; w /= uint64(len(syllables)) {
			b.WriteString(syllables[w%uint64(len(syllables))])
		}
	}
	return b.String()
}
