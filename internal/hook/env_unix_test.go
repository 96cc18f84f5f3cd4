//go:build unix

package hook_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"remanence/internal/hook"
	"remanence/internal/mem"
)

// export runs a session start that offers path and is answered with vars.
func export(path string, vars ...mem.EnvVar) *fixture {
	s := newFixture(startPayload, alwaysHasText(mem.Reply{Env: vars}))
	s.Getenv = func(name string) string {
		if name == "CLAUDE_ENV_FILE" {
			return path
		}
		return ""
	}
	hook.Run(s.Config)
	return s
}

func TestVariablesReachTheShellExactly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hook.sh")
	if err := os.WriteFile(path, []byte("export OTHER=1"), 0o644); err != nil { // no newline at its end
		t.Fatal(err)
	}
	nasty := "it's $(touch x) `id` \\ \"q\" \nline two; exit 3"
	export(path, mem.EnvVar{Name: "REMANENCE_SESSION_ID", Value: nasty},
		mem.EnvVar{Name: "MEMORY_PROJECT_KEY", Value: "p_1"})
	out,
		err := exec.Command("sh", "-c", `. "$1" && printf '%s|%s|%s' "$OTHER" "$MEMORY_PROJECT_KEY" "$REMANENCE_SESSION_ID"`,
		"sh", path).Output()
	if want := "1|p_1|" + nasty; err != nil || string(out) != want {
		t.Errorf("the shell sees %q, %v; want %q", out, err, want)
	}
}

func TestOtherVariablesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hook.sh")
	for _, name := range []string{
		"PATH", "LD_PRELOAD", "REMANENCE_X;id", "REMANENCE_a", "", "REMANENCE_X=1",
		"1REMANENCE_",
	} {
		export(path, mem.EnvVar{Name: name, Value: "x"})
	}
	export(path, mem.EnvVar{Name: "REMANENCE_X", Value: "a\x00b"})
	if b, err := os.ReadFile(path); err == nil {
		t.Errorf("wrote %q", b)
	}
}

func TestOnlyARegularFileInAnExistingDirectoryIsWritten(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{link, fifo, dir, filepath.Join(dir, "no", "such", "folder.sh"), "relative.sh"} {
		s := export(path, mem.EnvVar{Name: "REMANENCE_X", Value: "1"})
		if all := strings.Join(s.lines, "\n"); !strings.Contains(all, "refused") {
			t.Errorf("%s: logged %q, want it refused", path, all)
		}
	}
	if b, err := os.ReadFile(target); err != nil || len(b) != 0 {
		t.Errorf("wrote %q through a link, %v", b, err)
	}
	for _, name := range []string{"relative.sh", "no"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("made %s", name)
		}
	}
}
