package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// pluginFile is one file of the plugin; its name counts from where the plugin is written.
type pluginFile struct {
	name string
	data []byte
}

// marketplace is the file that names the plugins below a directory to the agent.
const marketplace = `{
  "name": "remanence",
  "owner": {"name": "Remanence"},
  "plugins": [{"name": "remanence", "source": "./remanence"}]
}
`

const (
	marketFile = ".claude-plugin/marketplace.json"
	manifest   = "remanence/.claude-plugin/plugin.json"
	hooksFile  = "remanence/hooks/hooks.json"
	mcpFile    = "remanence/.mcp.json"
)

// PluginManifest adds a version to the plugin's manifest. The file in the repository has none: for a plugin without one
// the agent takes the commit, so that a marketplace that is the repository itself offers every commit as an update.
func PluginManifest(data []byte, version string) []byte {
	return bytes.Replace(data, []byte("{"), fmt.Appendf(nil, "{\n  \"version\": %q,", version), 1)
}

// pluginFiles are the files of the plugin with hooks and a server that run the binary where it is.
func pluginFiles(release fs.FS, entries []Entry, binary, version string) ([]pluginFile, error) {
	list := []pluginFile{{filepath.FromSlash(marketFile), []byte(marketplace)}}
	err := fs.WalkDir(release, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(release, name)
		switch name = "remanence/" + name; name {
		case hooksFile:
			data = pluginHooks(entries)
		case mcpFile:
			data = serverText(binary)
		case manifest:
			data = PluginManifest(data, version)
		}
		list = append(list, pluginFile{filepath.FromSlash(name), data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the plugin's files: %w", err)
	}
	return list, nil
}

// writePlugin writes the files below a directory, each at once or not at all, since sessions may be reading them. What
// an older version had there besides goes.
func writePlugin(dir string, files []pluginFile) error {
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return writeError(path, err)
		}
		now, err := read(path)
		if err != nil {
			return err
		}
		if now.exists() && bytes.Equal(now.data, f.data) {
			continue
		}
		if err := now.replace(f.data, 0o600); err != nil {
			return err
		}
	}
	return removeStrays(dir, files)
}

func removeStrays(dir string, files []pluginFile) error {
	var errs []error
	err := filepath.WalkDir(filepath.Join(dir, market), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && !slices.ContainsFunc(files, func(f pluginFile) bool { return f.name == name }) {
			errs = append(errs, os.Remove(path))
		}
		return err
	})
	return errors.Join(append(errs, err)...)
}

// removePlugin removes what writePlugin wrote, and the directory if nothing else is in it.
func removePlugin(dir string) error {
	err := errors.Join(
		os.RemoveAll(filepath.Join(dir, market)),
		os.RemoveAll(filepath.Join(dir, filepath.Dir(filepath.FromSlash(marketFile)))),
	)
	removeEmpty([]string{dir})
	return err
}

// writtenPlugin reports whether a plugin of ours was written to a directory.
func writtenPlugin(dir string) bool {
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(marketFile)))
	return err == nil
}
