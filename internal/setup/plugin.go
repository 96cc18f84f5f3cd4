package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The plugin's names, as the agent's settings and commands use them.
const (
	market   = "remanence"
	pluginID = "remanence@" + market
)

// clientTime is how long one of the agent's own commands may take. They take half a
// second, and far longer on a machine with too much to do.
const clientTime = 2 * time.Minute

// PluginPlan is what an installation as a plugin will do. Making one writes and runs nothing.
type PluginPlan struct {
	Profile  Profile
	Binary   string
	Dir      string     // where the plugin is written
	File     string     // the settings that the agent will lay out anew
	Create   bool       // there are no settings yet
	Entries  []Entry    // the plugin's hooks
	Commands [][]string // the agent's commands that register it
	Beside   []string   // settings that hold hooks of ours as well
	Warnings []Finding  // what will keep the hooks from serving well

	was   file
	files []pluginFile
}

// PlanPlugin works out what an installation as a plugin will do. The error is ErrNoClient, or one of the reasons for
// which settings are left as they are: what cannot be given back later is not touched.
func PlanPlugin(c Config, p Profile) (PluginPlan, error) {
	if err := checkBinary(c.Binary); err != nil {
		return PluginPlan{}, err
	}
	if !filepath.IsAbs(c.PluginDir) {
		return PluginPlan{}, fmt.Errorf("no place for the plugin: %q is not absolute", c.PluginDir)
	}
	if p == "" {
		p = Lean
	}
	entries, err := Entries(p, c.Binary)
	if err != nil {
		return PluginPlan{}, err
	}
	client, err := c.client()
	if err != nil {
		return PluginPlan{}, fmt.Errorf("%w: it is what registers a plugin", err)
	}
	plan := PluginPlan{
		Profile: p, Binary: c.Binary, Dir: c.PluginDir, File: c.settingsFile(ScopeUser), Entries: entries,
		Commands: [][]string{{client, "plugin", "marketplace", "add", c.PluginDir}, {client, "plugin", "install", pluginID}},
	}
	if plan.was, err = readPluginSettings(plan.File); err != nil {
		return PluginPlan{}, err
	}
	if plan.files, err = pluginFiles(c.Plugin, entries, c.Binary, c.Version); err != nil {
		return PluginPlan{}, err
	}
	plan.Create = !plan.was.exists()
	plan.Beside, plan.Warnings = besidePlugin(c)
	return plan, plan.was.writable()
}

