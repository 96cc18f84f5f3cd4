package cli

import (
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/config"
)

// On another disk a file cannot be renamed, so it is copied.
func TestAFileIsMovedToAnotherDiskWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	other, err := os.MkdirTemp("/dev/shm", "remanence-move-")
	if err != nil {
		t.Skipf("NOT PROVED: there is no second disk: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	from, to := filepath.Join(dir, "from"), filepath.Join(other, "to")
	if err := os.WriteFile(from, []byte("a backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := moveFile(from, filepath.Join(other, "no", "to")); err == nil || !config.Exists(from) {
		t.Errorf("into no directory: %v, still there: %v, want an error and the file", err, config.Exists(from))
	}
	if err := moveFile(from, to); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(other)
	if b, rerr := os.ReadFile(to); err != nil || rerr != nil || string(b) != "a backup" || len(left) != 1 ||
		config.Exists(from) {
		t.Errorf("got %q, %v beside it, the first still there: %v; want it moved alone (%v, %v)", b, left,
			config.Exists(from), err, rerr)
	}
}
