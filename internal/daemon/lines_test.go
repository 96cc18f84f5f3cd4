//go:build linux || darwin

package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// A project that is named by its key is read from the store, which does not keep its configuration file.
func TestBlameOfANamedProjectLeavesOutWhatItsFileExcludes(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	root, _ := twoClones(t)
	lay(t, filepath.Join(root, "customers", "list.txt"), "the list of customers\n")
	lay(t, filepath.Join(root, "main.go"), "package main\n")
	lay(t, config.ProjectFile(root), "privacy.exclude_paths = ['**/customers/**']\n")
	trust(t, p, root)
	at := storedProject(t, h, root)
	blame := func(file string) error {
		_, err := fileLines{h}.blameFile(t.Context(), views.BlameFileRequest{ProjectRef: at, File: file})
		return err
	}
	if err := blame("main.go"); err != nil {
		t.Error(err)
	}
	if err := blame("customers/list.txt"); err == nil || !strings.Contains(err.Error(), "privacy.exclude_paths") {
		t.Errorf("the excluded file: %v, want an error that names the setting", err)
	}
}

// What git says of a commit was never redacted.
func TestBlameRedactsWhatCommitsSay(t *testing.T) {
	h, _ := openDaemon(t)
	defer h.Store.Close()
	root, _ := twoClones(t)
	secret := "ghp_" + strings.Repeat("k3Zp9Qw7Xr", 3) + "b2Td5F"
	lay(t, filepath.Join(root, "main.go"), "package main\n")
	for _, args := range [][]string{{"add", "main.go"}, {"commit", "-q", "-m", "deploy with " + secret}} {
		git := exec.Command("git", append([]string{"-C", root, "-c", "user.name=" + secret, "-c", "user.email=x@x.example"},
			args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	got, err := fileLines{h}.blameFile(t.Context(), views.BlameFileRequest{
		ProjectRef: storedProject(t, h, root), File: "main.go",
	})
	if err != nil || len(got.Rows) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	row := got.Rows[0]
	if !strings.HasPrefix(row.Subject, "deploy with ") || strings.Contains(row.Subject+row.Author, secret) {
		t.Errorf("subject %q, author %q, want both redacted", row.Subject, row.Author)
	}
}

// storedProject stores the project of a directory and names it by its key.
func storedProject(t *testing.T, h *Daemon, dir string) mem.ProjectRef {
	t.Helper()
	if _, err := h.Engine.Handle(t.Context(), mem.Event{
		ID: "e_a", Agent: "claude-code", Kind: mem.UserPromptSubmit, At: time.Now(), Root: dir, Cwd: dir, Session: "one",
		PromptID: "p1", Text: "go on, please",
	}); err != nil {
		t.Fatal(err)
	}
	at, err := h.Engine.Event.Place(t.Context(), mem.ProjectRef{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return mem.ProjectRef{Project: at.Key}
}
