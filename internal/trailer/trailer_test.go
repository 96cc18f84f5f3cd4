package trailer_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/trailer"
)

// repository is a repository of git in which a program stands for remanence.
type repository struct {
	t            *testing.T
	dir, program string
}

// repo makes a repository, and a program that does what "remanence trailers add FILE" does for the session in $SESSION.
// The configuration of the machine counts neither in the test nor in the tested code.
func repo(t *testing.T) repository {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	r := repository{t, t.TempDir(), filepath.Join(t.TempDir(), "program")}
	const script = "#!/bin/sh\n[ -z \"$SESSION\" ] || git interpret-trailers --in-place --if-exists replace" +
		" --trailer \"" + trailer.Key + ": $SESSION\" \"$3\"\n"
	if err := os.WriteFile(r.program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r.git("", "init", "-q", "-b", "main")
	return r
}

func (r repository) git(session string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "SESSION="+session, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) message() string { return r.git("", "log", "-1", "--format=%B") }

func TestTheHookIsInstalledAndRemoved(t *testing.T) {
	r := repo(t)
	if _, ok, err := trailer.Installed(t.Context(), r.dir); ok || err != nil {
		t.Errorf("before: installed %v, %v", ok, err)
	}
	for range 2 { // a second time changes nothing
		if _, err := trailer.Install(t.Context(), r.dir, r.program); err != nil {
			t.Fatal(err)
		}
	}
	file, ok, err := trailer.Installed(t.Context(), r.dir)
	if !ok || err != nil || filepath.Base(file) != "prepare-commit-msg" {
		t.Errorf("after: %s, installed %v, %v", file, ok, err)
	}
	r.git("0a1b", "commit", "-q", "--allow-empty", "-m", "fee: round half up")
	if got, want := r.message(), "fee: round half up\n\n"+trailer.Key+": 0a1b"; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	r.git("0a1b", "commit", "-q", "--amend", "--allow-empty", "--no-edit")
	if got := strings.Count(r.message(), trailer.Key); got != 1 {
		t.Errorf("%d trailers after an amendment, want 1", got)
	}
	if got := r.git("", "status", "--porcelain"); got != "" {
		t.Errorf("the work tree has %s", got)
	}
	if err := os.Remove(r.program); err != nil {
		t.Fatal(err)
	}
	r.git("0a1b", "commit", "-q", "--allow-empty", "-m", "without the program")
	if got := r.message(); got != "without the program" {
		t.Errorf("without the program: %q", got)
	}
	if _, removed, err := trailer.Uninstall(t.Context(), r.dir); !removed || err != nil {
		t.Errorf("removed %v, %v", removed, err)
	}
	if _, removed, err := trailer.Uninstall(t.Context(), r.dir); removed || err != nil {
		t.Errorf("a second time: removed %v, %v", removed, err)
	}
}

func TestAHookOfSomebodyElseStays(t *testing.T) {
	r := repo(t)
	hook := filepath.Join(r.dir, ".git/hooks/prepare-commit-msg")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"#!/bin/sh\nexit 0\n", ""} {
		if err := os.WriteFile(hook, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := trailer.Install(t.Context(), r.dir, r.program); !errors.Is(err, trailer.ErrTaken) {
			t.Errorf("installed over %q: %v", text, err)
		}
		if _, removed, err := trailer.Uninstall(t.Context(), r.dir); removed || err != nil {
			t.Errorf("removed %v, %v", removed, err)
		}
		if b, err := os.ReadFile(hook); string(b) != text || err != nil {
			t.Errorf("the hook is %q, %v, want %q", b, err, text)
		}
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\n"+trailer.Line(r.program)+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := trailer.Installed(t.Context(), r.dir); !ok || err != nil {
		t.Errorf("a line in another hook: installed %v, %v", ok, err)
	}
	r.git("", "config", "core.hooksPath", ".husky")
	if _, err := trailer.Install(t.Context(), r.dir, r.program); !errors.Is(err, trailer.ErrTracked) {
		t.Errorf("installed into a folder of the work tree: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".husky")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	if _, err := trailer.Install(t.Context(), t.TempDir(), r.program); !errors.Is(err, trailer.ErrNoRepository) {
		t.Errorf("outside of git: %v", err)
	}
}

// A commit that a second session amends names that one: of several trailers none would say more.
func TestACommitNamesTheLastSession(t *testing.T) {
	r := repo(t)
	message := filepath.Join(r.dir, "MESSAGE")
	if err := os.WriteFile(message, []byte("fee: round half up\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, session := range []string{"0a1b", "2c3d", "2c3d"} {
		if err := trailer.Add(t.Context(), r.dir, message, session); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(message)
	if want := "fee: round half up\n\n" + trailer.Key + ": 2c3d\n"; string(b) != want || err != nil {
		t.Errorf("the message is %q, %v, want %q", b, err, want)
	}
}

// A commit that git repeats in a rebase was made by another session, or by the person.
func TestNoTrailerIsAddedWhileGitRepeatsCommits(t *testing.T) {
	r := repo(t)
	message := filepath.Join(r.dir, "MESSAGE")
	for _, state := range []string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", ""} {
		if err := os.WriteFile(message, []byte("fee: round half up\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(r.dir, ".git", state)
		if state != "" {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := trailer.Add(t.Context(), r.dir, message, "0a1b"); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(message)
		if got := strings.Contains(string(b), trailer.Key+": 0a1b"); err != nil || got != (state == "") {
			t.Errorf("%q: added %v, %v", state, got, err)
		}
		if state != "" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
