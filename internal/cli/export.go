package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/views"
)

func exportCommand(a *app) *cobra.Command {
	var format string
	var file toFile
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write where all projects stand as one HTML page",
		Long: "The page needs nothing else: no script, no network, no Remanence. It holds the\n" +
			"text of memories, so keep it where you would keep those. Without -o it goes to\n" +
			"standard output.",
		Example: "  remanence export --format html -o remanence.html\n  remanence export --format html --project " +
			"example/api > state.html",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "html" {
				return fault.Input.WithMessage("--format %q is unknown", format).FixedBy("use html")
			}
			if err := file.check(); err != nil {
				return err
			}
			if file.path == "" && (a.flags.JSON || a.flags.JSONLines) { // a page would come where JSON is expected
				return fault.Usage.WithMessage("the page is HTML, not JSON").FixedBy("remanence export -o FILE --json",
					"remanence search --json")
			}
			f, err := ask(cmd.Context(), a, api.Overview, api.Nothing{})
			if err != nil {
				return err
			}
			if a.Project != "" && a.Project != "all" {
				if f, err = overviewOf(a, cmd, f); err != nil {
					return err
				}
			}
			page := ui.OverviewPage(f)
			if file.path == "" {
				return a.out.Write(page)
			}
			if err := file.write(page); err != nil {
				return err
			}
			return a.out.Show(exportView{File: file.path, Format: format, Projects: len(f.Projects), Bytes: len(page)})
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", "html")
	cmd.Flags().StringVarP(&file.path, "output", "o", "",
		"the file to write, for your eyes only (default: standard output)")
	cmd.Flags().BoolVar(&file.force, "force", false, "overwrite the file")
	return cmd
}

// overviewOf returns the part of an overview that --project names.
func overviewOf(a *app, cmd *cobra.Command, f views.OverviewResponse) (views.OverviewResponse, error) {
	at, err := ask(cmd.Context(), a, api.ReadState, a.ProjectRef())
	if err != nil {
		return f, a.noProject(err)
	}
	f.Projects = slices.DeleteFunc(f.Projects, func(p views.OverviewRow) bool {
		return p.State.Project.Key != at.Project.Key
	})
	return f, nil
}

// exportView shows what was written.
type exportView struct {
	File     string `json:"file"`
	Format   string `json:"format"`
	Projects int    `json:"projects"`
	Bytes    int    `json:"bytes"`
}

func (exportView) SchemaName() string { return "export" }

func (v exportView) Print(p *ui.Printer) {
	p.Line("written: %s, %s, %s", ui.OneLine(v.File), ui.Plural(v.Projects, "project", "projects"),
		ui.BytesText(int64(v.Bytes)))
}
