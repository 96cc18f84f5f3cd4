package vault

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// TestUnreadableFileIsNotMissing: a folder may show its names and nothing
// else of its files.
func TestUnreadableFileIsNotMissing(t *testing.T) {
	v := newVault(t)
	dir := filepath.Join(v.Dir, memoryDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fact_a.md"), []byte("so it is"), 0o600); err != nil {
		t.Fatal(err)
	}
	known := func() ([]mem.Note, error) { return nil, nil }
	if err := v.Look(known, func(vaultfile.Changes) error { return nil }); err != nil {
		t.Fatal(err)
	}
	root, err := v.open()
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, d := range []struct {
		name string
		mode os.FileMode
	}{{v.Dir, 0o755}, {dir, 0o444}} {
		if err := os.Chmod(d.name, d.mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })

	var look vaultfile.Changes
	compared := make(chan error)
	go func() { // on a thread that ends with it: to root nothing is forbidden
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			if err := unix.Setfsuid(65534); err != nil {
				compared <- err
				return
			}
		}
		_, l, err := v.compare(root)
		look = l
		compared <- err
	}()
	if err := <-compared; err != nil {
		t.Fatal(err)
	}
	if len(look.Gone) > 0 {
		t.Errorf("gone: %v, want none", look.Gone)
	}
}
