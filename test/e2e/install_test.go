//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// settledHome is a home in which the client has nothing left to put into its
// settings by itself: it moves some old options there when it first starts.
func (u *user) settledHome() {
	u.t.Helper()
	u.write(filepath.Join(u.home, ".claude.json"),
		`{"hasCompletedOnboarding":true,"lastOnboardingVersion":"99.0.0","numStartups":10}`)
}

func TestInstalledHooksCaptureAndUninstallRestoresTheSettings(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.settledHome()
	settings := filepath.Join(u.home, ".claude/settings.json")
	own := "{ \"env\" : {\"FOO\":\"bar\"},\n\t\"hooks\": {\"Stop\": [ {\"hooks\":[{\"type\":\"command\", " +
		"\"command\":\"true\"}]} ]}\n  }"
	u.write(settings, own)
	u.remanence("install", "claude-code", "--yes")
	installed := u.read(settings)
	u.run(session{hooks: asTheyAre, bare: true, script: "learn.json", prompts: []string{"make the check pass"}})
	r := u.run(session{hooks: asTheyAre, bare: true, script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "second session", r.last(), "<remanence-context", "exit 3", "jittered backoff", "gateway timeout")
	if got := u.read(settings); got != installed {
		t.Errorf("the client rewrote its settings:\n%s", got)
	}
	u.remanence("uninstall", "claude-code", "--yes")
	if got := u.read(settings); got != own {
		t.Errorf("after uninstall:\n%q\nwant\n%q", got, own)
	}
	r = u.run(session{hooks: asTheyAre, bare: true, script: script(says("Who knows.")), prompts: []string{aboutSending}})
	wantsNot(t, "after uninstall", r.last(), "remanence", "jittered backoff")
	u.keeps("jittered backoff")
}

func TestInstallMakesSettingsAndUninstallRemovesThem(t *testing.T) {
	u := newUser(t)
	u.settledHome()
	settings := filepath.Join(u.home, ".claude/settings.json")
	u.write(filepath.Join(u.project(""), "README"), "a project\n")
	u.remanence("install", "claude-code", "--yes")
	r := u.run(session{
		hooks: asTheyAre, bare: true, script: script(says("I decided to use a ballista instead of a catapult.")),
		prompts: []string{"what shall we throw with?"},
	})
	wantsNot(t, "first session", r.last(), "remanence-context")
	u.keeps("ballista")
	u.remanence("uninstall", "claude-code", "--yes")
	if _, err := os.Stat(settings); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", settings, err)
	}
}

func TestTheClientRunsAProgramInADirectoryWithBlanks(t *testing.T) {
	u := newUser(t)
	u.settledHome()
	u.write(filepath.Join(u.project(""), "README"), "a project\n")
	install := exec.Command(u.copied(filepath.Join(u.dir, "dev's tools", "remanence"), time.Now()),
		"install", "claude-code", "--yes")
	install.Env = []string{"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin"}
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	u.run(session{
		hooks: asTheyAre, bare: true, script: script(says("I decided to use a ballista instead of a catapult.")),
		prompts: []string{"what shall we throw with?"},
	})
	u.keeps("ballista")
}

func TestAFullInstallationInjectsAFilesMemoriesOnce(t *testing.T) {
	u := learned(t)
	u.settledHome()
	u.withoutBriefing()
	u.write(filepath.Join(u.home, ".claude/settings.json"), "{}\n")
	u.remanence("install", "claude-code", "--hooks", "full", "--yes")
	r := u.run(session{
		hooks: asTheyAre, bare: true, script: script(reads("retry.conf"), reads("retry.conf"), says("Seen.")),
		prompts: []string{"read the configuration"},
	})
	if n := strings.Count(r.last(), `kind="file"`); n != 1 {
		t.Errorf("the file's notes came %d times, want once", n)
	}
	u.remanence("uninstall", "claude-code", "--yes")
	if got := u.read(filepath.Join(u.home, ".claude/settings.json")); got != "{}\n" {
		t.Errorf("after uninstall: %q", got)
	}
}
