package hookclient

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/api"
	"remanence/internal/config"
)

func TestAWorkerOfAnotherDataDirectoryIsNoWorkerOfOurs(t *testing.T) {
	home := t.TempDir()
	p, err := config.FindPaths(environment(map[string]string{"HOME": home}), "")
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
		rt, err := ReadRuntime(p)
		if ours := rt.Socket != ""; ours != tc.ours || errors.Is(err, fs.ErrNotExist) == tc.ours {
			t.Errorf("worker of %s: got %+v, %v, want ours to be %v", tc.data, rt, err, tc.ours)
		}
	}
}
