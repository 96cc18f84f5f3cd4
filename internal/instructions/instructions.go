// Package instructions finds and reads the files of instructions that agents read at the start of a session, such as
// AGENTS.md and CLAUDE.md. It decides nothing about their text. Start with Choose and Cache.
package instructions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"remanence/internal/extract"
	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/propose"
)

// The files that most agents know.
const (
	Agents = "AGENTS.md"
	Claude = "CLAUDE.md"
)

// File is one file of instructions.
type File struct {
	Name string // relative to the project, with slashes
	Path string // absolute, with links followed
	Text string
}

// ErrNone is the error of a project without a file of instructions.
var ErrNone = errors.New("no file of instructions")

// Choose returns the file of a project that lines are proposed for, and those that agents read together with it: files
// that import it or that it imports. A name chooses that file. Otherwise AGENTS.md is chosen, unless only CLAUDE.md
// exists, or AGENTS.md does nothing but refer to CLAUDE.md. Without a name, apart is the other one of the two if
// neither imports the other.
func Choose(dir, name string) (file File, with []File, apart string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return File{}, nil, "", fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	if name != "" {
		if name, err = nameIn(dir, name); err == nil {
			file, err = read(root, name)
		}
		if err != nil {
			return File{}, nil, "", err
		}
	}
	var both []File
	for _, n := range []string{Agents, Claude} {
		f, err := read(root, n)
		if errors.Is(err, fs.ErrNotExist) || err != nil && name != "" {
			continue
		}
		if err != nil {
			return File{}, nil, "", err
		}
		both = append(both, f)
	}
	switch {
	case name != "":
	case len(both) == 0:
		return File{}, nil, "", ErrNone
	case len(both) == 2 && onlyRefers(both[0].Text, Claude):
		file = both[1]
	default:
		file = both[0]
	}
	for _, f := range both {
		switch {
		case f.Path == file.Path:
		case imports(f.Text, file.Name) || imports(file.Text, f.Name):
			with = append(with, f)
		case name == "":
			apart = f.Name
		}
	}
	return file, with, apart, nil
}

// Errors of Choose.
var (
	ErrOutside     = errors.New("it is not in the project")
	ErrNotMarkdown = errors.New("it is no Markdown file")
)

// nameIn returns a name relative to a project, with slashes.
func nameIn(dir, name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return "", ErrOutside
	case !strings.EqualFold(filepath.Ext(rel), ".md"):
		return "", ErrNotMarkdown
	}
	return filepath.ToSlash(rel), nil
}

func read(root *os.Root, name string) (File, error) {
	data, _, err := fsx.ReadFile(root, filepath.FromSlash(name), propose.MaxFile, fsx.Options{FollowLinks: true})
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root.Name(), filepath.FromSlash(name)))
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	if dir, err := filepath.EvalSymlinks(root.Name()); err == nil { // of a link to a file of the project, the file counts
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
	}
	return File{Name: name, Path: path, Text: string(data)}, nil
}

// ErrChanged is the error of a file that was written since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// Write replaces the text of a file as it was read, whole or not at all. Its mode stays. The error of a file that its
// owner may not write is fs.ErrPermission.
func Write(f File, text string) error {
	info, err := os.Stat(f.Path)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		err = fmt.Errorf("it is read-only: %w", fs.ErrPermission)
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return fsx.Replace(fsx.Host{}, f.Path, []byte(text), fsx.Replacement{
		Prepare: func(w *os.File) error { return w.Chmod(info.Mode().Perm()) },
		Check: func() error {
			now, _, err := fsx.ReadFile(fsx.Host{}, f.Path, propose.MaxFile, fsx.Options{})
			if err == nil && string(now) != f.Text {
				err = ErrChanged
			}
			return err
		},
	})
}

// imports reports whether a text has the word @name outside of code, by which clients include a file.
func imports(text, name string) bool {
	for line := range strings.Lines(text) {
		for _, w := range strings.Fields(line) {
			if strings.TrimRight(w, ".,;:)") == "@"+name || strings.TrimRight(w, ".,;:)") == "@./"+name {
				return true
			}
		}
	}
	return false
}

// onlyRefers reports whether a text says nothing but that another file is to be read.
func onlyRefers(text, name string) bool {
	said := slices.DeleteFunc(propose.Parse(text).Statements, func(s propose.Statement) bool {
		return strings.Contains(s.Text, name)
	})
	return len(said) == 0 && strings.Contains(text, name)
}

// maxFiles and maxVerdicts bound a Cache.
const (
	maxFiles    = 64
	maxVerdicts = 20_000
)

// Cache answers whether the files that an agent reads say what a memory does. It reads a file again when its time or
// size has changed. The zero value is empty. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	files map[string]*cached // by path
	asked int
}

type cached struct {
	written  time.Time
	size     int64
	text     string
	doc      propose.Doc
	verdicts map[verdict]bool
}

type verdict struct {
	memory  string
	updated time.Time
}

// settled is how much later than the start of a session a file may be written and still count as read by it: the
// clocks of file systems are coarse.
const settled = 2 * time.Second

// Says reports whether a file that the agent read when its session began, at since, says what a memory does. A zero
// since means now. Nothing is known of files that cannot be read.
func (c *Cache) Says(p mem.Project, agent string, since time.Time, m mem.Memory) bool {
	if p.Root == "" {
		return false
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return false
	}
	defer root.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.readBy(root, agent) {
		if !since.IsZero() && f.written.After(since.Add(settled)) {
			continue
		}
		key := verdict{m.ID, m.Updated}
		says, known := f.verdicts[key]
		if !known {
			_, says = f.doc.Says(extract.ClaimOf(m))
			if c.asked++; c.asked > maxVerdicts {
				c.files, c.asked = nil, 0
			}
			f.verdicts[key] = says
		}
		if says {
			return true
		}
	}
	return false
}

// readBy returns the files that an agent reads, with what they import.
func (c *Cache) readBy(root *os.Root, agent string) []*cached {
	var out []*cached
	add := func(names ...string) {
		for _, n := range names {
			if f := c.look(root, n); f != nil && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	switch agent {
	case "claude-code", "":
		add(Claude, ".claude/"+Claude)
	case "gemini":
		add("GEMINI.md")
	case "qwen":
		add("QWEN.md")
	case "copilot":
		add(Agents, ".github/copilot-instructions.md")
	}
	if own := len(out); own > 0 {
		for _, f := range out[:own] {
			if imports(f.text, Agents) {
				add(Agents)
			}
		}
		return out
	}
	if agent != "gemini" {
		add(Agents)
	}
	if len(out) == 0 && agent == "opencode" {
		add(Claude)
	}
	return out
}

// look returns a file as it is now; nil if it cannot be read.
func (c *Cache) look(root *os.Root, name string) *cached {
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	key := filepath.Join(root.Name(), name)
	if f := c.files[key]; f != nil && f.written.Equal(info.ModTime()) && f.size == info.Size() {
		return f
	}
	file, err := read(root, name)
	if err != nil {
		return nil
	}
	if c.files == nil || len(c.files) >= maxFiles {
		c.files = map[string]*cached{}
	}
	f := &cached{
		written: info.ModTime(), size: info.Size(), text: file.Text, doc: propose.Parse(file.Text),
		verdicts: map[verdict]bool{},
	}
	c.files[key] = f
	return f
}
