//go:build unix

package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/project"
)

func TestClonesOfOneOriginAreOneProject(t *testing.T) {
	a, b := newRepo(t, "first"), newRepo(t, "renamed")
	git(t, a, "remote", "add", "origin", "git@GitHub.com:acme/tool.git")
	git(t, b, "remote", "add", "origin", "https://user:secret@github.com/acme/tool")

	pa, pb := identify(t, a), identify(t, b)
	if pa.Key != pb.Key {
		t.Errorf("keys differ: %s of %q, %s of %q", pa.Key, pa.Origin, pb.Key, pb.Origin)
	}
	if want := "github.com/acme/tool"; pb.Origin != want {
		t.Errorf("origin = %q, want %q", pb.Origin, want)
	}
	if pa.Name != "first" || pb.Name != "renamed" {
		t.Errorf("names = %q, %q, want first, renamed", pa.Name, pb.Name)
	}
}

func TestEveryDirectoryOfARepositoryIsTheSameProject(t *testing.T) {
	top := newRepo(t, "tool")
	deep := mkdir(t, top, "a", "b")
	want := identify(t, top)
	for _, dir := range []string{
		deep, filepath.Join(top, "gone", "away"), filepath.Join(top, ".git"),
		filepath.Join(top, ".git", "hooks"),
	} {
		if got := identify(t, dir); got != want {
			t.Errorf("%s: got %+v, want %+v", dir, got, want)
		}
	}
}

func TestWorktreeSharesKeyAndNameButHasItsOwnBranch(t *testing.T) {
	top := newRepo(t, "tool")
	tree := filepath.Join(t.TempDir(), "feature-tree")
	git(t, top, "worktree", "add", "-b", "feature/x", tree)

	main, got := identify(t, top), identify(t, tree)
	if got.Key != main.Key || got.Name != "tool" || got.Common != main.Common {
		t.Errorf("worktree = %+v, want key, name and common of %+v", got, main)
	}
	if got.Branch != "feature/x" || got.Root != real(t, tree) {
		t.Errorf("branch, root = %q, %q, want feature/x, %q", got.Branch, got.Root, tree)
	}
	sameAsGit(t, tree, got)
}

func TestWorktreeOfABareRepositoryIsNamedAfterIt(t *testing.T) {
	src := newRepo(t, "src")
	for dir, name := range map[string]string{"server.git": "server", "tool/.bare": "tool"} {
		bare := filepath.Join(t.TempDir(), filepath.FromSlash(dir))
		git(t, src, "clone", "-q", "--bare", src, bare)
		git(t, bare, "remote", "remove", "origin")
		tree := filepath.Join(t.TempDir(), "tree")
		git(t, bare, "worktree", "add", tree)
		got, of := identify(t, tree), identify(t, bare)
		if got.Name != name || of.Name != name {
			t.Errorf("%s: names = %q, %q, want %q", dir, got.Name, of.Name, name)
		}
		if got.Key != of.Key {
			t.Errorf("%s: keys = %s, %s, want equal", dir, got.Key, of.Key)
		}
		sameAsGit(t, tree, got)
	}
}

func TestSubmoduleIsItsOwnProject(t *testing.T) {
	lib, top := newRepo(t, "lib"), newRepo(t, "top")
	git(t, top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "vendored")

	sub, outer := identify(t, filepath.Join(top, "vendored")), identify(t, top)
	if sub.Key == outer.Key {
		t.Errorf("submodule and its parent share key %s", sub.Key)
	}
	if sub.Name != "vendored" {
		t.Errorf("name = %q, want vendored", sub.Name)
	}
	sameAsGit(t, filepath.Join(top, "vendored"), sub)

	git(t, lib, "remote", "add", "origin", "https://example.com/lib.git")
	git(t, filepath.Join(top, "vendored"), "remote", "set-url", "origin", "https://example.com/lib")
	if a, b := identify(t, lib), identify(t, filepath.Join(top, "vendored")); a.Key != b.Key {
		t.Errorf("keys = %s, %s, want one for submodule and clone of the same origin", a.Key, b.Key)
	}
}

