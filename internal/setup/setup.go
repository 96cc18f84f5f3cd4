// Package setup puts Remanence's hooks into a coding agent's settings and takes them out again.
//
// Settings belong to the person. They are edited as text: our entries are spliced in and cut out, and every other
// byte (order, numbers, escapes, line ends, a missing last newline) stays what it was. What cannot be read or is of a
// shape we do not know is left alone. An install record keeps the exact bytes from before, so that uninstalling can
// give them back.
//
// The same hooks can come as a plugin instead. A plugin is registered by the agent's own commands, which lay the whole
// settings out anew; the record gives the bytes back all the same.
//
// The package knows Claude Code's settings files. It runs nothing but those commands, opens no database or network
// connection and reads no environment variables: all it needs to know comes in through Config.
package setup

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"time"
)

// Names of the one agent this package serves.
const (
	AgentID    = "claude-code"
	AgentShort = "claude"
)

// Reasons for which settings are left as they are. All come wrapped with the file and the details.
var (
	ErrNotJSON  = errors.New("not valid JSON")
	ErrShape    = errors.New("unknown shape of settings")
	ErrChanged  = errors.New("changed by another program meanwhile")
	ErrReadOnly = errors.New("read-only")
	ErrNotFile  = errors.New("not a plain file")
	ErrBinary   = errors.New("unusable path of the binary")
)

// Reasons for which skills are missing. The hooks are installed without them.
var (
	ErrForeign = errors.New("it is not ours, so it stays; move it elsewhere, then install again")
	ErrSkills  = errors.New("skills cannot be written")
)

// Reasons for which a plugin is not registered.
var (
	ErrNoClient = errors.New("the command claude is not on the search path")
	ErrClient   = errors.New("the agent's own command did not work")
)

// Scope says whose settings are edited. The zero value means ScopeUser.
type Scope string

// The two scopes: all of the user's projects, or one project.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// Config is everything the package knows about the machine. Paths are absolute.
type Config struct {
	Home       string           // the user's home directory
	ClaudeDir  string           // the agent's own directory; "" means Home/.claude
	CodexDir   string           // that of Codex; "" means Home/.codex
	ConfigHome string           // of programs that follow the XDG specification; "" means Home/.config
	Project    string           // root of the project; "" means none: project settings are not looked at
	Version    string           // of this program; the plugin's manifest names it
	Managed    string           // settings set by an administrator; "" means none
	Binary     string           // the remanence binary that the hooks shall run
	RecordDir  string           // where install records are kept
	Path       []string         // directories searched for programs, in order
	Now        func() time.Time // nil means time.Now

	PluginDir string // where the plugin is written
	Plugin    fs.FS  // the plugin's files as they are in a release; needed to install it only
	Run       Run    // runs the agent's commands; nil means that there are none
}

// Run runs a program, args[0], in a directory and without any input, until it ends or ctx does. It returns all that
// the program printed.
type Run func(ctx context.Context, dir string, args ...string) ([]byte, error)

// FromEnv fills a Config from variables as given by getenv. All that is not of the environment is the caller's to set.
func FromEnv(home string, getenv func(string) string) Config {
	return Config{
		Home:       home,
		ClaudeDir:  getenv("CLAUDE_CONFIG_DIR"),
		CodexDir:   getenv("CODEX_HOME"),
		ConfigHome: getenv("XDG_CONFIG_HOME"),
		Managed:    managedSettings(runtime.GOOS),
		Path:       filepath.SplitList(getenv("PATH")),
	}
}

// managedSettings is where the agent looks for an administrator's settings on an operating system.
func managedSettings(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	default:
		return "/etc/claude-code/managed-settings.json"
	}
}

// AgentDir is the directory in which the agent keeps its settings and plugins.
func (c Config) AgentDir() string {
	if c.ClaudeDir != "" {
		return c.ClaudeDir
	}
	return filepath.Join(c.Home, ".claude")
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now().UTC()
	}
	return c.Now().UTC()
}

// settingsFile is the file that an installation in the given scope edits; "" if the scope has none.
func (c Config) settingsFile(s Scope) string {
	switch {
	case s == ScopeUser || s == "":
		return filepath.Join(c.AgentDir(), "settings.json")
	case s == ScopeProject && c.Project != "":
		return filepath.Join(c.Project, ".claude", "settings.json")
	}
	return ""
}
