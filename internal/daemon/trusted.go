package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"remanence/internal/config"
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/project"
	"remanence/internal/workstate"
)

// TrustedRepo is a repository whose state files the person trusts.
type TrustedRepo struct {
	Root  string    `json:"root"`           // top of the checkout
	First string    `json:"first"`          // its first commit; empty outside of git and before there is one
	Made  bool      `json:"made"`           // this machine made the files
	Mark  string    `json:"mark"`           // that it gave them
	Dir   string    `json:"dir,omitempty"`  // project.Identity of Root
	Repo  string    `json:"repo,omitempty"` // project.Identity of the git common directory; empty outside of git
	At    time.Time `json:"at"`
}

// maxTrustedFile bounds that list, in bytes.
const maxTrustedFile = 1 << 20

// ReadTrusted reads the list of trusted repositories.
func ReadTrusted(p config.Paths) ([]TrustedRepo, error) {
	b, err := config.ReadUpTo(p.TrustedFile(), maxTrustedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []TrustedRepo
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.TrustedFile(), err)
	}
	return list, nil
}

// TrustedStateDirs returns the directories of trusted projects that hold state files. An unreadable list
// yields none.
func TrustedStateDirs(p config.Paths) (dirs []string) {
	list, _ := ReadTrusted(p)
	for _, t := range list {
		if dir := filepath.Join(t.Root, workstate.Dir); config.Exists(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// WriteTrusted replaces the list, whole or not at all.
func WriteTrusted(p config.Paths, list []TrustedRepo) error {
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return config.ReplaceFile(p.TrustedFile(), append(b, '\n'))
}

// TrustProject adds a project to the list, or updates its entry. A mark means that this machine created the
// files.
func TrustProject(p config.Paths, pr mem.Project, mark string, now time.Time) (TrustedRepo, error) {
	first, err := project.First(pr)
	if err != nil {
		return TrustedRepo{}, fmt.Errorf("first commit of %s: %w", pr.Root, err)
	}
	t := TrustedRepo{
		Root: pr.Root, First: first, Made: mark != "", Mark: mark, At: now.UTC().Truncate(time.Second),
		Dir: project.Identity(pr.Root), Repo: project.Identity(pr.Common),
	}
	return t, p.WithLock(func() error {
		list, err := ReadTrusted(p)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(o TrustedRepo) bool { return o.Root == t.Root || o.movedTo(t) })
		list = append(list, t)
		slices.SortStableFunc(list, func(a, b TrustedRepo) int { return strings.Compare(a.Root, b.Root) })
		return WriteTrusted(p, list)
	})
}

// DistrustProject removes the entries that make a project trusted, also from a worktree or after a rename. ok
// is false if there are none.
func DistrustProject(p config.Paths, pr mem.Project) (off []TrustedRepo, ok bool, err error) {
	err = p.WithLock(func() error {
		list, err := ReadTrusted(p)
		if err != nil {
			return err
		}
		var rest []TrustedRepo
		for _, t := range list {
			if t.Root == pr.Root || t.Covers(pr) {
				off = append(off, t)
			} else {
				rest = append(rest, t)
			}
		}
		if len(off) == 0 {
			return nil
		}
		return WriteTrusted(p, rest)
	})
	return off, err == nil && len(off) > 0, err
}

// Covers reports whether an entry applies to a project: the same directory, a worktree of the same repository,
// or the directory after a rename; and there the files that this machine created, or a repository with the
// same first commit.
func (t TrustedRepo) Covers(pr mem.Project) bool {
	switch {
	case t.Root == "":
		return false
	case t.Root == pr.Root:
		return t.holdsMark(pr.Root) || t.holdsFirst(pr)
	case !t.sameDir(pr) && !t.sameRepo(pr):
		return false
	case t.Mark != "": // other worktrees were not examined
		return t.holdsMark(pr.Root, project.MainCheckout(pr))
	}
	return t.holdsFirst(pr)
}

// holdsMark reports whether one of some directories holds the files that this machine created.
func (t TrustedRepo) holdsMark(roots ...string) bool {
	return t.Mark != "" && slices.ContainsFunc(roots, func(root string) bool {
		return root != "" && mind.Origin(root) == t.Mark
	})
}

// holdsFirst reports whether the repository of a project contains the first commit of the trusted one.
func (t TrustedRepo) holdsFirst(pr mem.Project) bool {
	if t.First == "" {
		return pr.Commit == ""
	}
	return project.Holds(pr, t.First)
}

// sameDir reports whether a project is in the trusted directory itself, maybe renamed.
func (t TrustedRepo) sameDir(pr mem.Project) bool {
	return t.Dir != "" && project.Identity(pr.Root) == t.Dir && (t.Repo == "" || project.Identity(pr.Common) == t.Repo)
}

// sameRepo reports whether a project is a worktree of the trusted repository, made by git. A .git file in the
// directory is not proof: an archive could contain one.
func (t TrustedRepo) sameRepo(pr mem.Project) bool {
	if pr.Common == "" || !project.OwnCheckout(pr) {
		return false
	}
	repo := t.Repo
	if repo == "" { // trusted by an older version, or no repository at that time
		there, err := project.Identify(t.Root)
		if err != nil || there.Root != t.Root {
			return false
		}
		repo = project.Identity(there.Common)
	}
	return repo != "" && project.Identity(pr.Common) == repo
}

// movedTo reports whether an entry is about a directory that was moved and trusted again at its new place.
func (t TrustedRepo) movedTo(now TrustedRepo) bool {
	return t.Dir != "" && t.Dir == now.Dir && t.Repo == now.Repo && !config.Exists(t.Root)
}

// TrustList decides who is trusted by the current list. A decision is kept until the list, the directory or
// its checkout changes.
type TrustList struct {
	Paths config.Paths

	mu       sync.Mutex
	seen     os.FileInfo // of the list, nil before it was read
	list     []TrustedRepo
	verdicts map[trustKey]bool
}

// trustKey identifies a decision: a project and the state of its directory.
type trustKey struct{ root, commit, common, dir, repo string }

// maxVerdicts bounds the number of kept decisions.
const maxVerdicts = 256

// Trusts reports whether the person trusts a project's state files.
func (b *TrustList) Trusts(pr mem.Project) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	info, err := os.Stat(b.Paths.TrustedFile())
	if err != nil {
		return false
	}
	if b.seen == nil || !sameFileState(b.seen, info) {
		list, err := ReadTrusted(b.Paths)
		if err != nil {
			return false
		}
		b.list, b.seen, b.verdicts = list, info, map[trustKey]bool{}
	}
	if len(b.list) == 0 {
		return false
	}
	now := trustKey{pr.Root, pr.Commit, pr.Common, project.Identity(pr.Root), project.Identity(pr.Common)}
	ok, known := b.verdicts[now]
	if !known {
		ok = slices.ContainsFunc(b.list, func(t TrustedRepo) bool { return t.Covers(pr) })
		if len(b.verdicts) >= maxVerdicts {
			clear(b.verdicts)
		}
		b.verdicts[now] = ok
	}
	return ok
}