func TestDirectoryWithoutGitIsItsOwnProject(t *testing.T) {
	dir := mkdir(t, t.TempDir(), "plain")
	got := identify(t, dir)
	if got.Root != real(t, dir) || got.Name != "plain" || got.Common != "" || got.Branch != "" {
		t.Errorf("got %+v, want root %q, name plain and no git", got, dir)
	}
	if other := identify(t, mkdir(t, dir, "sub")); other.Key == got.Key {
		t.Errorf("subdirectory has the key of its parent, want its own")
	}
}

func TestRelativeDirectoryIsRefused(t *testing.T) {
	for _, dir := range []string{"", ".", "a/b"} {
		if p, err := project.Identify(dir); err == nil {
			t.Errorf("Identify(%q) = %+v, want an error", dir, p)
		}
	}
}

func TestHeadIsReadWithoutGit(t *testing.T) {
	tests := map[string]func(t *testing.T, top string){
		"branch":        func(*testing.T, string) {},
		"detached":      func(t *testing.T, top string) { git(t, top, "checkout", "-q", "--detach") },
		"packed":        func(t *testing.T, top string) { git(t, top, "pack-refs", "--all", "--prune") },
		"unborn":        func(t *testing.T, top string) { git(t, top, "checkout", "-q", "--orphan", "new/one") },
		"symbolic":      headOnAlias,
		"linked HEAD":   linkHead,
		"separate dir":  func(t *testing.T, top string) { git(t, top, "init", "-q", "--separate-git-dir", top+"-git") },
		"loose, packed": packThenCommit,
	}
	for name, arrange := range tests {
		t.Run(name, func(t *testing.T) {
			top := newRepo(t, "tool")
			arrange(t, top)
			sameAsGit(t, top, identify(t, top))
		})
	}
}

func TestSymlinkedDirectoryIsTheRealProject(t *testing.T) {
	top := newRepo(t, "tool")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(mkdir(t, top, "sub"), link); err != nil {
		t.Fatal(err)
	}
	if got, want := identify(t, link), identify(t, top); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOddRepositoriesAreSurvived(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"empty .git directory": func(t *testing.T, dir string) { mkdir(t, dir, ".git") },
		".git file without target": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git"), "gitdir: /nowhere/at/all\n")
		},
		".git file of noise": func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git"), "\x00\xff") },
		"huge .git file": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git"), "gitdir: "+strings.Repeat("x", 1<<20))
		},
		".git pointing at itself": func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git"), "gitdir: .git") },
		".git is a pipe":          func(t *testing.T, dir string) { mkfifo(t, filepath.Join(dir, ".git")) },
	}
	for name, arrange := range tests {
		t.Run(name, func(t *testing.T) {
			dir := mkdir(t, t.TempDir(), "odd")
			arrange(t, dir)
			if got := identify(t, dir); got.Root != real(t, dir) || got.Common != "" {
				t.Errorf("got %+v, want the plain directory", got)
			}
		})
	}
}

func TestOddRefsGiveNoCommit(t *testing.T) {
	for name, head := range map[string]string{
		"empty": "", "noise": "\x00\x01", "outside": "ref: refs/../../../../etc/passwd",
		"loop": "ref: refs/heads/loop", "not a ref": "ref: HEAD", "short id": "abc123",
	} {
		t.Run(name, func(t *testing.T) {
			top := newRepo(t, "tool")
			write(t, filepath.Join(top, ".git", "refs", "heads", "loop"), "ref: refs/heads/loop")
			write(t, filepath.Join(top, ".git", "HEAD"), head)
			if got := identify(t, top); got.Commit != "" || got.Common == "" {
				t.Errorf("got %+v, want a repository without commit", got)
			}
		})
	}
}

