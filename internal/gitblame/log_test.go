package gitblame_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/gitblame"
)

func TestTheLogHasTheCommitsOfEveryBranchWithTheirFiles(t *testing.T) {
	h := newHistory(t, 1)
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		h.git("add", name)
	}
	began := h.now
	if err := os.WriteFile(filepath.Join(h.dir, ".git", "info", "exclude"), []byte("notes.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(time.Hour)
	h.git("checkout", "-q", "-b", "fee")
	write("web/fee é.go", "fee")
	write("api.go", "api")
	h.commit("fee: round")
	h.git("checkout", "-q", "main")
	h.now = h.now.Add(time.Hour)
	write("web/fee.go", "work in progress")
	h.git("stash", "-q")
	files := []string{"web/fee.go", "notes.txt", "web/none.go", "store.go"}
	log, err := gitblame.Log(t.Context(), h.dir, began.Add(time.Minute), files)
	if err != nil {
		t.Fatal(err)
	}
	got := log.Commits
	if len(got) != 1 ||
		got[0].Subject != "fee: round" || !got[0].At.Equal(began.Add(61*time.Minute)) || len(got[0].ID) != 40 ||
		!slices.Equal(got[0].Files, []string{"api.go", "web/fee é.go"}) {
		t.Errorf("got %+v, want the commit of the other branch and not what was stashed", got)
	}
	if !slices.Equal(log.Ignored, []string{"notes.txt"}) || !log.From.IsZero() {
		t.Errorf("ignored are %q, from %v", log.Ignored, log.From)
	}
	if len(log.Changed) > 0 || !log.Compared {
		t.Errorf("changed are %q, %v, after what was changed is stashed", log.Changed, log.Compared)
	}
	h.git("stash", "pop", "-q")
	if err := os.WriteFile(filepath.Join(h.dir, "web", "none.go"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err = gitblame.Log(t.Context(), h.dir, began, files)
	if want := []string{"web/fee.go", "web/none.go"}; err != nil || !slices.Equal(log.Changed, want) {
		t.Errorf("changed are %q, want what is staged and what is new: %q; %v", log.Changed, want, err)
	}
	h.git("reset", "-q", "--hard")
	h.git("clean", "-q", "-f", "-d")
	h.git("checkout", "-q", "fee")
	log, err = gitblame.Log(t.Context(), filepath.Join(h.dir, "web"), began.Add(time.Minute), nil)
	if got := log.Commits; err != nil || len(got) != 1 ||
		!slices.Equal(got[0].Files, []string{"fee é.go"}) {
		t.Errorf("below a directory: got %+v, %v", got, err)
	}
	renamed := h.now
	h.git("mv", "api.go", "service.go")
	h.commit("api: rename")
	log, err = gitblame.Log(t.Context(), h.dir, renamed, nil)
	if err != nil || len(log.Commits) != 1 || !slices.Equal(log.Commits[0].Files, []string{"api.go", "service.go"}) {
		t.Errorf("renamed: got %+v, %v", log, err)
	}
	if got, err := gitblame.Log(t.Context(), t.TempDir(), began, nil); err == nil {
		t.Errorf("outside of a repository: got %+v, want an error", got)
	}
}

func TestALogOfManyCommitsSaysHowFarItReaches(t *testing.T) {
	h := newHistory(t, 1)
	var commits strings.Builder
	for i := range 2001 {
		fmt.Fprintf(&commits, "commit refs/heads/many\ncommitter a <a@example.org> %d +0000\ndata 1\nx\n", 1_800_000_000+i)
	}
	file := filepath.Join(h.dir, ".git", "many")
	if err := os.WriteFile(file, []byte(commits.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	h.git("-c", "alias.read=!git fast-import --quiet <.git/many", "read")
	got, err := gitblame.Log(t.Context(), h.dir, time.Unix(1_799_999_999, 0), nil)
	if want := time.Unix(1_800_000_001, 0); err != nil || len(got.Commits) != 2000 || !got.From.Equal(want) {
		t.Errorf("got %d commits from %v, %v; want 2000 from %v", len(got.Commits), got.From, err, want)
	}
}
