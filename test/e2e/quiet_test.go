//go:build e2e

package e2e

import "testing"

func TestAnEmptyProjectGetsNothing(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script:  script(reads("check.sh"), bash("ls"), says("It is there.").without("remanence-context", "[Memory")),
		prompts: []string{"does the check pass here?", "and now, does it pass?"},
	})
	wantsOnly(t, "an empty project", r.printed(), listening)
}

func TestAPausedProjectCapturesAndInjectsNothing(t *testing.T) {
	u := learned(t)
	count := func() (n struct {
		Counts struct{ Memories, Sessions int }
	},
	) {
		u.asks(&n, "status")
		return n
	}
	u.keeps("jittered backoff")
	before := count()
	u.remanence("pause")
	r := u.run(session{
		script:  script(reads("retry.conf"), bash("exit 4"), says("I decided to use a trebuchet instead of a catapult.")),
		prompts: []string{aboutSending},
	})
	wantsSilence(t, "a paused project", r.printed())
	if after := count(); after != before {
		t.Errorf("kept while paused: before %+v, after %+v", before, after)
	}
	u.remanence("resume")
	if ms := u.finds("trebuchet"); len(ms) > 0 {
		t.Errorf("a paused session left %+v", ms)
	}
	r = u.run(session{
		script:  script(says("I decided to use a ballista instead of a catapult.")),
		prompts: []string{aboutSending},
	})
	wants(t, "after resume", r.injected(), "jittered backoff")
	wantsNot(t, "after resume", r.injected(), "trebuchet", "exit 4")
	u.keeps("ballista")
}
