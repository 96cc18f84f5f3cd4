package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// consolidateCommand brings memories in order, or takes that back.
func consolidateCommand(a *app) *cobra.Command {
	var q curate.ConsolidateRequest
	var list bool
	var limit int
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "bring memories in order: merge, archive; can be undone",
		Long: "By rule, and without a question: duplicates are merged, what a session\nlearned and is worth it " +
			"reaches the project, what faded is archived: no longer\n" +
			"injected, and still found by a search. It happens by itself after\neach session, and for all of a " +
			"project after every fifth. Pinned, evergreen and\nyour own memories and decisions are never archived.\n\n" +
			"Each change is listed with its reason, and a round can be undone. What was\nundone is not done again.",
		Example: "  remanence consolidate --dry-run\n  remanence consolidate --list\n  remanence consolidate --undo k_3",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list && (q.Undo != "" || q.DryRun) {
				return fault.Usage.WithMessage("--list goes with neither --undo nor --dry-run").
					FixedBy("remanence consolidate --help")
			}
			if cmd.Flags().Changed("undo") && q.Undo == "" {
				return fault.Usage.WithMessage("--undo needs the id of a round").FixedBy("remanence consolidate --list")
			}
			q.ProjectRef, q.Agent = a.ProjectRef(), a.agent()
			if list {
				got, err := ask(cmd.Context(), a, api.Runs, curate.RunsRequest{ProjectRef: q.ProjectRef, Limit: limit})
				if err != nil {
					return a.noProject(err)
				}
				return a.out.Show(ui.ConsolidationView{ConsolidateResponse: got, Listed: true})
			}
			got, err := ask(cmd.Context(), a, api.Consolidate, q)
			if q.Undo != "" && errors.Is(err, mem.ErrNotFound) {
				return fault.NoID.WithMessage("no such round").Because("nothing has the id %q",
					q.Undo).FixedBy("remanence consolidate --list")
			}
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(ui.ConsolidationView{ConsolidateResponse: got})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&q.DryRun, "dry-run", false, "only show what would be changed, and why")
	f.StringVar(&q.Undo, "undo", "", "id of a round: give its memories back what they had")
	f.BoolVar(&list, "list", false, "the rounds that were, newest first")
	f.IntVar(&limit, "limit", 10, "how many of them")
	return cmd
}

// mergeCommand has one memory go into another.
func mergeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge <keep> <drop>",
		Short: "merge a memory into another one",
		Long: "The first memory stays as it is worded and gets the greater importance, the uses\nof both and a little " +
			"more confidence, and the files and tags of the second if\nthat is " +
			"trusted as much. The second is hidden. It can be undone.",
		Example: "  remanence merge m_7k2q m_19fx",
		Args:    exactly(2, "the memory to keep and the one that goes into it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := ask(cmd.Context(), a, api.Merge, curate.MergeRequest{Keep: args[0], Drop: args[1], Agent: a.agent()})
			if err != nil {
				return err
			}
			return a.out.Show(ui.MemoryList{
				Schema: "merge", Response: got, Memories: got.Memories, Did: "merged",
				Undo: "remanence consolidate --undo " + got.Run,
			})
		},
	}
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}
