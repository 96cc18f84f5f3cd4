package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func codes(list []Finding) []string {
	var codes []string
	for _, f := range list {
		if f.Code != "" {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

const ourPluginOn = `{"enabledPlugins": {"remanence@remanence": true}}`

func TestCheckFindsEachFault(t *testing.T) {
	cases := map[string]struct {
		spoil func(m *machine)
		want  []string
		state string
		why   string // part of the evidence
		fix   string // first command
	}{
		"nothing": {spoil: func(*machine) {}},
		"binary gone": {
			func(m *machine) { must(m.t, os.Remove(m.Binary)) },
			[]string{CodeBinary},
			Fail, "is missing", "remanence install claude-code",
		},
		"binary not executable": {
			func(m *machine) { must(m.t, os.Chmod(m.Binary, 0o644)) },
			[]string{CodeBinary},
			Fail, "not executable", "remanence install claude-code",
		},
		"hooks gone": {
			func(m *machine) { m.write(m.user(), "{}", 0o600) },
			[]string{CodeMissing},
			Fail, "settings.json", "remanence install claude-code",
		},
		"settings gone": {
			func(m *machine) { must(m.t, os.Remove(m.user())) },
			[]string{CodeMissing},
			Fail, "settings.json", "remanence install claude-code",
		},
		"one hook gone": {
			func(m *machine) { m.write(m.user(), strings.Replace(m.text(m.user()), "Stop", "Stopp", 1), 0o600) },
			[]string{CodeMissing, CodeStale},
			Fail, "settings.json", "remanence install claude-code",
		},
		"settings broken": {
			func(m *machine) { m.write(m.user(), "{,}", 0o600) },
			[]string{CodeMissing},
			Fail, "line 1", "mend ",
		},
		"plugin too": {
			func(m *machine) { m.write(m.project(), ourPluginOn, 0o600) },
			[]string{CodeDoubled},
			Warn, "plugin remanence@remanence and by", "remanence doctor --fix",
		},
		"two binaries": {
			func(m *machine) {
				other := filepath.Join(m.Home, "remanence")
				m.write(other, "", 0o755)
				mine := m.Binary
				m.Binary = other
				m.install(Options{Scope: ScopeProject})
				m.Binary = mine
			},
			[]string{CodeDoubled, CodeStale},
			Warn, "work/.claude/settings.json", "remanence install claude-code --scope project",
		},
		"binary of another project gone": {
			func(m *machine) {
				mine, here := m.Binary, m.Project
				m.Binary, m.Project = filepath.Join(m.Home, "remanence"), filepath.Join(m.Home, "other")
				m.mkdir(m.Project)
				m.install(Options{Scope: ScopeProject})
				m.Binary, m.Project = mine, here
			},
			[]string{CodeBinary},
			Fail, "other/.claude/settings.json", "remanence install claude-code --scope project --project /",
		},
		"another project gone, and its binary": {spoil: func(m *machine) {
			mine, here := m.Binary, m.Project
			m.Binary, m.Project = filepath.Join(m.Home, "remanence"), filepath.Join(m.Home, "other")
			m.mkdir(m.Project)
			m.install(Options{Scope: ScopeProject})
			must(m.t, os.RemoveAll(m.Project))
			m.Binary, m.Project = mine, here
		}},
		"an old place": {
			func(m *machine) { m.Binary = "/new/remanence" },
			[]string{CodeStale},
			Warn, "/new/remanence", "remanence install claude-code",
		},
		"an old time-out": {
			func(m *machine) {
				m.write(m.user(), strings.Replace(m.text(m.user()), `"timeout": 10`, `"timeout": 60`, 1), 0o600)
			},
			[]string{CodeStale},
			Warn, "SessionStart", "remanence install claude-code",
		},
		"hooks off": {
			func(m *machine) { m.write(m.project(), `{"disableAllHooks": true}`, 0o600) },
			[]string{CodeDisabled},
			Fail, `sets "disableAllHooks"`, `remove "disableAllHooks" from `,
		},
		"hooks off by policy": {
			func(m *machine) { m.write(m.Managed, `{"allowManagedHooksOnly": true}`, 0o600) },
			[]string{CodeDisabled},
			Fail, "managed-settings.json", `remove "allowManagedHooksOnly" from `,
		},
		"another tool's plugin": {
			func(m *machine) { m.write(m.project(), `{"enabledPlugins": {"claude-mem@thedotmack": true}}`, 0o600) },
			[]string{CodeOthers},
			Warn, "plugin claude-mem@thedotmack", "claude plugin disable claude-mem@thedotmack",
		},
		"another tool's hooks": {
			func(m *machine) {
				m.write(filepath.Join(m.Project, ".claude", "settings.local.json"),
					`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "node ~/.mindstone/stop.js"}]}]}}`, 0o600)
			},
			[]string{CodeOthers},
			Warn, "mindstone", "remove its hooks from ",
		},
		"plugins and hooks that are no concern": {spoil: func(m *machine) {
			m.write(m.project(), `{"enabledPlugins": {"claude-mem@thedotmack": false, "lint@x": true}, "disableAllHooks": false,
				"allowManagedHooksOnly": true,
				"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "rm -rf ~/claude-memory-cache/"}]}]}}`, 0o600)
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.install(Options{})
			c.spoil(&m)
			list := Check(m.Config)
			if got := codes(list); !slices.Equal(got, c.want) {
				t.Fatalf("got %v, want %v\n%+v", got, c.want, list)
			}
			if len(c.want) == 0 {
				return
			}
			f := list[slices.IndexFunc(list, func(f Finding) bool { return f.Code != "" })]
			if f.State != c.state || !strings.Contains(f.Why, c.why) || len(f.Fix) == 0 || !strings.HasPrefix(f.Fix[0], c.fix) {
				t.Errorf("got %+v\nwant %s because of %q, fixed by %q", f, c.state, c.why, c.fix)
			}
		})
	}
}

func TestInstallingRepairsWhatItSaysItDoes(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/gone/remanence hook claude-code"}]}]}}`,
		0o600)
	if got, want := codes(Check(m.Config)), []string{CodeBinary, CodeMissing}; !slices.Equal(got, want) {
		t.Errorf("before: got %v, want %v", got, want)
	}
	m.install(Options{})
	if got := codes(Check(m.Config)); len(got) != 0 {
		t.Errorf("after: got %v, want none", got)
	}
}

func TestAMachineWithoutUsIsNotFaulty(t *testing.T) {
	m := newMachine(t)
	states := func() (out []string) {
		for _, f := range Check(m.Config) {
			out = append(out, f.ID+" "+f.State)
		}
		return out
	}
	if got, want := states(), []string{"claude.hooks " + Info, "claude.others " + OK}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: of hooks that are not there nothing is in order", got, want)
	}
	m.write(m.user(), ourPluginOn, 0o600)
	if got := states(); !slices.Contains(got, "claude.hooks "+OK) || len(got) != 6 {
		t.Errorf("with the plugin: got %q, want every check", got)
	}
}

func TestAPlanWarnsOfWhatWillKeepHooksFromServing(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), `{"disableAllHooks": true, "enabledPlugins": {"remanence@remanence": true, "memoryforge@x": true}}`,
		0o600)
	p, err := PlanInstall(m.Config, Options{})
	must(t, err)
	if got, want := codes(p.Warnings), []string{CodeDoubled, CodeDisabled, CodeOthers}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheNearestSettingsSayWhetherHooksAreOff(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	m.write(filepath.Join(m.Project, ".claude", "settings.json"), `{"disableAllHooks": true}`, 0o600)
	m.write(filepath.Join(m.Project, ".claude", "settings.local.json"), `{"disableAllHooks": false}`, 0o600)
	if got := codes(Check(m.Config)); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
}

