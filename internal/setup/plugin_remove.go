package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// PluginRemoval is what removing the plugin will do. Making one writes and runs nothing. The zero value does nothing.
type PluginRemoval struct {
	File     string     // the settings that name the plugin; "" if there is nothing to remove
	Commands [][]string // the agent's commands that take it out; none if the agent knows nothing of it, or is not there
	Dirs     []string   // where the plugin was written, and the agent's copies of it: these go
	Records  []string   // install records that are undone by it

	known bool   // the agent knows the plugin
	last  Record // the newest of the records; zero if there is none
}

// Nothing reports whether there is nothing to remove.
func (p PluginRemoval) Nothing() bool { return p.File == "" }

// PluginRemoved is what removing the plugin did.
type PluginRemoved struct {
	Settings Action   // what became of the settings
	Notes    []string // what the agent's commands did not do, so that it was done for them
}

// PlanPluginRemoval looks for our plugin in the user's settings, in the agent's own lists and in install records.
// Settings that cannot be read or are of an unknown shape are an error, and then nothing is to be done.
func PlanPluginRemoval(c Config) (PluginRemoval, error) {
	path := c.settingsFile(ScopeUser)
	records := pluginRecords(c)
	f, err := readPluginSettings(path)
	p := PluginRemoval{File: path, Records: idsOf(records), known: c.listed() || namesPlugin(f.data)}
	for _, dir := range append(pluginDirs(c, records), c.pluginCopies()...) {
		if _, err := os.Lstat(dir); err == nil && !slices.Contains(p.Dirs, dir) {
			p.Dirs = append(p.Dirs, dir)
		}
	}
	if !p.known && len(records)+len(p.Dirs) == 0 {
		return PluginRemoval{}, nil
	}
	if err == nil {
		err = f.writable()
	}
	if err != nil {
		return PluginRemoval{}, err
	}
	if client, err := c.client(); err == nil && p.known {
		p.Commands = [][]string{{client, "plugin", "uninstall", pluginID}, {
			client, "plugin", "marketplace", "remove",
			market,
		}}
	}
	if len(records) > 0 {
		p.last = records[len(records)-1]
	}
	return p, nil
}

// pluginDirs are the places where the plugin was written.
func pluginDirs(c Config, records []Record) []string {
	var list []string
	if writtenPlugin(c.PluginDir) {
		list = append(list, c.PluginDir)
	}
	for _, r := range records {
		list = append(list, r.Plugin)
	}
	return list
}

// pluginCopies are the places where the agent keeps what is ours.
func (c Config) pluginCopies() []string {
	plugins := filepath.Join(c.AgentDir(), "plugins")
	return []string{filepath.Join(plugins, "cache", market), filepath.Join(plugins, "data", "remanence-"+market)}
}

// pluginList is a file in which the agent lists plugins or marketplaces, with the path of keys to ours.
type pluginList struct {
	file string
	path []string
}

func (c Config) pluginLists() []pluginList {
	plugins := filepath.Join(c.AgentDir(), "plugins")
	return []pluginList{
		{filepath.Join(plugins, "installed_plugins.json"), []string{"plugins", pluginID}},
		{filepath.Join(plugins, "known_marketplaces.json"), []string{market}},
	}
}

// listed reports whether the agent's own lists name our plugin.
func (c Config) listed() bool {
	return slices.ContainsFunc(c.pluginLists(), func(l pluginList) bool {
		f, err := read(l.file)
		return err == nil && !bytes.Equal(withoutMember(f.data, l.path...), f.data)
	})
}

// RemovePlugin carries a removal out. The agent's commands come first; what they leave is cut out. The settings get
// back the bytes from before the installation if they mean the same but for the plugin, else only the plugin goes. If
// the settings cannot be written, the plugin's files and records stay.
func RemovePlugin(ctx context.Context, c Config, p PluginRemoval) (PluginRemoved, error) {
	if p.Nothing() {
		return PluginRemoved{Settings: Keep}, nil
	}
	var done PluginRemoved
	if p.known && len(p.Commands) == 0 {
		done.Notes = append(done.Notes, ErrNoClient.Error())
	}
	for _, cmd := range p.Commands {
		if err := c.run(ctx, cmd); err != nil {
			done.Notes = append(done.Notes, err.Error())
		}
	}
	if err := ctx.Err(); err != nil {
		return done, err
	}
	err := c.unlist()
	if err == nil {
		done.Settings, err = p.settle()
	}
	if err != nil {
		return done, err
	}
	var errs []error
	for _, dir := range p.Dirs {
		if slices.Contains(c.pluginCopies(), dir) {
			errs = append(errs, os.RemoveAll(dir))
		} else {
			errs = append(errs, removePlugin(dir))
		}
	}
	removeEmpty(p.last.Dirs)
	return done, errors.Join(append(errs, forget(c.RecordDir, p.Records))...)
}

// unlist cuts our plugin out of the agent's lists, where its commands did not.
func (c Config) unlist() error {
	for _, l := range c.pluginLists() {
		f, err := read(l.file)
		if err != nil {
			return err
		}
		after := withoutMember(f.data, l.path...)
		if bytes.Equal(after, f.data) {
			continue
		}
		if err := f.replace(after, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// settle gives the settings their bytes back, or cuts the plugin out.
func (p PluginRemoval) settle() (Action, error) {
	now, err := readPluginSettings(p.File)
	if err != nil || !now.exists() {
		return Keep, err
	}
	after, restored, err := p.before(now.data)
	if err != nil {
		return Keep, fmt.Errorf("%s: %w; nothing was changed", p.File, err)
	}
	switch {
	case p.last.Created && holdsNothing(after):
		return Delete, now.remove()
	case bytes.Equal(after, now.data):
		return Keep, nil
	case restored:
		return Restore, now.replace(after, fs.FileMode(0o600))
	}
	return Edit, now.replace(after, fs.FileMode(0o600))
}

// before finds what the settings have to become. Our hooks may have been in them when the plugin came, and be there
// still or not.
func (p PluginRemoval) before(now []byte) (after []byte, restored bool, err error) {
	stay := map[string]bool{}
	if p.last.ID != "" && p.last.SHA256Before == digest(p.last.Before) {
		stay = emptyMembers(p.last.Before)
		bare, err := Unmerge(p.last.Before, Ours)
		if err != nil {
			return nil, false, err
		}
		for _, text := range [][]byte{p.last.Before, bare} {
			if sameSettings(text, now) {
				after, err := withoutPlugin(text, stay)
				return after, true, err
			}
		}
	}
	after, err = withoutPlugin(now, stay)
	return after, false, err
}
