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