func TestDetectFindsTheAgentAndItsPast(t *testing.T) {
	m := newMachine(t)
	if got := Detect(m.Config); len(got) != 0 {
		t.Errorf("got %+v, want none", got)
	}
	projects := filepath.Join(m.Home, ".claude", "projects")
	for _, name := range []string{
		"-a/1.jsonl", "-a/2.jsonl", "-b[x/3.jsonl", "-a/agent-1.jsonl", "-a/notes.txt",
		"-a/1/subagents/agent-2.jsonl",
	} {
		m.write(filepath.Join(projects, name), "", 0o600)
	}
	program := filepath.Join(m.Path[0], "claude")
	m.write(program, "", 0o755)
	got := Detect(m.Config)
	want := Agent{ID: "claude-code", Name: "Claude Code", Dir: filepath.Dir(projects), Program: program, Sessions: 3}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTheEnvironmentMovesTheAgentsDirectory(t *testing.T) {
	env := map[string]string{"CLAUDE_CONFIG_DIR": "/conf", "PATH": "/a" + string(os.PathListSeparator) + "/b"}
	c := FromEnv("/home/u", func(key string) string { return env[key] })
	if got, want := c.settingsFile(ScopeUser), filepath.FromSlash("/conf/settings.json"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !slices.Equal(c.Path, []string{"/a", "/b"}) {
		t.Errorf("got path %v", c.Path)
	}
}

func TestHooksRunTheLinkThatStaysWhenTheFileBehindItGoes(t *testing.T) {
	m := newMachine(t)
	if got := Program(m.Config, m.Binary); got != m.Binary {
		t.Errorf("got %s, want %s", got, m.Binary)
	}
	kept := filepath.Join(m.Home, "cellar", "remanence-0.1.0")
	m.write(kept, "#!", 0o755)
	if got := Program(m.Config, kept); got != kept {
		t.Errorf("beside another program: got %s, want %s", got, kept)
	}
	link := m.Binary
	must(t, os.Remove(link))
	m.link(kept, link)
	if got := Program(m.Config, kept); got != link {
		t.Errorf("got %s, want the link %s", got, link)
	}
	m.install(Options{})
	m.Binary = kept // as seen from where the search path is another
	if got := codes(Check(m.Config)); len(got) > 0 {
		t.Errorf("got %v, want no fault", got)
	}
}
