//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"
)

// the handoff that the scripted model writes.
const (
	nextStep = "Next step: set the retry limit in retry.conf to 3 and run sh check.sh again."
	waits    = "Waiting for Ada, who says whether 417 ms is too slow."
)

// full says that the context is so full that little room is left.
func (t turn) full() turn {
	t["usage"] = map[string]any{"input_tokens": 830000, "cache_read_input_tokens": 30000, "output_tokens": 500}
	return t
}

// seenToBeFull has the second prompt wait, for two minutes at most, until the
// worker has seen how full the context is.
func (u *user) seenToBeFull() []string {
	u.t.Helper()
	u.remanence("config", "set", "handoff.sample_every", "1s")
	return []string{`CC_BEFORE=[ $1 != 2 ] || for i in $(seq 600); do ` + binary +
		` status --json | grep -q '"tokens":86[0-9]*,"window"' && break; sleep 0.2; done`}
}

// handsOff is the command that the agent is instructed to use.
func handsOff(text string) turn {
	return bash(binary + " checkpoint save --handoff <<'HANDOFF'\n" + text + "\nHANDOFF")
}

const asked = "[Remanence] The context of this conversation is nearly full (86 %)"

// goingOn is what has to be in view after the compaction: what the agent wrote,
// and what is exact by rule.
func goingOn() []string {
	return append(workInHand()[2:], "CONTEXT RESTORED (post-compaction)", "last request: and what about it?",
		"<session-handoff>", nextStep, waits, "</session-handoff>")
}

func TestTheHandoffOfAFullContextIsInjectedAfterCompact(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: scene(map[string]any{"compact_summary": "THE-SUMMARY: somebody works on retries."},
			bash("sh check.sh"),
			reads("retry.conf"),
			edits("check.sh", "echo ok", "echo fine").full(),
			says(stillOpen).full(),
			handsOff("Task: the check.\n"+nextStep+"\n"+waits).full().given(asked, "checkpoint save --handoff",
				"checkpoint skill"),
			says("Handed off.").full(),
			says("As before.").full(),
			says("I go on.").given(append(goingOn(), "THE-SUMMARY")...),
		),
		prompts: []string{
			"make the check pass before port 8443 opens", "can it be done today?", "and what about it?",
			"/compact", "go on with it",
		},
		stream: true, env: u.seenToBeFull(),
	})
	compacted(t, r)
	if n := strings.Count(strings.Join(r.injections("UserPromptSubmit"), "\n"), "[Remanence]"); n != 1 {
		t.Errorf("the handoff was asked for %d times, want once", n)
	}
}

func TestTheHandoffIsInjectedAfterAutomaticCompaction(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: scene(map[string]any{"compact_summary": "THE-SUMMARY"},
			bash("sh check.sh").full(),
			says(stillOpen).full(),
			handsOff(nextStep+"\n"+waits).full().given(asked),
			reads("retry.conf"),
			edits("check.sh", "echo ok", "echo fine").filling(),
			bash("true").given("THE-SUMMARY", "<session-handoff>", nextStep, waits, "`sh check.sh` exit 3", "retry.conf",
				"417 ms"),
			says("Done."),
		),
		prompts: []string{"make the check pass before port 8443 opens", "can it be done today?"},
		stream:  true, env: u.seenToBeFull(),
	})
	compacted(t, r)
	u.asks(&struct{}{}, "status")
	if !eventually(func() bool {
		return strings.Contains(u.remanence("status"), "claude-opus-5-5 compacts by itself at 99")
	}) {
		t.Errorf("where the client compacts by itself was not learned:\n%s", u.remanence("status"))
	}
}

// A session that ends without a word, as by a crash, leaves its handoff to the next one that does something, and only
// to that one.
func TestTheHandoffIsInjectedOnceIntoTheNextSession(t *testing.T) {
	u := newUser(t)
	for _, p := range []string{"", "bakery"} {
		u.newProject(p)
	}
	writes := func(project, text string) session {
		return session{
			project: project, script: script(bash("sh check.sh"), handsOff(text), says("Handed off.")),
			prompts: []string{"make the check pass"},
		}
	}
	u.run(writes("", nextStep))
	u.run(writes("bakery", "Next step: heat the oven to 250 degrees."))
	opens := func(project string, turns ...turn) string {
		r := u.run(session{
			project: project, script: script(append(turns, says("I see."))...),
			prompts: []string{"where were we?"},
		})
		return strings.Join(r.injections("SessionStart"), "\n")
	}
	first := opens("")
	wants(t, "next session", first, "<session-handoff>", nextStep)
	wantsNot(t, "next session", first, "oven")
	wants(t, "the one after a session without work", opens("", bash("sh check.sh")), "<session-handoff>", nextStep)
	wantsNot(t, "the one after a session with work", opens(""), "<session-handoff>")
	wants(t, "the other project", opens("bakery"), "heat the oven")
}

