//go:build linux || darwin

package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestAnIdentityFollowsARenameAndIsNeverUsedAgain(t *testing.T) {
	top := t.TempDir()
	one, two := filepath.Join(top, "one"), filepath.Join(top, "two")
	if err := os.Mkdir(one, 0o700); err != nil {
		t.Fatal(err)
	}
	id := Identity(one)
	if id == "" {
		t.Fatalf("the file system of %s does not report when a directory was created; set TMPDIR to one that does", top)
	}
	time.Sleep(50 * time.Millisecond) // a file system counts times in ticks
	if err := os.Rename(one, two); err != nil {
		t.Fatal(err)
	}
	if got := Identity(two); got != id {
		t.Errorf("renamed: %q, want %q", got, id)
	}
	if err := os.Chtimes(two, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for range 100 { // a file system gives the number of a removed directory to the next one
		if err := os.RemoveAll(two); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(two, 0o700); err != nil {
			t.Fatal(err)
		}
		if got := Identity(two); got == id || got == "" {
			t.Fatalf("another directory in the same place is %q, and that was the first one: %q", got, id)
		}
	}
	if got := Identity(one); got != "" {
		t.Errorf("no directory is %q", got)
	}
	if err := os.Symlink(two, one); err != nil {
		t.Fatal(err)
	}
	if Identity(one) == Identity(two) {
		t.Error("a link has the identity of its target")
	}
}

// Git itself notes a new place for a worktree when a repair is run in a directory
// whose .git file claims to be that worktree.
func TestAWorktreeIsProvenByBothEndsMadeTogether(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@x.example"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	own := func(dir string, apart time.Duration) bool {
		t.Helper()
		p, err := Identify(dir)
		if err != nil || p.Common == "" || p.Root != dir {
			t.Fatalf("%s is %+v, %v", dir, p, err)
		}
		return ownCheckout(p, apart)
	}
	shop, wt, forged := filepath.Join(top, "shop"), filepath.Join(top, "wt"), filepath.Join(top, "forged")
	git(top, "init", "-q", shop)
	git(shop, "commit", "-q", "--allow-empty", "-m", "x")
	git(shop, "worktree", "add", "-q", wt)
	if !own(shop, madeTogether) || !own(wt, madeTogether) {
		t.Error("what git made is no checkout of the repository")
	}
	admin := filepath.Join(shop, ".git", "worktrees", "wt")
	if err := os.RemoveAll(wt); err != nil {
		t.Fatal(err)
	}
	const apart = 50 * time.Millisecond
	time.Sleep(3 * apart)
	if err := os.Mkdir(forged, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(forged, ".git"), []byte("gitdir: "+admin+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git(forged, "worktree", "repair") // git believes the file, and notes the place
	if b, err := os.ReadFile(filepath.Join(admin, "gitdir")); err != nil || string(b) != filepath.Join(forged, ".git")+
		"\n" {
		t.Fatalf("git noted %q, %v", b, err)
	}
	if own(forged, apart) {
		t.Error("a directory that claims to be a worktree is one")
	}
}
