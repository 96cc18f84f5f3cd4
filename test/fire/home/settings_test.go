//go:build fire

package home

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/world"
)

// try runs a command that may fail.
func try(p *world.Person, args ...string) (out string, status int) {
	p.T.Helper()
	a := p.Await(p.Command(args...))
	return string(a.Stdout) + string(a.Stderr), a.Status
}

func TestUninstallRestoresSettingsByteForByte(t *testing.T) {
	p, _ := newcomer(t)
	file := filepath.Join(p.Home, ".claude/settings.json")
	for name, text := range map[string]string{
		"odd": settings, "empty": "", "object": "{}", "no last line": "{\n\t\"model\": \"opus\"\n}",
		"windows": "{\r\n  \"a\": 1.0\r\n}\r\n",
		"doubled": "{\"hooks\": {}, \"hooks\": {\"Stop\": []}, \"n\": 9007199254740993}",
		"ours":    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}\n",
	} {
		put(t, file, text)
		p.Run("install", "claude-code", "--yes")
		after, _ := os.ReadFile(file)
		if string(after) == text || !strings.Contains(string(after), world.Binary) {
			t.Errorf("%s: install left %q", name, after)
		}
		p.Run("install", "claude-code", "--hooks", "full", "--yes")
		p.Run("uninstall", "--yes")
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%s: uninstall left %q, want %q", name, got, text)
		}
	}
}

func TestUnreadableSettingsAreLeftUnchangedAndReported(t *testing.T) {
	p, _ := newcomer(t)
	file := filepath.Join(p.Home, ".claude/settings.json")
	for name, c := range map[string]struct{ text, why string }{
		"comment":     {"{\n  \"a\": 1,\n  // mine\n  \"b\": 2\n}\n", "line 3"},
		"comma":       {"{\n  \"a\": 1,\n}\n", "line 3"},
		"cut off":     {"{\"hooks\": {", "line 1"},
		"an array":    {"[]\n", "not an object"},
		"hooks null":  {"{\"hooks\": null}\n", "hooks"},
		"odd event":   {"{\"hooks\": {\"Stop\": {}}}\n", "Stop"},
		"not a text":  {"\xff\xfe{\x00}\x00", "line 1"},
		"odd anytime": {"{\"hooks\": {\"Later\": \"x\"}}", "Later"},
	} {
		put(t, file, c.text)
		before := tree(t, filepath.Dir(file))
		out, status := try(p, "install", "claude-code", "--yes")
		if status == 0 || !strings.Contains(out, c.why) || !strings.Contains(out, `"SessionStart": [`) {
			t.Errorf("%s: status %d, says\n%s\nwant %q and the JSON to paste", name, status, out, c.why)
		}
		_, _ = try(p, "uninstall", "--yes")
		same(t, name, tree(t, filepath.Dir(file)), before)
	}
}

func TestSettingsBehindSymbolicLinks(t *testing.T) {
	p, _ := newcomer(t)
	dir := filepath.Join(p.Home, ".claude")
	file, own := filepath.Join(dir, "settings.json"), filepath.Join(p.Home, "dotfiles/claude.json")
	link := func(to, at string) {
		t.Helper()
		_ = os.Remove(at)
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	put(t, own, settings)
	link("../dotfiles/claude.json", filepath.Join(dir, "one"))
	link("one", file)
	before := tree(t, dir, filepath.Dir(own))
	p.Run("install", "claude-code", "--yes")
	if got, _ := os.ReadFile(own); !strings.Contains(string(got), world.Binary) {
		t.Errorf("the end of the chain is not edited: %q", got)
	}
	p.Run("uninstall", "--yes")
	same(t, "a chain of links", tree(t, dir, filepath.Dir(own)), before)

	for name, lay := range map[string]func(){
		"dangling":  func() { link("nowhere", file) },
		"loop":      func() { link("settings.json", file) },
		"directory": func() { _ = os.Remove(file); _ = os.Mkdir(file, 0o755) },
		"hard link": func() { _ = os.Remove(file); _ = os.Link(own, file) },
		"read-only": func() { _ = os.Remove(file); put(t, file, settings); _ = os.Chmod(file, 0o444) },
	} {
		lay()
		before := tree(t, dir, filepath.Dir(own))
		if out, status := try(p, "install", "claude-code", "--yes"); status == 0 {
			t.Errorf("%s: installed: %s", name, out)
		}
		same(t, name, tree(t, dir, filepath.Dir(own)), before)
		_ = os.RemoveAll(file)
	}
}

func TestAnInvalidConfigurationIsLeftUnchangedAndReported(t *testing.T) {
	p, _ := newcomer(t)
	file := filepath.Join(p.Home, ".config/remanence/config.toml")
	for name, c := range map[string]struct{ text, why string }{
		"not TOML":      {"profile = lean\n", "line 1"},
		"unknown key":   {"profil = \"lean\"\n", "profil"},
		"wrong type":    {"[recall]\nmax_memories = \"many\"\n", "max_memories"},
		"negative":      {"[recall]\nmax_memories = -4\n", "max_memories"},
		"unknown value": {"profile = \"loud\"\n", "loud"},
		"doubled":       {"profile = \"lean\"\nprofile = \"full\"\n", "line"},
		"a table":       {"[profile]\nx = 1\n", "profile"},
		"noise":         {"\x00\xff\xfe", "config"},
	} {
		put(t, file, c.text)
		out, status := try(p, "config", "validate")
		if status == 0 || !strings.Contains(out, c.why) {
			t.Errorf("%s: status %d, says %q, want %q in it", name, status, out, c.why)
		}
		if a := p.Hook(p.Payload("SessionStart.startup",
			map[string]any{"session_id": name, "source": "startup"})); a.Status != 0 || len(a.Stderr) > 0 {
			t.Errorf("%s: a hook ends with %d, %s", name, a.Status, a.Stderr)
		}
		if out, status := try(p, "search", "anything"); status > 1 {
			t.Errorf("%s: a search ends with %d, %s", name, status, out)
		}
		if got, _ := os.ReadFile(file); string(got) != c.text {
			t.Errorf("%s: now %q", name, got)
		}
	}
}
