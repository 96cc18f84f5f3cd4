//go:build e2e

package e2e

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheSilentProfileCapturesAndInjectsNothing(t *testing.T) {
	u := learned(t)
	u.remanence("config", "set", "profile", "silent")
	r := u.run(session{
		script:  script(reads("retry.conf"), bash("exit 4"), says("I decided to use a ballista instead of a catapult.")),
		prompts: []string{aboutSending, "again, " + aboutSending},
	})
	wantsSilence(t, "silent", r.printed())
	u.keeps("ballista")
	u.remanence("config", "set", "profile", "lean")
	r = u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "lean again", r.injected(), "jittered backoff", "ballista")
}

func TestTheFullProfileInjectsMoreAndNamesTheSession(t *testing.T) {
	u := learned(t)
	names := `echo "names=$REMANENCE_SESSION_ID,$REMANENCE_PROJECT_DIR,$MEMORY_SESSION_ID,$MEMORY_PROJECT_DIR,` +
		`${MEMORY_PROJECT_KEY:0:2}."`
	two := []string{"thanks, that is good to know", "thanks, that is good to know too"}

	lean := u.run(session{script: script(bash(names), says("one"), says("two")), prompts: two, stream: true})
	id := lean.sent("SessionStart", "session_id")[0]
	wants(t, "lean", lean.last(), "names="+id+","+u.project("")+",,,.")
	if nudges := lean.injections("UserPromptSubmit"); len(nudges) > 0 {
		t.Errorf("lean: the state line came again although the briefing has it:\n%s", strings.Join(nudges, "\n"))
	}
	if got := u.budget(lean); got != 1200 {
		t.Errorf("lean: a briefing's budget is %d, want 1200", got)
	}

	u.remanence("config", "set", "profile", "full")
	full := u.run(session{script: script(bash(names), says("one"), says("two")), prompts: two, stream: true})
	id = full.sent("SessionStart", "session_id")[0]
	wants(t, "full", full.last(), "names="+id+","+u.project("")+","+id+","+u.project("")+",p_.")
	nudges := full.injections("UserPromptSubmit")
	if len(nudges) != 2 {
		t.Errorf("full: the state line came %d times, want with each prompt:\n%s", len(nudges), strings.Join(nudges, "\n"))
	}
	wants(t, "full", strings.Join(nudges, "\n"), "- Next: ", "gateway timeout")
	if got := u.budget(full); got != 2000 {
		t.Errorf("full: a briefing's budget is %d, want 2000", got)
	}
}

func TestTheStateLineIsInjectedWhenTheStateChanges(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: script(bash("sh check.sh"), says("one"), says("two").given("- BLOCKED: ", "sh check.sh"), says("three")),
		prompts: []string{
			"thanks, that is good to know", "thanks, that is good to know too",
			"thanks, that is good to know as well",
		},
		stream: true,
	})
	if nudges := r.injections("UserPromptSubmit"); len(nudges) != 1 {
		t.Errorf("the state line came %d times, want once:\n%s", len(nudges), strings.Join(nudges, "\n"))
	}
}

// budget is the budget of a session's briefing, as its receipt has it.
func (u *user) budget(r ran) int {
	u.t.Helper()
	briefing := strings.Join(r.injections("SessionStart"), "\n")
	id := regexp.MustCompile(`\br_[0-9a-z]+`).FindString(briefing)
	if id == "" {
		u.t.Fatalf("no receipt in the briefing:\n%s", briefing)
	}
	var receipt struct {
		Budget  int
		Outcome string
	}
	u.asks(&struct{ Receipt any }{&receipt}, "why", id)
	return receipt.Budget
}
