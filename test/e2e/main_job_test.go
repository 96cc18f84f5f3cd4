//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newProject lays out the project in which the first session learns.
func (u *user) newProject(name string) {
	u.t.Helper()
	dir := u.project(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		u.t.Fatal(err)
	}
	for file, text := range map[string]string{
		"check.sh":   "grep -q '^limit=[0-9][0-9]*$' retry.conf || { echo 'error: retry limit must be a number' >&2; exit 3; }\necho ok\n",
		"retry.conf": "limit=many\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			u.t.Fatal(err)
		}
	}
}

func TestSecondSessionIsToldWhatTheFirstLearned(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{script: "learn.json", prompts: []string{
		"make the check pass <private>my cat is called Mitzi-77</private> the token is ghp_0123456789abcdefghijklmnopqrstuvwxyzA",
	}})
	second := u.run(session{
		script:  `{"turns":[{"text":"I know."}]}`,
		prompts: []string{"what do we know about how the webhook sender waits?"},
	})
	told := strings.Join(second.asked(), "\n")
	wants(t, "second session", told,
		"<remanence-context", "sh check.sh", "exit 3", "retry limit must be a number", // the failure and its fix
		"jittered backoff",     // the decision
		"must not hold a unit", // the note on a file
		"gateway timeout",      // what is open
	)
	wantsNot(t, "second session", told, "Mitzi-77", "ghp_0123456789")

	other := u.run(session{
		project: "elsewhere", script: `{"turns":[{"text":"Hello."}]}`,
		prompts: []string{"what do we know about how the webhook sender waits?"},
	})
	wantsNot(t, "another project", strings.Join(other.asked(), "\n"), "jittered backoff", "retry limit", "<remanence-context")
}
