package cli

import (
	"html"
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
	var records recordExport
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write all that is stored, or where projects stand, to a file",
		Long: "html is a page on where projects stand. It needs nothing else: no script, no\nnetwork, no Remanence.\n\n" +
			"jsonl is all that is stored, a row of JSON a line: memories, hidden ones too,\nsessions, prompts, events, " +
			"receipts, checkpoints and links, with their ids and\ntimes. remanence import reads it, on this machine or " +
			"another. The form is\ndescribed in docs/export.md.\n\n" +
			"markdown is a new directory with a file for each memory that is not hidden, as\nin a vault; without --project " +
			"in one folder for each project.\n\n" +
			"All hold the text of memories, so keep them where you would keep those.\nWithout -o they go to standard output.",
		Example: "  remanence export -o remanence.html\n  remanence export --format jsonl -o remanence.jsonl\n" +
			"  remanence export --format jsonl --project api --since 30d -o api.jsonl",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case format == exportJSONL:
				records.file = file
				return records.run(cmd, a)
			case format != exportHTML && format != exportMarkdownFiles:
				return fault.Input.WithMessage("--format %q is unknown", format).FixedBy("use html, jsonl or markdown")
			case format == exportMarkdownFiles:
				return records.exportMarkdown(cmd, a, file.path)
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
			hide := func(page string) string { return page }
			if a.Project != "" || records.since != "" || records.hidePaths {
				records.fromAPI = true
				q, projects, err := records.query(cmd.Context(), a)
				if err != nil {
					return err
				}
				hide = records.hider(a, projects, html.EscapeString)
				f.Projects = slices.DeleteFunc(f.Projects, func(r views.OverviewRow) bool {
					p := r.State.Project
					return q.Project != "" && p.Key != q.Project || p.LastEvent.Before(q.Since)
				})
			}
			page := hide(ui.OverviewPage(f))
			if file.path == "" {
				return a.out.Write(page)
			}
			if err := file.write(page); err != nil {
				return err
			}
			return a.out.Show(ui.ExportView{File: file.path, Format: format, Projects: len(f.Projects), Bytes: len(page)})
		},
	}
	cmd.Flags().StringVar(&format, "format", exportHTML, "html, jsonl or markdown")
	cmd.Flags().StringVar(&records.since, "since", "", "only what changed since: 2w, 3d, 2026-01-31")
	cmd.Flags().BoolVar(&records.hidePaths, "redact-paths", false,
		"names of projects and ~ in place of directories")
	cmd.Flags().StringVarP(&file.path, "output", "o", "",
		"the file to write, for your eyes only (default: standard output)")
	cmd.Flags().BoolVar(&file.force, "force", false, "overwrite the file")
	return cmd
}
