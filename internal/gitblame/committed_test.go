package gitblame_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/gitblame"
	"remanence/internal/outcome"
)

// Each case is what a person does in a repository after a session changed two files and committed nothing.
func TestWorkThatAPersonCommittedLaterIsNotCalledUncommitted(t *testing.T) {
	for name, c := range map[string]struct {
		did  func(h *history)
		want string // HEAD stands for the abbreviated hash of it, FEE for that of the branch fee
	}{
		"nothing":   {func(*history) {}, "not committed"},
		"staged":    {func(h *history) { h.git("add", "-A") }, "not committed"},
		"committed": {func(h *history) { h.commit("fee") }, "committed HEAD"},
		"one of two": {func(h *history) {
			h.git("add", "fee.go")
			h.git("commit", "-q", "-m", "fee")
		}, "committed HEAD in part"},
		"thrown away": {func(h *history) { h.git("clean", "-q", "-f", "-d") }, "undone or stashed since"},
		"stashed":     {func(h *history) { h.git("stash", "-q", "-u") }, "undone or stashed since"},
		"amended with": {func(h *history) {
			h.git("add", "-A")
			h.git("commit", "-q", "--amend", "--no-edit")
		}, "committed HEAD"},
		"committed, then amended": {func(h *history) {
			h.commit("fee")
			h.now = h.now.Add(time.Hour)
			h.git("commit", "-q", "--amend", "-m", "fee: round")
		}, "committed HEAD"},
		"committed in two, then squashed": {func(h *history) {
			h.git("add", "fee.go")
			h.git("commit", "-q", "-m", "fee")
			h.commit("tests")
			h.git("reset", "-q", "--soft", "HEAD~2")
			h.commit("both")
		}, "committed HEAD"},
		"on another branch": {func(h *history) {
			h.git("checkout", "-q", "-b", "fee")
			h.commit("fee")
			h.git("checkout", "-q", "main")
		}, "committed FEE"},
		"merged by a squash, and the branch deleted": {func(h *history) {
			h.git("checkout", "-q", "-b", "fee")
			h.commit("fee")
			h.git("checkout", "-q", "main")
			h.now = h.now.Add(time.Hour)
			h.git("merge", "-q", "--squash", "fee")
			h.commit("fee (#7)")
			h.git("branch", "-q", "-D", "fee")
		}, "committed HEAD"},
		"rebased onto what others did": {func(h *history) {
			h.git("checkout", "-q", "-b", "fee")
			h.commit("fee")
			h.git("checkout", "-q", "main")
			h.git("commit", "-q", "--allow-empty", "-m", "of another person")
			h.now = h.now.Add(time.Hour)
			h.git("rebase", "-q", "main", "fee")
		}, "committed HEAD"},
		"on a detached head": {func(h *history) { h.git("checkout", "-q", "--detach"); h.commit("fee") }, "committed HEAD"},
		"committed, and changed by a later commit": {func(h *history) {
			h.commit("fee")
			h.put("fee.go", "package fee // later")
			h.now = h.now.Add(time.Hour)
			h.git("tag", "fee")
			h.commit("later")
		}, "committed FEE"},
		"renamed and committed": {func(h *history) {
			if err := os.Rename(filepath.Join(h.dir, "fee.go"), filepath.Join(h.dir, "fees.go")); err != nil {
				h.t.Fatal(err)
			}
			h.commit("fees")
		}, "committed HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 1)
			s := &outcome.Session{Repository: true, Root: h.dir}
			began := h.now.Add(time.Hour)
			files := []string{"fee.go", "fee_test.go"}
			for _, f := range files {
				h.put(f, "package fee")
				s.Edits = append(s.Edits, outcome.Edit{
					ID: f, Prompt: "p1", File: f, First: began, Last: began.Add(time.Minute), Written: true,
				})
			}
			h.now = began.Add(2 * time.Hour)
			c.did(h)
			log, err := gitblame.Log(t.Context(), h.dir, began.Add(-time.Minute), files)
			if err != nil {
				t.Fatal(err)
			}
			s.Log = outcome.NewLog(log)
			pieces := s.Pieces(h.now.Add(time.Hour), false)
			if len(pieces) != 1 {
				t.Fatalf("got %d pieces", len(pieces))
			}
			want := c.want
			for mark, ref := range map[string]string{"HEAD": "HEAD", "FEE": "fee"} {
				if strings.Contains(want, mark) {
					want = strings.ReplaceAll(want, mark, strings.TrimSpace(h.git("rev-parse", ref))[:7])
				}
			}
			if pieces[0].State != want {
				t.Errorf("got %q, want %q", pieces[0].State, want)
			}
		})
	}
}

// put writes a file.
func (h *history) put(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}