// killsTheClient is the command with which a session kills the client that runs it.
const killsTheClient = `kill -9 $PPID`

// A session is killed in the middle of a turn, and another one starts a moment later: its
// briefing has what was said in that turn, which no hook reported.
func TestABriefingHasWhatAKilledSessionSaid(t *testing.T) {
	const cause = "The root cause is that check.sh compares the limit as text, so `9` is more than `40`."
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		fails: true, prompts: []string{"find out why the check fails"},
		script: script(saysAndCalls(cause, "sh check.sh"), bash(killsTheClient), says("Never said.")),
	})
	if ends := r.calls("start"); len(ends["SessionEnd"])+len(ends["Stop"]) > 0 {
		t.Fatal("the client came to its end: it was not killed")
	}
	// Records younger than 2 s may belong to a session that still works, so they do not count yet
	// (settled in internal/capture/reconcile.go).
	time.Sleep(2 * time.Second)
	u.run(session{
		bare: true, prompts: []string{"go on"},
		script: script(says("I know.").given("find out why the check fails", "compares the limit as text")),
	})
}

func TestAKilledSessionLeavesItsHandoff(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script:  script(bash("sh check.sh"), handsOff(nextStep+"\n"+waits), bash(killsTheClient), says("Never said.")),
		prompts: []string{"make the check pass"}, fails: true,
	})
	if ends := r.calls("start"); len(ends["SessionEnd"])+len(ends["Stop"]) > 0 {
		t.Fatal("the client came to its end: it was not killed")
	}
	next := u.run(session{
		script: script(says("I go on.").given("<session-handoff>", nextStep, waits,
			"failing: Command failed (exit 3): sh check.sh", "last request: make the check pass")),
		prompts: []string{"where were we?"},
	})
	wantsNot(t, "the next session", next.injected(), "CONTEXT RESTORED")
}

func TestAHandoffByToolIsInjectedIntoTheNextSession(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	// now it is a repository
	u.run(session{hooks: plugin, bare: true, prompts: []string{"hello"}, script: script(says("Hello."))})
	u.run(session{hooks: plugin, bare: true, prompts: []string{"hand it off"}, script: script(
		own("state", map[string]any{"op": "handoff", "text": nextStep + "\n" + waits}),
		says("Handed off.").given(`\"id\":\"c_`),
	)})
	u.run(session{hooks: plugin, bare: true, prompts: []string{"where were we?"}, script: script(
		bash("sh check.sh").given("<session-handoff>", nextStep, waits), says("I go on."),
	)})
	u.run(session{
		hooks: plugin, bare: true, prompts: []string{"and now?"},
		script: script(says("Well.").without("<session-handoff>")),
	})
}

func TestAClearedConversationDoesNotGetTheHandoff(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: script(
			handsOff(nextStep),
			says("Handed off."),
			says("I see.").without("<session-handoff>"),
		),
		prompts: []string{"hand it off", "/clear", "where were we?"},
		stream:  true,
	})
	wantsNot(t, "cleared", strings.Join(r.injections("SessionStart"), "\n"), "<session-handoff>")
}

// What the agent wrote is in the view of the conversation that goes on: only what
// was written since is injected into it.
func TestAResumedConversationGetsOnlyANewerHandoff(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{script: script(handsOff(nextStep), says("Handed off.")), prompts: []string{"hand it off"}})
	r := u.run(session{args: "--continue", script: script(says("I go on.")), prompts: []string{"go on with it"}})
	wantsNot(t, "resumed", strings.Join(r.injections("SessionStart"), "\n"), "<session-handoff>")
	if out, err := u.try("checkpoint", "save", "--handoff", "-m", "Next step: ask Grace first."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r = u.run(session{args: "--continue", script: script(says("I go on.")), prompts: []string{"go on with it"}})
	wants(t, "resumed", strings.Join(r.injections("SessionStart"), "\n"), "<session-handoff>", "ask Grace first")
}

func TestTheReceiptListsWhatTheCompactionLost(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.remanence("config", "set", "hooks.compact.token_budget", "0") // so that nothing is restored at once
	turns := append(inHand(says(stillOpen)),
		says("I go on.").given("LEFT OUT BY THE SUMMARY", "`sh check.sh` exit 3", "417 ms", "retry.conf"))
	u.run(session{
		script: scene(map[string]any{"compact_summary": "It is open that the gateway timeout is not covered by a test."},
			turns...),
		prompts: []string{"make the check pass before port 8443 opens", "/compact", "go on with it"},
		stream:  true,
	})
	why := u.remanence("why")
	wants(t, "why", why, "after a compaction: of", "the summary kept 1", "0 were injected at once")
}
