//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/setup"
)

// plugin builds the plugin with its binary, as `make plugin` does.
func (u *user) plugin() string {
	u.t.Helper()
	dir := filepath.Join(u.dir, "claude-code")
	if err := os.CopyFS(dir, os.DirFS("../../plugin")); err != nil {
		u.t.Fatal(err)
	}
	manifest := filepath.Join(dir, ".claude-plugin/plugin.json")
	u.write(manifest, string(setup.PluginManifest([]byte(u.read(manifest)), "1.2.3")))
	u.copied(filepath.Join(dir, "bin/remanence"), time.Now())
	return dir
}

// client is the program that the bench drives.
func client(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("bash", "-c", `. ../client/lib.sh && echo -n "$CC_BIN"`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestThePluginIsValid(t *testing.T) {
	u := newUser(t)
	cmd := exec.Command(client(t), "plugin", "validate", u.plugin(), "--strict")
	cmd.Env = []string{
		"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin", "DISABLE_AUTOUPDATER=1",
		"HTTPS_PROXY=http://127.0.0.1:9",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("plugin validate --strict: %v\n%s", err, out)
	}
}

func TestThePluginCarriesMemoriesToTheNextSession(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.run(session{hooks: plugin, bare: true, script: "learn.json", prompts: []string{"make the check pass"}})
	r := u.run(session{hooks: plugin, bare: true, script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "second session", r.last(), "<remanence-context", "exit 3", "jittered backoff", "gateway timeout")
}

// Clients that ignored the args of older hooks ran the bare program.
func TestTheBareProgramAsAHookPrintsNothing(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	registered := u.read(filepath.Join(plugin, "hooks/hooks.json"))
	bare := strings.ReplaceAll(registered, ` hook plugin`, "")
	if strings.Contains(bare, " hook ") || bare == registered {
		t.Fatalf("hooks with arguments are left:\n%s", bare)
	}
	u.write(filepath.Join(plugin, "hooks/hooks.json"), bare)
	status := []string{"remanence 0.", "memories ·"}
	u.run(session{
		hooks: plugin, bare: true, prompts: []string{"make the check pass"},
		script: script(bash("ls").without(status...), says("It passes.").without(status...)),
	})
	if ms := u.finds(); len(ms) > 0 {
		t.Errorf("kept %+v", ms)
	}
}

func TestPluginAndSettingsTogetherCaptureAndInjectOnce(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	both := "--plugin-dir " + u.plugin()
	u.run(session{args: both, script: "learn.json", prompts: []string{
		"make the check pass",
		"remember that the mast is 30 m high",
	}})
	r := u.run(session{
		args: both, script: script(reads("retry.conf"), bash("exit 4"), says("I know.")), prompts: []string{aboutSending},
	})
	injected := r.last()
	wants(t, "second session", injected, "jittered backoff", "must not hold a unit")
	if n := strings.Count(injected, "=== SESSION BRIEFING ==="); n != 1 {
		t.Errorf("%d briefings, want 1", n)
	}
	if twice := injectedTwice(injected); len(twice) > 0 {
		t.Errorf("injected twice: %v in\n%s", twice, clip(injected))
	}
	mast := u.keeps("the mast is 30 m high")
	if mast.Source.Prompt != 2 {
		t.Errorf("the second prompt is counted as number %d", mast.Source.Prompt)
	}
	seen := map[string]bool{}
	for _, m := range u.finds() {
		if seen[m.Kind+m.Title] {
			t.Errorf("kept twice: %s %s", m.Kind, m.Title)
		}
		seen[m.Kind+m.Title] = true
	}
}

func TestOffDisablesASessionUntilOn(t *testing.T) {
	u := learned(t)
	r := u.run(session{
		hooks: u.plugin(), bare: true, stream: true,
		script: script(
			says("paused"),
			bash("exit 4"),
			says("I decided to use a trebuchet instead of a catapult."),
			says("on"),
			says("I decided to use a ballista instead of a catapult."),
		),
		prompts: []string{"/remanence:off", "remember that the harbour crane lifts 40 t", "/remanence:on", aboutSending},
	})
	shown := u.read(filepath.Join(r.out, "stream.1.jsonl"))
	wants(t, "what the person sees", shown, "remanence: off for this session", "remanence: on again")
	u.keeps("ballista")
	for _, gone := range []string{"trebuchet", "harbour crane"} {
		if ms := u.finds(gone); len(ms) > 0 {
			t.Errorf("a session that was switched off left %+v", ms)
		}
	}
}
