//go:build e2e

package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// In the first session the person states a convention. In the second the agent
// wants to replace it, which is only proposed; the person accepts. The third
// session is given the new one with what it was before.
func TestAProposedReplacementIsInjectedOnceAccepted(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.run(session{hooks: plugin, bare: true, script: script(says("Noted.")), prompts: []string{
		"From now on we always install the dependencies of the kiosk with npm.",
	}})
	old := u.keeps("dependencies of the kiosk with npm")
	if old.Kind != "convention" && old.Kind != "preference" || old.Trust != "L3" {
		t.Errorf("learned as %+v", old)
	}
	u.run(session{
		hooks: plugin, bare: true, prompts: []string{"we move the kiosk to pnpm, please keep that in mind"},
		script: script(
			own("search", map[string]any{"query": "how are the dependencies of the kiosk installed"}),
			own("remember", map[string]any{
				"content": "we always install the dependencies of the kiosk with pnpm", "kind": "convention", "supersedes": old.ID,
			}).given(old.ID),
			says("It waits for you.").given("waits for the user"),
		),
	})
	if still := u.keeps("dependencies of the kiosk with npm"); still.ID != old.ID || still.Trust != "L3" {
		t.Errorf("the old form did not stay as it was: %+v", still)
	}
	proposal := regexp.MustCompile(`pr_\w+`).FindString(u.remanence("review", "--rule", "proposal"))
	u.remanence("review", "accept", "proposal", old.ID, proposal)
	now := u.keeps("dependencies of the kiosk with pnpm")
	r := u.run(session{hooks: plugin, bare: true, script: script(says("With pnpm.")), prompts: []string{
		"how do we install the dependencies of the kiosk?",
	}})
	injected := r.last()
	if now.ID != old.ID || now.Trust != "L3" {
		t.Errorf("accepted as %+v", now)
	}
	wants(t, "the third session", injected, now.ID, "the kiosk with pnpm")
	if regexp.MustCompile(now.ID + `\b[^\n]*with npm`).MatchString(injected) {
		t.Errorf("the old form is injected:\n%s", clip(injected))
	}
	wants(t, "show", u.remanence("show", now.ID), "was ", "dependencies of the kiosk with npm")
}

// What the person lays down against something earlier, without a word of a change, is not resolved by itself: it waits
// in review, and counts once the person says so.
func TestAContradictionIsListedForReview(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		script:  script(says("Noted.")),
		prompts: []string{"From now on the kiosk gives up after 90 seconds without an answer."},
	})
	old := u.keeps("after 90 seconds")
	u.run(session{
		script:  script(says("Noted.")),
		prompts: []string{"In this project the kiosk gives up after 60 seconds without an answer."},
	})
	now := u.keeps("after 60 seconds")
	inbox := func() string { return u.remanence("review", "--rule", "contradiction") }
	if !eventually(func() bool { out := inbox(); return strings.Contains(out, old.ID) && strings.Contains(out, now.ID) }) {
		t.Fatalf("review does not ask about it:\n%s", inbox())
	}
	for _, id := range []string{old.ID, now.ID} {
		wantsNot(t, "before the person said a word", u.remanence("show", id), "superseded")
	}
}

func TestTheKnownFixIsInjectedWhenACommandFailsAgain(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(u.project("")+"/check.sh",
		"#!/bin/sh\ngrep -q ready state.txt || { echo 'error: the till is not ready' >&2; exit 2; }\n")
	u.write(u.project("")+"/state.txt", "cold\n")
	u.run(session{prompts: []string{"make the check pass"}, script: script(
		bash("sh check.sh"),
		reads("state.txt"),
		edits("state.txt", "cold", "ready"),
		bash("sh check.sh"),
		says("The till was not ready; I set it in state.txt and the check passes."),
	)})
	u.keeps("fixed in state.txt")
	u.write(u.project("")+"/state.txt", "cold again\n")
	r := u.run(session{prompts: []string{"run the check, please"}, script: script(
		bash("sh check.sh"),
		says("I know what to do.").given("sh check.sh", "fixed in state.txt"),
	)})
	wants(t, "after the failure", r.last(), "fixed in state.txt")
}

func TestASubagentsFindingIsRecalledLater(t *testing.T) {
	u := learned(t)
	r := u.run(session{
		script: scene(subagent(bash("echo looking"), says(subFinding)),
			launches(subTask, false),
			says("I decided to let the dispatcher try at once, because it sleeps before its first try.").given(subFinding),
		),
		prompts: []string{"let somebody look into it"},
	})
	inside := r.requests("sub")
	if len(inside) == 0 {
		t.Fatal("the subagent never asked the model")
	}
	wants(t, "the subagent is briefed", inside[0], "[Memory: Subagent Context]")
	u.keeps("the dispatcher sleeps before its first try")
	again := u.run(session{
		script:  script(says("At once.")),
		prompts: []string{"why does the dispatcher of the webhook sender sleep before its first try?"},
	})
	wants(t, "a later session", again.injected(), "the dispatcher", "first try")
}
