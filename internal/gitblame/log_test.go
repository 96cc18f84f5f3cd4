package gitblame_test

import (
	"os"
	"path/filepath"
	"slices"
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
	got, ignored, err := gitblame.Log(t.Context(), h.dir, began.Add(time.Minute), files)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 ||
		got[0].Subject != "fee: round" || !got[0].At.Equal(began.Add(61*time.Minute)) || len(got[0].ID) != 40 ||
		!slices.Equal(got[0].Files, []string{"api.go", "web/fee é.go"}) {
		t.Errorf("got %+v, want the commit of the other branch and not what was stashed", got)
	}
	if !slices.Equal(ignored, []string{"notes.txt"}) {
		t.Errorf("ignored are %q", ignored)
	}
	h.git("checkout", "-q", "fee")
	got, _, err = gitblame.Log(t.Context(), filepath.Join(h.dir, "web"), began.Add(time.Minute), nil)
	if err != nil || len(got) != 1 ||
		!slices.Equal(got[0].Files, []string{"fee é.go"}) {
		t.Errorf("below a directory: got %+v, %v", got, err)
	}
	if got, _, err := gitblame.Log(t.Context(), t.TempDir(), began, nil); err == nil {
		t.Errorf("outside of a repository: got %+v, want an error", got)
	}
}
