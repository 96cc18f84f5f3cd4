//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"
)

// newProject lays out the project in which the first session learns.
func (u *user) newProject(name string) {
	u.t.Helper()
	// Qwen Code loses the output of a command that ends at once on a busy machine: its own report says "(empty)".
	u.write(filepath.Join(u.project(name), "check.sh"),
		"grep -q '^limit=[0-9][0-9]*$' retry.conf ||\n"+
			"\t{ echo 'error: retry limit must be a number' >&2; sleep 0.3; exit 3; }\necho ok\n")
	u.write(filepath.Join(u.project(name), "retry.conf"), "limit=many\n")
}

// learned is a person whose first session has learned something: the cause of
// a failure, a decision, a note on a file, and what is open.
func learned(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	u.newProject("")
	u.run(session{script: "learn.json", prompts: []string{"make the check pass"}})
	return u
}

// aboutSending is a prompt to which the first session's decision belongs.
const aboutSending = "what do we know about how the webhook sender waits?"

func TestTheSecondSessionGetsWhatTheFirstLearned(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{script: "learn.json", prompts: []string{
		"make the check pass <private>my cat is called Mitzi-77</private> the token is " +
			"ghp_0123456789abcdefghijklmnopqrstuvwxyzA",
	}})
	second := u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}})
	injected := second.last()
	wants(t, "second session", injected,
		"<remanence-context", "sh check.sh", "exit 3", "retry limit must be a number", // the failure and its fix
		"jittered backoff",     // the decision
		"must not hold a unit", // the note on a file
		"gateway timeout",      // what is open
	)
	wantsNot(t, "second session", injected, "Mitzi-77", "ghp_0123456789")

	other := u.run(session{project: "elsewhere", script: script(says("Hello.")), prompts: []string{aboutSending}})
	wantsNot(t, "another project", other.last(), "jittered backoff", "retry limit", "<remanence-context")
}
