package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/config"
	"remanence/internal/daemon"
)

func TestAFileIsNamedFromWhereThePersonStands(t *testing.T) {
	root := t.TempDir()
	below := filepath.Join(root, "sub")
	if err := errors.Join(os.Mkdir(below, 0o700), os.WriteFile(filepath.Join(below, "here.go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	below, err := os.Getwd() // by its real name
	if err != nil {
		t.Fatal(err)
	}
	from := func(dir string) *app {
		return &app{Connection: &daemon.Connection{Sys: config.System{Getenv: func(string) string { return dir }}}}
	}
	here := from("")
	for name, want := range map[string]string{
		"here.go": filepath.Join(below, "here.go"), "../sub/": below + "/", "../sub": below + "/",
		"sub/here.go": "sub/here.go", "gone.go": "gone.go", "": "", "m_7k2q": "m_7k2q",
	} {
		if got := here.fromHere(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := from(filepath.Dir(below)).fromHere("here.go"); got != filepath.Join(below, "here.go") {
		t.Errorf("below the root: got %q", got)
	}
	if got := from(t.TempDir()).fromHere("here.go"); got != "here.go" {
		t.Errorf("beside the root: got %q", got)
	}
	elsewhere := &app{Connection: &daemon.Connection{Project: "other"}}
	if got := elsewhere.fromHere("here.go"); got != "here.go" {
		t.Errorf("of another project: got %q", got)
	}
}
