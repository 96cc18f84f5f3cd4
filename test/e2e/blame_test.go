//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in the default project.
func (u *user) git(args ...string) string {
	u.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Dir = u.project("")
	cmd.Env = append(os.Environ(), "HOME="+u.home, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// Lines are traced to the agent's session: one that it edited, and one that a command wrote, by the commit that it made
// then. The commit names the session only where its person turned that on.
func TestLinesAreTracedToTheSessionThatWroteOrCommittedThem(t *testing.T) {
	const commit = "git add -A && git -c user.name=Ada -c user.email=ada@example.org commit -m "
	u := newUser(t)
	u.write(filepath.Join(u.project(""), "sender.conf"), "wait=30s\n")
	u.git("init", "-q", "-b", "main")
	u.git("add", "-A")
	u.git("commit", "-q", "-m", "begin")
	u.run(session{
		script: script(reads("sender.conf"), edits("sender.conf", "30s", "9s"), bash("echo 'limit=4' > made.conf"),
			bash(commit+"'sender: wait less'"),
			says("I decided to set the wait in sender.conf to 9s, because the gateway drops a connection after 10 seconds.")),
		prompts: []string{"the sender loses mails"},
	})
	wants(t, "an edited line", u.remanence("blame", "sender.conf"), "1 line, 1 written in a known session",
		`"the sender loses mails"`, "I decided to set the wait in sender.conf to 9s", "sender: wait less")
	wants(t, "a line of a command", u.remanence("blame", "made.conf"), "1 line, 1 written in a known session",
		`made the commit: "the sender loses mails"`)
	wants(t, "the recap", u.remanence("recap"), "sender: wait less", "I decided to set the wait in sender.conf to 9s")
	if text := u.git("log", "--format=%B"); strings.Contains(text, "Remanence") {
		t.Errorf("a message names the session unasked:\n%s", text)
	}
	u.remanence("trailers", "on")
	u.remanence("config", "set", "blame.trailers", "true")
	u.run(session{
		script:  script(bash("echo 'limit=5' > second.conf"), bash(commit+"'second: a limit'"), says("Done.")),
		prompts: []string{"make a second limit"},
	})
	wants(t, "the message", u.git("log", "-1", "--format=%B"), "second: a limit", "Remanence-Session: ")
	u.git("commit", "-q", "--amend", "--reset-author", "--no-edit", "--date=2026-01-02T03:04:05Z") // no hash or time stays
	wants(t, "a line that only the message explains", u.remanence("blame", "second.conf"),
		`named by the commit: "make a second limit"`)
}
