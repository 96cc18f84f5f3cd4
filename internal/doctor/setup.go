package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/setup"
	"remanence/plugin"
)

// SetupConfig is what package setup has to know about this machine.
func (a *Checks) SetupConfig() (setup.Config, error) {
	home := config.HomeDir(a.Sys.Getenv)
	if home == "" {
		return setup.Config{}, fault.NoHome
	}
	exe, err := os.Executable()
	if err != nil {
		return setup.Config{}, fmt.Errorf("find this program: %w", err)
	}
	c := setup.FromEnv(home, a.Sys.Getenv)
	c.Binary, c.RecordDir, c.Now = setup.Program(c, exe), a.Paths.Installs(), a.Sys.Now
	c.PluginDir = filepath.Join(a.Paths.Data, "plugin")
	if c.ClaudeDir != "" { // records are read in other directories
		if c.ClaudeDir, err = filepath.Abs(c.ClaudeDir); err != nil {
			return setup.Config{}, fmt.Errorf("find the agent's directory: %w", err)
		}
	}
	c.Plugin, c.Version, c.Run = plugin.Files, config.Version, runAgent
	if p, err := project.Identify(a.ProjectRef().Dir); err == nil && !config.SameDir(p.Root, home) {
		c.Project = p.Root
	}
	return c, nil
}

// runAgent runs one of the agent's own commands with automatic updates and reports switched off.
func runAgent(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	cmd.WaitDelay = time.Second // a child of its own may hold the output open
	return cmd.CombinedOutput()
}

// Profile is the configured one.
func (a *Checks) Profile() string {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // a mistake there has its default
	return config.Get[string](cfg, "profile")
}

// ProjectHere is the project of a directory, or of the one a command is about.
func (a *Checks) ProjectHere(args []string) (mem.Project, error) {
	dir := a.ProjectRef().Dir
	if len(args) > 0 {
		dir = args[0]
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return mem.Project{}, err
	}
	if !config.IsDir(dir) {
		return mem.Project{}, fault.NoFile.WithMessage("there is no directory %s", ui.OneLine(dir))
	}
	return project.Identify(dir)
}
