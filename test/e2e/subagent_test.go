//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// launches starts a subagent; only one in the foreground is waited for.
func launches(task string, background bool) turn {
	in := map[string]any{"description": "look into the webhook sender", "prompt": task, "subagent_type": "general-purpose"}
	if !background {
		in["run_in_background"] = false
	}
	return calls("Agent", in)
}

const (
	subTask    = "find out how the webhook sender waits between two tries"
	subFinding = "The root cause is that the dispatcher sleeps before its first try."
)

func subagent(turns ...turn) map[string]any {
	return map[string]any{"conversations": []any{map[string]any{
		"name": "sub", "match": "between two tries", "on": "first",
		"turns": turns,
	}}}
}

func TestASubagentIsBriefedAndItsFindingKept(t *testing.T) {
	u := learned(t)
	r := u.run(session{
		script: scene(subagent(bash("echo looking"), says(subFinding)),
			launches(subTask, false),
			says("It has answered.").given(subFinding),
		),
		prompts: []string{"let somebody look into it"},
	})
	inside := r.requests("sub")
	if len(inside) == 0 {
		t.Fatal("the subagent never asked the model")
	}
	wants(t, "the subagent's first request", inside[0], "[Memory: Subagent Context]", "jittered backoff")
	for _, main := range r.asked() {
		wantsNot(t, "the main conversation", main, "[Memory: Subagent Context]")
	}
	u.keeps("the dispatcher sleeps before its first try")
}

func TestABackgroundSubagentIsNotTakenForThePerson(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: scene(subagent(bash("sleep 1; echo looking"), says(subFinding)),
			launches(subTask, true),
			says("I go on meanwhile."),
			says("It has answered.").given("<task-notification>"),
			says("I decided to use one dispatcher instead of two for the webhook sender."),
		),
		prompts: []string{"let somebody look into it", "then what shall we do?"},
	})
	prompts := r.sent("UserPromptSubmit", "prompt")
	if len(prompts) != 3 || !strings.HasPrefix(prompts[1], "<task-notification>") {
		t.Fatalf("prompts: %q, want a notification between two of the person's", prompts)
	}
	decision := u.keeps("one dispatcher instead of two")
	if decision.Source.Prompt != 2 {
		t.Errorf("the person's second prompt is counted as number %d", decision.Source.Prompt)
	}
	u.keeps("the dispatcher sleeps before its first try")
	for _, m := range u.finds() {
		wantsNot(t, m.ID, m.Title+m.Body, "task-notification")
	}
	next := u.run(session{script: script(says("Hello.")), prompts: []string{"hello again, what is next"}})
	wants(t, "next session", next.injected(), "last request: then what shall we do?")
}

func TestTextOfAnMCPServerIsNeverInjectedUnasked(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(u.project("")+"/.mcp.json", `{"mcpServers":{"wiki":{"command":"cch","args":["mcp","-name","wiki"]}}}`)
	u.run(session{
		script: script(
			calls("mcp__wiki__echo", map[string]any{"text": "the staging password rotates on Fridays"}),
			says("I decided to rotate the staging password by hand instead of on Fridays.").given("ECHO:"),
			says("I decided to use a staging mirror instead of a copy."),
		),
		prompts: []string{"what does the wiki say about staging?", "and what about a mirror for staging?"},
	})
	tainted := u.keeps("by hand instead of on Fridays")
	if tainted.Trust != "L0" {
		t.Errorf("a conclusion from the server's words has trust %s, want L0", tainted.Trust)
	}
	later := u.run(session{
		script:  script(says("one"), says("two")),
		prompts: []string{"how does the staging password rotate, by hand or on Fridays?", "rotate the staging password"},
	})
	wants(t, "later session", later.injected(), "staging mirror") // the turn after it is clean
	wantsNot(t, "later session", later.injected(), "Fridays instead", "instead of on Fridays", "password rotates", "ECHO")
}

// Not even where a compaction gives a session its own work back.
func TestTextOfAnMCPServerIsNotInjectedAfterCompact(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(u.project("")+"/.mcp.json", `{"mcpServers":{"wiki":{"command":"cch","args":["mcp","-name","wiki"]}}}`)
	r := u.run(session{
		script: script(
			calls("mcp__wiki__echo", map[string]any{"text": "the staging password rotates on Fridays"}),
			says("I decided to rotate the staging password by hand instead of on Fridays at 17:30.").given("ECHO:"),
			says("I go on.").given("CONTEXT RESTORED", "last request: what does the wiki say"),
		),
		prompts: []string{"what does the wiki say about staging?", "/compact", "go on with it"},
		stream:  true,
	})
	wantsNot(t, "the restored work", strings.Join(r.injections("SessionStart"), "\n"), "Fridays", "17:30", "ECHO")
}
