package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ClientPlan is what an installation for an agent other than Claude Code will do. Making one writes nothing.
type ClientPlan struct {
	Client Client
	Parts  Parts
	Files  []FilePlan // those that are edited
	Events []string   // that have a hook
	// NoServer says why the MCP server cannot be registered; nil means that it can, or is not to be.
	NoServer error
	// NoInstructions says that the client has no file of instructions, although a section was asked for.
	NoInstructions bool
	// NoSkills says why skills are not put there, for the same.
	NoSkills error

	entries []Entry
}

// FilePlan is what becomes of one file.
type FilePlan struct {
	File   string
	Create bool
	Skill  bool // it is a skill, in the directory that agents share
	// Instructs means that it is the person's file of instructions.
	Instructs bool
	dirs      []string
	was       file
	after     []byte
	// touched means that something of ours belongs there, whether or not it is there already.
	touched bool
}

// Changes reports whether anything will be written.
func (p ClientPlan) Changes() bool {
	return slices.ContainsFunc(p.Files, FilePlan.Changes)
}

// Changes reports whether the file will be written to.
func (p FilePlan) Changes() bool { return !bytes.Equal(p.was.data, p.after) }

// PlanClient reads an agent's files and works out what they will become. The error is one of the package's reasons. A
// server of another program with our name only keeps ours from being registered.
func PlanClient(c Config, cl Client, parts Parts) (ClientPlan, error) {
	p, err := planClient(c, cl, parts)
	if errors.Is(err, ErrTaken) && parts.Hooks {
		taken := err
		parts.Server = false
		p, err = planClient(c, cl, parts)
		p.NoServer = taken
	}
	return p, err
}

func planClient(c Config, cl Client, parts Parts) (ClientPlan, error) {
	if err := checkBinary(c.Binary); err != nil {
		return ClientPlan{}, err
	}
	p := ClientPlan{Client: cl, Parts: parts, NoInstructions: parts.Instructions && cl.instructions == nil}
	in, err := cl.inputFor(c, parts)
	if err != nil {
		return ClientPlan{}, err
	}
	if parts.Hooks {
		p.entries = in.entries
		for _, e := range in.entries {
			p.Events = append(p.Events, e.Event)
		}
	}
	for i, t := range cl.targetsFor(c) {
		f, err := t.plan(c, in)
		switch {
		case err != nil && t.shared:
			p.NoSkills = cmp.Or(p.NoSkills, err)
			continue
		case err != nil:
			return ClientPlan{}, err
		}
		if i == 0 {
			in.hooksText = f.after
		}
		if f.touched {
			p.Files = append(p.Files, f)
		}
	}
	return p, nil
}

// plan works out what becomes of the file.
func (t target) plan(c Config, in input) (f FilePlan, err error) {
	f = FilePlan{File: t.path(c), Skill: t.shared, Instructs: t.instructs}
	if t.instructs && !in.parts.Instructions {
		return f, nil
	}
	if f.was, err = read(f.File); err != nil {
		return f, err
	}
	before := f.was.data
	if !f.was.exists() && !t.whole && filepath.Ext(f.File) == ".json" {
		before = []byte(cmp.Or(t.empty, "{}\n"))
	}
	switch f.after, err = t.put(before, in); {
	case errors.Is(err, ErrForeign):
		return f, fmt.Errorf("%s: %w", f.File, err)
	case err != nil:
		return f, fmt.Errorf("%s: %w; nothing was changed", f.File, err)
	}
	if !f.was.exists() && bytes.Equal(f.after, before) || t.shared && !in.parts.Skills {
		return f, nil // nothing of ours belongs there
	}
	f.touched = true
	if f.Create = !f.was.exists(); f.Create {
		f.dirs = missingDirs(filepath.Dir(f.File))
	}
	return f, f.was.writable()
}

