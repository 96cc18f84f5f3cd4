package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/event"
	"remanence/internal/views"
)

func showCommand(a *app) *cobra.Command {
	var raw, sources bool
	cmd := &cobra.Command{
		Use:        "show <id>...",
		SuggestFor: []string{"get", "cat", "view"},
		Short:      "show whole memories, or what another id stands for",
		Example: "  remanence show m_7k2q\n  remanence show m_7k2q --provenance\n  remanence show r_88c1           as " +
			"remanence why\n  remanence show c_1f             as remanence checkpoint show\n  remanence show s_4d            " +
			" as remanence timeline",
		Args: atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && strings.HasPrefix(args[0], "r_"):
				return runWhy(a, cmd, args[0])
			case len(args) == 1 && strings.HasPrefix(args[0], "c_"):
				return runCheckpointShow(a, cmd, args[0])
			case len(args) == 1 && strings.HasPrefix(args[0], "s_"):
				return runTimeline(a, cmd, views.TimelineRequest{
					ProjectRef: a.ProjectRef(), Anchor: args[0],
					Around: defaultAround,
				})
			}
			return runShow(a, cmd, args, ui.MemoryList{Raw: raw, Sources: sources})
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "only the text")
	cmd.Flags().BoolVar(&sources, "provenance", false, "only where it comes from")
	cmd.MarkFlagsMutuallyExclusive("raw", "provenance")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// runShow shows whole memories as the list says.
func runShow(a *app, cmd *cobra.Command, ids []string, list ui.MemoryList) error {
	got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids, Agent: a.agent()})
	if err != nil {
		return err
	}
	list.Schema, list.Response, list.Memories, list.Did = "show", got, got.Memories, "shown"
	list.Links, list.Now = got.Links, a.Sys.Now()
	return a.out.Show(list)
}
