package setup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Action says how a settings file gets rid of our hooks.
type Action string

// The actions, from the best to the least.
const (
	Restore Action = "restore" // the exact bytes from before the installation
	Delete  Action = "delete"  // the file was made by us and holds nothing else
	Edit    Action = "edit"    // only our entries are cut out: the file has changed since
	Keep    Action = "keep"    // there is nothing of ours in it
)

// Step is what an uninstallation will do to one settings file.
type Step struct {
	Agent  string // "" means Claude Code
	File   string
	Action Action
	Hooks  int  // entries of ours that will go
	Line   bool // our status line goes too
	Server bool // what will go is our server, out of the agent's configuration
	Skill  bool // the file is a skill, which stays while another agent has it
	// Instructs means that the file is one of instructions, out of which our section goes.
	Instructs bool
	Records   []string // install records that are undone by it
	Dirs      []string // directories made by us, outermost first; those that are empty will go

	was   file
	after []byte
}

// Removal is what an uninstallation will do. Making one writes nothing.
type Removal struct {
	Steps []Step
}

// PlanUninstall looks for our hooks in settings, wherever an install record or the agent's own search order leads. It
// needs no record: what Ours recognises goes. The steps are valid even if there is an error, which names the settings
// that must stay as they are and the records that cannot be read. The plugin is none of its business.
func PlanUninstall(c Config) (Removal, error) {
	all, err := Records(c)
	records, _ := sorted(all)
	errs := []error{err}
	var plan Removal
	for _, path := range c.hookFiles(records) {
		mine := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.File != path })
		step, err := planStep(path, mine)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if step.Hooks > 0 || step.Line || len(step.Records) > 0 {
			plan.Steps = append(plan.Steps, step)
		}
	}
	servers, err := planServerRemoval(c, all)
	plan.Steps = append(plan.Steps, servers...)
	return plan, errors.Join(append(errs, err)...)
}

// hookFiles lists every file that may hold hooks of ours.
func (c Config) hookFiles(records []Record) []string {
	var list []string
	for _, r := range records {
		list = append(list, r.File)
	}
	list = append(list, c.settingsFile(ScopeUser))
	if project := c.settingsFile(ScopeProject); project != "" {
		list = append(list, project, filepath.Join(filepath.Dir(project), "settings.local.json"))
	}
	var once []string
	for _, path := range list {
		if !slices.Contains(once, path) {
			once = append(once, path)
		}
	}
	return once
}

func planStep(path string, records []Record) (Step, error) {
	s := Step{File: path, Action: Keep}
	for _, r := range records {
		s.Records = append(s.Records, r.ID)
		s.Dirs = append(s.Dirs, r.Dirs...)
	}
	var err error
	s.was, err = read(path)
	if len(records) == 0 && (errors.Is(err, ErrNotFile) || !bytes.Contains(s.was.data, []byte("remanence"))) {
		return s, nil // never ours, whatever it is
	}
	if err != nil {
		return Step{}, err
	}
	if !s.was.exists() {
		return s, nil
	}
	before, created := rewind(s.was.data, records)
	if s.after, err = Unmerge(before, Ours); err != nil {
		return Step{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	s.Hooks, s.Line = countOurs(s.was.data), StatusLine(s.was.data) == LineOurs
	if s.Action = s.choose(before, created); s.Action == Keep {
		return s, nil
	}
	return s, errors.Join(outside(s.was, records), s.was.writable())
}

// choose returns how the file becomes what it will be afterwards. before is what it was before the installations that
// left it as it is, and created says that one of them made it.
func (s Step) choose(before []byte, created bool) Action {
	switch {
	case created && holdsNothing(s.after):
		return Delete
	case bytes.Equal(s.after, s.was.data):
		return Keep
	case !bytes.Equal(before, s.was.data) && bytes.Equal(before, s.after):
		return Restore
	}
	return Edit
}

// rewind goes back through the installations, the newest first, as far as each left the text that is there now.
func rewind(data []byte, records []Record) (before []byte, created bool) {
	for _, r := range slices.Backward(records) {
		created = created || r.Created
		if r.SHA256After == digest(data) && r.SHA256Before == digest(r.Before) {
			data = r.Before
		}
	}
	return data, created
}

// outside refuses a project's settings that lead elsewhere by now.
func outside(f file, records []Record) error {
	for _, r := range records {
		if r.Scope != ScopeProject {
			continue
		}
		if err := f.within(r.Project); err != nil {
			return err
		}
	}
	return nil
}

func countOurs(src []byte) int {
	d, err := parse(src)
	if err != nil {
		return 0
	}
	n := 0
	for _, f := range d.handlers() {
		if Ours(f.Handler) {
			n++
		}
	}
	return n
}

// holdsNothing reports whether settings say nothing at all.
func holdsNothing(src []byte) bool {
	if len(bytes.TrimSpace(src)) == 0 {
		return true
	}
	d, err := parse(src)
	return err == nil && (d.root == nil || d.root.kind == '{' && len(d.root.items) == 0)
}

// Uninstall carries a removal out. A step that fails (ErrChanged, ErrReadOnly) leaves its file and its records as they
// are; the others are done all the same.
func Uninstall(c Config, plan Removal) error {
	var errs []error
	for _, s := range plan.Steps {
		if err := s.do(); err != nil {
			errs = append(errs, err)
			continue
		}
		removeEmpty(s.Dirs)
		errs = append(errs, forget(c.RecordDir, s.Records))
	}
	return errors.Join(append(errs, c.sweep())...)
}

// sweep removes what an installation or uninstallation that was killed has left
// beside the settings.
func (c Config) sweep() error {
	var errs []error
	files := append(c.hookFiles(nil), c.AgentFile())
	for _, cl := range Clients() {
		files = append(files, cl.files(c)...)
	}
	for _, path := range files {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		beside, _ := os.ReadDir(filepath.Dir(path))
		for _, e := range beside {
			if left, _ := filepath.Match(tempName, e.Name()); left { // a pattern of ours is well formed
				errs = append(errs, ignoreMissing(os.Remove(filepath.Join(filepath.Dir(path), e.Name()))))
			}
		}
	}
	return errors.Join(errs...)
}

func (s Step) do() error {
	switch s.Action {
	case Delete:
		return s.was.remove()
	case Restore, Edit:
		return s.was.replace(s.after, 0o600)
	default:
		return s.was.unchanged()
	}
}
