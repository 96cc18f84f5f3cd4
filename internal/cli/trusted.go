package cli

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

	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/project"
)

// trusted is one repository whose own files about itself the person stands for.
type trusted struct {
	Root  string    `json:"root"`  // top of the checkout
	First string    `json:"first"` // its first commit; empty outside of git and before there is one
	Made  bool      `json:"made"`  // this machine made the files
	Mark  string    `json:"mark"`  // that it gave them
	At    time.Time `json:"at"`
}

// trustedFile lists the repositories that the person trusts.
func (p Paths) trustedFile() string { return filepath.Join(p.State, "trusted.json") }

// maxTrustedFile bounds that list, in bytes.
const maxTrustedFile = 1 << 20

func (p Paths) readTrusted() ([]trusted, error) {
	b, err := readUpTo(p.trustedFile(), maxTrustedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []trusted
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.trustedFile(), err)
	}
	return list, nil
}

// stateFiles are the directories of trusted projects that hold state files. Of a
// list that cannot be read nothing is known.
func (p Paths) stateFiles() (dirs []string) {
	list, _ := p.readTrusted()
	for _, t := range list {
		if dir := filepath.Join(t.Root, mem.MindDir); exists(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// writeTrusted replaces the list, whole or not at all.
func (p Paths) writeTrusted(list []trusted) error {
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(p.trustedFile(), append(b, '\n'))
}

// trust adds a project to the list, or renews what is known of it. With a mark
// this machine made its files and gave them that.
func (p Paths) trust(pr mem.Project, mark string, now time.Time) (trusted, error) {
	first, err := project.First(pr)
	if err != nil {
		return trusted{}, fmt.Errorf("first commit of %s: %w", pr.Root, err)
	}
	t := trusted{Root: pr.Root, First: first, Made: mark != "", Mark: mark, At: now.UTC().Truncate(time.Second)}
	return t, p.inTurn(func() error {
		list, err := p.readTrusted()
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(o trusted) bool { return o.Root == t.Root })
		list = append(list, t)
		slices.SortStableFunc(list, func(a, b trusted) int { return strings.Compare(a.Root, b.Root) })
		return p.writeTrusted(list)
	})
}

// distrust takes a project off the list. ok is false if it is not on it.
func (p Paths) distrust(root string) (t trusted, ok bool, err error) {
	err = p.inTurn(func() error {
		list, err := p.readTrusted()
		i := slices.IndexFunc(list, func(o trusted) bool { return o.Root == root })
		if err != nil || i < 0 {
			return err
		}
		t, ok = list[i], true
		return p.writeTrusted(slices.Delete(list, i, i+1))
	})
	return t, ok, err
}

// stands reports whether an entry is about a project as it is now: the same
// place, and the files that this machine made, or a repository that holds the
// commit that the other one began with.
func (t trusted) stands(pr mem.Project) bool {
	switch {
	case t.Root == "" || t.Root != pr.Root:
		return false
	case t.Mark != "" && mind.Origin(pr.Root) == t.Mark:
		return true
	case t.First == "":
		return pr.Commit == ""
	}
	return project.Holds(pr, t.First)
}

// trustBook answers who is trusted, out of the list as it is now. What it found
// of a repository holds until the list or what is checked out there changes.
type trustBook struct {
	paths Paths

	mu     sync.Mutex
	seen   os.FileInfo // of the list, nil before it was read
	list   []trusted
	judged map[string]verdict // by root
}

type verdict struct {
	commit, common string
	ok             bool
}

// trusts reports whether the person stands for a project's files about itself.
func (b *trustBook) trusts(pr mem.Project) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	info, err := os.Stat(b.paths.trustedFile())
	if err != nil {
		return false
	}
	if b.seen == nil || !sameFileState(b.seen, info) {
		list, err := b.paths.readTrusted()
		if err != nil {
			return false
		}
		b.list, b.seen, b.judged = list, info, map[string]verdict{}
	}
	i := slices.IndexFunc(b.list, func(t trusted) bool { return t.Root == pr.Root })
	if i < 0 {
		return false
	}
	v, known := b.judged[pr.Root]
	if !known || v.commit != pr.Commit || v.common != pr.Common {
		v = verdict{pr.Commit, pr.Common, b.list[i].stands(pr)}
		b.judged[pr.Root] = v
	}
	return v.ok
}
