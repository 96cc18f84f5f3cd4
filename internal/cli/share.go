package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

func shareCommand(a *app) *cobra.Command {
	var kinds []string
	var remove, dry bool
	cmd := &cobra.Command{
		Use:   "share [id]...",
		Short: "a team's memories, as files in the repository",
		Long: "Writes one Markdown file a memory into " + mem.SharedDir + "memory/ of the repository.\nCommit the files " +
			"yourself. Whoever clones the repository gets the memories after\n\"remanence trust\", marked as the team's, " +
			"with the author from git. Committed\nedits and deletions of the files change the memories.\n\nSecrets, private " +
			"text, and memories of other projects or of your vault are\nnot written. Nothing is written unless you " +
			"give this command.",
		Example: "  remanence share m_19fx\n  remanence share -k decision,convention --dry-run\n" +
			"  remanence share m_19fx --remove\n  remanence share status",
		RunE: func(cmd *cobra.Command, ids []string) error {
			req := filesync.ShareRequest{Op: filesync.ShareWrite, IDs: ids, DryRun: dry}
			for _, k := range kinds {
				kind, err := mem.ParseKind(k)
				if err != nil {
					return fault.Input.Because("%s", err)
				}
				req.Kinds = append(req.Kinds, kind)
			}
			if remove {
				req.Op = filesync.ShareRemove
			}
			if (len(ids) == 0) == (len(kinds) == 0) || remove && len(kinds) > 0 {
				return fault.Usage.WithMessage("share needs ids, or kinds with -k").FixedBy("remanence share --help")
			}
			return runShare(cmd, a, req, false)
		},
	}
	cmd.Flags().StringSliceVarP(&kinds, "kind", "k", nil, "all memories of these kinds that can be shared")
	cmd.Flags().BoolVar(&remove, "remove", false, "delete the files; your own memories stay")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	cmd.ValidArgsFunction = a.completeIDs
	status := func(use, short string, diff bool) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Example: "  remanence share " + use + "\n  remanence share " + use + " --json",
			Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return runShare(cmd, a, filesync.ShareRequest{Op: filesync.ShareStatus}, diff)
			},
		}
	}
	cmd.AddCommand(status("status", "shared memories, and files that are not read", false),
		status("diff", "how memories differ from their shared files", true))
	return cmd
}

func runShare(cmd *cobra.Command, a *app, req filesync.ShareRequest, diff bool) error {
	req.ProjectRef, req.Agent = a.ProjectRef(), a.agent()
	got, err := ask(cmd.Context(), a, api.Share, req)
	if err != nil {
		return a.noProject(err)
	}
	return a.out.Show(ui.ShareView{ShareResponse: got, Diff: diff})
}
