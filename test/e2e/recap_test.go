//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A recap says what became of what a session changed: by the session's own commands, and by what its person
// committed afterwards.
func TestTheRecapSaysWhereWorkStands(t *testing.T) {
	const as = "git -c user.name=Ada -c user.email=ada@example.org "
	u := newUser(t)
	u.write(filepath.Join(u.project(""), "sender.conf"), "wait=30s\n")
	remote := filepath.Join(u.home, "remote.git")
	u.git("init", "-q", "-b", "main")
	u.git("init", "-q", "--bare", remote)
	u.git("remote", "add", "origin", remote)
	u.git("add", "-A")
	u.git("commit", "-q", "-m", "begin")
	u.git("push", "-q", "origin", "main")
	u.write(filepath.Join(remote, "hooks", "pre-receive"), "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(remote, "hooks", "pre-receive"), 0o755); err != nil {
		t.Fatal(err)
	}
	u.run(session{
		script: script(reads("sender.conf"), edits("sender.conf", "30s", "9s"),
			says("The sender waits 9s now, because the gateway drops a connection after 10 seconds.")),
		prompts: []string{"the sender loses mails"},
	})
	wants(t, "before a commit", u.remanence("recap"), "The sender waits 9s now", "(not committed)")
	u.git("commit", "-q", "-a", "-m", "sender: wait less")
	wants(t, "after the person's commit", u.remanence("recap"), "(committed "+u.git("rev-parse", "HEAD")[:7]+")")
	u.run(session{
		script: script(reads("sender.conf"), edits("sender.conf", "9s", "8s"), bash(as+"commit -q -a -m 'sender: wait 8s'"),
			bash("git push origin main"), bash("sh check.sh"), says("The sender waits 8s now and is pushed.")),
		prompts: []string{"make it 8 seconds and push"},
	})
	hash := u.git("rev-parse", "HEAD")[:7]
	wants(t, "after a rejected push", u.remanence("recap"), "sender: wait 8s", "(committed "+hash+", push failed)")
}
