package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Options say what to install. The zero value means the lean hooks in the user's settings.
type Options struct {
	Scope      Scope
	Profile    Profile
	StatusLine bool // also show Remanence in the agent's status line, if it has none
}

// Plan is what an installation will do. Making one writes nothing.
type Plan struct {
	Agent   string
	Scope   Scope
	Project string
	Profile Profile
	Binary  string
	File    string   // the settings that will be edited
	Target  string   // the file that will be replaced: File with symbolic links followed
	Create  bool     // there are no settings yet
	Dirs    []string // directories that will be made, the outermost first

	Entries                  []Entry // all hooks of ours that will stand in the file
	Added, Replaced, Removed int     // what changes about them
	StatusLine               LineState

	Warnings []Finding // what will keep the hooks from serving well

	was   file
	after []byte
}

// Changes reports whether the settings will be written to.
func (p Plan) Changes() bool {
	return p.Create || !bytes.Equal(p.was.data, p.after)
}

// PlanInstall reads the settings and works out what they will become. Where they cannot be merged the error is one of
// the package's reasons, and Paste shows what a person could insert by hand.
func PlanInstall(c Config, o Options) (Plan, error) {
	if err := checkBinary(c.Binary); err != nil {
		return Plan{}, err
	}
	p := Plan{Agent: AgentID, Scope: o.Scope, Profile: o.Profile, Binary: c.Binary}
	if p.Scope == "" {
		p.Scope = ScopeUser
	}
	if p.Profile == "" {
		p.Profile = Lean
	}
	var err error
	if p.Entries, err = Entries(p.Profile, c.Binary); err != nil {
		return Plan{}, err
	}
	if err := p.open(c); err != nil {
		return Plan{}, err
	}
	before := p.was.data
	if p.Create {
		before = []byte("{}\n")
	}
	after, did, err := merge(before, p.Entries)
	if err != nil {
		return Plan{}, fmt.Errorf("%s: %w; nothing was changed", p.File, err)
	}
	if after, p.StatusLine, err = mergeStatusLine(after, c.Binary, o.StatusLine); err != nil {
		return Plan{}, fmt.Errorf("%s: %w; nothing was changed", p.File, err)
	}
	p.after, p.Added, p.Replaced, p.Removed = after, did.added, did.replaced, did.removed
	p.Warnings = warnings(c)
	return p, nil
}

// open finds and reads the settings that are to be edited.
func (p *Plan) open(c Config) error {
	p.File = c.settingsFile(p.Scope)
	if p.File == "" {
		return fmt.Errorf("no settings for scope %q: choose user, or project inside of a project", p.Scope)
	}
	var err error
	if p.was, err = read(p.File); err != nil {
		return err
	}
	if p.Scope == ScopeProject {
		p.Project = c.Project
		if err := p.was.within(c.Project); err != nil {
			return err
		}
	}
	p.Target, p.Create = p.was.target, !p.was.exists()
	if p.Create {
		p.Dirs = missingDirs(filepath.Dir(p.File))
	}
	return p.was.writable()
}

// Apply carries a plan out and returns its record. The record is written before the settings are touched. If the
// settings are no longer as planned the error is ErrChanged and nothing is left behind. A plan that changes nothing
// returns the record of the installation that is there.
func Apply(c Config, p Plan) (Record, error) {
	if !p.Changes() {
		return p.adopt(c)
	}
	r, err := p.record(c).save(c.RecordDir)
	if err != nil {
		return Record{}, err
	}
	if err := p.write(); err != nil {
		return Record{}, errors.Join(err, forget(c.RecordDir, []string{r.ID}))
	}
	return r, nil
}

// adopt returns the record of hooks that stand as planned already, and makes one if there is none.
func (p Plan) adopt(c Config) (Record, error) {
	if err := p.was.unchanged(); err != nil {
		return Record{}, err
	}
	if r, ok := newest(c, p.File); ok {
		return r, nil
	}
	return p.record(c).save(c.RecordDir)
}

func (p Plan) record(c Config) Record {
	return Record{
		Schema: RecordSchema, When: c.now(), Agent: p.Agent, Scope: p.Scope, Project: p.Project, Profile: p.Profile,
		Binary: p.Binary, File: p.File, Target: p.Target, Created: p.Create, Dirs: p.Dirs,
		SHA256Before: digest(p.was.data), SHA256After: digest(p.after), Before: p.was.data, Entries: p.Entries,
	}
}

func (p Plan) write() error {
	dirMode, fileMode := fs.FileMode(0o700), fs.FileMode(0o600)
	if p.Scope == ScopeProject {
		dirMode, fileMode = 0o755, 0o644
	}
	for i, dir := range p.Dirs {
		if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
			removeEmpty(p.Dirs[:i])
			return writeError(dir, err)
		}
	}
	if err := p.was.replace(p.after, fileMode); err != nil {
		removeEmpty(p.Dirs)
		return err
	}
	return nil
}

// newest returns the last record of hooks in a settings file.
func newest(c Config, path string) (Record, bool) {
	list, _ := Records(c) // a damaged record counts as none: a new one is written
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].File == path && !list[i].ofPlugin() && !list[i].Server {
			return list[i], true
		}
	}
	return Record{}, false
}
