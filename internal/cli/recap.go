package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/views"
	"remanence/internal/when"
)

func recapCommand(a *app) *cobra.Command {
	var since, format string
	var all, prose bool
	var items int
	cmd := &cobra.Command{
		Use:        "recap",
		SuggestFor: []string{"standup", "report"},
		Short:      "what was done, decided and left open, by day and project",
		Long: "Lists what was done and where it stands, decisions, open work, failures, commits\n" +
			"and changed files since a day. It reads what is stored and asks no model, unless\n" +
			"--prose lets the model that is set up for digests summarize it.",
		Example: "  remanence recap\n  remanence recap --since monday --all\n  remanence recap --since 7d " +
			"--format md > week.md",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := when.Since(since, a.Sys.Now())
			if err != nil {
				return err
			}
			if items < 0 {
				return fault.Input.WithMessage("--items cannot be negative")
			}
			q := views.RecapRequest{ProjectRef: a.ProjectRef(), Since: from, Prose: prose}
			if all {
				q.ProjectRef = mem.ProjectRef{Project: "all"}
			}
			switch format {
			case "json":
				a.flags.JSON = true
				a.out = ui.NewPrinter(a.Sys, a.flags)
			case "text", views.RecapMarkdown, views.RecapHTML:
			default:
				return fault.Input.WithMessage("--format %q is unknown", format).FixedBy("use text, md, html or json")
			}
			got, err := ask(cmd.Context(), a, api.Recap, q)
			if err != nil {
				return err
			}
			v := ui.RecapView{RecapResponse: got, Items: items}
			if format == "text" || a.flags.JSON || a.flags.JSONLines {
				return a.out.Show(v)
			}
			return a.out.Write(v.Page(format))
		},
	}
	cmd.Flags().StringVar(&since, "since", "yesterday", "from then on: monday, 2w, 3d, 2026-01-31")
	cmd.Flags().BoolVar(&all, "all", false, "every project")
	cmd.Flags().BoolVar(&prose, "prose", false, "a summary in sentences by the model that is set up (digest.provider)")
	cmd.Flags().StringVar(&format, "format", "text", "text, md, html or json")
	cmd.Flags().IntVar(&items, "items", 0, "so many of each section at most; 0 is as many as fit")
	return cmd
}
