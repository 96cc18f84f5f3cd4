package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/project"
	"remanence/internal/setup"
)

// A configuration file in a repository is reported: that it is not trusted and how to trust it, then what of it has no
// effect, then what it sets.
func TestTheConfigurationFileOfAProjectIsReported(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	getenv := environment(map[string]string{"HOME": t.TempDir()})
	p, err := config.FindPaths(getenv, "")
	if err == nil {
		err = p.MakeWork()
	}
	if err != nil {
		t.Fatal(err)
	}
	sys := config.System{Getenv: getenv, Now: time.Now}
	a := &Checks{Connection: &daemon.Connection{Sys: sys, Paths: p, Project: root, Close: func() {}}}
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(config.ProjectFile(root)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config.ProjectFile(root), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(when, state, fix, said string) {
		t.Helper()
		got := a.checkProjectFile()
		text := ""
		for _, c := range got {
			if text += c.What; c.Why != nil {
				text += *c.Why
			}
		}
		if len(got) != 1 || got[0].State != state || !strings.Contains(strings.Join(got[0].Fix, "\n"), fix) ||
			!strings.Contains(text, said) {
			t.Errorf("%s: got %+v, want %s, the fix %q and the words %q", when, got, state, fix, said)
		}
	}
	if got := a.checkProjectFile(); len(got) > 0 {
		t.Errorf("without a file: %+v", got)
	}
	write("project.name = 'The till'\nlog.level = 'debug'\n")
	wants("not trusted", setup.Info, "remanence trust", "config.toml")
	pr, err := project.Identify(root)
	if err == nil {
		_, err = daemon.TrustProject(p, pr, "", time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	wants("a key too many", setup.Warn, config.ProjectFile(root), "log.level")
	write("project.name = 'The till'\n")
	wants("trusted", setup.OK, "", "name The till")
}