// ApplyClient carries a plan out, one record for each file, which is written before the file is touched. Files that
// stand as planned keep the record that they have. The error is ErrSkills if all but skills was done.
func ApplyClient(c Config, p ClientPlan) ([]Record, error) {
	var done []Record
	all, _ := allRecords(c) // a damaged record counts as none
	for _, f := range p.Files {
		r, err := p.apply(c, f, all)
		switch {
		case err != nil && f.Skill: // these files come last
			return done, fmt.Errorf("%w: %w", ErrSkills, err)
		case err != nil:
			return done, err
		}
		done = append(done, r)
	}
	return done, nil
}

// apply writes one file of the plan and returns its record. all are the records of before.
func (p ClientPlan) apply(c Config, f FilePlan, all []Record) (Record, error) {
	if f.Skill {
		if now, err := read(f.File); err == nil && bytes.Equal(now.data, f.after) {
			f.was = now // another agent, planned at the same time, has brought it
		}
	}
	if err := f.was.unchanged(); err != nil {
		return Record{}, err
	}
	known := ofAgent(all, p.Client.ID)
	mine := slices.IndexFunc(known, func(r Record) bool { return r.File == f.File })
	if !f.Changes() && mine >= 0 {
		return known[mine], nil
	}
	r := Record{
		Schema: RecordSchema, When: c.now(), Agent: p.Client.ID, Scope: ScopeUser, Binary: c.Binary, File: f.File,
		Target: f.was.target, Created: f.Create, Dirs: f.dirs, SHA256Before: digest(f.was.data),
		SHA256After: digest(f.after), Before: f.was.data, Entries: p.entries,
	}
	if f.Skill {
		r.Entries = nil
		r.inherit(all)
	}
	r, err := r.save(c.RecordDir)
	if err != nil || !f.Changes() {
		return r, err
	}
	if err := (Plan{Scope: ScopeUser, Dirs: f.dirs, was: f.was, after: f.after}).write(); err != nil {
		return r, errors.Join(err, forget(c.RecordDir, []string{r.ID}))
	}
	return r, nil
}

// clientRecords are the install records of an agent.
func clientRecords(c Config, id string) ([]Record, error) {
	all, err := allRecords(c)
	return ofAgent(all, id), err
}

func ofAgent(all []Record, id string) []Record {
	return slices.DeleteFunc(slices.Clone(all), func(r Record) bool { return r.Agent != id })
}

// PlanClientRemoval looks for what is ours in an agent's files, wherever a record or the agent's own search leads. The
// steps are valid even if there is an error. Earlier are the steps that remove other agents before it: a skill goes
// with the last agent that has it.
func PlanClientRemoval(c Config, cl Client, earlier ...Step) (Removal, error) {
	all, err := allRecords(c)
	records := ofAgent(all, cl.ID)
	others := slices.DeleteFunc(all, func(r Record) bool {
		undone := func(s Step) bool { return slices.Contains(s.Records, r.ID) }
		return r.Agent == cl.ID || slices.ContainsFunc(earlier, undone)
	})
	in, inErr := cl.inputFor(c, Parts{Hooks: true, Server: true, Trusted: true})
	errs := []error{err, inErr}
	for _, r := range records {
		in.entries = append(in.entries, r.Entries...)
	}
	var plan Removal
	targets := cl.targetsFor(c)
	for _, t := range append(targets, formerSkills(c, targets, records)...) {
		mine := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.File != t.path(c) })
		step, err := cl.step(t, t.path(c), in, mine)
		if t.shared && err == nil {
			step.removeSkill(others, earlier)
		}
		if err != nil {
			errs = append(errs, err)
		} else if step.Action != Keep || len(step.Records) > 0 {
			plan.Steps = append(plan.Steps, step)
		}
	}
	return plan, errors.Join(errs...)
}

