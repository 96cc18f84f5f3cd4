package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/store/sqlite"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "version of this program, and what it was built from",
		Example: "  remanence version\n  remanence version --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v, err := thisVersion()
			if err != nil {
				return err
			}
			return a.out.Show(v)
		},
	}
}

type versionView struct {
	Version  string  `json:"version"`
	Release  bool    `json:"release"` // false: a build of someone's own sources
	Commit   *string `json:"commit"`
	Date     *string `json:"date"` // of the commit
	Modified bool    `json:"modified"`
	Build    string  `json:"build"`
	Go       string  `json:"go"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	Schema   int     `json:"schema_version"` // of the database
	Protocol int     `json:"protocol"`       // between commands and daemon
}

func thisVersion() (versionView, error) {
	schema, err := sqlite.Schema()
	from := config.BuiltFrom()
	return versionView{
		Version: config.Version, Release: config.Version != config.Development, Commit: ui.TextOrNil(from.Commit),
		Date: ui.TextOrNil(from.Date), Modified: from.Modified, Build: config.BuildID(), Go: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Schema: schema, Protocol: api.Protocol,
	}, err
}

func (versionView) SchemaName() string { return "version" }

func (v versionView) Print(p *ui.Printer) {
	p.Line("remanence %s %s/%s %s", v.Version, v.OS, v.Arch, v.Go)
	from := config.Source{Commit: ui.Deref(v.Commit), Date: ui.Deref(v.Date), Modified: v.Modified}
	if v.Release {
		p.Line("release, built from %s", from)
	} else {
		p.Line("development build of %s, not a release", from)
	}
	if p.Flags.Verbose {
		p.Line("build %s, schema %d, protocol %d", v.Build, v.Schema, v.Protocol)
	}
}
