package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/views"
)

// checkTrust looks whether the agent's person trusts this directory: without
// that it runs no hooks there, except without a terminal. Where hooks report
// from here all the same, or nothing is known, there is nothing to say.
func (a *Checks) checkTrust(o *views.StatusResponse) []Check {
	c, err := a.SetupConfig()
	if err != nil || c.Project == "" {
		return nil
	}
	file := c.AgentFile()
	asked, trusted := folderTrust(file, c.Project)
	if !asked {
		return nil
	}
	reports := o != nil && o.Project.Key != "" && o.Last != nil
	return []Check{trustItem(trusted, reports, file, c.Project)}
}

func trustItem(trusted, reports bool, file, project string) Check {
	if trusted || reports {
		return Good("claude.trust", false, "Claude Code runs hooks in this directory")
	}
	return Bad("claude.trust", false, fault.Untrusted.Because("%s has not trusted %s", file, project))
}

// folderTrust reads what was answered to the agent's question about a directory
// or one above it. The file is the agent's own: of another shape it says nothing.
func folderTrust(file, dir string) (asked, trusted bool) {
	var state struct {
		Projects map[string]struct {
			Trusted *bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	b, err := readHostFile(file)
	if err != nil || json.Unmarshal(b, &state) != nil {
		return false, false
	}
	for at := dir; ; at = filepath.Dir(at) {
		if p, ok := state.Projects[at]; ok && p.Trusted != nil {
			asked, trusted = true, trusted || *p.Trusted
		}
		if at == filepath.Dir(at) {
			return asked, trusted
		}
	}
}

// maxHostFile bounds what is read of the agent's own files, in bytes.
const maxHostFile = 32 << 20

// readHostFile reads one of them. A repository brings some: what a link of its
// leads to may never end.
func readHostFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHostFile {
		return nil, fmt.Errorf("%s: %w", file, errors.ErrUnsupported)
	}
	return os.ReadFile(file)
}

// CheckPluginCache looks for copies of other versions of the plugin in the agent's cache. The agent runs a plugin that
// was installed from a directory in that directory, so these copies are unused.
func (a *Checks) CheckPluginCache() []Check {
	c, err := a.SetupConfig()
	if err != nil {
		return nil
	}
	cache := filepath.Join(c.AgentDir(), "plugins", "cache")
	// no pattern before it: the directory's own name may mean something in one
	copies, _ := fs.Glob(os.DirFS(cache), "*/remanence/*")
	for i, v := range copies {
		copies[i] = filepath.Join(cache, filepath.FromSlash(v))
	}
	copies = slices.DeleteFunc(copies, func(v string) bool { return !config.IsDir(v) })
	if len(copies) == 0 {
		return nil
	}
	return []Check{cacheItem(copies, config.IsDir(c.PluginDir))}
}

// cacheItem judges copies by the version that their directories are named by.
// fromDir says that the plugin was installed from a directory of ours.
func cacheItem(copies []string, fromDir bool) Check {
	var names, old []string
	for _, c := range copies {
		names = append(names, filepath.Base(c))
		// one without a dot is named by its commit: it came from a repository and runs any program
		if name := filepath.Base(c); name != config.Version && strings.Contains(name, ".") {
			old = append(old, c)
		}
	}
	switch {
	case len(copies) > 1 && len(old) == len(copies)-1:
		return Bad("claude.cache", false, fault.Cache.Because("%s in %s", strings.Join(names, ", "),
			filepath.Dir(copies[0]))).
			Safely(func(context.Context) error { return removeDirs(old) })
	case len(copies) > 1, len(old) > 0 && !fromDir:
		return Bad("claude.cache", false, fault.Cache.Because("%s in %s, this program is %s", strings.Join(names, ", "),
			filepath.Dir(copies[0]), config.Version))
	}
	return Good("claude.cache", false, "one copy of the plugin, %s", names[0])
}

func removeDirs(dirs []string) error {
	var errs []error
	for _, d := range dirs {
		errs = append(errs, os.RemoveAll(d))
	}
	return errors.Join(errs...)
}
