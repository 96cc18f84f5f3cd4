//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryDirectoryOfAProjectSharesIt(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(filepath.Join(u.project("project/sub"), "notes.txt"), "one\n")
	u.run(session{
		script: script(
			bash("cd sub && pwd"),
			bash("sh ../check.sh"),
			calls("Edit", map[string]any{"file_path": "@CWD@/sub/notes.txt", "old_string": "one", "new_string": "two"}),
			says("I decided to use jittered backoff instead of a fixed delay. Careful: sub/notes.txt must not hold a tab, "+
				"the loader stops there."),
		),
		prompts: []string{"work in the directory below"},
	})
	for _, m := range u.finds("-k", "change") {
		wants(t, "a change", m.Title, "Edited sub/notes.txt")
	}
	below := u.run(session{
		project: "project/sub", env: []string{"CC_NOGIT=1"},
		script:  script(reads("notes.txt"), says("I know.")),
		prompts: []string{"how do we wait, with jittered backoff?"},
	})
	wants(t, "a session below", below.injected(), "jittered backoff", "must not hold a tab")
}

func TestADirectoryWithoutRepositoryIsAProject(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.newProject("elsewhere")
	noGit := []string{"CC_NOGIT=1"}
	u.run(session{
		env: noGit, script: script(says("I decided to use jittered backoff instead of a fixed delay.")),
		prompts: []string{"how shall we wait?"},
	})
	here := u.run(session{
		env: noGit, script: script(says("I know.")),
		prompts: []string{"how do we wait, with jittered backoff?"},
	})
	there := u.run(session{
		project: "elsewhere", env: noGit, script: script(says("Who knows.")),
		prompts: []string{"how do we wait, with jittered backoff?"},
	})
	wants(t, "the same directory", here.injected(), "jittered backoff")
	wantsOnly(t, "another directory", there.printed(), listening)
}

// Why shows a person the very words that the model got.
func TestAReceiptHoldsWhatTheModelGot(t *testing.T) {
	u := learned(t)
	r := u.run(session{script: script(reads("retry.conf"), says("I know.")), prompts: []string{aboutSending}})
	injections := 0
	for event := range r.hooks() {
		for _, injected := range r.injections(event) {
			_, rest, ok := strings.Cut(injected, `id="`)
			if !ok {
				continue
			}
			injections++
			id, _, _ := strings.Cut(rest, `"`)
			var receipt struct{ Text, Outcome string }
			u.asks(&struct{ Receipt any }{&receipt}, "why", id)
			if receipt.Text != injected || receipt.Outcome != "injected" {
				t.Errorf("%s: receipt %s is %q of\n%s\nthe model got\n%s", event, id, receipt.Outcome, receipt.Text, injected)
			}
		}
	}
	if injections == 0 {
		t.Error("nothing was injected")
	}
}
