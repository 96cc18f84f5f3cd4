//go:build fire && linux

// Package disk proves what the built program keeps when the disk under it fails:
// power cuts at any time, calls that return errors, full and damaged files.
package disk

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/world"
)

func TestMain(m *testing.M) {
	if story := os.Getenv(storyVar); story != "" {
		os.Exit(drive(story))
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // most of the time is waiting
	os.Exit(world.Main(m))
}

// needStrace is for tests that watch or disturb system calls. Without strace they
// are skipped, but not where a change is judged.
func needStrace(t testing.TB) {
	t.Helper()
	out, err := exec.Command("strace", "-f", "-o", os.DevNull, "-e", "trace=fsync", "true").CombinedOutput()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("strace does not work here, and nothing is proved without it: %v\n%s", err, out)
	}
	t.Skipf("NOT PROVED: strace does not work here: %v\n%s", err, out)
}

// needRoot is for tests that mount.
func needRoot(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT PROVED: only root can mount a small file system")
	}
}

// variant builds the program with some of its files other than they are: paths
// below the module's directory, and how to change what is there.
func variant(t testing.TB, name string, edits map[string]func(string) string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "remanence").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, dir := strings.TrimSpace(string(out)), t.TempDir()
	replace := map[string]string{}
	for file, edit := range edits {
		from := filepath.Join(root, file)
		b, err := os.ReadFile(from)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		text := edit(string(b))
		if text == string(b) {
			t.Fatalf("%s is not changed: the variant %q is the program itself", file, name)
		}
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[from] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, name)
	if err := world.Build(binary, "-overlay", overlay); err != nil {
		t.Fatal(err)
	}
	return binary
}

// instead replaces one text by another.
func instead(before, after string) func(string) string {
	return func(s string) string { return strings.Replace(s, before, after, 1) }
}

// scratch is a fresh directory, in memory where that can be had: thousands of
// images of a disk are written and thrown away.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "remanence-disk-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