func TestPipesInGitDirectoryAreNotOpened(t *testing.T) {
	top := newRepo(t, "tool")
	for _, f := range []string{"HEAD", "config", "packed-refs"} {
		_ = os.Remove(filepath.Join(top, ".git", f))
		mkfifo(t, filepath.Join(top, ".git", f))
	}
	if got := identify(t, top); got.Common == "" || got.Branch != "" {
		t.Errorf("got %+v, want a repository of which nothing is known", got)
	}
}

func TestRelIsProjectRelativeInside(t *testing.T) {
	unix, windows := mem.Project{Root: "/home/ann/tool"}, mem.Project{Root: `C:\src\tool`}
	tests := []struct {
		p          mem.Project
		file, want string
	}{
		{unix, "/home/ann/tool/a/b.go", "a/b.go"},
		{unix, "/home/ann/tool/a/../b.go", "b.go"},
		{unix, "/home/ann/tool", "."},
		{unix, "/home/ann/toolbox/a.go", "/home/ann/toolbox/a.go"},
		{unix, "/etc//hosts", "/etc/hosts"},
		{unix, "a/./b.go", "a/b.go"},
		{unix, `a\b.go`, "a/b.go"},
		{unix, "../x.go", "/home/ann/x.go"},
		{unix, "", ""},
		{windows, `C:\src\tool\a\b.go`, "a/b.go"},
		{windows, `c:/SRC/tool/a.go`, "a.go"},
		{windows, `D:\other\a.go`, "D:/other/a.go"},
		{mem.Project{Root: "/"}, "/a.go", "a.go"},
		{mem.Project{}, "/a/../b.go", "/b.go"},
	}
	for _, tt := range tests {
		if got := project.Rel(tt.p, tt.file); got != tt.want {
			t.Errorf("Rel(%q, %q) = %q, want %q", tt.p.Root, tt.file, got, tt.want)
		}
	}
}

func TestRelSeesThroughSymlinks(t *testing.T) {
	top := real(t, mkdir(t, t.TempDir(), "tool"))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, link); err != nil {
		t.Fatal(err)
	}
	if got := project.Rel(mem.Project{Root: top}, filepath.Join(link, "new", "a.go")); got != "new/a.go" {
		t.Errorf("got %q, want new/a.go", got)
	}
}

// sameAsGit compares with what git itself says.
func sameAsGit(t *testing.T, dir string, got mem.Project) {
	t.Helper()
	ask := func(args ...string) string {
		out, err := command(dir, args...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	want := mem.Project{
		Root:   ask("rev-parse", "--show-toplevel"),
		Common: ask("rev-parse", "--path-format=absolute", "--git-common-dir"),
		Branch: ask("symbolic-ref", "--short", "-q", "HEAD"),
		Commit: ask("rev-parse", "-q", "--verify", "HEAD"),
	}
	have := mem.Project{Root: got.Root, Common: got.Common, Branch: got.Branch, Commit: got.Commit}
	if have != want {
		t.Errorf("got  %+v\nwant %+v, as git says", have, want)
	}
}

func linkHead(t *testing.T, top string) {
	head := filepath.Join(top, ".git", "HEAD")
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("refs/heads/main", head); err != nil {
		t.Fatal(err)
	}
}

func headOnAlias(t *testing.T, top string) {
	git(t, top, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	git(t, top, "symbolic-ref", "HEAD", "refs/heads/alias")
}

func packThenCommit(t *testing.T, top string) {
	git(t, top, "pack-refs", "--all")
	git(t, top, "commit", "-q", "--allow-empty", "-m", "two")
}

func newRepo(t *testing.T, name string) string {
	t.Helper()
	top := mkdir(t, t.TempDir(), name)
	git(t, top, "init", "-q", "-b", "main")
	git(t, top, "commit", "-q", "--allow-empty", "-m", "one")
	return top
}

func identify(t *testing.T, dir string) mem.Project {
	t.Helper()
	p, err := project.Identify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := command(dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	return cmd
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkfifo(t *testing.T, file string) {
	t.Helper()
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
}

func real(t *testing.T, dir string) string {
	t.Helper()
	r, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
