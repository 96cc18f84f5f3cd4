//go:build linux || darwin

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/daemon"
	"remanence/internal/mind"
	"remanence/internal/project"
	"remanence/internal/workstate"
)

// gitIn runs git in a directory, with nothing of the person's own configuration.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{
		"-C", dir, "-c", "user.name=x", "-c", "user.email=x@x.example", "-c",
		"protocol.file.allow=always",
	}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "x", "--allow-empty")
}

// realTemp is a directory of a test, by its real path.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if project.Identity(dir) == "" {
		t.Fatalf("the file system of %s does not report when a directory was created; set TMPDIR to one that does", dir)
	}
	return dir
}

// clonedShop is a trusted clone with committed state files, and its upstream.
func clonedShop(t *testing.T, m *machine) (top, upstream, shop string) {
	t.Helper()
	top = realTemp(t)
	upstream, shop = filepath.Join(top, "upstream"), filepath.Join(top, "shop")
	gitIn(t, top, "init", "-q", upstream)
	lay(t, filepath.Join(upstream, ".mind/STATE.md"), "# S\n\n## Current Phase\nordering\n")
	commitAll(t, upstream)
	gitIn(t, top, "clone", "-q", upstream, shop)
	if _, err := daemon.TrustProject(m.Paths, identified(t, shop), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	return top, upstream, shop
}

// trusts reports whether a daemon started now trusts a directory.
func (p *machine) trusts(dir string) bool {
	p.t.Helper()
	return (&daemon.TrustList{Paths: p.Paths}).Trusts(identified(p.t, dir))
}

func TestTrustHoldsForEveryWorktreeOfTheRepository(t *testing.T) {
	m := newMachine(t)
	top, _, shop := clonedShop(t, m)
	wt := filepath.Join(top, "wt")
	gitIn(t, shop, "worktree", "add", "-q", wt)
	if !m.trusts(wt) {
		t.Error("a worktree of a trusted repository is not trusted")
	}
	below := filepath.Join(shop, ".claude/worktrees/fix")
	gitIn(t, shop, "worktree", "add", "-q", below)
	if !m.trusts(below) {
		t.Error("a worktree below the main one is not trusted")
	}
	gitIn(t, shop, "worktree", "move", wt, wt+"2")
	if !m.trusts(wt + "2") {
		t.Error("a moved worktree is not trusted")
	}
	got, ok, err := daemon.DistrustProject(m.Paths, identified(t, below))
	if err != nil || !ok || len(got) != 1 || got[0].Root != shop || m.trusts(shop) || m.trusts(below) {
		t.Errorf("revoked from a worktree: %+v, %v, %v; the repository is trusted: %v", got, ok, err, m.trusts(shop))
	}
}

func TestTrustOfAWorktreeHoldsForTheRepository(t *testing.T) {
	m := newMachine(t)
	top, _, shop := clonedShop(t, m)
	if _, _, err := daemon.DistrustProject(m.Paths, identified(t, shop)); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(top, "shop.git")
	gitIn(t, top, "clone", "-q", "--bare", shop, bare)
	gitIn(t, bare, "worktree", "add", "-q", filepath.Join(top, "one"), "HEAD")
	gitIn(t, bare, "worktree", "add", "-q", filepath.Join(top, "two"), "HEAD")
	if _, err := daemon.TrustProject(m.Paths, identified(t, filepath.Join(top, "one")), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if !m.trusts(filepath.Join(top, "two")) {
		t.Error("another worktree of a trusted bare repository is not trusted")
	}
}

func TestTrustFollowsARenameAndNoCopy(t *testing.T) {
	m := newMachine(t)
	top, upstream, shop := clonedShop(t, m)
	moved := filepath.Join(top, "store/shop2")
	copied := filepath.Join(top, "copied")
	if out, err := exec.Command("cp", "-a", shop, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(moved), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(shop, moved); err != nil {
		t.Fatal(err)
	}
	if !m.trusts(moved) {
		t.Error("a renamed directory is not trusted")
	}
	if m.trusts(copied) {
		t.Error("a copy is trusted")
	}
	clone := filepath.Join(top, "clone")
	gitIn(t, top, "clone", "-q", upstream, clone)
	if m.trusts(clone) {
		t.Error("another clone of the same remote is trusted")
	}
	if got, ok, err := daemon.DistrustProject(m.Paths, identified(t, moved)); err != nil || !ok || len(got) != 1 ||
		m.trusts(moved) {
		t.Errorf("revoked at the new place: %+v, %v, %v", got, ok, err)
	}
}

// What mind init made is trusted by its mark, which a copy carries along.
func TestTrustInMadeFilesFollowsARenameAndNoCopy(t *testing.T) {
	for name, repository := range map[string]bool{"a repository": true, "no repository": false} {
		t.Run(name, func(t *testing.T) {
			m, top := newMachine(t), realTemp(t)
			dir := filepath.Join(top, "shop")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := mind.Init(dir, "default", "a mark"); err != nil {
				t.Fatal(err)
			}
			if _, err := daemon.TrustProject(m.Paths, identified(t, dir), "a mark", time.Now()); err != nil {
				t.Fatal(err)
			}
			if repository { // it becomes one only now
				gitIn(t, top, "init", "-q", dir)
				commitAll(t, dir)
				gitIn(t, dir, "worktree", "add", "-q", filepath.Join(top, "wt"))
				if !m.trusts(filepath.Join(top, "wt")) {
					t.Error("a worktree is not trusted")
				}
			}
			if out, err := exec.Command("cp", "-a", dir, dir+"-copy").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if err := os.Rename(dir, dir+"2"); err != nil {
				t.Fatal(err)
			}
			if !m.trusts(dir + "2") {
				t.Error("a renamed directory is not trusted")
			}
			if m.trusts(dir + "-copy") {
				t.Error("a copy with the mark is trusted")
			}
		})
	}
}

// Files made in another worktree do not make the main worktree trusted.
func TestFilesMadeInAWorktreeAreTrustedThereAlone(t *testing.T) {
	m := newMachine(t)
	top, _, shop := clonedShop(t, m)
	if _, _, err := daemon.DistrustProject(m.Paths, identified(t, shop)); err != nil {
		t.Fatal(err)
	}
	wt := filepath.Join(top, "wt")
	gitIn(t, shop, "worktree", "add", "-q", wt)
	if err := os.RemoveAll(filepath.Join(wt, ".mind")); err != nil {
		t.Fatal(err)
	}
	if _, err := mind.Init(wt, "default", "a mark"); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.TrustProject(m.Paths, identified(t, wt), "a mark", time.Now()); err != nil {
		t.Fatal(err)
	}
	if !m.trusts(wt) || m.trusts(shop) {
		t.Errorf("trusted: the worktree %v, the main one %v, want only the first", m.trusts(wt), m.trusts(shop))
	}
}

func TestASubmoduleDoesNotInheritTrust(t *testing.T) {
	m := newMachine(t)
	top, upstream, shop := clonedShop(t, m)
	gitIn(t, shop, "submodule", "add", "-q", upstream, "lib")
	commitAll(t, shop)
	lib := filepath.Join(shop, "lib")
	if m.trusts(lib) {
		t.Error("a submodule has the trust of the repository around it")
	}
	nested := filepath.Join(shop, "vendored")
	gitIn(t, top, "clone", "-q", upstream, nested)
	if m.trusts(nested) {
		t.Error("a clone below has the trust of the repository around it")
	}
	if _, err := daemon.TrustProject(m.Paths, identified(t, lib), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(shop, shop+"2"); err != nil {
		t.Fatal(err)
	}
	if !m.trusts(shop+"2") || !m.trusts(filepath.Join(shop+"2", "lib")) || m.trusts(filepath.Join(shop+"2", "vendored")) {
		t.Error("after a rename: want the repository and its trusted submodule, and not the clone below")
	}
}

// An archive can hold a .git of any kind; none of them is a checkout that the
// repository made.
func TestADirectoryThatClaimsToBeACheckoutIsNotTrusted(t *testing.T) {
	m := newMachine(t)
	top, _, shop := clonedShop(t, m)
	wt, apart := filepath.Join(top, "wt"), filepath.Join(top, "apart")
	gitIn(t, shop, "worktree", "add", "-q", wt)
	gitIn(t, top, "clone", "-q", "--separate-git-dir", filepath.Join(top, "store"), shop, apart)
	if _, err := daemon.TrustProject(m.Paths, identified(t, apart), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	admin := filepath.Join(shop, ".git/worktrees/wt")
	for name, forge := range map[string]func(dir string){
		"a worktree of another place": func(dir string) { lay(t, filepath.Join(dir, ".git"), "gitdir: "+admin+"\n") },
		"the repository itself":       func(dir string) { lay(t, filepath.Join(dir, ".git"), "gitdir: "+shop+"/.git\n") },
		"a repository kept apart":     func(dir string) { lay(t, filepath.Join(dir, ".git"), "gitdir: "+top+"/store\n") },
		"a link": func(dir string) {
			if err := os.Symlink(filepath.Join(top, "store"), filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
		},
		"its own git directory with a common one": func(dir string) {
			lay(t, filepath.Join(dir, ".git/HEAD"), "ref: refs/heads/master\n")
			lay(t, filepath.Join(dir, ".git/commondir"), shop+"/.git\n")
		},
	} {
		dir := filepath.Join(top, "claims", strings.ReplaceAll(name, " ", "-"))
		lay(t, filepath.Join(dir, ".mind/STATE.md"), "# S\n\n## Current Phase\nforged\n")
		forge(dir)
		if m.trusts(dir) {
			t.Errorf("%s: a directory that claims it is trusted", name)
		}
		if got, err := m.Files(); err != nil {
			t.Fatal(err)
		} else if look, _ := got.Look(identified(t, dir)); look.Trusted {
			t.Errorf("%s: its state files are read", name)
		}
	}
}

// A list that an older version wrote knows no more than the place and the first commit.
func TestAnOlderListStillHoldsForWorktrees(t *testing.T) {
	m := newMachine(t)
	top, _, shop := clonedShop(t, m)
	list, err := daemon.ReadTrusted(m.Paths)
	if err != nil {
		t.Fatal(err)
	}
	list[0].Dir, list[0].Repo = "", ""
	if err := daemon.WriteTrusted(m.Paths, list); err != nil {
		t.Fatal(err)
	}
	wt := filepath.Join(top, "wt")
	gitIn(t, shop, "worktree", "add", "-q", wt)
	if !m.trusts(shop) || !m.trusts(wt) {
		t.Errorf("trusted: the place %v, its worktree %v, want both", m.trusts(shop), m.trusts(wt))
	}
}

// State files that are not committed are in the main work tree alone.
func TestAWorktreeWithoutStateFilesHasThoseOfTheMainOne(t *testing.T) {
	m, top := newMachine(t), realTemp(t)
	shop, wt := filepath.Join(top, "shop"), filepath.Join(top, "wt")
	gitIn(t, top, "init", "-q", shop)
	commitAll(t, shop)
	lay(t, filepath.Join(shop, ".mind/STATE.md"), "# S\n\n## Current Phase\nordering\n")
	gitIn(t, shop, "worktree", "add", "-q", wt)
	files, err := m.Files()
	if err != nil {
		t.Fatal(err)
	}
	here := identified(t, wt)
	if got, err := files.Look(here); err != nil || got.Present {
		t.Fatalf("before trust: %+v, %v", got, err)
	}
	if _, err := daemon.TrustProject(m.Paths, identified(t, shop), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(shop, ".mind")
	got, err := files.Look(here)
	if err != nil || !got.Trusted || got.Phase != "ordering" || got.Files != want {
		t.Fatalf("a worktree reads %+v, %v, want those of %s", got, err, want)
	}
	if main, _ := files.Look(identified(t, shop)); main.Files != workstate.Dir {
		t.Errorf("the main work tree says its files are in %s", main.Files)
	}
	next := "paying"
	if _, err := files.Change(t.Context(), here, workstate.Request{
		Op:     workstate.OpUpdate,
		Update: workstate.Update{Phase: &next},
	}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(want, "STATE.md")); err != nil || !strings.Contains(string(b), "paying") {
		t.Errorf("written from a worktree: %s, %v", b, err)
	}
	lay(t, filepath.Join(wt, ".mind/STATE.md"), "# S\n\n## Current Phase\nelsewhere\n")
	if got, _ := files.Look(here); got.Phase != "elsewhere" || got.Files != workstate.Dir {
		t.Errorf("a worktree with files of its own reads %+v", got)
	}
}
