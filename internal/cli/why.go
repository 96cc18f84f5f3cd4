package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func whyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:        "why [r_id | m_id | last]",
		SuggestFor: []string{"explain"},
		Short:      "what was injected, why, and what was left out",
		Example: "  remanence why\n  remanence why r_88c1\n  remanence why last --json\n  remanence why m_7k2q           " +
			"as remanence show",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && strings.HasPrefix(args[0], "m_") {
				return runShow(a, cmd, args, ui.MemoryList{})
			}
			return runWhy(a, cmd, strings.Join(args, ""))
		},
	}
}

func runWhy(a *app, cmd *cobra.Command, id string) error {
	got, err := ask(cmd.Context(), a, api.Why, views.WhyRequest{ProjectRef: a.ProjectRef(), ID: id})
	last := id == "" || id == "last"
	if last && errors.Is(err, mem.ErrNotFound) && a.Project == "" {
		got, err = views.WhyResponse{}, nil
	}
	if !last && errors.Is(err, mem.ErrNotFound) { // the id alone is looked for, in every project
		return fault.NoID.WithMessage("no such receipt").Because("nothing was injected under the id %q", id).
			FixedBy("remanence why")
	}
	if err != nil {
		return a.noProject(err)
	}
	return a.out.Show(ui.ReceiptView{WhyResponse: got})
}
