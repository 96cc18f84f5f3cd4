package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

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
		{
			"own by its name", "linux", "/h/.local/share/remanence/", unix, "/h/.local/share/remanence",
			"/h/.local/state/remanence/spool", "/run/user/7/remanence",
		},
		{"by flag", "linux", "/d", unix, "/d", "/d/spool", "/d/run"},
		{"by variable", "linux", "", map[string]string{"HOME": "/h", "REMANENCE_DATA_DIR": "/d"}, "/d", "/d/spool", "/d/run"},
		{
			"relative", "linux", "d", unix, filepath.Join(here, "d"), filepath.Join(here, "d/spool"),
			filepath.Join(here, "d/run"),
		},
		{
			"Windows", "windows", "",
			map[string]string{"LOCALAPPDATA": "/l"},
			"/l/remanence/data", "/l/remanence/state/spool",
			"/l/remanence/state/run",
		},
	} {
		p, err := pathsOn(tc.goos, environment(tc.env), tc.data)
		if err != nil || p.Data != tc.dataDir || p.Spool() != tc.spool || p.Run != tc.run {
			t.Errorf("%s: got data %s, spool %s, sockets %s (%v), want %s, %s, %s", tc.name, p.Data, p.Spool(), p.Run, err,
				tc.dataDir, tc.spool, tc.run)
		}
	}
}

func TestErasingAnotherDataDirectoryLeavesTheUsersOwnFiles(t *testing.T) {
	home := t.TempDir()
	env := environment(map[string]string{"HOME": home})
	own, err := FindPaths(env, "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := FindPaths(env, filepath.Join(home, "else"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		own.Key(), own.Config, own.TrustedFile(), filepath.Join(own.CommandDir(), "x"),
		own.Runtime(), own.Database(), other.Runtime(), other.Database(),
	} {
		if err := ReplaceFile(file, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{other.Database(), filepath.Dir(other.Runtime())}
	if got := other.OwnFiles(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got := own.OwnFiles()
	for _, file := range []string{own.Key(), own.Config, own.TrustedFile(), own.CommandDir()} {
		if !slices.Contains(got, file) {
			t.Errorf("got %v, want %s too", got, file)
		}
	}
}
