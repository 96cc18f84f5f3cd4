package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "version of this program",
		Example: "  remanence version\n  remanence version --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			return a.out.Show(versionView{
				Version: config.Version, Build: config.BuildID(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				Protocol: api.Protocol,
			})
		},
	}
}

type versionView struct {
	Version  string `json:"version"`
	Build    string `json:"build"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Protocol int    `json:"protocol"` // between commands and daemon
}

func (versionView) SchemaName() string { return "version" }

func (v versionView) Print(p *ui.Printer) {
	p.Line("remanence %s %s/%s %s", v.Version, v.OS, v.Arch, v.Go)
	if p.Flags.Verbose {
		p.Line("build %s, protocol %d", v.Build, v.Protocol)
	}
}
