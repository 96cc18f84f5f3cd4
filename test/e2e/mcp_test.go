//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"remanence/internal/chars"
)

// own is a tool of the plugin's server, as the client names it.
func own(tool string, args map[string]any) turn {
	return calls("mcp__plugin_remanence_remanence__"+tool, args)
}

func TestTheModelUsesEveryToolOfThePluginsServer(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	// now it is a repository
	u.run(session{hooks: plugin, bare: true, prompts: []string{"hello"}, script: script(says("Hello."))})
	u.remanence("add", "the webhook sender waits at most 90 seconds", "-k", "decision")
	u.run(session{hooks: plugin, bare: true, prompts: []string{"what do we know of the sender?"}, script: script(
		own("search", map[string]any{"query": "webhook sender", "explain": true}),
		own("get", map[string]any{"ids": []string{"m_1"}}).given(`the webhook sender waits at most 90 seconds`, `m_1`,
			`decision`),
		own("timeline", map[string]any{"anchor": "m_1"}).given("Added at the command line"),
		own("remember", map[string]any{"content": "the sender gives up after five tries and writes the message to the " +
			"dead letter file", "kind": "gotcha", "tags": []string{"sender"}, "files": []string{"send.go"}}),
		own("remember", map[string]any{"content": "the sender gives up after five tries and writes the message to a dead " +
			"letter file"}).given(`\"saved\":true`, `\"trust\":\"L2\"`),
		own("update", map[string]any{
			"id": "m_1", "importance": 0.9,
			"tags": map[string]any{"add": []string{"webhook"}},
		}).given(`Not saved: this is known`),
		own("feedback", map[string]any{
			"id": "m_1", "verdict": "prevented",
			"note": "a wait without an end",
		}).given(`\"did\":\"proposed\"`),
		own("state", map[string]any{
			"op": "update", "phase": "beta",
			"next_action": "measure the sender",
		}).given(`marked prevented`),
		own("state", map[string]any{"op": "get"}),
		own("forget", map[string]any{"id": "m_1", "reason": "only to see it"}).given(`measure the sender`),
		own("get", map[string]any{"ids": []string{"m_zz"}}).given(`waits for the user`),
		own("search", map[string]any{"query": "x", "limt": 3}).given(`\"missing\":[\"m_zz\"]`),
		says("Done.").given(`bad_arguments`, `unknown field`),
	)})
	kept := u.keeps("dead letter file")
	if kept.Trust != "L2" || kept.Kind != "gotcha" {
		t.Errorf("what the agent kept: %+v", kept)
	}
	if n := len(u.finds("dead letter")); n != 1 {
		t.Errorf("%d memories of it, want 1", n)
	}
	if m := u.keeps("90 seconds"); m.Trust != "L3" { // an agent's changes of it wait
		t.Errorf("what the person said has %s", m.Trust)
	}
}

// The questions of every day (why this line, what was done, what belongs into AGENTS.md) by the server's further tools,
// and by the skill, whose commands the model runs.
func TestTheModelAsksWhyAndWhatWasDone(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.write(filepath.Join(u.project(""), "sender.conf"), "wait=30s\n")
	u.run(session{hooks: plugin, bare: true, prompts: []string{"the sender loses mails"}, script: script(
		reads("sender.conf"), edits("sender.conf", "30s", "9s"),
		says("I decided to set the wait in sender.conf to 9s, because the gateway drops a connection after 10 seconds."))})
	for range 3 { // said in three sessions: to be proposed
		u.run(session{
			hooks: plugin, bare: true, prompts: []string{"always run make check before you commit"},
			script: script(says("I will.")),
		})
	}
	const reason = "I decided to set the wait in sender.conf to 9s"
	u.remanence("config", "set", "mcp.tools", "more")
	u.write(filepath.Join(u.project(""), "AGENTS.md"), "# Rules\n\n- Keep it short.\n")
	u.run(session{hooks: plugin, bare: true, prompts: []string{"why is the wait 9s, and what did we do?"}, script: script(
		own("blame", map[string]any{"file": "sender.conf"}),
		own("recap", map[string]any{"since": "1d"}).given("the sender loses mails", reason),
		own("propose", map[string]any{"file": "none.md"}).given(reason),
		own("propose", map[string]any{}).given("none.md"),
		says("So it is.").given("run make check before you commit", "remanence propose"),
	)})
	u.run(session{
		hooks: plugin, bare: true, prompts: []string{"hello", "/remanence:history"},
		script: script(
			says("Hello."),
			bash("remanence blame sender.conf").given("Why is this so?", "What was done?"),
			bash("remanence recap --since 1d").given(reason),
			bash("remanence propose").given(reason),
			says("So it is.").given("run make check before you commit"),
		),
	})
}

func TestAMemorySavedAfterReadingTheWebIsNotInjectedUnasked(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.run(session{hooks: plugin, bare: true, prompts: []string{"look at that"}, script: script(
		bash("curl -s http://example.invalid/ || true"),
		own("remember", map[string]any{"content": "the gateway of the harbour listens on port 7777"}),
		says("Kept.").given(`\"trust\":\"L0\"`),
	)})
	if m := u.keeps("harbour"); m.Trust != "L0" {
		t.Errorf("got %s, want L0", m.Trust)
	}
	r := u.run(session{
		hooks: plugin, bare: true,
		prompts: []string{"which port does the gateway of the harbour listen on?"}, script: script(says("No idea.")),
	})
	wantsNot(t, "injected without a request", r.last(), "7777")
}

// After /clear the conversation is another, and the server that the client
// started for the old one may go on: what it saves is judged by the new one.
func TestAMemorySavedAfterClearHasTheTrustOfTheNewConversation(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		hooks: u.plugin(), bare: true, stream: true, prompts: []string{"hello", "/clear", "look at that"},
		script: script(
			says("Hello."),
			bash("curl -s http://example.invalid/ || true"),
			own("remember", map[string]any{"content": "the gateway of the harbour listens on port 7777"}),
			says("Kept.").given(`\"trust\":\"L0\"`),
		),
	})
	if m := u.keeps("harbour"); m.Trust != "L0" {
		t.Errorf("got %s, want L0", m.Trust)
	}
}

// maxAlwaysOn is what the plugin may add to every request, in tokens.
const maxAlwaysOn = 1000

func TestThePluginAddsFewTokensToEveryRequest(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	request := func(hooks string) string {
		r := u.run(session{hooks: hooks, bare: true, prompts: []string{"hi"}, script: script(says("Hello."))})
		for _, m := range r.lines("requests.jsonl") {
			if m["kind"] == "main" {
				body, _ := m["body"].(map[string]any)
				return texts(body)
			}
		}
		t.Fatal("the model was never asked")
		return ""
	}
	with, without := request(u.plugin()), request(asTheyAre)
	cost := chars.Tokens(with) - chars.Tokens(without)
	t.Logf("always on: %d tokens of %d", cost, chars.Tokens(with))
	if cost > maxAlwaysOn || cost < 50 {
		t.Errorf("got %d tokens, want at most %d", cost, maxAlwaysOn)
	}
	wants(t, "request", with, "mcp__plugin_remanence_remanence__search", "remanence:recall", "remanence:remember",
		"Long-term memory of this project")
	wantsNot(t, "request", with, "remanence:why", "min_importance", "<remanence-context")
}
