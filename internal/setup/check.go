package setup

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// States of a finding.
const (
	OK   = "ok"
	Warn = "warn" // works, but not as well as it could
	Fail = "fail" // does not work
	Info = "info"
)

// Codes of what can be wrong with an installation.
const (
	CodeBinary   = "REM-H001" // the binary that hooks run is missing or not executable
	CodeMissing  = "REM-H004" // hooks of ours are missing
	CodeDoubled  = "REM-H005" // hooks are registered twice
	CodeStale    = "REM-H006" // hooks are those of another version
	CodeDisabled = "REM-H009" // the agent has its hooks switched off
	CodeOthers   = "REM-H012" // another memory tool is active

	CodeUntrusted = "REM-H017" // the agent skips the hooks until its configuration trusts them
)

// Finding is the result of one check.
type Finding struct {
	ID    string   // what was checked, e.g. "claude.hooks"
	Code  string   // e.g. "REM-H004"; "" if nothing is wrong
	State string   // OK, Warn, Fail or Info
	What  string   // one line
	Why   string   // the evidence; "" if nothing is wrong
	Fix   []string // what to do, commands first; empty if nothing is wrong
	Safe  bool     // Repair fixes it without asking
}

// Check looks at what is installed for Claude Code, one finding for each thing that can be wrong with it. It changes
// nothing.
func Check(c Config) []Finding {
	records, err := Records(c)
	hooks, plugin := sorted(records)
	s := state{Config: c, all: c.sources(), last: lastOf(hooks)}
	s.plugin = s.pluginSource(plugin)
	registered := s.missing()
	list := []Finding{s.binary(), registered, s.doubled(), s.stale(), s.enabled(), s.others()}
	if registered.State == Info { // of hooks that are not there nothing is in order
		list = slices.DeleteFunc(list, func(f Finding) bool { return f.State == OK && f.ID != "claude.others" })
	}
	if err != nil {
		list = append(list, Finding{
			ID: "claude.records", State: Warn, What: "an install record cannot be read",
			Why: err.Error(), Fix: []string{"move the named file away"},
		})
	}
	return list
}

// warnings are the findings that a person should know before he installs.
func warnings(c Config) []Finding {
	s := state{Config: c, all: c.sources()}
	var list []Finding
	if p := ourPlugin(s.all); p != "" {
		list = append(list, doubledFinding("plugin "+p, c.settingsFile(ScopeUser), "claude plugin uninstall "+p))
	}
	for _, f := range []Finding{s.enabled(), s.others()} {
		if f.State != OK {
			list = append(list, f)
		}
	}
	return list
}

// state is what all checks look at.
type state struct {
	Config
	all    []source
	last   []Record // the newest record of hooks in each settings file
	plugin []source // the hooks of the plugin that we wrote, if it is enabled
}

// pluginSource reads the hooks of the plugin where it was written last.
func (s state) pluginSource(records []Record) []source {
	if len(records) == 0 || ourPlugin(s.all) == "" {
		return nil
	}
	src := source{path: filepath.Join(records[len(records)-1].Plugin, filepath.FromSlash(hooksFile))}
	f, err := read(src.path)
	if err == nil && !f.exists() {
		err = fmt.Errorf("read %s: %w", src.path, fs.ErrNotExist)
	}
	if err == nil {
		src.doc, err = parse(f.data)
	}
	src.err = err
	return []source{src}
}

// repairable reports whether Repair writes the hooks of a file: those of the user, and those of this project where it
// was the user who put them there. What came with a clone is not ours to change unasked.
func (s state) repairable(path string) bool {
	recorded := slices.ContainsFunc(s.last, func(r Record) bool { return r.File == path })
	return path != "" && (path == s.settingsFile(ScopeUser) || recorded && path == s.settingsFile(ScopeProject))
}

// lastOf keeps the newest record of each file, of a list with the oldest first.
func lastOf(records []Record) []Record {
	var last []Record
	for _, r := range records {
		last = slices.DeleteFunc(last, func(old Record) bool { return old.File == r.File })
		last = append(last, r)
	}
	return last
}

// installFix is what writes the hooks of a settings file anew, or rids it of them where we write none.
func (s state) installFix(path string) string {
	switch {
	case slices.ContainsFunc(s.plugin, func(src source) bool { return src.path == path }):
		return "remanence install claude-code --plugin"
	case path == "" || path == s.settingsFile(ScopeUser):
		return "remanence install claude-code"
	case path == s.settingsFile(ScopeProject):
		return "remanence install claude-code --scope project"
	}
	for _, r := range s.last {
		if r.File == path && r.Scope == ScopeProject {
			return "remanence install claude-code --scope project --project " + r.Project
		}
	}
	return "remove the hooks of remanence from " + path
}

