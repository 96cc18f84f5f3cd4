package setup

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// agent is the agent's own command as we have seen it behave: it reads its settings, changes them and writes them in
// its own layout, copies the plugin and lists it.
type agent struct {
	m     machine
	calls []string
	fails string // words of the command that does not work
	idle  bool   // the commands say that all is well, and do nothing
}

// withAgent puts the agent's command and a release of the plugin on a machine.
func withAgent(t *testing.T) (machine, *agent) {
	m := newMachine(t)
	m.write(filepath.Join(m.Path[0], "claude"), "#!", 0o755)
	m.PluginDir = filepath.Join(m.Home, "data", "plugin")
	m.Plugin = fstest.MapFS{
		".claude-plugin/plugin.json": {Data: []byte(`{"name":"remanence"}`)},
		"hooks/hooks.json":           {Data: PluginHooks()},
		"commands/off.md":            {Data: []byte("off\n")},
		".mcp.json":                  {Data: PluginServer()},
	}
	a := &agent{m: m}
	m.Run = a.run
	return m, a
}

func (a *agent) run(_ context.Context, _ string, args ...string) ([]byte, error) {
	said := strings.Join(args[1:], " ")
	a.calls = append(a.calls, said)
	switch {
	case a.fails != "" && strings.Contains(said, a.fails):
		return []byte("✘ no such luck\n"), errors.New("exit status 1")
	case a.idle:
		return nil, nil
	}
	settings := map[string]any{}
	if text, err := os.ReadFile(a.m.user()); err == nil {
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(text), utfBOM)), &settings); err != nil {
			return []byte("invalid JSON"), err
		}
	}
	in := func(name string) map[string]any {
		if _, ok := settings[name].(map[string]any); !ok {
			settings[name] = map[string]any{}
		}
		return settings[name].(map[string]any)
	}
	switch args[2] + " " + args[3] {
	case "marketplace add":
		in("extraKnownMarketplaces")["remanence"] = map[string]any{"source": map[string]any{
			"source": "directory",
			"path":   args[4],
		}}
		a.List("known_marketplaces.json", `{"remanence":{"x":1}}`)
	case "marketplace remove":
		delete(in("extraKnownMarketplaces"), "remanence")
		a.List("known_marketplaces.json", `{}`)
	case "install remanence@remanence":
		in("enabledPlugins")["remanence@remanence"] = true
		a.List("installed_plugins.json", `{"version":2,"plugins":{"remanence@remanence":[]}}`)
		a.List("cache/remanence/remanence/0.1.0/README.md", "copy")
	case "uninstall remanence@remanence":
		delete(in("enabledPlugins"), "remanence@remanence")
		if _, ok := settings["pluginConfigs"]; ok {
			delete(in("pluginConfigs"), "remanence@remanence")
		}
		a.List("installed_plugins.json", `{"version":2,"plugins":{}}`)
	}
	text, err := json.MarshalIndent(settings, "", "  ")
	a.m.write(a.m.user(), string(text), 0o600)
	return nil, err
}

func (a *agent) List(name, text string) {
	a.m.write(filepath.Join(a.m.Home, ".claude", "plugins", name), text, 0o600)
}

func (m machine) installPlugin() Record {
	m.t.Helper()
	plan, err := PlanPlugin(m.Config, Lean)
	must(m.t, err)
	r, err := InstallPlugin(m.t.Context(), m.Config, plan)
	must(m.t, err)
	return r
}

func (m machine) removePlugin() PluginRemoved {
	m.t.Helper()
	plan, err := PlanPluginRemoval(m.Config)
	must(m.t, err)
	done, err := RemovePlugin(m.t.Context(), m.Config, plan)
	must(m.t, err)
	return done
}

// leavesNothing makes sure that nothing of ours is anywhere but for the binary.
func (m machine) leavesNothing() {
	m.t.Helper()
	for line := range strings.Lines(m.snapshot()) {
		if strings.Contains(line, "remanence") && !strings.Contains(line, "bin/remanence") {
			m.t.Errorf("left behind: %s", line)
		}
	}
	if _, err := os.Stat(m.RecordDir); err == nil {
		m.t.Errorf("install records are left")
	}
	if _, err := os.Stat(m.PluginDir); err == nil {
		m.t.Errorf("the plugin is left")
	}
}

