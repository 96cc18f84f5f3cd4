package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/upgrade"
)

func upgradeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "how this copy was installed, and the command that upgrades it",
		Long: "It runs nothing and asks no network. The next hook starts the new version, which\n" +
			"copies the database before it changes its schema. An older version refuses a\n" +
			"database of a newer one and writes nothing: see \"remanence help REM-S003\".",
		Example: "  remanence upgrade",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			exe, err := os.Executable()
			if err == nil {
				exe, err = filepath.EvalSymlinks(exe)
			}
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			way := upgrade.Of(upgrade.Program{
				File: exe, Release: config.Version != config.Development, Repository: config.Repository,
				Arch: runtime.GOARCH, Home: config.HomeDir(a.Sys.Getenv), Root: "/",
			})
			return a.out.Show(upgradeView{config.Version, exe, way.By, way.Command})
		},
	}
}

type upgradeView struct {
	Version     string `json:"version"`
	Program     string `json:"program"`
	InstalledBy string `json:"installed_by"` // source, npm, homebrew, scoop, deb, script or archive
	Command     string `json:"command"`
}

func (upgradeView) SchemaName() string { return "upgrade" }

func (v upgradeView) Print(p *ui.Printer) {
	p.Line("remanence %s, installed by %s: %s", v.Version, v.InstalledBy, v.Program)
	p.Line("%s", v.Command)
}
