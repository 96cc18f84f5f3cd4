//go:build unix

package project_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/test/tier"
)

// neighbour is another repository of the same user.
type neighbour struct {
	t    *testing.T
	dir  string
	seen mem.Project
}

func newNeighbour(t *testing.T) neighbour {
	t.Helper()
	n := neighbour{t: t, dir: plainRepo(t, "neighbour")}
	write(t, n.git("HEAD"), "ref: refs/heads/theirs\n")
	write(t, n.git("config"), "[remote \"origin\"]\n\turl = https://git.example.org/their/secret.git\n")
	write(t, n.git("refs/heads/theirs"), strings.Repeat("ab", 20)+"\n")
	write(t, n.git("packed-refs"), strings.Repeat("ab", 20)+" refs/heads/packed\n"+strings.Repeat("ab", 20)+
		" refs/heads/main\n")
	mkdir(t, n.git("worktrees/tree"))
	write(t, n.git("worktrees/tree/HEAD"), "ref: refs/heads/theirs\n")
	write(t, n.git("worktrees/tree/commondir"), "../..\n")
	write(t, n.git("worktrees/tree/gitdir"), filepath.Join(t.TempDir(), "tree/.git")+"\n")
	mkdir(t, n.git("modules/sub/objects"))
	mkdir(t, n.git("modules/sub/refs"))
	write(t, n.git("modules/sub/HEAD"), "ref: refs/heads/theirs\n")
	write(t, n.git("modules/sub/config"),
		"[core]\n\tworktree = ../../../sub\n[remote \"origin\"]\n\turl = https://git.example.org/their/secret.git\n")
	n.seen = identify(t, n.dir)
	if n.seen.Origin == "" || n.seen.Branch != "theirs" || n.seen.Commit == "" {
		t.Fatalf("the neighbour is no repository: %+v", n.seen)
	}
	n.close()
	return n
}

// plainRepo returns a directory with the files of a repository.
func plainRepo(t *testing.T, name string) string {
	t.Helper()
	dir := real(t, mkdir(t, t.TempDir(), name))
	furnish(t, dir)
	return dir
}

func furnish(t *testing.T, dir string) {
	t.Helper()
	for _, sub := range []string{"objects", "refs/heads"} {
		mkdir(t, inGit(dir, sub))
	}
	write(t, inGit(dir, "HEAD"), "ref: refs/heads/main\n")
	write(t, inGit(dir, "refs/heads/main"), strings.Repeat("1f", 20)+"\n")
	write(t, inGit(dir, "config"), "[remote \"origin\"]\n\turl = https://git.example.org/own/repo.git\n")
}

func (n neighbour) git(parts ...string) string {
	return filepath.Join(append([]string{n.dir, ".git"}, parts...)...)
}

// longAgo is an access time that the next reading would renew.
func longAgo() time.Time { return time.Now().Add(-72 * time.Hour).Truncate(time.Second) }

// close makes reading of the neighbour's files show.
func (n neighbour) close() {
	n.t.Helper()
	n.walk(func(file string, _ fs.FileInfo) {
		if err := os.Chtimes(file, longAgo(), time.Now()); err != nil {
			n.t.Fatal(err)
		}
	})
	if _, err := os.ReadFile(n.git("HEAD")); err != nil {
		n.t.Fatal(err)
	}
	if info, _ := os.Stat(n.git("HEAD")); !read(info) {
		n.t.Skip("this file system keeps no access times, so it is unknown what was read")
	}
	_ = os.Chtimes(n.git("HEAD"), longAgo(), time.Now())
}

