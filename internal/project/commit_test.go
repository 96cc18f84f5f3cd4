package project_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
)

func TestACommitIsFoundByItsAbbreviationHoweverItIsKept(t *testing.T) {
	packed, ids := packedHistory(t)
	ids = append(ids, commit(t, &packed, "on top"))
	for i, id := range ids {
		got := project.Commits(packed, id[:7])
		if len(got) != 1 || got[0].ID != id {
			t.Errorf("commit %d, %.7s: got %v", i, id, got)
		}
	}
	for _, prefix := range []string{"", ids[0][:6], "0000000", "zzzzzzz", ids[0] + ids[0], "../../."} {
		if got := project.Commits(packed, prefix); got != nil {
			t.Errorf("%q: got %v, want none", prefix, got)
		}
	}
	if got := project.Commits(mem.Project{}, ids[0]); got != nil {
		t.Errorf("outside of git: %v", got)
	}
}

// What git writes is read: times with their zones, the first line of the message, and of a file no commit.
func TestACommitOfGitIsRead(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=A > B", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=c",
			"GIT_COMMITTER_EMAIL=c@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05+0200",
			"GIT_COMMITTER_DATE=2026-02-03T04:05:06-0700")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, format := range []string{"sha1", "sha256"} {
		dir = t.TempDir()
		git("init", "-q", "--object-format="+format)
		git("commit", "-q", "--allow-empty", "-m", "fee: round half up\n\nThe bank does.")
		want := mem.Commit{
			ID: git("rev-parse", "HEAD"), Authored: time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC),
			Committed: time.Date(2026, 2, 3, 11, 5, 6, 0, time.UTC), Subject: "fee: round half up",
		}
		for _, step := range []string{"loose", "packed"} {
			p, err := project.Identify(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := project.Commits(p, want.ID[:9]); len(got) != 1 || got[0] != want {
				t.Errorf("%s, %s: got %+v, want %+v", format, step, got, want)
			}
			git("gc", "-q")
		}
		p, _ := project.Identify(dir)
		if got := project.Commits(p, git("rev-parse", "HEAD^{tree}")); got != nil {
			t.Errorf("a tree is read as a commit: %v", got)
		}
	}
}
