//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// minded is a person with a project that has state files.
func minded(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	u.newProject("")
	u.remanence("mind", "init", "--template", "example")
	return u
}

func (u *user) mind(name string) string { return filepath.Join(u.project(""), ".mind", name) }

// aged makes a state file look as if it had been written an hour ago.
func (u *user) aged(names ...string) {
	u.t.Helper()
	at := time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(u.mind(name), at, at); err != nil {
			u.t.Fatal(err)
		}
	}
}

// leaves polls until a state file holds the words: it is written after the
// hook's answer.
func (u *user) leaves(name string, words ...string) {
	u.t.Helper()
	var got string
	ok := eventually(func() bool {
		b, _ := os.ReadFile(u.mind(name))
		got = string(b)
		for _, w := range words {
			if !strings.Contains(got, w) {
				return false
			}
		}
		return got != ""
	})
	if !ok {
		u.t.Errorf("%s: want %q, got\n%s", name, words, got)
	}
}

func TestStateFilesAreInjectedAndChangeTheStateLine(t *testing.T) {
	u := minded(t)
	u.run(session{
		script: script(
			edits(".mind/STATE.md", "Finish the webhook: an order becomes paid when it reports so.", "Write the invoices").
				given("--- CURRENT STATE (.mind/STATE.md) ---", "Current Phase: Phase 2: Ordering",
					"Next Action: Finish the webhook",
					"--- PROGRESS (.mind/PROGRESS.md) ---", "In Progress: Payment page", "--- DECISIONS (.mind/DECISIONS.md) ---",
					"DEC-001: Money is kept in cents",
					"--- SESSION LOG (.mind/SESSION-LOG.md) ---").
				without("[Memory]"),
			says("Changed.").without("Next: Write the invoices"),
			says("Two.").given("Phase: Phase 2: Ordering | Next: Write the invoices | (Read .mind/STATE.md for details)"),
			says("Three."),
		),
		prompts: []string{
			"we go on with the invoices, say so", "what is next in this project?",
			"and what comes after that one?",
		},
		stream: true,
	})
	if n := len(u.finds("-k", "decision", "cents")); n != 1 {
		t.Errorf("%d decisions on cents are found, want the one of the file", n)
	}
	u.keeps("Write the invoices")
}

func TestACompactionSavesAndRestoresTheState(t *testing.T) {
	u := minded(t)
	r := u.run(session{
		script: scene(map[string]any{"compact_summary": "THE-SUMMARY"},
			bash("sh check.sh"), says(stillOpen),
			says("I go on.").given("CONTEXT RESTORED (post-compaction)", "--- CURRENT STATE (.mind/STATE.md) ---",
				"Next Action: Finish the webhook", "`sh check.sh` exit 3")),
		prompts: []string{"make the check pass", "/compact", "go on with it"},
		stream:  true,
	})
	compacted(t, r)
	u.leaves("checkpoints/latest.md", "# Pre-Compaction Checkpoint\n## Timestamp: ",
		"\n## Trigger: manual\n\n## State at Compaction\n# Project State\n",
		"\n## In-Progress Work\n", "- [ ] Payment page\n", "\n## Recovery Instructions\n")
	if list, err := filepath.Glob(u.mind("checkpoints/compact-*.md")); err != nil || len(list) != 1 {
		t.Errorf("stamped copies: %v, %v", list, err)
	}
}

func TestAStaleStateIsRemindedOfAndTheSessionIsLogged(t *testing.T) {
	u := minded(t)
	u.aged("STATE.md", "SESSION-LOG.md")
	r := u.run(session{
		script: scene(subagent(says(subFinding)),
			edits("retry.conf", "many", "5").without("Bring it up to date"), launches(subTask, false), says("It is 5 now."),
			says("Two.").given("Bring it up to date"), says("Three.")),
		prompts: []string{"set the limit to 5", "is that all there is?", "and nothing besides that?"},
		stream:  true,
	})
	if n := strings.Count(r.injected(), "Bring it up to date"); n != 1 {
		t.Errorf("reminded %d times, want once:\n%s", n, r.injected())
	}
	u.leaves(".last-activity", time.Now().UTC().Format("2006-01-02T"))
	u.leaves(".agent-activity", "] STARTED: general-purpose (", "] STOPPED: general-purpose (")
	u.leaves(".session-tracking", "Session ended: ", "(reason: ")
	u.leaves("SESSION-LOG.md", "## Session 2 — ", "(auto-captured)\n- **Reason ended:** ",
		"- **Files changed:** 1\n  - retry.conf\n")
	u.leaves("checkpoints/session-end-latest.md", "# Session End Checkpoint\n",
		"## Note: STATE.md was not brought up to date", "## State at End\n# Project State\n")
	if _, err := os.Stat(u.mind(".file-tracker")); err == nil {
		t.Error("the list of changed files outlived its session")
	}
	after := u.run(session{script: script(says("Hello.")), prompts: []string{"hello again"}})
	if all := after.printed("SessionStart"); !strings.Contains(all, "left .mind/STATE.md as it was") {
		t.Errorf("it is not reported that the state was left as it was: %s", all)
	}
}

func TestHooksCreateNoStateFiles(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		script: scene(map[string]any{"compact_summary": "THE-SUMMARY"},
			edits("retry.conf", "many", "5"), says("It is 5 now."), says("I go on.")),
		prompts: []string{"set the limit to 5", "/compact", "go on with it"},
		stream:  true,
	})
	u.remanence("daemon", "stop")
	if _, err := os.Lstat(filepath.Join(u.project(""), ".mind")); !os.IsNotExist(err) {
		t.Errorf(".mind is there: %v", err)
	}
}

func TestStateFilesOfACloneAreNotUsedUntilTrusted(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(u.mind("STATE.md"), "# Project State\n\n## Current Phase\nPhase Okapi\n\n## Next Action\nlook at the zoo\n")
	r := u.run(session{
		script:  script(edits("retry.conf", "many", "5").without("Okapi"), says("Hello.").without("Okapi")),
		prompts: []string{"hello to you there"},
	})
	if all := r.printed("SessionStart"); !strings.Contains(all,
		".mind/ of this project is not trusted, so it is not read. Fix: remanence trust") {
		t.Errorf("it is not reported: %s", all)
	}
	u.remanence("daemon", "stop")
	if list, err := os.ReadDir(u.mind("")); err != nil || len(list) != 1 {
		t.Errorf("written beside it: %v, %v", list, err)
	}
	u.remanence("trust")
	u.run(session{
		script:  script(says("Hello.").given("Current Phase: Phase Okapi")),
		prompts: []string{"hello to you there"},
	})
}
