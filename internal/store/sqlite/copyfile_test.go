package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestACopyIsCompleteAndPrivateOrMissing(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, []byte("what was kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CopyFile(from, to); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if b, rerr := os.ReadFile(to); err != nil || rerr != nil || string(b) != "what was kept" ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("got %q, %v, %v, want all of it, 0600", b, info, errors.Join(err, rerr))
	}
	if err := CopyFile(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another: %v, want %v", err, fs.ErrExist)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "what was kept" {
		t.Errorf("the other is now %q, %v", b, err)
	}
	none := filepath.Join(dir, "none")
	if err := CopyFile(dir, none); err == nil || !isMissing(none) {
		t.Errorf("of a directory: %v, and something is there: %v, want an error and nothing", err, !isMissing(none))
	}
}
