// Package mind reads and changes a project's state files in .mind/: STATE.md,
// PROGRESS.md, DECISIONS.md, SESSION-LOG.md, ARCHIVE.md, checkpoints and tracking
// files. A change keeps every byte that it does not concern.
//
// It does not decide which projects are trusted: see Config.Trusted. It knows no
// database, agent or event. Start reading at Files.Look and Files.Change.
package mind

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// The state files.
const (
	stateFile    = "STATE.md"
	progressFile = "PROGRESS.md"
	decisionFile = "DECISIONS.md"
	logFile      = "SESSION-LOG.md"
	archiveFile  = "ARCHIVE.md"
)

func stateFiles() []string {
	return []string{stateFile, progressFile, decisionFile, logFile, archiveFile}
}

// Config says how state files are read.
type Config struct {
	// Trusted reports whether the person approved the state files of a project, or this machine made them. Nil
	// means that no files are trusted.
	Trusted func(p mem.Project) bool
	// Main returns the top of the main work tree of a project's repository; empty if it has none. Nil means
	// unknown.
	Main func(p mem.Project) string
	// Redact removes secrets and private text. Nil means that nothing is removed.
	Redact func(string) string
	Limits func() workstate.Limits // called each time; nil means workstate.DefaultLimits
	Now    func() time.Time        // nil means time.Now
	// Changed lists files of a project, relative to it, that were changed since a time and are not committed. Nil
	// means unknown.
	Changed func(p mem.Project, since time.Time) []string
}

// Files reads and writes the state files of all projects. It is safe for concurrent use, and reads only files that
// changed since they were last read.
type Files struct {
	cfg Config

	put func(f *os.File, b []byte) (int, error) // see folder

	mu      sync.Mutex
	known   map[string]*snapshot // by root
	indexed map[string]string    // by root, the version that was made findable
}

// snapshot is what was last read of a project.
type snapshot struct {
	stamps   [6]stamp         // of stateFiles, then of the project's own limits
	faults   string           // of the look at them
	limits   workstate.Limits // the person's
	mind     workstate.Files
	versions []version // of STATE.md, newest last
}

// version is a text of STATE.md that a writer has read.
type version struct {
	name string
	text string
}

// maxVersions is how many texts of STATE.md are remembered for those who were
// shown an older one, and maxKnown for how many projects anything is.
const (
	maxVersions = 8
	maxKnown    = 64
)