func (s state) binary() Finding {
	f := Finding{ID: "claude.binary", State: OK, What: "the binary that hooks run is there"}
	for _, use := range s.binaries() {
		why := notRunnable(use.path)
		if why == "" {
			continue
		}
		return Finding{
			ID: f.ID, Code: CodeBinary, State: Fail, Safe: s.repairable(use.file),
			What: "hooks run a binary that is not there", Why: fmt.Sprintf("%s %s (%s)", use.path, why, use.file),
			Fix: []string{s.installFix(use.file)},
		}
	}
	return f
}

// use is a path that a settings file runs.
type use struct{ path, file string }

func (s state) binaries() []use {
	var list []use
	for _, src := range slices.Concat(s.all, s.plugin, s.elsewhere()) {
		for _, h := range src.ours() {
			if u := (use{programOf(h.Handler), src.path}); !slices.Contains(list, u) && filepath.IsAbs(u.path) {
				list = append(list, u)
			}
		}
	}
	return list
}

// elsewhere are settings with a record that the agent does not read here: those of other projects.
func (s state) elsewhere() []source {
	var list []source
	for _, r := range s.last {
		if slices.ContainsFunc(s.all, func(src source) bool { return src.path == r.File }) {
			continue
		}
		if f, err := read(r.File); err == nil {
			doc, _ := parse(f.data) // what cannot be read runs nothing
			list = append(list, source{path: r.File, doc: doc})
		}
	}
	return list
}

// programOf is the binary that a hook of ours runs.
func programOf(h Handler) string {
	if len(h.Args) > 0 {
		return h.Command
	}
	program, _, _ := strings.Cut(strings.TrimSpace(h.Command), hookWord)
	return unquote(strings.TrimSpace(program))
}

// notRunnable says why a path cannot be run, "" if it can.
func notRunnable(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "is missing"
	case !executable(info):
		return "is not executable"
	}
	return ""
}

func (s state) missing() Finding {
	ok := Finding{ID: "claude.hooks", State: OK, What: "all hooks are registered"}
	for _, src := range s.all {
		if src.err != nil {
			return Finding{
				ID: ok.ID, Code: CodeMissing, State: Fail, What: "settings cannot be read, so the agent ignores their hooks",
				Why: fmt.Sprintf("%s: %v", src.path, src.err), Fix: []string{"mend " + src.path},
			}
		}
	}
	for _, src := range s.plugin {
		if src.err != nil || len(src.ours()) == 0 {
			return Finding{
				ID: ok.ID, Code: CodeMissing, State: Fail, What: "the plugin is enabled, but its hooks are gone",
				Why: src.path + " does not have them", Fix: []string{s.installFix(src.path)},
			}
		}
	}
	installed := ourPlugin(s.all) != ""
	for _, path := range []string{s.settingsFile(ScopeUser), s.settingsFile(ScopeProject)} {
		have := s.oursIn(path)
		want := s.expected(path, have)
		installed = installed || len(want) > 0
		if n := lacking(have, want); n > 0 {
			return Finding{
				ID: ok.ID, Code: CodeMissing, State: Fail, Safe: s.repairable(path),
				What: fmt.Sprintf("%d of %d hooks are missing", n, len(want)), Why: path + " does not have them",
				Fix: []string{s.installFix(path)},
			}
		}
	}
	if !installed {
		return Finding{
			ID: ok.ID, State: Info, What: "no hooks are installed", Why: "no settings of Claude Code name them",
			Fix: []string{s.installFix("")},
		}
	}
	return ok
}

func (s state) oursIn(path string) []found {
	for _, src := range s.all {
		if src.path == path {
			return src.ours()
		}
	}
	return nil
}

// expected lists the hooks that belong into a settings file: what was recorded; without a record the lean ones, if any
// are there.
func (s state) expected(path string, have []found) []Entry {
	for _, r := range s.last {
		if r.File == path {
			return r.Entries
		}
	}
	if len(have) == 0 {
		return nil
	}
	return entriesOf(leanHooks(), "", AgentID)
}

// lacking counts the wanted hooks that are not there in any version.
func lacking(have []found, want []Entry) int {
	n := 0
	for _, e := range want {
		if !slices.ContainsFunc(have, func(f found) bool { return f.Event == e.Event && f.Matcher == e.Matcher }) {
			n++
		}
	}
	return n
}
