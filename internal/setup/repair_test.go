package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARepairGivesEachFileTheProfileThatItHad(t *testing.T) {
	m := newMachine(t)
	m.install(Options{Profile: Full})
	m.installServer() // the newest record has no profile
	full := m.text(m.user())
	m.write(m.user(), strings.Replace(full, "Stop", "Stopp", 1), 0o600)
	must(t, Repair(m.Config, Lean))
	if got := countOurs([]byte(m.text(m.user()))); got != len(leanHooks())+len(moreHooks()) {
		t.Errorf("got %d hooks, want those of the full profile:\n%s", got, m.text(m.user()))
	}
	if got := codes(Check(m.Config)); len(got) > 0 {
		t.Errorf("got %v, want no fault", got)
	}
}

func TestARepairOfHooksOfTwoPlacesTakesNoneOut(t *testing.T) {
	m := newMachine(t)
	m.install(Options{Profile: Full})
	m.installServer()
	mine := m.Binary
	m.Binary = filepath.Join(m.Home, "remanence")
	m.write(m.Binary, "", 0o755)
	m.install(Options{Scope: ScopeProject})
	m.Binary = mine
	must(t, Repair(m.Config, Lean))
	if got := codes(Check(m.Config)); len(got) > 0 {
		t.Errorf("got %v, want no fault", got)
	}
	for file, want := range map[string]int{m.user(): len(leanHooks()) + len(moreHooks()), m.project(): len(leanHooks())} {
		if got := countOurs([]byte(m.text(file))); got != want {
			t.Errorf("%s has %d hooks, want %d", file, got, want)
		}
	}
	if _, _, ok := Server(m.Config); !ok {
		t.Error("the server is gone")
	}
}

func TestARepairBesideThePluginLeavesThePluginAlone(t *testing.T) {
	m, _ := withAgent(t)
	m.install(Options{})
	m.installPlugin()
	must(t, os.Remove(m.Binary))
	must(t, Repair(m.Config, Lean))
	if got := countOurs([]byte(m.text(m.user()))); got != 0 || !namesPlugin([]byte(m.text(m.user()))) {
		t.Errorf("got %d hooks in\n%s\nwant the plugin alone", got, m.text(m.user()))
	}
}

func TestARepairDoesNotTouchHooksThatCameWithAClone(t *testing.T) {
	m := newMachine(t)
	theirs := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/theirs/remanence","args":["hook",` +
		`"claude-code"],"timeout":5}]}]}}`
	m.write(m.project(), theirs, 0o644)
	m.install(Options{})
	for _, f := range Check(m.Config) {
		if f.Safe {
			t.Errorf("%+v is called safe to mend", f)
		}
	}
	must(t, Repair(m.Config, Lean))
	if got := m.text(m.project()); got != theirs {
		t.Errorf("got %s, want it as it was", got)
	}
}

func TestARepairBesideThePluginDoesNotTouchHooksThatCameWithAClone(t *testing.T) {
	m, _ := withAgent(t)
	theirs := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/theirs/remanence","args":["hook",` +
		`"claude-code"],"timeout":5}]}]}}`
	m.write(m.project(), theirs, 0o644)
	m.install(Options{})
	m.installPlugin()
	must(t, Repair(m.Config, Lean))
	if got := m.text(m.project()); got != theirs {
		t.Errorf("got %s, want it as it was", got)
	}
	for _, f := range Check(m.Config) {
		if f.Safe {
			t.Errorf("%+v is called safe to mend", f)
		}
	}
}