// New returns the state files of all projects.
func New(c Config) *Files {
	if c.Trusted == nil {
		c.Trusted = func(mem.Project) bool { return false }
	}
	if c.Main == nil {
		c.Main = func(mem.Project) string { return "" }
	}
	if c.Redact == nil {
		c.Redact = func(s string) string { return s }
	}
	if c.Limits == nil {
		c.Limits = workstate.DefaultLimits
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Files{cfg: c, known: map[string]*snapshot{}, indexed: map[string]string{}}
}

// Look reads the state files of a project. Of untrusted ones it reports only that they exist.
func (f *Files) Look(p mem.Project) (workstate.Files, error) {
	asked := p.Root
	p = f.stateProject(p)
	d, err := openFolder(p.Root, workstate.Dir)
	if err != nil {
		return workstate.Files{}, nil // whatever is there, it is no directory of state files
	}
	defer d.close()
	if info, err := d.root.Lstat(d.path(stateFile)); err != nil || info.IsDir() {
		return workstate.Files{}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.cfg.Trusted(p) {
		return workstate.Files{Present: true, Stamp: untrusted, Indexed: f.indexed[p.Root] == untrusted}, nil
	}
	m := f.read(d, p)
	m.Indexed = m.Stamp == f.indexed[p.Root]
	if p.Root != asked {
		m.Files = chars.Line(filepath.Join(p.Root, workstate.Dir))
	}
	return m, nil
}

// stateProject is where the state files of a project are. A worktree without any of its
// own has those of the main work tree, if both are trusted: files that are not
// committed are only there.
func (f *Files) stateProject(p mem.Project) mem.Project {
	main := p
	main.Root = f.cfg.Main(p)
	if main.Root == "" || main.Root == p.Root || hasFiles(p.Root) || !hasFiles(main.Root) {
		return p
	}
	if !f.cfg.Trusted(p) || !f.cfg.Trusted(main) {
		return p
	}
	return main
}

// hasFiles reports whether there is anything in the place of a project's state files.
func hasFiles(root string) bool {
	_, err := os.Lstat(filepath.Join(root, workstate.Dir))
	return err == nil
}

// untrusted is the version of files that are not trusted.
const untrusted = "untrusted"

// read reads the files that changed since the last call. The caller holds the lock.
func (f *Files) read(d *folder, p mem.Project) workstate.Files {
	now := snapshot{limits: bounded(f.cfg.Limits())}
	for i, name := range stateFiles() {
		st, err := d.look(name)
		if err != nil {
			now.faults += name + ": " + err.Error() + "\n"
		}
		now.stamps[i] = st
	}
	top := &folder{root: d.root, dir: "."}
	now.stamps[5], _ = top.look(limitsFile)
	old := f.known[p.Root]
	if old != nil && old.stamps == now.stamps && old.faults == now.faults && old.limits == now.limits {
		return old.mind
	}
	if old != nil {
		now.versions = old.versions
	}
	limits, warnings := f.limits(top)
	t := map[string]document{}
	for i, name := range stateFiles() {
		b, st, err := d.read(name, maxFile)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s/%s is not read: %s", workstate.Dir, name, reasonOf(err)))
		}
		now.stamps[i] = st
		if err != nil {
			now.stamps[i], _ = d.look(name)
		}
		if name == stateFile && err == nil {
			now.remember(string(b))
		}
		t[name] = parse([]byte(f.cfg.Redact(string(b))))
		now.mind.Size += int64(len(b))
	}
	view(&now.mind, t, limits)
	now.mind.Present, now.mind.Trusted, now.mind.Warnings = true, true, warnings
	now.mind.Written, now.mind.Stamp = now.stamps[0].written, stampText(now.stamps)
	now.mind.StaleAfter = limits.StaleAfter
	now.mind.Updated, now.mind.Files = now.mind.Written.UTC(), workstate.Dir
	if n := len(now.versions); n > 0 {
		now.mind.Version = now.versions[n-1].name
	}
	if len(f.known) >= maxKnown {
		clear(f.known)
	}
	f.known[p.Root] = &now
	return now.mind
}

func stampText(list [6]stamp) string {
	h := fnv.New64a()
	for _, s := range list {
		_, _ = fmt.Fprintf(h, "%d.%d.%d;", s.size, s.written.UnixNano(), s.inode)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// remember stores a text of STATE.md, so that a later change can recognise edits that a person made since.
func (s *snapshot) remember(text string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	v := version{strconv.FormatUint(h.Sum64(), 36), text}
	kept := slices.DeleteFunc(slices.Clone(s.versions), func(old version) bool { return old.name == v.name })
	kept = append(kept, v)
	s.versions = kept[max(0, len(kept)-maxVersions):]
}

// limitsNow returns the limits of a project.
func (f *Files) limitsNow(d *folder) workstate.Limits {
	l, _ := f.limits(&folder{root: d.root, dir: "."})
	return l
}

// open opens the trusted state files of a project. The caller closes them.
func (f *Files) open(p mem.Project) (*folder, error) {
	p = f.stateProject(p)
	if !f.cfg.Trusted(p) {
		return nil, fmt.Errorf("%s: %w", workstate.Dir, mem.ErrNotFound)
	}
	d, err := openFolder(p.Root, workstate.Dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", workstate.Dir, err)
	}
	return d, nil
}

// openLocked opens them and holds their lock. The caller calls done.
func (f *Files) openLocked(ctx context.Context, p mem.Project) (d *folder, done func(), err error) {
	if d, err = f.open(p); err != nil {
		return nil, nil, err
	}
	d.put = f.put
	unlock, err := d.lock(ctx, f.cfg.Now)
	if err != nil {
		d.close()
		return nil, nil, fmt.Errorf("lock %s: %w", workstate.Dir, err)
	}
	return d, func() { unlock(); d.close() }, nil
}
