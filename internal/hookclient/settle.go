package hookclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"remanence/internal/config"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// prepareUninstalled prepares a call where Remanence is uninstalled. A client reads its settings when it
// starts, so only a session that starts now proves that our hooks are installed again; it installs the data
// directory. Events of older sessions store nothing. A resumed session counts if our hooks are in its settings
// or in a plugin.
func prepareUninstalled(sys config.System, paths config.Paths, c hook.Config) hook.Config {
	c = redacting(c, nil)
	c.Log, c.Dropped = nil, nil
	c.Ignore = func(e mem.Event) bool {
		switch {
		case e.Kind != mem.SessionStart, e.Source == "clear", e.Source == "compact":
			return true
		case e.Source == "resume", e.Source == "fork":
			return !hooksInstalled(c.Getenv, e.Agent)
		default:
			return false
		}
	}
	c.Handler = installing{func() (mem.Handler, error) {
		if err := paths.ClearUninstalled(); err != nil {
			return nil, err
		}
		return prepare(sys, c).Handler, nil
	}}
	return c
}

// hooksInstalled reports whether our hooks are those of a plugin, or are named in the agent's current
// settings.
func hooksInstalled(getenv func(string) string, agent string) bool {
	if getenv("CLAUDE_PLUGIN_ROOT") != "" {
		return true
	}
	for _, file := range settingsFiles(getenv, agent) {
		const most = 1 << 20 // bytes; no settings are that long
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte("remanence")) &&
			bytes.Contains(b, []byte(agent)) {
			return true
		}
	}
	return false
}

// settingsFiles lists the files in which an agent's hooks may be.
func settingsFiles(getenv func(string) string, agent string) []string {
	home := config.HomeDir(getenv)
	dir := func(variable, name string) string { return cmp.Or(getenv(variable), filepath.Join(home, name)) }
	switch agent {
	case "codex":
		return []string{filepath.Join(dir("CODEX_HOME", ".codex"), "hooks.json")}
	case "gemini":
		return []string{filepath.Join(home, ".gemini", "settings.json")}
	case "qwen":
		return []string{filepath.Join(home, ".qwen", "settings.json")}
	case "copilot":
		return []string{filepath.Join(home, ".copilot", "hooks", "remanence.json")}
	case "cursor":
		return []string{filepath.Join(home, ".cursor", "hooks.json")}
	case "windsurf":
		return []string{filepath.Join(home, ".codeium", "windsurf", "hooks.json")}
	case "opencode":
		return []string{filepath.Join(dir("XDG_CONFIG_HOME", ".config"), "opencode", "plugins", "remanence.js")}
	}
	project := filepath.Join(getenv("CLAUDE_PROJECT_DIR"), ".claude")
	return []string{
		filepath.Join(dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
		filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json"),
	}
}

// installing creates its handler when the first event comes.
type installing struct {
	newHandler func() (mem.Handler, error)
}

// Handle implements mem.Handler.
func (m installing) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	h, err := m.newHandler()
	if err != nil {
		return mem.Reply{}, err
	}
	return h.Handle(ctx, e)
}

// makeSubdir makes a directory in an existing one. Hooks make no parents, so that nothing returns after an
// uninstall.
func makeSubdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

var errUninstalled = errors.New("uninstalled meanwhile")

// unlessUninstalled drops events after Remanence was uninstalled during the call.
type unlessUninstalled struct {
	next        mem.Handler
	uninstalled func() bool
}

// Handle implements mem.Handler.
func (l unlessUninstalled) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if l.uninstalled() {
		return mem.Reply{}, errUninstalled
	}
	return l.next.Handle(ctx, e)
}
