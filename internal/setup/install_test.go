package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine is a throw-away home with a binary in it.
type machine struct {
	t *testing.T
	Config
}

func newMachine(t *testing.T) machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := machine{t, Config{
		Home:      filepath.Join(dir, "home"),
		Project:   filepath.Join(dir, "work"),
		Binary:    filepath.Join(dir, "bin", "remanence"),
		RecordDir: filepath.Join(dir, "home", "state", "install"),
		Managed:   filepath.Join(dir, "etc", "managed-settings.json"),
		Path:      []string{filepath.Join(dir, "bin")},
		Now:       func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}}
	m.write(m.Binary, "#!", 0o755)
	m.mkdir(m.Project)
	m.mkdir(filepath.Dir(m.RecordDir))
	return m
}

func (m machine) user() string    { return filepath.Join(m.Home, ".claude", "settings.json") }
func (m machine) project() string { return filepath.Join(m.Project, ".claude", "settings.json") }

func (m machine) mkdir(dir string) {
	m.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m machine) write(path, text string, mode fs.FileMode) {
	m.t.Helper()
	m.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m machine) link(target, path string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(path))
	if err := os.Symlink(target, path); err != nil {
		m.t.Fatal(err)
	}
}

func (m machine) text(path string) string {
	m.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

func (m machine) install(o Options) Record {
	m.t.Helper()
	p, err := PlanInstall(m.Config, o)
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := Apply(m.Config, p)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func (m machine) uninstall() Removal {
	m.t.Helper()
	plan, err := PlanUninstall(m.Config)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := Uninstall(m.Config, plan); err != nil {
		m.t.Fatal(err)
	}
	return plan
}

// snapshot is everything below the machine's root: path, mode and content or link target.
func (m machine) snapshot() string {
	m.t.Helper()
	var b strings.Builder
	root := filepath.Dir(m.Home)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(path, root)
		b.WriteString(rel + " " + info.Mode().String())
		switch {
		case info.Mode().IsRegular():
			b.WriteString(" " + m.text(path))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			b.WriteString(" -> " + target)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return b.String()
}

func (m machine) wantUntouched(before string) {
	m.t.Helper()
	if after := m.snapshot(); after != before {
		m.t.Errorf("files differ\ngot:\n%s\nwant:\n%s", after, before)
	}
}

func TestUninstallLeavesNothingBehind(t *testing.T) {
	for name, src := range layouts() {
		for _, scope := range []Scope{ScopeUser, ScopeProject} {
			t.Run(name+"/"+string(scope), func(t *testing.T) {
				m := newMachine(t)
				m.write(m.Config.settingsFile(scope), src, 0o640)
				before := m.snapshot()
				m.install(Options{Scope: scope, Profile: Full})
				if plan := m.uninstall(); len(plan.Steps) != 1 || plan.Steps[0].Action != Restore || plan.Steps[0].Hooks != 16 {
					t.Errorf("got steps %+v, want one that restores and takes 16 hooks", plan.Steps)
				}
				m.wantUntouched(before)
			})
		}
	}
}

func TestUninstallRemovesWhatItHadToMake(t *testing.T) {
	for _, scope := range []Scope{ScopeUser, ScopeProject} {
		m := newMachine(t)
		before := m.snapshot()
		r := m.install(Options{Scope: scope})
		if !r.Created || len(r.Dirs) != 1 || r.Before != nil {
			t.Errorf("%s: got record %+v, want a created file in one new directory", scope, r)
		}
		m.uninstall()
		m.wantUntouched(before)
	}
}

func TestWhatOthersWroteMeanwhileStays(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	text := strings.Replace(m.text(m.user()), "{\n", "{\n  \"model\": \"opus\",\n", 1)
	m.write(m.user(), text, 0o600)
	m.write(filepath.Join(m.Home, ".claude", "history.jsonl"), "{}", 0o600)

	if plan := m.uninstall(); plan.Steps[0].Action != Edit {
		t.Errorf("got %s, want %s", plan.Steps[0].Action, Edit)
	}
	if got, want := m.text(m.user()), "{\n  \"model\": \"opus\"\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Stat(m.RecordDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("record directory: got %v, want it gone", err)
	}
}

func TestUpgradesAreUndoneToTheFirstByte(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "{\n\t\"a\": 1.0\n}", 0o600)
	before := m.snapshot()
	m.install(Options{})
	m.install(Options{Profile: Full})
	m.Binary = "/opt/remanence"
	if r := m.install(Options{}); r.ID != "i_03" {
		t.Errorf("got record %s, want i_03", r.ID)
	}
	m.uninstall()
	m.wantUntouched(before)
}

func TestUninstallWorksWithoutRecords(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "{\n  \"a\": 1\n}\n", 0o600)
	m.write(m.project(), "{}", 0o644)
	before := m.snapshot()
	m.install(Options{})
	m.install(Options{Scope: ScopeProject})
	if err := os.RemoveAll(m.RecordDir); err != nil {
		t.Fatal(err)
	}
	m.uninstall()
	m.wantUntouched(before)
}

