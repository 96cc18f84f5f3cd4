// Package project finds the project that a directory belongs to: one key for all
// clones, worktrees and renames of a repository. It reads git's own files and
// never runs git; it knows no configuration, no database and no agent.
package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// maxName is the longest project name and branch name kept, in characters.
const maxName = 120

// Identify returns the project of an absolute directory. Outside of git, and
// where git's files cannot be read, the directory itself is the project. A
// directory that does not exist (any more) belongs where its nearest existing
// parent belongs. It fails only for a path that is not absolute.
func Identify(dir string) (mem.Project, error) {
	if !filepath.IsAbs(dir) {
		return mem.Project{}, fmt.Errorf("identify project of %q: path is not absolute", dir)
	}
	real := realPath(dir)
	open := &roots{at: map[string]*os.Root{}}
	defer open.close()
	r, ok := findRepo(real, open)
	if !ok {
		return mem.Project{Key: key(real), Name: name(real), Root: real}, nil
	}
	p := mem.Project{
		Name:   name(r.nameDir()),
		Root:   r.root,
		Common: r.common.path(),
		Origin: normaliseOrigin(r.common.origin(), r.root),
	}
	p.Branch, p.Commit = r.head()
	p.Key = key(p.Common)
	if p.Origin != "" {
		p.Key = key(p.Origin)
	}
	return p, nil
}

// Rel returns file as a slash path relative to the project's root, or the
// cleaned absolute path if it lies outside. A relative file counts from the
// root; the root itself is ".". Both slashes and backslashes separate.
func Rel(p mem.Project, file string) string {
	root, file := slash(p.Root), slash(file)
	if root == "" || file == "" {
		return file
	}
	if !isAbs(file) {
		file = path.Join(root, file)
	}
	if rel, ok := inside(root, file); ok {
		return rel
	}
	if !filepath.IsAbs(file) {
		return file
	}
	if rel, ok := inside(root, slash(realPath(file))); ok {
		return rel
	}
	return file
}

// key makes a project key of what identifies it.
func key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return mem.KeyMark + hex.EncodeToString(sum[:])[:12]
}

// WithFile returns the project with what its configuration file sets. An id counts for repositories only: it gives all
// clones one key, also those without a remote.
func WithFile(p mem.Project, f mem.ProjectFile) mem.Project {
	if f.ID != "" && p.Common != "" {
		f.Key = key("project.id " + f.ID)
		p.Key = f.Key
	}
	if f.Name != "" {
		p.Name = chars.Clip(chars.Line(f.Name), maxName)
	}
	p.File = &f
	return p
}

func name(dir string) string { return chars.Clip(chars.Line(filepath.Base(dir)), maxName) }

// maxPath is the longest path looked up on disk; systems know none longer.
const maxPath = 4096

// realPath resolves the symlinks of p as far as p exists.
func realPath(p string) string {
	p = filepath.Clean(p)
	if len(p) > maxPath {
		return p
	}
	for dir := p; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				return filepath.Join(real, strings.TrimPrefix(p, dir))
			}
		}
		if dir == filepath.Dir(dir) {
			return p
		}
	}
}

// inside returns file relative to root; ok is false if it lies outside. Paths
// with a drive letter compare without regard to case.
func inside(root, file string) (rel string, ok bool) {
	if len(file) < len(root) {
		return "", false
	}
	head, tail := file[:len(root)], file[len(root):]
	if head != root && !(hasDrive(root) && strings.EqualFold(head, root)) {
		return "", false
	}
	switch {
	case tail == "":
		return ".", true
	case tail[0] == '/':
		return tail[1:], true
	case strings.HasSuffix(root, "/"):
		return tail, true
	}
	return "", false
}

// slash cleans p and separates it by slashes, on every platform.
func slash(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(p, `\`, "/"))
}

func isAbs(p string) bool { return strings.HasPrefix(p, "/") || hasDrive(p) }

func hasDrive(p string) bool {
	return len(p) >= 3 && p[1] == ':' && p[2] == '/' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}
