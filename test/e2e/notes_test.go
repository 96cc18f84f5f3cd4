//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// withoutBriefing switches off injections at the start and with prompts, so
// that only the notes around tools are left.
func (u *user) withoutBriefing() {
	u.t.Helper()
	u.remanence("config", "set", "hooks.session_start.token_budget", "0")
	u.remanence("config", "set", "hooks.user_prompt.token_budget", "0")
	u.remanence("config", "set", "nudge.every", "never")
}

func TestAFailingCommandGetsItsKnownFix(t *testing.T) {
	u := learned(t)
	u.withoutBriefing()
	u.write(filepath.Join(u.project(""), "retry.conf"), "limit=many\n") // broken again
	r := u.run(session{
		script:  script(bash("cd . && sh check.sh 2>&1"), says("I know it.").given("fixed in retry.conf")),
		prompts: []string{"run the check"},
	})
	wantsSilence(t, "start and prompt", r.printed("SessionStart", "UserPromptSubmit"))
	wants(t, "the fix", strings.Join(r.injections("PostToolUseFailure"), "\n"), `kind="command"`, "fixed in retry.conf")
}

// A failure that no edit helped is counted when it occurs again, in this session and in a later one, and another
// failure of the same command is not.
func TestAFailureThatOccursAgainIsCounted(t *testing.T) {
	u := learned(t)
	u.withoutBriefing()
	u.write(filepath.Join(u.project(""), "probe.sh"),
		"grep -q port app.conf || { echo 'error: the receiver refused the handshake' >&2; exit 3; }\n"+
			"echo 'error: port is occupied by another listener' >&2\nexit 3\n")
	u.write(filepath.Join(u.project(""), "app.conf"), "host=a\n")
	r := u.run(session{
		script: script(bash("sh probe.sh"), reads("app.conf"), edits("app.conf", "host=a", "host=b"),
			bash("sh probe.sh"), says("It still fails.").given("failed in this way before: once in this session. "+
				"Edits of app.conf did not help.")),
		prompts: []string{"run the probe and get it to work"},
	})
	if n := len(r.injections("PostToolUseFailure")); n != 1 {
		t.Errorf("%d notes after the failures of the first session, want 1", n)
	}
	r = u.run(session{
		script: script(bash("sh probe.sh"), reads("app.conf"), edits("app.conf", "host=b", "port=1"),
			bash("sh probe.sh"), says("Another error.")),
		prompts: []string{"run the probe"},
	})
	notes := r.injections("PostToolUseFailure")
	if len(notes) != 1 {
		t.Fatalf("%d notes after the failures of the second session, want 1:\n%s", len(notes), strings.Join(notes, "\n"))
	}
	wants(t, "the note", notes[0], "failed in this way before: 2 times in an earlier session.", "app.conf did not help")
}

// A command that fails behind a pipe, and then with another error, gets nothing. When it fails with that error again
// in another session, it gets the line.
func TestAnotherFailureOfACommandGetsNothing(t *testing.T) {
	u := learned(t)
	u.withoutBriefing()
	u.write(filepath.Join(u.project(""), "test.sh"),
		"test -f app.conf && echo 'FAIL: port is occupied by another listener' && exit 3\n"+
			"echo 'FAIL: the receiver refused the handshake'\nexit 3\n")
	const piped = "sh test.sh 2>&1 | tail -20"
	conf := map[string]any{"file_path": "@CWD@/app.conf", "content": "port=1\n"}
	r := u.run(session{
		script: script(bash(piped), calls("Write", conf), bash(piped),
			says("Another error.").without("failed in this way before")),
		prompts: []string{"run the tests"},
	})
	if notes := strings.Join(r.injections("PostToolUse"), "\n"); strings.Contains(notes, `kind="command"`) {
		t.Errorf("notes after another failure:\n%s", notes)
	}
	r = u.run(session{
		script: script(bash(piped),
			says("The port is taken.").given("failed in this way before: once in an earlier session.")),
		prompts: []string{"run the tests again"},
	})
	if n := len(r.injections("PostToolUse")); n != 1 {
		t.Errorf("%d notes after the same failure, want 1", n)
	}
}