func TestHooksFromBeforeALostRecordGoToo(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	if err := os.RemoveAll(m.RecordDir); err != nil {
		t.Fatal(err)
	}
	m.Binary = "/opt/remanence"
	m.install(Options{})
	m.uninstall()
	if got := m.text(m.user()); got != "{}\n" {
		t.Errorf("got %q, want no hooks", got)
	}
}

func TestADamagedRecordIsReportedAndDoesNotKeepHooksIn(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	m.write(filepath.Join(m.RecordDir, "i_01.json"), "{", 0o600)
	plan, err := PlanUninstall(m.Config)
	if err == nil || !strings.Contains(err.Error(), "i_01.json") {
		t.Errorf("got %v, want the record named", err)
	}
	if err := Uninstall(m.Config, plan); err != nil {
		t.Fatal(err)
	}
	if got := m.text(m.user()); got != "{}\n" {
		t.Errorf("got %q, want no hooks", got)
	}
}

func TestPlanningWritesNothing(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(),
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/remanence","args":["hook","claude-code"]}]}],
		"Setup":[{"hooks":[{"type":"command","command":"/old/remanence","args":["hook","claude-code"]}]}]}}`, 0o600)
	before := m.snapshot()
	p, err := PlanInstall(m.Config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Added != 12 || p.Replaced != 1 || p.Removed != 1 || !p.Changes() {
		t.Errorf("got %d added, %d replaced, %d removed; want 12, 1, 1", p.Added, p.Replaced, p.Removed)
	}
	if _, err := PlanUninstall(m.Config); err != nil {
		t.Fatal(err)
	}
	m.wantUntouched(before)
}

func TestInstallingTwiceIsOneInstallation(t *testing.T) {
	m := newMachine(t)
	first := m.install(Options{})
	before := m.snapshot()
	if again := m.install(Options{}); again.ID != first.ID {
		t.Errorf("got record %s, want %s", again.ID, first.ID)
	}
	m.wantUntouched(before)
}

func TestHooksWithoutARecordGetOne(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	must(t, os.RemoveAll(m.RecordDir))
	p, err := PlanInstall(m.Config, Options{})
	must(t, err)
	if p.Changes() {
		t.Errorf("got a plan with changes %+v, want none", p)
	}
	text := m.text(m.user())
	m.write(m.user(), "{}", 0o600)
	if _, err := Apply(m.Config, p); !errors.Is(err, ErrChanged) {
		t.Errorf("after a change: got %v, want %v", err, ErrChanged)
	}
	m.write(m.user(), text, 0o600)
	if r, err := Apply(m.Config, p); err != nil || r.ID != "i_01" {
		t.Errorf("got record %q, %v, want i_01", r.ID, err)
	}
}

func TestARecordIsCompleteAndReadableByItsOwnerOnly(t *testing.T) {
	m := newMachine(t)
	src := "{\"env\": {\"KEY\": \"secret\xff\"}}"
	m.write(m.user(), src, 0o600)
	r := m.install(Options{})
	file := filepath.Join(m.RecordDir, r.ID+".json")
	for path, want := range map[string]fs.FileMode{file: 0o600, m.RecordDir: 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %v", path, info.Mode().Perm(), err, want)
		}
	}
	var got Record
	if err := json.Unmarshal([]byte(m.text(file)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "remanence.install/v1" || got.ID != "i_01" || !bytes.Equal(got.Before, []byte(src)) ||
		got.SHA256After != digest([]byte(m.text(m.user()))) || len(got.Entries) != 13 || got.Binary != m.Binary {
		t.Errorf("got %+v", got)
	}
}

func TestASymlinkIsWrittenThrough(t *testing.T) {
	m := newMachine(t)
	target := filepath.Join(m.Home, "dotfiles", "claude.json")
	m.write(target, "{}\n", 0o644)
	m.link("../dotfiles/claude.json", m.user())
	before := m.snapshot()

	if r := m.install(Options{}); r.Target != target || r.File != m.user() {
		t.Errorf("got target %s of %s, want %s", r.Target, r.File, target)
	}
	info, err := os.Lstat(m.user())
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("got %v, %v, want the link to stay", info, err)
	}
	if !strings.Contains(m.text(target), m.Binary) {
		t.Errorf("the target has no hooks: %s", m.text(target))
	}
	m.uninstall()
	m.wantUntouched(before)
}

func TestWhatCannotBeEditedIsLeftAlone(t *testing.T) {
	cases := map[string]struct {
		make  func(m machine)
		scope Scope
		want  error
	}{
		"comments":       {func(m machine) { m.write(m.user(), "{ // mine\n}", 0o600) }, ScopeUser, ErrNotJSON},
		"hooks a list":   {func(m machine) { m.write(m.user(), `{"hooks": []}`, 0o600) }, ScopeUser, ErrShape},
		"read-only":      {func(m machine) { m.write(m.user(), "{}", 0o444) }, ScopeUser, ErrReadOnly},
		"a directory":    {func(m machine) { m.mkdir(m.user()) }, ScopeUser, ErrNotFile},
		"a file in path": {func(m machine) { m.write(filepath.Dir(m.user()), "", 0o600) }, ScopeUser, ErrNotFile},
		"dangling link":  {func(m machine) { m.link("nowhere", m.user()) }, ScopeUser, ErrNotFile},
		"a link loop":    {func(m machine) { m.link("settings.json", m.user()) }, ScopeUser, ErrNotFile},
		"two names": {func(m machine) {
			m.write(m.user(), "{}", 0o600)
			if err := os.Link(m.user(), m.user()+".too"); err != nil {
				m.t.Fatal(err)
			}
		}, ScopeUser, ErrNotFile},
		"out of the project": {func(m machine) {
			m.write(m.user(), "{}", 0o600)
			m.link(m.user(), m.project())
		}, ScopeProject, ErrNotFile},
		"directory out of the project": {func(m machine) {
			m.mkdir(m.Home)
			m.link(m.Home, filepath.Dir(m.project()))
		}, ScopeProject, ErrNotFile},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			c.make(m)
			before := m.snapshot()
			if _, err := PlanInstall(m.Config, Options{Scope: c.scope}); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			m.wantUntouched(before)
		})
	}
}

func TestABinaryThatCouldNotBeRecognisedIsRefused(t *testing.T) {
	for _, binary := range []string{"", "remanence", "bin/remanence", "/opt/remanence-linux", "/opt/setup.test"} {
		m := newMachine(t)
		m.Binary = binary
		if _, err := PlanInstall(m.Config, Options{}); !errors.Is(err, ErrBinary) {
			t.Errorf("%q: got %v, want %v", binary, err, ErrBinary)
		}
	}
}

func TestSettingsThatChangedSincePlanningAreNotOverwritten(t *testing.T) {
	cases := map[string]func(m machine){
		"edited":   func(m machine) { m.write(m.user(), `{"a": 1}`, 0o600) },
		"gone":     func(m machine) { must(m.t, os.Remove(m.user())) },
		"a link":   func(m machine) { must(m.t, os.Rename(m.user(), m.user()+"2")); m.link("settings.json2", m.user()) },
		"reversed": func(m machine) { must(m.t, os.Remove(m.user())); m.mkdir(m.user()) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(m.user(), "{}", 0o600)
			p, err := PlanInstall(m.Config, Options{})
			must(t, err)
			change(m)
			before := m.snapshot()
			if _, err := Apply(m.Config, p); !errors.Is(err, ErrChanged) {
				t.Errorf("got %v, want %v", err, ErrChanged)
			}
			m.wantUntouched(before)
		})
	}
}

func TestUninstallOfSettingsThatChangedSincePlanningKeepsTheRecord(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	plan, err := PlanUninstall(m.Config)
	must(t, err)
	m.write(m.user(), "{\n}", 0o600)
	before := m.snapshot()
	if err := Uninstall(m.Config, plan); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
	m.wantUntouched(before)
}

func TestAFileMadeSincePlanningIsNotOverwritten(t *testing.T) {
	m := newMachine(t)
	p, err := PlanInstall(m.Config, Options{})
	must(t, err)
	m.write(m.user(), `{"a": 1}`, 0o600)
	before := m.snapshot()
	if _, err := Apply(m.Config, p); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
	m.wantUntouched(before)
}

func TestAFailedWriteLeavesNoRecord(t *testing.T) {
	m := newMachine(t)
	m.link("nowhere", filepath.Join(m.Home, ".claude"))
	p, err := PlanInstall(m.Config, Options{})
	must(t, err)
	before := m.snapshot()
	if _, err := Apply(m.Config, p); err == nil {
		t.Error("got no error, want that of the missing directory")
	}
	m.wantUntouched(before)
}

func TestOneBrokenFileDoesNotKeepHooksInAnother(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	m.install(Options{Scope: ScopeProject})
	broken := m.text(m.user()) + ","
	m.write(m.user(), broken, 0o600)
	plan, err := PlanUninstall(m.Config)
	if !errors.Is(err, ErrNotJSON) {
		t.Errorf("got %v, want %v", err, ErrNotJSON)
	}
	must(t, Uninstall(m.Config, plan))
	if m.text(m.user()) != broken {
		t.Errorf("the broken file was changed: %q", m.text(m.user()))
	}
	if _, err := os.Stat(m.project()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("project settings: got %v, want them gone", err)
	}
	if left, err := Records(m.Config); err != nil || len(left) != 1 || left[0].File != m.user() {
		t.Errorf("got records %+v, %v, want that of the broken file", left, err)
	}
}

func TestUninstallPassesOverFilesThatWereNeverOurs(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "not JSON at all", 0o600)
	m.link("nowhere", m.project())
	before := m.snapshot()
	if plan := m.uninstall(); len(plan.Steps) != 0 {
		t.Errorf("got steps %+v, want none", plan.Steps)
	}
	m.wantUntouched(before)
}

func TestModeIsKept(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "{}", 0o664)
	m.install(Options{})
	info, err := os.Stat(m.user())
	if err != nil || info.Mode().Perm() != 0o664 {
		t.Errorf("got %v, %v, want mode 0664", info.Mode().Perm(), err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUninstallSweepsUpWhatAKilledOneLeftWhereverSettingsLie(t *testing.T) {
	m := newMachine(t)
	m.Project = filepath.Join(filepath.Dir(m.Project), "[work]") // a pattern would look in w, o, r and k
	m.write(m.project(), "{}\n", 0o644)
	linked := filepath.Join(m.Home, "dotfiles", "claude.json")
	m.write(linked, "{}\n", 0o644)
	m.link("../dotfiles/claude.json", m.user())
	before := m.snapshot()
	for _, dir := range []string{filepath.Dir(m.project()), filepath.Dir(linked)} {
		m.write(filepath.Join(dir, ".remanence-1.tmp"), "half of", 0o600)
	}
	m.uninstall()
	m.wantUntouched(before)
}