func (n neighbour) walk(each func(file string, info fs.FileInfo)) {
	n.t.Helper()
	err := filepath.WalkDir(n.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		each(file, info)
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
}

// untouched proves that no file of the neighbour was read, and that nothing of it is in p.
func (n neighbour) untouched(p mem.Project) {
	n.t.Helper()
	for what, pair := range map[string][2]string{
		"key": {p.Key, n.seen.Key}, "common": {p.Common, n.seen.Common}, "origin": {p.Origin, n.seen.Origin},
		"commit": {p.Commit, n.seen.Commit}, "branch": {p.Branch, n.seen.Branch}, "name": {p.Name, n.seen.Name},
	} {
		if pair[0] == pair[1] {
			n.t.Errorf("the %s is the neighbour's: %s", what, pair[0])
		}
	}
	n.unread()
}

// backPointers are the files in which git notes where a worktree and a submodule are
// checked out: all that is looked at of a directory that a .git leads to, before
// it is known to be the checkout's own.
var backPointers = []string{"/.git/worktrees/tree/gitdir", "/.git/modules/sub/config"}

func (n neighbour) unread() {
	n.t.Helper()
	n.walk(func(file string, info fs.FileInfo) {
		if read(info) && !slices.Contains(backPointers, strings.TrimPrefix(file, n.dir)) {
			n.t.Errorf("%s was read", strings.TrimPrefix(file, n.dir))
		}
	})
}

func TestAHostileRepositoryShowsNothingOfItsNeighbour(t *testing.T) {
	for name, arrange := range map[string]func(t *testing.T, dir string, n neighbour){
		".git is a link": func(t *testing.T, dir string, n neighbour) { replace(t, dir, ".git", n.git()) },
		".git is a relative link": func(t *testing.T, dir string, n neighbour) {
			replace(t, dir, ".git", rel(t, dir, n.git()))
		},
		".git leads away":         func(t *testing.T, dir string, n neighbour) { point(t, dir, n.git()) },
		".git leads away by ..":   func(t *testing.T, dir string, n neighbour) { point(t, dir, rel(t, dir, n.git())) },
		".git of their worktree":  func(t *testing.T, dir string, n neighbour) { point(t, dir, n.git("worktrees", "tree")) },
		".git of their submodule": func(t *testing.T, dir string, n neighbour) { point(t, dir, n.git("modules", "sub")) },
		".git leads to a link":    leadToLink,
		"common directory is away": func(t *testing.T, dir string, n neighbour) {
			write(t, inGit(dir, "commondir"), n.git()+"\n")
		},
		"common directory by ..": func(t *testing.T, dir string, n neighbour) {
			write(t, inGit(dir, "commondir"), rel(t, inGit(dir), n.git()))
		},
		"HEAD is a link":   func(t *testing.T, dir string, n neighbour) { replace(t, dir, ".git/HEAD", n.git("HEAD")) },
		"config is a link": func(t *testing.T, dir string, n neighbour) { replace(t, dir, ".git/config", n.git("config")) },
		"config includes": func(t *testing.T, dir string, n neighbour) {
			write(t, inGit(dir, "config"), "[include]\n\tpath = "+n.git("config")+"\n")
		},
		"packed-refs is a link":  packedLink,
		"packed-refs is hard":    packedHard,
		"a branch is a link":     func(t *testing.T, dir string, n neighbour) { branchLink(t, dir, n, os.Symlink) },
		"a branch has two names": func(t *testing.T, dir string, n neighbour) { branchLink(t, dir, n, os.Link) },
		"the branches are a link": func(t *testing.T, dir string, n neighbour) {
			replace(t, dir, ".git/refs", n.git("refs"))
		},
		"everything is a link": everythingLinked,
		"a reference climbs out": func(t *testing.T, dir string, _ neighbour) {
			write(t, inGit(dir, "HEAD"), "ref: refs/heads/../../../../neighbour/.git/HEAD")
		},
		"worktree of a wrong place": wrongWorktree,
	} {
		t.Run(name, func(t *testing.T) {
			n, dir := newNeighbour(t), plainRepo(t, "hostile")
			arrange(t, dir, n)
			n.untouched(identify(t, dir))
		})
	}
}

func TestFilesWithASecondNameAreNotRead(t *testing.T) {
	for _, file := range []string{"HEAD", "config"} {
		n, dir := newNeighbour(t), plainRepo(t, "hostile")
		_ = os.Remove(inGit(dir, file))
		if err := os.Link(n.git(file), inGit(dir, file)); err != nil {
			t.Fatal(err)
		}
		if p := identify(t, dir); p.Origin != "" && file == "config" || p.Branch != "" && file == "HEAD" {
			t.Errorf("%s: got %+v, want nothing of it", file, p)
		}
		n.unread()
	}
}

func TestWhatIsNotAPlainFileIsNeitherReadNorWaitedFor(t *testing.T) {
	put := map[string]func(t *testing.T, file string){
		"pipe":      mkfifo,
		"directory": func(t *testing.T, file string) { mkdir(t, file) },
		"socket": func(t *testing.T, file string) {
			l, err := net.Listen("unix", file)
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = l.Close() })
		},
		"endless device": func(t *testing.T, file string) { symlink(t, "/dev/zero", file) },
		"link to itself": func(t *testing.T, file string) { symlink(t, filepath.Base(file), file) },
		"huge":           func(t *testing.T, file string) { sparse(t, file, 8<<30) },
	}
	for kind, make := range put {
		for _, name := range []string{"HEAD", "config", "packed-refs", "commondir", "refs/heads/main"} {
			t.Run(kind+"/"+filepath.Base(name), func(t *testing.T) {
				dir := short(t)
				furnish(t, dir)
				_ = os.Remove(inGit(dir, name))
				make(t, inGit(dir, name))
				if p := identify(t, dir); p.Root != dir {
					t.Errorf("root %s, want %s", p.Root, dir)
				}
			})
		}
	}
}

func TestARepositoryOfAnotherUserIsNone(t *testing.T) {
	if dir := os.Getenv("IDENTIFY"); dir != "" {
		p, err := project.Identify(dir)
		fmt.Printf("origin %q, %v\n", p.Origin, err)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only the system's own user can give files to others")
	}
	top := short(t)
	dir := mkdir(t, top, "repo")
	furnish(t, dir)
	program := filepath.Join(top, "program")
	b, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[int]string{
		65533: `origin ""`, 65534: `origin "git.example.org/own/repo"`,
		0: `origin "git.example.org/own/repo"`,
	} {
		err := filepath.WalkDir(top, func(file string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chmod(file, 0o755), os.Lchown(file, uid, uid))
		})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "-test.run=^TestARepositoryOfAnotherUserIsNone$")
		cmd.Env = []string{"IDENTIFY=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("of user %d: %s, %v; want %s", uid, out, err, want)
		}
	}
}