// step is what an uninstallation does to one file.
func (cl Client) step(t target, path string, in input, records []Record) (Step, error) {
	s := Step{Agent: cl.ID, File: path, Action: Keep, Skill: t.shared, Instructs: t.instructs}
	for _, r := range records {
		s.Records, s.Dirs = append(s.Records, r.ID), append(s.Dirs, r.Dirs...)
	}
	var err error
	if s.was, err = read(path); err != nil {
		if len(records) == 0 {
			return s, nil // never ours, whatever it is
		}
		return Step{}, err
	}
	if !s.was.exists() {
		return s, nil
	}
	if t.shared {
		return s, nil
	}
	if s.Hooks = len(cl.hasHooks(s.was.data)); t.whole {
		if s.Hooks > 0 {
			s.Action = Delete
		}
		return s, s.was.writable()
	}
	before, created := rewind(s.was.data, records)
	if s.after, err = t.cut(before, in); err != nil {
		return Step{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	s.Server = s.Hooks == 0 && !t.instructs
	if created && t.empty != "" && string(s.after) == t.empty {
		s.after = nil
	}
	if s.Action = s.choose(before, created); s.Action == Keep {
		return s, nil
	}
	return s, s.was.writable()
}

// Names lists the agents that can be set up, with or without those whose support is experimental.
func Names(experimental bool) []string {
	names := []string{AgentID}
	for _, cl := range Clients() {
		if experimental || !cl.Experimental {
			names = append(names, cl.ID)
		}
	}
	return names
}

// Choose returns the agents that an installation is for: those named, all, or those on this machine, which it finds by
// their directories and commands. It runs nothing. The error is ErrExperimental if one is named and not allowed, or
// none but such are found.
func Choose(c Config, named []string, all, experimental bool) (ids []string, err error) {
	for _, id := range named {
		if cl, _ := ClientByID(id); cl.Experimental && !experimental {
			return nil, fmt.Errorf("%s: %w", cl.Name, ErrExperimental)
		}
	}
	switch {
	case all:
		return Names(experimental), nil
	case len(named) > 0:
		return named, nil
	}
	for _, a := range Detect(c) {
		ids = append(ids, a.ID)
	}
	for _, cl := range Clients() {
		switch found := cl.found(c); {
		case found && cl.Experimental && !experimental:
			err = fmt.Errorf("%s: %w", cl.Name, ErrExperimental)
		case found:
			ids = append(ids, cl.ID)
		}
	}
	if len(ids) > 0 {
		err = nil
	}
	return ids, err
}

// ErrExperimental means that an agent has to be asked for.
var ErrExperimental = errors.New("support is experimental: the hooks follow its documents, and were never run with it")

// ClientState is how an agent other than Claude Code stands.
type ClientState struct {
	Client    Client
	Found     bool      // on this machine
	Installed bool      // hooks of ours are in its files, or were put there
	Findings  []Finding // one for each thing that can be wrong; empty unless it is found or installed
}

// CheckClient looks at what is installed for an agent. It changes nothing. An experimental agent has findings only if
// something is installed for it.
func CheckClient(c Config, cl Client) ClientState {
	there := cl.found(c)
	s := ClientState{Client: cl, Found: there}
	records, _ := clientRecords(c, cl.ID)
	path := cl.targets[0].path(c)
	f, err := read(path)
	events := cl.hasHooks(f.data)
	s.Installed = len(events) > 0 || slices.ContainsFunc(records, func(r Record) bool { return len(r.Entries) > 0 })
	if !s.Installed && (!there || cl.Experimental) {
		return s
	}
	fix := "remanence install " + cl.ID
	if cl.Experimental {
		fix += " --experimental"
	}
	hooks := Finding{ID: cl.ID + ".hooks", State: OK, What: cl.Name + ": all hooks are registered"}
	switch {
	case err != nil:
		hooks.Code, hooks.State, hooks.What = CodeMissing, Fail, cl.Name+": its settings cannot be read"
		hooks.Why, hooks.Fix = err.Error(), []string{"repair " + path}
	case !s.Installed:
		hooks.State, hooks.What, hooks.Fix = Info, cl.Name+": no hooks are installed", []string{fix}
		hooks.Why = path + " names none"
	case len(events) < len(cl.hooks):
		hooks.Code, hooks.State, hooks.Fix = CodeMissing, Fail, []string{fix}
		hooks.What = fmt.Sprintf("%s: %d of %d hooks are missing", cl.Name, len(cl.hooks)-len(events), len(cl.hooks))
		hooks.Why = path + " does not have them"
	}
	s.Findings = append(s.Findings, hooks)
	if len(events) == 0 {
		return s
	}
	if why := notRunnable(cl.binaryIn(f.data)); why != "" {
		s.Findings = append(s.Findings, Finding{
			ID: cl.ID + ".binary", Code: CodeBinary, State: Fail, What: cl.Name + ": hooks run a binary that is not there",
			Why: cl.binaryIn(f.data) + " " + why + " (" + path + ")", Fix: []string{fix},
		})
	}
	if cl.Trust != "" {
		s.Findings = append(s.Findings, trust(c, cl, f.data))
	}
	return s
}

// Summary is one finding on the hooks of all agents: the last fault, or the agents that have them.
func Summary(c Config) Finding {
	worst := Finding{State: OK, What: "all hooks are registered"}
	for _, f := range Check(c) {
		if f.State == Fail || f.State == Info && worst.State == OK {
			worst = f
		}
	}
	var with []string
	for _, cl := range Clients() {
		s := CheckClient(c, cl)
		if !s.Installed {
			continue
		}
		with = append(with, cl.Name)
		for _, f := range s.Findings {
			if f.State == Fail {
				worst = f
			}
		}
	}
	switch names := strings.Join(with, ", "); {
	case names == "":
	case worst.State == OK:
		worst.What += ", also in " + names
	case worst.State == Info:
		worst = Finding{State: OK, What: "hooks are registered in " + names}
	}
	return worst
}

// trust looks whether the client runs our hooks.
func trust(c Config, cl Client, hooks []byte) Finding {
	ok := Finding{ID: cl.ID + ".trust", State: OK, What: cl.Name + ": the hooks are trusted"}
	config, err := read(cl.targets[1].path(c))
	if err != nil {
		ok.State, ok.What, ok.Why = Warn, cl.Name+": its configuration cannot be read", err.Error()
		return ok
	}
	n := untrusted(cl.targets[0].path(c), hooks, config.data)
	if n == 0 {
		return ok
	}
	return Finding{
		ID: ok.ID, Code: CodeUntrusted, State: Fail, What: fmt.Sprintf("%s: %d hooks are not trusted, so it skips them",
			cl.Name, n),
		Why: cl.Trust + "; " + untilTrusted(config.data),
		Fix: []string{"remanence install " + cl.ID + " --yes", "run codex and trust them with /hooks"},
	}
}

// binaryIn is the program that the first hook of ours runs.
func (cl Client) binaryIn(src []byte) string {
	if cl.binary != nil {
		return cl.binary(src)
	}
	if at := bytes.Index(src, []byte(hookWord+cl.ID)); at >= 0 {
		line := src[:at]
		for _, sign := range []string{`\"`, `'`} { // a shell word within a JSON string
			end := bytes.LastIndex(line, []byte(sign))
			begin := bytes.LastIndex(line[:max(end, 0)], []byte(sign))
			if end == len(line)-len(sign) && begin >= 0 {
				return unescape([]byte(`"` + string(line[begin+len(sign):end]) + `"`))
			}
		}
	}
	return ""
}

// Untrusted says what becomes of sessions if the client will skip hooks that the plan puts into its files, "" if it
// will run all of them.
func (p ClientPlan) Untrusted() string {
	if p.Client.Trust == "" {
		return ""
	}
	var hooks, config FilePlan
	for _, f := range p.Files {
		switch {
		case f.Skill, f.Instructs:
		case filepath.Ext(f.File) == ".toml":
			config = f
		default:
			hooks = f
		}
	}
	if untrusted(hooks.File, hooks.after, config.after) == 0 {
		return ""
	}
	return untilTrusted(config.after)
}
