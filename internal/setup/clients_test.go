package setup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// emptyMachine is a person's home without anything of an agent.
func emptyMachine(t *testing.T) Config {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, "bin", "remanence")
	writeFile(t, bin, "#!/bin/sh\n")
	if err := os.Chmod(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	skill := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: Use it.\n---\nDo it.\n")}
	}
	return Config{
		Home: home, Binary: bin, RecordDir: filepath.Join(home, "records"),
		Plugin: fstest.MapFS{"skills/recall/SKILL.md": skill("recall"), "skills/handoff/SKILL.md": skill("handoff")},
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// textsOf returns the text of each target of an agent; a file that is not there is missing.
func textsOf(t *testing.T, c Config, cl Client) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, path := range cl.files(c) {
		b, err := os.ReadFile(path)
		if err == nil {
			texts[path] = string(b)
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return texts
}

func installClient(t *testing.T, c Config, cl Client) ClientPlan {
	t.Helper()
	p, err := PlanClient(c, cl, Parts{Hooks: true, Server: true, Skills: true, Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ApplyClient(c, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func uninstallClient(t *testing.T, c Config, cl Client) {
	t.Helper()
	plan, err := PlanClientRemoval(c, cl)
	if err != nil {
		t.Fatal(err)
	}
	if err := Uninstall(c, plan); err != nil {
		t.Fatal(err)
	}
}

// Texts that a person may have in an agent's files.
func own(path string) []string {
	if filepath.Ext(path) == ".toml" {
		return []string{
			"model = \"x\"", "# mine\r\nmodel = \"x\"\r\n", "[mcp_servers.other]\ncommand = \"y\"\n\n",
			"[hooks.state.\"/x:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n", "",
		}
	}
	return []string{
		"{}", "{ \"x\" : 1.50 }\n", "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n",
		"{\r\n\t\"mcpServers\": {},\r\n\t\"hooks\": {\"Stop\": [{\"hooks\":[{\"type\":\"command\"," +
			"\"command\":\"true\"}]}], \"AfterTool\": []}}", "{\n  \"mcpServers\": {\"other\": {\"command\": \"y\"}}\n}\n",
		"{\n\t\"mcp\": {\"other\": {\"type\": \"local\", \"command\": [\"y\"]}}, \"plugin\": []}\n",
	}
}

func TestInstallingForAClientAndUninstallingGivesEveryByteBack(t *testing.T) {
	for _, cl := range Clients() {
		t.Run(cl.ID, func(t *testing.T) {
			for i := range 7 {
				c := emptyMachine(t)
				before := map[string]string{}
				for _, target := range cl.targets {
					texts := own(target.path(c))
					if target.whole || i >= len(texts) { // the last time there is nothing
						continue
					}
					writeFile(t, target.path(c), texts[i])
					before[target.path(c)] = texts[i]
				}
				p := installClient(t, c, cl)
				if !p.Changes() || len(p.Events) != len(cl.hooks) {
					t.Fatalf("planned %d events of %d", len(p.Events), len(cl.hooks))
				}
				state := CheckClient(c, cl)
				if !state.Installed || slices.ContainsFunc(state.Findings, func(f Finding) bool { return f.State != OK }) {
					t.Errorf("after installing: %+v", state.Findings)
				}
				installed := textsOf(t, c, cl)
				if again := installClient(t, c, cl); again.Changes() {
					t.Errorf("a second installation changes %v", textsOf(t, c, cl))
				}
				uninstallClient(t, c, cl)
				if got := textsOf(t, c, cl); !sameTexts(got, before) {
					t.Errorf("after uninstalling:\n%q\nwant\n%q\ninstalled was\n%q", got, before, installed)
				}
				if left, _ := os.ReadDir(c.RecordDir); len(left) > 0 {
					t.Errorf("records are left: %v", left)
				}
				if agents := filepath.Dir(c.SkillsDir()); SameFile(agents, agents) {
					t.Errorf("%s is left", agents)
				}
				if len(before) == 0 && SameFile(cl.dir(c), cl.dir(c)) {
					t.Errorf("%s is left", cl.dir(c))
				}
			}
		})
	}
}

func sameTexts(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			return false
		}
	}
	return true
}

// What the client or the person writes after the installation stays.
func TestUninstallingFromAChangedFileCutsOnlyOurs(t *testing.T) {
	for _, cl := range Clients() {
		c := emptyMachine(t)
		for _, target := range cl.targets {
			if !target.whole {
				writeFile(t, target.path(c), own(target.path(c))[0])
			}
		}
		installClient(t, c, cl)
		for _, target := range cl.targets {
			if target.whole {
				continue
			}
			b, err := os.ReadFile(target.path(c))
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			if filepath.Ext(target.path(c)) == ".toml" {
				text += "\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
			} else {
				text = strings.Replace(text, "{", "{\n  \"theirs\": true,", 1)
			}
			writeFile(t, target.path(c), text)
		}
		uninstallClient(t, c, cl)
		for name, text := range textsOf(t, c, cl) {
			if strings.Contains(text, "remanence") || !strings.Contains(text, "theirs") &&
				!strings.Contains(text, "trust_level = \"trusted\"") {
				t.Errorf("%s, %s: got %q", cl.ID, name, text)
			}
		}
	}
}

// The keys and hashes are those that "codex app-server" of version 0.169.0 answered to hooks/list for this text.
func TestTrustInAHookOfCodexIsWhatTheClientComputes(t *testing.T) {
	const text = `{
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "\"/usr/local/bin/remanence\" hook codex", "timeout": 10}]}
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "true", "timeout": 5}]},
      {"hooks": [{"type": "command", "command": "\"/usr/local/bin/remanence\" hook codex", "timeout": 5}]}
    ]
  }
}
`
	want := []codexHook{
		{"/h/hooks.json:session_start:0:0", "sha256:074d9b9f10c27cd53ea40e48432e3f5fca12b93b02a4690c9bbefccd7fa21608"},
		{"/h/hooks.json:stop:1:0", "sha256:16db81392afdb90596b8bedf53c8d05ef1621398262242bcadfad49b6c1b8246"},
	}
	if got := codexHooks("/h/hooks.json", []byte(text)); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got := codexHash("stop", "", "true", "5"); got !=
		"sha256:99551a51b888f6dc725f1199663b7b1e1ef9bb9b9cab0612d84e5e9218aca6f5" {
		t.Errorf("the hash of another program's hook is %s", got)
	}
}

func TestUntrustedHooksOfCodexAreReported(t *testing.T) {
	c := emptyMachine(t)
	cl, _ := ClientByID("codex")
	p, err := PlanClient(c, cl, Parts{Hooks: true, Server: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ApplyClient(c, p); err != nil {
		t.Fatal(err)
	}
	untrusted := func() bool {
		return slices.ContainsFunc(CheckClient(c, cl).Findings, func(f Finding) bool {
			return f.ID == "codex.trust" && f.Code == CodeUntrusted
		})
	}
	if !untrusted() {
		t.Error("untrusted hooks are no finding")
	}
	installClient(t, c, cl)
	if untrusted() {
		t.Error("trusted hooks are a finding")
	}
	hooks := cl.targets[0].path(c)
	b, err := os.ReadFile(hooks)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, hooks, string(bytes.Replace(b, []byte(`"timeout": 10`), []byte(`"timeout": 11`), 1)))
	if !untrusted() {
		t.Error("a hook that changed is no finding")
	}
}

func TestAServerOfAnotherProgramWithOurNameStays(t *testing.T) {
	for id, text := range map[string]string{
		"codex":    "[mcp_servers.remanence]\ncommand = \"theirs\"\n",
		"gemini":   `{"mcpServers": {"remanence": {"command": "theirs"}}}`,
		"opencode": `{"mcp": {"remanence": {"type": "local", "command": ["theirs"]}}}`,
	} {
		c := emptyMachine(t)
		cl, _ := ClientByID(id)
		file := cl.targets[len(cl.targets)-1].path(c)
		writeFile(t, file, text)
		p := installClient(t, c, cl)
		if !errors.Is(p.NoServer, ErrTaken) || len(p.Events) == 0 {
			t.Errorf("%s: got %v and %d events, want hooks without the server", id, p.NoServer, len(p.Events))
		}
		uninstallClient(t, c, cl)
		if b, _ := os.ReadFile(file); string(b) != text {
			t.Errorf("%s: after uninstalling: %q", id, b)
		}
	}
}

func TestFilesOfAShapeThatIsNotKnownAreLeftAlone(t *testing.T) {
	for id, text := range map[string]string{
		"codex": "mcp_servers = { }\n", "gemini": `{"hooks": []}`, "qwen": "{ // remark\n}",
		"copilot": `{"version":1,"hooks":{}}`, "opencode": "export const Theirs = async () => ({})\n",
	} {
		c := emptyMachine(t)
		cl, _ := ClientByID(id)
		file := cl.targets[0].path(c)
		if id == "codex" {
			file = cl.targets[1].path(c)
		}
		writeFile(t, file, text)
		if _, err := PlanClient(c, cl, Parts{Hooks: true, Server: true, Trusted: true}); !errors.Is(err, ErrShape) &&
			!errors.Is(err, ErrNotJSON) {
			t.Errorf("%s: got %v", id, err)
		}
		if b, _ := os.ReadFile(file); string(b) != text {
			t.Errorf("%s: got %q", id, b)
		}
	}
}

func TestOnlyWhatIsAskedForIsInstalled(t *testing.T) {
	for _, cl := range Clients() {
		for _, parts := range []Parts{{Hooks: true}, {Server: true}, {Skills: true}} {
			c := emptyMachine(t)
			p, err := PlanClient(c, cl, parts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ApplyClient(c, p); err != nil {
				t.Fatal(err)
			}
			all := ""
			for _, text := range textsOf(t, c, cl) {
				all += text
			}
			if skills := len(skillFiles(t, c)); (skills > 0) != parts.Skills {
				t.Errorf("%s with %+v: got %d skills", cl.ID, parts, skills)
			}
			hooks, server := strings.Contains(all, hookWord+cl.ID), strings.Contains(all, `"mcp"]`)
			if hooks != parts.Hooks || server != parts.Server || strings.Contains(all, "trusted_hash") {
				t.Errorf("%s with %+v: got hooks %v, server %v\n%s", cl.ID, parts, hooks, server, all)
			}
			uninstallClient(t, c, cl)
			if left := textsOf(t, c, cl); len(left) > 0 {
				t.Errorf("%s with %+v: left %q", cl.ID, parts, left)
			}
		}
	}
}

func TestThePluginOfOpenCodeThatRunsAnotherProgramIsReplaced(t *testing.T) {
	c := emptyMachine(t)
	cl, _ := ClientByID("opencode")
	installClient(t, c, cl)
	file := cl.targets[0].path(c)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, strings.Replace(string(b), quote(c.Binary), quote("/opt/odd \"place\"/remanence"), 1))
	state := CheckClient(c, cl)
	if !slices.ContainsFunc(state.Findings, func(f Finding) bool { return f.ID == "opencode.binary" && f.State == Fail }) {
		t.Errorf("a program that is not there is no finding: %+v", state.Findings)
	}
	installClient(t, c, cl)
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, b) {
		t.Errorf("the plugin was not replaced: %v", err)
	}
	writeFile(t, file, strings.Replace(string(b), `"session.idle"`, `"session.other"`, 1))
	state = CheckClient(c, cl)
	if f := state.Findings[0]; f.Code != CodeMissing || f.What != "OpenCode: 1 of 8 hooks are missing" {
		t.Errorf("a plugin without a hook: %+v", state.Findings)
	}
	uninstallClient(t, c, cl)
	if SameFile(cl.dir(c), cl.dir(c)) {
		t.Errorf("%s is left", cl.dir(c))
	}
}
