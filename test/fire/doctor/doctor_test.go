//go:build fire

// Package doctor proves that faults of the disk are named as what they are, and
// that a database comes back from its backup, or from what can be read of it.
package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/tier"
	"remanence/test/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// onDisk runs commands of the person's one after another with a file system of
// its own as data directory, and returns how the last one ended. It needs the
// right to mount.
func onDisk(t *testing.T, p *world.Person, options string, script string) (status int, said string) {
	t.Helper()
	data := filepath.Join(p.Home, "disk")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no file system can be mounted here: %v: %s", err, out)
		}
		t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	cmd := exec.Command("unshare", "-m", "sh", "-c", fmt.Sprintf("mount -t tmpfs -o mode=700,%s tmpfs '%s' && %s", options,
		data, script))
	cmd.Env, cmd.Dir = p.Environ("DATA="+data, "R="+world.Binary+" --no-daemon --data-dir "+data), p.Project
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	_ = cmd.Run() // its exit status is examined
	return cmd.ProcessState.ExitCode(), both.String()
}

func TestAFullOrReadOnlyDiskIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		options, script, code string
	}{
		"full": {
			"size=2m",
			`$R add first && { dd if=/dev/zero of="$DATA/filler" bs=4096 2>/dev/null; true; } && $R add "` +
				strings.Repeat("second ", 4000) + `"`, "REM-S013",
		},
		"full from the beginning": {"size=64k", `$R add first`, "REM-S013"},
		"no room for a backup": {
			"size=4m",
			`$R add first && { dd if=/dev/zero of="$DATA/filler" bs=4096 2>/dev/null; true; } && $R db backup`, "REM-S013",
		},
		"read-only": {"size=4m", `$R add first && mount -o remount,ro "$DATA" && $R add second`, "REM-S014"},
	} {
		t.Run(name, func(t *testing.T) {
			status, said := onDisk(t, world.NewPerson(t), c.options, c.script)
			if status != 1 || !strings.Contains(said, c.code) {
				t.Errorf("got exit %d, want 1 with %s:\n%s", status, c.code, said)
			}
		})
	}
}

// A file that may not grow is neither full nor read-only: the disk refused.
func TestAFileSizeLimitIsReported(t *testing.T) {
	p := world.NewPerson(t)
	p.Run("--no-daemon", "add", "first")
	cmd := exec.Command("sh", "-c", `ulimit -f 100; trap "" XFSZ; exec "$0" --no-daemon add "$1"`, world.Binary,
		strings.Repeat("second ", 12000))
	cmd.Env, cmd.Dir = p.Environ(), p.Project
	out, _ := cmd.CombinedOutput() // its exit status is examined
	if cmd.ProcessState.ExitCode() != 1 || !bytes.Contains(out, []byte("REM-S015")) {
		t.Errorf("got exit %d, want 1 with REM-S015:\n%s", cmd.ProcessState.ExitCode(), out)
	}
	if got := p.Run("--no-daemon", "search", "first"); !strings.Contains(got, "first") {
		t.Errorf("what was kept before is not found: %s", got)
	}
}

// Whatever part of the file is damaged: the backup brings all of it back, and
// the salvage ends with a sound database.
func TestADamagedDatabaseIsRecovered(t *testing.T) {
	r := tier.Rand(t)
	for range tier.Runs(2, 40) {
		p := world.NewPerson(t)
		for i := range 5 {
			p.Run("add", fmt.Sprintf("the keeper counts herons, number %d", i))
		}
		p.Run("db", "backup")
		p.StopWorker()
		file := filepath.Join(p.Data(), "remanence.db")
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(3) {
			from := r.IntN(len(sound) - 5000)
			copy(sound[from:], bytes.Repeat([]byte{0xa5}, 1+r.IntN(5000)))
		}
		if err := os.WriteFile(file, sound, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := p.Command("db", "restore", "--salvage", "--yes").CombinedOutput()
		if err != nil {
			t.Errorf("not salvaged: %v: %s", err, out)
		}
		if !checked(t, p) {
			t.Error("salvaged, and not sound")
		}
		p.Run("db", "restore", "--yes")
		if !checked(t, p) {
			t.Error("restored, and not sound")
		}
		if got := p.Run("search", "herons", "--ids", "-n", "100"); strings.Count(got, "m_") != 5 {
			t.Errorf("after the restore got %q, want 5 memories", got)
		}
	}
}

// checked reports whether a full check finds nothing.
func checked(t *testing.T, p *world.Person) bool {
	t.Helper()
	var v struct{ OK bool }
	out, _ := p.Command("db", "check", "--full", "--json").Output() // it says by its status what v says
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v.OK
}
