package project

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/fsx"
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
	git    folder // directory of this checkout: HEAD lies here
	common folder // directory that all worktrees share: config and refs lie here
}

// findRepo walks up from dir, a real path, to the first directory that is a
// checkout. The caller closes what it opens.
func findRepo(dir string, open *roots) (repo, bool) {
	for {
		if r, ok := repoAt(dir, open); ok {
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
// it passes over a .git that is no repository, and over one of another user.
func repoAt(dir string, open *roots) (repo, bool) {
	if git, ok := gitOf(dir, open); ok {
		if r, ok := openRepo(dir, git); ok {
			return r, true
		}
	}
	r, ok := openRepo(dir, folder{base: dir, open: open})
	if ok && filepath.Base(dir) == ".git" {
		r.root = filepath.Dir(dir)
	}
	return r, ok
}

// gitOf finds the directory that dir's .git is or leads to.
func gitOf(dir string, open *roots) (folder, bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	switch {
	case err != nil || !fsx.OwnedByUserOrRoot(info):
		return folder{}, false
	case info.IsDir():
		return folder{base: dir, sub: ".git", open: open}, true
	}
	to := realPath(dotGit)
	if info.Mode().IsRegular() {
		to = gitFile(dir)
	}
	git := folder{base: to, open: open}
	info, err = os.Stat(to)
	return git, to != "" && err == nil && info.IsDir() && fsx.OwnedByUserOrRoot(info) && leadsBack(git, dir)
}

// leadsBack reports whether a directory to which dir's .git leads is that of
// dir. The own directory of another checkout is not. Git writes into those of
// worktrees and submodules where they are checked out; nothing else of them is
// read before that is known.
func leadsBack(git folder, dir string) bool {
	if _, ok := inside(slash(dir), slash(git.path())); ok {
		return true
	}
	if filepath.Base(git.path()) == ".git" {
		return false
	}
	if file := strings.TrimSpace(git.small("gitdir")); file != "" {
		return realPath(filepath.Dir(from(git.path(), file))) == dir
	}
	if tree := configValue(git.text("config", maxConfig), "core", "", "worktree"); tree != "" {
		return realPath(from(git.path(), tree)) == dir
	}
	return true
}

// openRepo reports whether git is a repository's directory, and finds the common one.
func openRepo(root string, git folder) (repo, bool) {
	if !git.has("HEAD") {
		return repo{}, false
	}
	common := git
	if to := strings.TrimSpace(git.small("commondir")); to != "" {
		common = folder{base: realPath(from(git.path(), to)), open: git.open}
		if filepath.Dir(git.path()) != filepath.Join(common.path(), "worktrees") {
			return repo{}, false
		}
	}
	if !common.has("objects") || !common.has("refs") {
		return repo{}, false
	}
	return repo{root: root, git: git, common: common}, true
}

// gitFile returns the directory that the .git file of a worktree or submodule points to.
func gitFile(dir string) string {
	to, ok := strings.CutPrefix(folder{base: dir}.small(".git"), "gitdir:")
	if to = strings.TrimSpace(to); !ok || to == "" {
		return ""
	}
	return realPath(from(dir, to))
}

// nameDir is the directory that gives the project its name: the top of the main
// work tree, also seen from another worktree.
func (r repo) nameDir() string {
	common := r.common.path()
	if r.git == r.common && r.root != common {
		return r.root
	}
	switch filepath.Base(common) {
	case ".git", ".bare":
		return filepath.Dir(common)
	}
	return strings.TrimSuffix(common, ".git")
}

// head returns the branch and commit that are checked out. Branch is empty on a
// detached HEAD, commit before the first one; both where refs are kept in a
// form that is not read here.
func (r repo) head() (branch, commit string) {
	at := readHead(r.git)
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
	return chars.Clip(chars.Line(b), maxName)
}

// ref returns what a reference holds, loose before packed.
func (r repo) ref(name string) string {
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(name) {
		return ""
	}
	for _, dir := range []folder{r.git, r.common} {
		if s := dir.small(filepath.FromSlash(name)); s != "" {
			return s
		}
	}
	return packedRef(r.common, name)
}

// packedRef looks a reference up in the packed-refs file.
func packedRef(dir folder, name string) string {
	f, err := dir.file("packed-refs")
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
func readHead(dir folder) string {
	if to, err := os.Readlink(filepath.Join(dir.path(), "HEAD")); err == nil && strings.HasPrefix(to, "refs/") {
		return "ref: " + to
	}
	return dir.small("HEAD")
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

// from resolves a path that is written in a file of dir.
func from(dir, to string) string {
	to = filepath.FromSlash(to)
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(dir, to)
}
