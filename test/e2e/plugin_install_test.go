//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// beside runs a program of the person's who has the client on his search path, with no network.
func (u *user) beside(program string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = u.project("")
	cmd.Env = []string{
		"HOME=" + u.home, "PATH=" + filepath.Dir(client(u.t)) + ":/usr/local/bin:/usr/bin:/bin",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "HTTPS_PROXY=http://127.0.0.1:9",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// naming lists the files below a directory that have a word in their name or text.
func (u *user) naming(dir, word string) []string {
	u.t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Contains(path[len(dir):], word) || d.Type().IsRegular() &&
			bytes.Contains([]byte(u.read(path)), []byte(word)) {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return list
}

// seeded are settings that the client itself would never write like this.
const seeded = "\ufeff{ \"model\" : \"sonnet\",\r\n  \"big\": 9007199254740993, \"enabledPlugins\":{ }, " +
	"\"env\":{\"A\":\"\\u00e9\"},\n" +
	"\t\"hooks\": {\"Stop\": [ {\"hooks\":[{\"type\":\"command\", \"command\":\"true\"}]} ]}, \"model\": \"opus\"}"

func TestAnInstalledPluginCapturesAndUninstallRestoresTheSettings(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.settledHome()
	settings, own := filepath.Join(u.home, ".claude/settings.json"), filepath.Join(u.home, "dotfiles/claude.json")
	u.write(own, seeded)
	u.write(filepath.Join(u.home, ".claude/plugins/.keep"), "")
	if err := os.Symlink("../dotfiles/claude.json", settings); err != nil {
		t.Fatal(err)
	}
	said := u.beside(binary, "install", "claude-code", "--plugin", "--yes")
	wants(t, "install", said, "lays ~/.claude/settings.json out anew")
	wants(t, "plugin list", u.beside(client(t), "plugin", "list"), "remanence@remanence",
		".local/share/remanence/plugin/remanence", "enabled")
	if u.read(settings) == seeded {
		t.Error("the client does not rewrite its settings any more: then the plugin could be registered without a warning")
	}

	u.run(session{hooks: asTheyAre, bare: true, script: "learn.json", prompts: []string{"make the check pass"}})
	r := u.run(session{hooks: asTheyAre, bare: true, script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "second session", r.last(), "<remanence-context", "exit 3", "jittered backoff", "gateway timeout")

	u.beside(binary, "uninstall", "--yes")
	if got := u.read(own); got != seeded {
		t.Errorf("after uninstall:\n%q\nwant\n%q", got, seeded)
	}
	if to, err := os.Readlink(settings); err != nil || to != "../dotfiles/claude.json" {
		t.Errorf("the settings are a link to %q no more (%v)", to, err)
	}
	wantsNot(t, "plugin list after uninstall", u.beside(client(t), "plugin", "list"), "remanence")
	for _, dir := range []string{".claude/plugins", ".local/share/remanence/plugin", ".local/state/remanence/install"} {
		dir = filepath.Join(u.home, dir)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if left := u.naming(dir, "remanence"); len(left) > 0 || !strings.HasSuffix(dir, "plugins") {
			t.Errorf("left behind: %s %v", dir, left)
		}
	}
	r = u.run(session{hooks: asTheyAre, bare: true, script: script(says("Who knows.")), prompts: []string{aboutSending}})
	wantsNot(t, "after uninstall", r.last(), "remanence", "jittered backoff")
	u.keeps("jittered backoff")
}

func TestAnInstalledPluginReplacesTheHooksInSettings(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.settledHome()
	settings := filepath.Join(u.home, ".claude/settings.json")
	u.write(settings, seeded)
	u.beside(binary, "install", "claude-code", "--yes")
	u.beside(binary, "install", "claude-code", "--plugin", "--yes")
	wantsNot(t, "settings", u.read(settings), "claude-code")
	r := u.run(session{
		hooks: asTheyAre, bare: true, stream: true, script: script(says("Done."), says("paused")),
		prompts: []string{"remember that the mast is 30 m high", "/remanence:off"},
	})
	wants(t, "what the person sees", u.read(filepath.Join(r.out, "stream.1.jsonl")), "remanence: off for this session")
	u.keeps("the mast is 30 m high")
	u.beside(binary, "uninstall", "--yes")
	if got := u.read(settings); got != seeded {
		t.Errorf("after uninstall:\n%q\nwant\n%q", got, seeded)
	}
}

func TestAnInstalledPluginCreatesSettingsAndUninstallRemovesThem(t *testing.T) {
	u := newUser(t)
	u.write(filepath.Join(u.project(""), "README"), "a project\n")
	u.settledHome()
	u.beside(binary, "install", "claude-code", "--plugin", "--yes")
	u.beside(binary, "uninstall", "--yes")
	left := u.naming(filepath.Join(u.home, ".claude"), "")
	if slices.Contains(left, filepath.Join(u.home, ".claude/settings.json")) {
		t.Errorf("settings are left:\n%s", u.read(filepath.Join(u.home, ".claude/settings.json")))
	}
}