// readPluginSettings reads settings of which the agent's own commands will make something that can be undone.
func readPluginSettings(path string) (file, error) {
	f, err := read(path)
	if err != nil {
		return f, err
	}
	d, err := parse(f.data)
	if err == nil {
		err = checkPluginShape(d.root)
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	return f, nil
}

func checkPluginShape(root *node) error {
	if root == nil {
		return nil
	}
	if root.kind != '{' {
		return fmt.Errorf("%w: the whole is not an object", ErrShape)
	}
	for _, member := range root.items {
		if _, ours := pluginKey(member.key); ours && member.val.kind != '{' {
			return fmt.Errorf("%w: %q is not an object", ErrShape, member.key)
		}
	}
	return nil
}

// besidePlugin finds the settings that bring our hooks too, and all that a person should know before he installs.
func besidePlugin(c Config) (files []string, warn []Finding) {
	s := state{Config: c, all: c.sources()}
	for _, src := range s.all {
		if len(src.ours()) > 0 {
			files = append(files, src.path)
		}
	}
	if file, _, ok := Server(c); ok {
		files = append(files, file)
	}
	if len(files) > 0 {
		warn = append(warn, doubledFinding("plugin "+pluginID, files[0], "remanence doctor --fix"))
	}
	for _, f := range []Finding{s.enabled(), s.others()} {
		if f.State != OK {
			warn = append(warn, f)
		}
	}
	return files, warn
}

// InstallPlugin carries a plan out and returns its record, which is written before anything else. Where the agent's
// commands do not register the plugin, the error is ErrClient and all is as before.
func InstallPlugin(ctx context.Context, c Config, p PluginPlan) (Record, error) {
	if err := p.was.unchanged(); err != nil {
		return Record{}, err
	}
	old := pluginRecords(c)
	r, err := p.record(c, old).save(c.RecordDir)
	if err != nil {
		return Record{}, err
	}
	err = writePlugin(p.Dir, p.files)
	for _, cmd := range p.Commands {
		if err == nil {
			err = c.run(ctx, cmd)
		}
	}
	if err == nil {
		err = registered(p.File)
	}
	if err == nil {
		return r, forget(c.RecordDir, idsOf(old))
	}
	if len(old) > 0 { // the plugin that was there stays
		return Record{}, errors.Join(err, forget(c.RecordDir, []string{r.ID}))
	}
	return Record{}, errors.Join(err, p.undo(ctx, c))
}

// record takes over what older records know of the settings as they were before the plugin came.
func (p PluginPlan) record(c Config, old []Record) Record {
	r := Record{
		Schema: RecordSchema, When: c.now(), Agent: AgentID, Scope: ScopeUser, Profile: p.Profile, Binary: p.Binary,
		File: p.File, Target: p.was.target, Created: p.Create, Before: p.was.data, Entries: p.Entries, Plugin: p.Dir,
	}
	if p.Create {
		r.Dirs = missingDirs(filepath.Dir(p.File))
	}
	if hooks, ok := newest(c, p.File); ok {
		r.Created, r.Dirs = r.Created || hooks.Created, append(r.Dirs, hooks.Dirs...)
	}
	if len(old) > 0 {
		if last := old[len(old)-1]; namesPlugin(p.was.data) || sameSettings(last.Before, p.was.data) {
			r.Created, r.Dirs, r.Before = last.Created, last.Dirs, last.Before
		}
	}
	r.SHA256Before = digest(r.Before)
	return r
}

// undo removes what a failed installation has left.
func (p PluginPlan) undo(ctx context.Context, c Config) error {
	plan, err := PlanPluginRemoval(c)
	if err != nil {
		return err
	}
	_, err = RemovePlugin(context.WithoutCancel(ctx), c, plan)
	return err
}

// registered makes sure that the agent did what its commands say.
func registered(settings string) error {
	f, err := readPluginSettings(settings)
	if err != nil {
		return err
	}
	d, err := parse(f.data)
	if err != nil || ourPlugin([]source{{path: settings, doc: d}}) == "" {
		return fmt.Errorf("%w: %s does not enable %s", ErrClient, settings, pluginID)
	}
	return nil
}

func pluginRecords(c Config) []Record {
	all, _ := Records(c) // a damaged one is reported where records are removed
	_, plugin := sorted(all)
	return plugin
}

func idsOf(records []Record) []string {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

// client is the path of the agent's command.
func (c Config) client() (string, error) {
	program := findProgram(c.Path, AgentShort)
	if program == "" || c.Run == nil {
		return "", ErrNoClient
	}
	return program, nil
}

// run runs one of the agent's commands. What it printed is the reason if it did not work.
func (c Config) run(ctx context.Context, cmd []string) error {
	ctx, cancel := context.WithTimeout(ctx, clientTime)
	defer cancel()
	out, err := c.Run(ctx, c.Home, cmd...)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	said := bytes.TrimSpace(out)
	said = said[max(0, len(said)-1000):]
	return fmt.Errorf("%w: %s: %w: %s", ErrClient, CommandLine(cmd), err, said)
}

// CommandLine is one of the agent's commands as a person would type it.
func CommandLine(cmd []string) string {
	words := slices.Clone(cmd)
	words[0] = AgentShort
	for i, w := range words {
		if strings.ContainsAny(w, " \t'\"\\$") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