// oddSettings are laid out as only a person would, with what an agent that writes them anew does not keep.
const oddSettings = utfBOM + "{ \"model\":\"x\",\r\n  \"big\": 9007199254740993, \"e\":1e3,\n\t\"enabledPlugins\": " +
	"{ },\"u\":\"\\u00e9\", \"model\":\"y\"}"

func TestPluginComesAndGoesAndTheSettingsGetEveryByteBack(t *testing.T) {
	for name, text := range map[string]string{
		"odd":              oddSettings,
		"nothing in it":    "{}",
		"other plugins":    `{"enabledPlugins":{"lint@x":true}, "extraKnownMarketplaces" : {}}`,
		"lists of nothing": `{"hooks":{"Stop":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m, a := withAgent(t)
			m.write(m.user(), text, 0o640)
			r := m.installPlugin()
			if string(r.Before) != text || r.Plugin != m.PluginDir {
				t.Errorf("the record holds %q and %q, want %q and %q", r.Before, r.Plugin, text, m.PluginDir)
			}
			hooks := m.text(filepath.Join(m.PluginDir, "remanence", "hooks", "hooks.json"))
			if !strings.Contains(hooks, m.Binary) || strings.Contains(hooks, "CLAUDE_PLUGIN_ROOT") {
				t.Errorf("the hooks do not run %s:\n%s", m.Binary, hooks)
			}
			if done := m.removePlugin(); done.Settings != Restore || len(done.Notes) > 0 {
				t.Errorf("got %+v, want %s without notes", done, Restore)
			}
			if got := m.text(m.user()); got != text {
				t.Errorf("got\n%q\nwant\n%q", got, text)
			}
			m.leavesNothing()
			want := []string{
				"plugin marketplace add " + m.PluginDir, "plugin install remanence@remanence",
				"plugin uninstall remanence@remanence", "plugin marketplace remove remanence",
			}
			if !slices.Equal(a.calls, want) {
				t.Errorf("ran %q, want %q", a.calls, want)
			}
		})
	}
}

func TestSettingsThatOnlyThePluginNeededGoWithIt(t *testing.T) {
	m, _ := withAgent(t)
	m.installPlugin()
	if done := m.removePlugin(); done.Settings != Delete {
		t.Errorf("got %+v, want %s", done, Delete)
	}
	if _, err := os.Stat(m.user()); err == nil {
		t.Errorf("the settings are left: %s", m.text(m.user()))
	}
	m.leavesNothing()
}

func TestWhatChangedMeanwhileStaysAndOnlyThePluginGoes(t *testing.T) {
	m, _ := withAgent(t)
	m.write(m.user(), oddSettings, 0o600)
	m.installPlugin()
	m.write(m.user(), strings.Replace(m.text(m.user()), `"y"`, `"z"`, 1), 0o600)
	if done := m.removePlugin(); done.Settings != Edit {
		t.Errorf("got %+v, want %s", done, Edit)
	}
	want := "{\n  \"big\": 9007199254740992,\n  \"e\": 1000,\n  \"enabledPlugins\": {},\n  \"model\": \"z\",\n  \"u\": " +
		"\"é\"\n}"
	if got := m.text(m.user()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m.leavesNothing()
}

func TestOptionsOfThePluginGoWithIt(t *testing.T) {
	for _, idle := range []bool{false, true} {
		m, a := withAgent(t)
		m.write(m.user(), oddSettings, 0o600)
		m.installPlugin()
		m.write(m.user(), strings.Replace(m.text(m.user()), "{",
			`{"pluginConfigs": {"remanence@remanence": {"options": {"inject": "off"}}},`, 1), 0o600)
		a.idle = idle
		m.removePlugin()
		if got := m.text(m.user()); got != oddSettings {
			t.Errorf("idle %v: got %q, want %q", idle, got, oddSettings)
		}
	}
}

func TestPluginGoesAlsoWithoutTheAgentsHelp(t *testing.T) {
	for name, spoil := range map[string]func(*machine, *agent){
		"its command is gone":      func(m *machine, _ *agent) { must(t, os.Remove(filepath.Join(m.Path[0], "claude"))) },
		"its command does nothing": func(_ *machine, a *agent) { a.idle = true },
		"its command fails":        func(_ *machine, a *agent) { a.fails = "plugin" },
	} {
		t.Run(name, func(t *testing.T) {
			m, a := withAgent(t)
			m.write(m.user(), oddSettings, 0o600)
			m.installPlugin()
			spoil(&m, a)
			done := m.removePlugin()
			if done.Settings != Restore || (len(done.Notes) > 0) == a.idle {
				t.Errorf("got %+v", done)
			}
			if got := m.text(m.user()); got != oddSettings {
				t.Errorf("got\n%q\nwant\n%q", got, oddSettings)
			}
			m.leavesNothing()
		})
	}
}

func TestPluginWithoutARecordIsFoundAndRemoved(t *testing.T) {
	m, _ := withAgent(t)
	m.write(m.user(), `{"model":"x"}`, 0o600)
	m.installPlugin()
	must(t, os.RemoveAll(m.RecordDir))
	if done := m.removePlugin(); done.Settings != Edit {
		t.Errorf("got %+v, want %s", done, Edit)
	}
	if got, want := m.text(m.user()), "{\n  \"model\": \"x\"\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m.leavesNothing()
}

func TestPluginAndHooksInSettingsGoInAnyOrderOfComing(t *testing.T) {
	for _, pluginFirst := range []bool{true, false} {
		for _, text := range []string{"", oddSettings, `{"hooks":{}}`} {
			m, _ := withAgent(t)
			if text != "" {
				m.write(m.user(), text, 0o600)
			}
			if pluginFirst {
				m.installPlugin()
				m.install(Options{})
			} else {
				m.install(Options{})
				m.installPlugin()
			}
			if got := codes(Check(m.Config)); !slices.Equal(got, []string{CodeDoubled}) {
				t.Errorf("got %v, want only that hooks are doubled", got)
			}
			m.uninstall()
			m.removePlugin()
			got, _ := os.ReadFile(m.user())
			if string(got) != text {
				t.Errorf("plugin first %v: got %q, want %q", pluginFirst, got, text)
			}
			m.leavesNothing()
		}
	}
}

func TestInstallingThePluginAgainKeepsTheBytesFromBeforeTheFirstTime(t *testing.T) {
	m, _ := withAgent(t)
	m.write(m.user(), oddSettings, 0o600)
	m.installPlugin()
	stray := filepath.Join(m.PluginDir, "remanence", "commands", "old.md")
	m.write(stray, "of an older version", 0o600)
	m.Binary = filepath.Join(filepath.Dir(m.Home), "opt", "remanence")
	m.write(m.Binary, "#!", 0o755)
	m.installPlugin()
	if _, err := os.Stat(stray); err == nil {
		t.Errorf("%s is still there", stray)
	}
	if got := codes(Check(m.Config)); len(got) != 0 {
		t.Errorf("got %v, want nothing wrong", got)
	}
	m.removePlugin()
	if got := m.text(m.user()); got != oddSettings {
		t.Errorf("got %q, want %q", got, oddSettings)
	}
}

func TestAPluginThatIsNotTakenLeavesAllAsItWas(t *testing.T) {
	for name, spoil := range map[string]func(*agent){
		"no marketplace":  func(a *agent) { a.fails = "marketplace add" },
		"no plugin":       func(a *agent) { a.fails = "plugin install" },
		"only pretending": func(a *agent) { a.idle = true },
	} {
		t.Run(name, func(t *testing.T) {
			m, a := withAgent(t)
			m.write(m.user(), oddSettings, 0o600)
			spoil(a)
			plan, err := PlanPlugin(m.Config, Lean)
			must(t, err)
			_, err = InstallPlugin(t.Context(), m.Config, plan)
			if !errors.Is(err, ErrClient) || a.fails != "" && !strings.Contains(err.Error(), "no such luck") {
				t.Errorf("got %v, want %v with what the agent said", err, ErrClient)
			}
			if got := m.text(m.user()); got != oddSettings {
				t.Errorf("got %q, want %q", got, oddSettings)
			}
			m.leavesNothing()
		})
	}
}

func TestNothingIsRunWhereItCouldNotBeUndone(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*machine)
		want  error
	}{
		"no command":       {func(m *machine) { m.Path = nil }, ErrNoClient},
		"no JSON":          {func(m *machine) { m.write(m.user(), `{"a":1,}`, 0o600) }, ErrNotJSON},
		"no object":        {func(m *machine) { m.write(m.user(), `[]`, 0o600) }, ErrShape},
		"odd plugins":      {func(m *machine) { m.write(m.user(), `{"enabledPlugins":["a"]}`, 0o600) }, ErrShape},
		"read-only":        {func(m *machine) { m.write(m.user(), `{}`, 0o400) }, ErrReadOnly},
		"no usable binary": {func(m *machine) { m.Binary = "remanence" }, ErrBinary},
	} {
		m, a := withAgent(t)
		c.spoil(&m)
		before := m.snapshot()
		if _, err := PlanPlugin(m.Config, Lean); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if got := m.snapshot(); got != before || len(a.calls) > 0 {
			t.Errorf("%s: ran %q, and the machine is now\n%s\nwas\n%s", name, a.calls, got, before)
		}
	}
}

func TestPluginStaysWhereSettingsCannotBeRead(t *testing.T) {
	m, a := withAgent(t)
	m.installPlugin()
	m.write(m.user(), `{"enabledPlugins": {"remanence@remanence": true},, }`, 0o600)
	before, calls := m.snapshot(), len(a.calls)
	plan, err := PlanPluginRemoval(m.Config)
	if !errors.Is(err, ErrNotJSON) || !plan.Nothing() {
		t.Errorf("got %+v, %v, want nothing to do because of %v", plan, err, ErrNotJSON)
	}
	if _, err := RemovePlugin(t.Context(), m.Config, plan); err != nil || m.snapshot() != before || len(a.calls) != calls {
		t.Errorf("got %v, ran %q", err, a.calls[calls:])
	}
}

func TestAMachineWithoutThePluginHasNothingToRemove(t *testing.T) {
	m, _ := withAgent(t)
	m.write(m.user(), `{"model": broken}`, 0o600)
	if plan, err := PlanPluginRemoval(m.Config); err != nil || !plan.Nothing() {
		t.Errorf("got %+v, %v, want nothing", plan, err)
	}
}

func TestCheckSeesWhatIsWrongWithThePlugin(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*machine)
		want  string
	}{
		"its binary is gone":  {func(m *machine) { must(t, os.Remove(m.Binary)) }, CodeBinary},
		"its files are gone":  {func(m *machine) { must(t, os.RemoveAll(m.PluginDir)) }, CodeMissing},
		"another program now": {func(m *machine) { m.Binary += "-new/remanence" }, CodeStale},
		"hooks in settings":   {func(m *machine) { m.install(Options{}) }, CodeDoubled},
	} {
		m, _ := withAgent(t)
		m.installPlugin()
		if got := codes(Check(m.Config)); len(got) > 0 {
			t.Errorf("%s: got %v before", name, got)
		}
		c.spoil(&m)
		list := Check(m.Config)
		if got := codes(list); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
			continue
		}
		f := list[slices.IndexFunc(list, func(f Finding) bool { return f.Code != "" })]
		if want := "remanence install claude-code --plugin"; c.want != CodeDoubled && (f.Safe || f.Fix[0] != want) {
			t.Errorf("%s: got %+v, want it fixed by %q only", name, f, want)
		}
	}
}

func TestPlanWarnsOfHooksBesideThePlugin(t *testing.T) {
	m, _ := withAgent(t)
	m.install(Options{})
	plan, err := PlanPlugin(m.Config, Full)
	must(t, err)
	if got := codes(plan.Warnings); !slices.Equal(got, []string{CodeDoubled}) ||
		!slices.Equal(plan.Beside, []string{m.user()}) {
		t.Errorf("got %v beside %v", got, plan.Beside)
	}
	if len(plan.Entries) != len(leanHooks())+len(moreHooks()) {
		t.Errorf("got %d hooks", len(plan.Entries))
	}
}

func TestCommandLinesCanBePasted(t *testing.T) {
	got := CommandLine([]string{"/usr/bin/claude", "plugin", "marketplace", "add", "/home/a b/it's"})
	if want := `claude plugin marketplace add '/home/a b/it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