func TestOddDirectoriesHaveAProject(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop")
	symlink(t, loop, loop)
	for _, dir := range []string{
		"/" + strings.Repeat("deep/", 800), "/" + strings.Repeat("x", 5000), loop, loop + "/below", "/a\x00b",
		"/no/such/place", "/dev/null", "/proc/self/fd/0", "/..", "//",
	} {
		if p, err := project.Identify(dir); err != nil || p.Key == "" {
			t.Errorf("%.40q: %+v, %v", dir, p, err)
		}
	}
}

// What is exchanged between looking and reading leads nowhere either.
func TestExchangedDirectoriesLeadNowhere(t *testing.T) {
	n, dir := newNeighbour(t), plainRepo(t, "hostile")
	done := make(chan struct{})
	var all sync.WaitGroup
	for name, with := range map[string]func(file string) error{
		".git":            func(file string) error { return os.Symlink(n.git(), file) },
		".git/HEAD":       func(file string) error { return os.Symlink(n.git("HEAD"), file) },
		".git/refs":       func(file string) error { return os.Symlink(n.git("refs"), file) },
		".git/config":     func(file string) error { return syscall.Mkfifo(file, 0o600) },
		".git/refs/heads": func(file string) error { return os.Symlink(n.git("refs", "heads"), file) },
	} {
		all.Go(func() { exchange(done, filepath.Join(dir, name), with) })
	}
	var odd mem.Project
	for range tier.Runs(400, 40000) {
		p := identify(t, dir)
		if p.Key == n.seen.Key || p.Origin == n.seen.Origin || p.Branch == n.seen.Branch || p.Commit == n.seen.Commit ||
			p.Common == n.seen.Common {
			odd = p
			break
		}
	}
	close(done)
	all.Wait()
	if odd.Key != "" {
		t.Errorf("the neighbour shows: %+v", odd)
	}
	n.unread()
}

// exchange puts something else in a file's place and the file back, until done.
func exchange(done chan struct{}, file string, with func(string) error) {
	away := file + ".away"
	for {
		select {
		case <-done:
			return
		default:
		}
		if os.Rename(file, away) == nil {
			if with(file) == nil {
				_ = os.Remove(file)
			}
			_ = os.Rename(away, file)
		}
	}
}

func inGit(dir string, parts ...string) string {
	return filepath.Join(append([]string{dir, ".git"}, parts...)...)
}

func point(t *testing.T, dir, to string) {
	t.Helper()
	if err := os.RemoveAll(inGit(dir)); err != nil {
		t.Fatal(err)
	}
	write(t, inGit(dir), "gitdir: "+to+"\n")
}

func replace(t *testing.T, dir, name, to string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	symlink(t, to, filepath.Join(dir, name))
}

func rel(t *testing.T, dir, to string) string {
	t.Helper()
	r, err := filepath.Rel(dir, to)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func symlink(t *testing.T, to, file string) {
	t.Helper()
	if err := os.Symlink(to, file); err != nil {
		t.Fatal(err)
	}
}

func sparse(t *testing.T, file string, size int64) {
	t.Helper()
	write(t, file, "")
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
}

// short is a directory whose sockets have names that are short enough.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return real(t, dir)
}

func leadToLink(t *testing.T, dir string, n neighbour) {
	link := filepath.Join(dir, "elsewhere")
	symlink(t, n.git(), link)
	point(t, dir, link)
}

func packedLink(t *testing.T, dir string, n neighbour) {
	write(t, inGit(dir, "HEAD"), "ref: refs/heads/packed")
	symlink(t, n.git("packed-refs"), inGit(dir, "packed-refs"))
}

func packedHard(t *testing.T, dir string, n neighbour) {
	write(t, inGit(dir, "HEAD"), "ref: refs/heads/main")
	_ = os.Remove(inGit(dir, "refs/heads/main"))
	if err := os.Link(n.git("packed-refs"), inGit(dir, "packed-refs")); err != nil {
		t.Fatal(err)
	}
}

func branchLink(t *testing.T, dir string, n neighbour, link func(old, file string) error) {
	_ = os.Remove(inGit(dir, "refs/heads/main"))
	if err := link(n.git("refs/heads/theirs"), inGit(dir, "refs/heads/main")); err != nil {
		t.Fatal(err)
	}
}

func everythingLinked(t *testing.T, dir string, n neighbour) {
	for _, name := range []string{"HEAD", "config", "objects", "refs", "packed-refs"} {
		replace(t, dir, ".git/"+name, n.git(name))
	}
}

func wrongWorktree(t *testing.T, dir string, n neighbour) {
	mine := mkdir(t, dir, "mine", "worktrees", "x")
	write(t, filepath.Join(mine, "HEAD"), "ref: refs/heads/theirs")
	write(t, filepath.Join(mine, "commondir"), n.git())
	write(t, filepath.Join(mine, "gitdir"), inGit(dir))
	point(t, dir, mine)
}
