package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"remanence/internal/api"
)

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestPlacesOfFiles(t *testing.T) {
	unix := map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/7"}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, goos, data    string
		env                 map[string]string
		dataDir, spool, run string
	}{
		{"own", "linux", "", unix, "/h/.local/share/remanence", "/h/.local/state/remanence/spool", "/run/user/7/remanence"},
		{"own by its name", "linux", "/h/.local/share/remanence/", unix, "/h/.local/share/remanence", "/h/.local/state/remanence/spool", "/run/user/7/remanence"},
		{"by flag", "linux", "/d", unix, "/d", "/d/spool", "/d/run"},
		{"by variable", "linux", "", map[string]string{"HOME": "/h", "REMANENCE_DATA_DIR": "/d"}, "/d", "/d/spool", "/d/run"},
		{"relative", "linux", "d", unix, filepath.Join(here, "d"), filepath.Join(here, "d/spool"), filepath.Join(here, "d/run")},
		{"Windows", "windows", "", map[string]string{"LOCALAPPDATA": "/l"}, "/l/remanence/data", "/l/remanence/state/spool", "/l/remanence/state/run"},
	} {
		p, err := pathsOn(tc.goos, environment(tc.env), tc.data)
		if err != nil || p.Data != tc.dataDir || p.Spool() != tc.spool || p.Run != tc.run {
			t.Errorf("%s: got data %s, spool %s, sockets %s (%v), want %s, %s, %s", tc.name, p.Data, p.Spool(), p.Run, err, tc.dataDir, tc.spool, tc.run)
		}
	}
}

func TestAWorkerOfAnotherDataDirectoryIsNoWorkerOfOurs(t *testing.T) {
	home := t.TempDir()
	p, err := pathsFrom(environment(map[string]string{"HOME": home}), "")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "link")
	for _, dir := range []string{p.Data, filepath.Dir(p.Runtime())} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(p.Data, link); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		data string
		ours bool
	}{{p.Data, true}, {link, true}, {filepath.Join(home, "else"), false}} {
		if err := (api.Runtime{Data: tc.data, Socket: "/s"}).Write(p.Runtime()); err != nil {
			t.Fatal(err)
		}
		rt, err := p.worker()
		if ours := rt.Socket != ""; ours != tc.ours || errors.Is(err, fs.ErrNotExist) == tc.ours {
			t.Errorf("worker of %s: got %+v, %v, want ours to be %v", tc.data, rt, err, tc.ours)
		}
	}
}

func TestErasingAnotherDataDirectoryLeavesTheUsersOwnFiles(t *testing.T) {
	home := t.TempDir()
	env := environment(map[string]string{"HOME": home})
	own, err := pathsFrom(env, "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := pathsFrom(env, filepath.Join(home, "else"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{own.Key(), own.Config, own.trustedFile(), filepath.Join(own.commandDir(), "x"), own.Runtime(), own.Database(), other.Runtime(), other.Database()} {
		if err := replaceFile(file, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{other.Database(), filepath.Dir(other.Runtime())}
	if got := other.all(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got := own.all()
	for _, file := range []string{own.Key(), own.Config, own.trustedFile(), own.commandDir()} {
		if !slices.Contains(got, file) {
			t.Errorf("got %v, want %s too", got, file)
		}
	}
}

func TestADatabaseThatOthersCanReadIsSeenWhateverItsDirectoryIsCalled(t *testing.T) {
	p := Paths{Data: filepath.Join(t.TempDir(), "[data]")}
	if err := os.MkdirAll(p.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	wal := p.Database() + "-wal"
	if err := os.WriteFile(wal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing here")
	}
	if got, want := p.open(), []string{wal + " 0644"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
