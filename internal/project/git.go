package project

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"remanence/internal/mem"
)

// Bounds of what is read of a repository. A repository is foreign input: its
// files may be huge, or not be files at all.
const (
	maxPointer = 4 << 10  // .git files, commondir, HEAD, single refs
	maxConfig  = 1 << 20  // config
	maxPacked  = 32 << 20 // packed-refs
	maxHops    = 5        // symbolic references that follow each other, as in git
)

// repo is where a checkout keeps its parts.
type repo struct {
	root   string // top directory; of a bare repository its own directory
	git    string // directory of this checkout: HEAD lies here
	common string // directory that all worktrees share: config and refs lie here
}

// findRepo walks up from dir, a real path, to the first directory that is a checkout.
func findRepo(dir string) (repo, bool) {
	for {
		if r, ok := repoAt(dir); ok {
			return r, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return repo{}, false
		}
		dir = parent
	}
}

// repoAt reads dir as the top of a checkout, or as a bare repository. Like git
// it passes over a .git that is no repository.
func repoAt(dir string) (repo, bool) {
	dotGit := filepath.Join(dir, ".git")
	if info, err := os.Stat(dotGit); err == nil {
		git := dotGit
		if !info.IsDir() {
			git = gitFile(dotGit)
		}
		if r, ok := openRepo(dir, git); ok {
			return r, true
		}
	}
	r, ok := openRepo(dir, dir)
	if ok && filepath.Base(dir) == ".git" {
		r.root = filepath.Dir(dir)
	}
	return r, ok
}

// openRepo reports whether git is a repository's directory, and finds the common one.
func openRepo(root, git string) (repo, bool) {
	if git == "" || !exists(filepath.Join(git, "HEAD")) {
		return repo{}, false
	}
	git = realPath(git)
	common := git
	if to := strings.TrimSpace(readSmall(filepath.Join(git, "commondir"))); to != "" {
		common = realPath(from(git, to))
	}
	if !isDir(filepath.Join(common, "objects")) || !isDir(filepath.Join(common, "refs")) {
		return repo{}, false
	}
	return repo{root: root, git: git, common: common}, true
}

// gitFile returns the directory that a .git file of a worktree or submodule points to.
func gitFile(file string) string {
	to, ok := strings.CutPrefix(readSmall(file), "gitdir:")
	if to = strings.TrimSpace(to); !ok || to == "" {
		return ""
	}
	return from(filepath.Dir(file), to)
}

// nameDir is the directory that gives the project its name: the top of the main
// work tree, also seen from another worktree.
func (r repo) nameDir() string {
	if r.git == r.common && r.root != r.common {
		return r.root
	}
	switch filepath.Base(r.common) {
	case ".git", ".bare":
		return filepath.Dir(r.common)
	}
	return strings.TrimSuffix(r.common, ".git")
}

// head returns the branch and commit that are checked out. Branch is empty on a
// detached HEAD, commit before the first one; both where refs are kept in a
// form that is not read here.
func (r repo) head() (branch, commit string) {
	at := readHead(filepath.Join(r.git, "HEAD"))
	for range maxHops {
		ref, ok := symbolic(at)
		if !ok {
			return branch, commitID(at)
		}
		branch = branchOf(ref)
		at = r.ref(ref)
	}
	return branch, ""
}

// branchOf returns the branch that a reference is; none for one outside of the
// branches, and for the stand-in of repositories that keep references elsewhere.
func branchOf(ref string) string {
	b, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok || b == ".invalid" {
		return ""
	}
	return mem.Clip(mem.Line(b), maxName)
}

// ref returns what a reference holds, loose before packed.
func (r repo) ref(name string) string {
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(name) {
		return ""
	}
	for _, dir := range []string{r.git, r.common} {
		if s := readSmall(filepath.Join(dir, filepath.FromSlash(name))); s != "" {
			return s
		}
	}
	return packedRef(filepath.Join(r.common, "packed-refs"), name)
}

// packedRef looks a reference up in a packed-refs file.
func packedRef(file, name string) string {
	f, err := openRegular(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxPacked))
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name {
			return id
		}
	}
	return ""
}

// readHead reads HEAD, which old repositories keep as a symlink to the branch.
func readHead(file string) string {
	if to, err := os.Readlink(file); err == nil && strings.HasPrefix(to, "refs/") {
		return "ref: " + to
	}
	return readSmall(file)
}

func symbolic(s string) (ref string, ok bool) {
	ref, ok = strings.CutPrefix(s, "ref:")
	return strings.TrimSpace(ref), ok
}

// commitID returns s if it is an object id, else nothing.
func commitID(s string) string {
	s = strings.TrimSpace(s)
	if len(s) != 40 && len(s) != 64 {
		return ""
	}
	if strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// readSmall returns the content of a small file; nothing if it is missing, too
// large or not a regular file.
func readSmall(file string) string { return readBounded(file, maxPointer) }

func readBounded(file string, max int64) string {
	f, err := openRegular(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil || int64(len(b)) > max {
		return ""
	}
	return string(b)
}

// openRegular opens a file, but no pipe or device, on which opening can wait for ever.
func openRegular(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return os.Open(file)
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// from resolves a path that is written in a file of dir.
func from(dir, to string) string {
	to = filepath.FromSlash(to)
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(dir, to)
}