// An edit that takes back what an earlier session decided gets the decision with its result, once in a session. Other
// edits of the file do not.
func TestAnEditThatUndoesADecisionGetsIt(t *testing.T) {
	u := learned(t)
	u.withoutBriefing()
	u.write(filepath.Join(u.project(""), "sender.conf"), "wait=30s\nlimit=4\n")
	u.run(session{
		script: script(reads("sender.conf"), edits("sender.conf", "30s", "9s"),
			says("I decided to set the wait in sender.conf to 9s, because the gateway drops a connection after 10 seconds.")),
		prompts: []string{"the sender loses mails"},
	})
	r := u.run(session{
		script: script(bash("cat sender.conf"), reads("sender.conf"), edits("sender.conf", "limit=4", "limit=5"),
			edits("sender.conf", "9s", "45s"), edits("sender.conf", "45s", "30s").given(
				"I decided to set the wait in sender.conf to 9s",
				"This edit changes what it laid down: `wait=9s` becomes `wait=45s`."),
			says("It is slower now.")),
		prompts: []string{"slow the sender down"},
	})
	notes := strings.Join(r.injections("PostToolUse"), "\n")
	if n := strings.Count(notes, "This edit "); n != 1 {
		t.Errorf("the decision came %d times, want once:\n%s", n, notes)
	}
}

func TestAReadFileGetsItsMemoriesOnce(t *testing.T) {
	u := learned(t)
	u.withoutBriefing()
	r := u.run(session{
		script: script(reads("retry.conf"), reads("retry.conf").given("must not hold a unit"), reads("check.sh"),
			says("Seen.")),
		prompts: []string{"read the configuration"},
	})
	wantsSilence(t, "start and prompt", r.printed("SessionStart", "UserPromptSubmit"))
	notes := r.injections("PostToolUse")
	if len(notes) != 1 {
		t.Fatalf("notes came %d times, want once:\n%s", len(notes), strings.Join(notes, "\n"))
	}
	wants(t, "notes", notes[0], `kind="file"`, "must not hold a unit")
}

// The agent is asked for a note with the prompt after a turn that left none, once, and what it
// notes is injected in the next session, above what the rules took from the turn.
func TestARequestedNoteIsInjectedInTheNextSession(t *testing.T) {
	const request = "[Remanence] The last turn left no note."
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.write(filepath.Join(u.project(""), "sender.conf"), "wait=30s\n")
	u.run(session{
		hooks: plugin, bare: true,
		prompts: []string{"shorten the wait of the sender", "fine. and what about the printer?", "good night"},
		script: script(
			reads("sender.conf"), edits("sender.conf", "30s", "9s"),
			says("I decided to set the wait in sender.conf to 9s, because the gateway drops a connection after 10 seconds."),
			own("remember", map[string]any{
				"content": "The sender waits 9 seconds (sender.conf), since the gateway drops a connection after 10 seconds.",
				"kind":    "decision", "files": []string{"sender.conf"}, "aliases": []string{"upstream timeout"},
			}).given(request),
			says("The printer is untouched.").given(`\"saved\":true`, `\"trust\":\"L2\"`),
			says("Good night."),
		),
	})
	m := u.keeps("The sender waits 9 seconds")
	if m.Kind != "decision" || m.Trust != "L2" {
		t.Errorf("kept as %+v", m)
	}
	for _, prompt := range []string{
		"how long may the sender wait for the gateway?", "which upstream timeout did we choose?",
	} {
		u.run(session{
			hooks: plugin, bare: true, prompts: []string{prompt},
			script: script(says("9 seconds.").given("The sender waits 9 seconds (sender.conf)",
				"drops a connection after 10 seconds")),
		})
	}
}
