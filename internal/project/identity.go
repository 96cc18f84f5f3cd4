package project

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Identity identifies a directory by what only its file system says of it: its
// number there and the moment it was created. A rename keeps it. No clone, copy
// or archive brings it along, and no file in the directory can claim it. The
// device is no part of it: some file systems have another one after each mount.
// It is empty if the file system does not report both, and if there is no such
// directory.
func Identity(dir string) string {
	inode, born, ok := birth(dir)
	if dir == "" || !ok || inode == 0 || born.Unix() <= 0 {
		return ""
	}
	return strconv.FormatUint(inode, 36) + "-" + strconv.FormatInt(born.UnixNano(), 36)
}

// MainCheckout is the top of the main work tree of a project's repository; empty
// outside of git and where the repository has none in the usual place.
func MainCheckout(p mem.Project) string {
	if filepath.Base(p.Common) != ".git" {
		return ""
	}
	return filepath.Dir(p.Common)
}

// madeTogether is how far apart git creates the two ends of a worktree at most:
// its .git file, and the directory that the repository keeps of it.
const madeTogether = 5 * time.Second

// OwnCheckout reports whether git itself made p.Root a checkout of the repository
// at p.Common. A .git file alone does not prove that: an archive may hold one that
// names any repository of this machine.
func OwnCheckout(p mem.Project) bool { return ownCheckout(p, madeTogether) }

func ownCheckout(p mem.Project, apart time.Duration) bool {
	dotGit := filepath.Join(p.Root, ".git")
	info, err := os.Lstat(dotGit)
	switch {
	case p.Common == "" || err != nil || !fsx.OwnedByUserOrRoot(info):
		return false
	case info.IsDir():
		return dotGit == p.Common
	case !info.Mode().IsRegular():
		return false
	}
	open := &roots{at: map[string]*os.Root{}}
	defer open.close()
	git := folder{base: gitFile(p.Root), open: open}
	if git.base == "" {
		return false
	}
	r, ok := openRepo(p.Root, git)
	if !ok || r.common.path() != p.Common {
		return false
	}
	if r.git.path() != r.common.path() {
		return isWorktree(git, p.Root, apart)
	}
	tree := configValue(git.text("config", maxConfig), "core", "", "worktree") // of a submodule
	return tree != "" && realPath(from(git.path(), tree)) == p.Root
}

// isWorktree reports whether git is the repository's directory of the worktree
// at root. "git worktree repair" notes a new place for a worktree when it is run in
// a directory that claims to be it. So the place alone is no proof: both ends must
// have been created together.
func isWorktree(git folder, root string, apart time.Duration) bool {
	file := strings.TrimSpace(git.small("gitdir"))
	if file == "" || realPath(filepath.Dir(from(git.path(), file))) != root {
		return false
	}
	_, one, ok := birth(filepath.Join(root, ".git"))
	_, other, both := birth(git.path())
	return ok && both && one.Sub(other).Abs() <= apart
}
