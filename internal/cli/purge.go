package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/event"
	"remanence/internal/fault"
)

func purgeCommand(a *app) *cobra.Command {
	var yes, dry, words bool
	cmd := &cobra.Command{
		Use:   "purge <id>... | --text <word>...",
		Short: "erase memories, sessions or words for good",
		Long: "Erases every byte of them that Remanence keeps, with the backups and set-aside\ndatabases beside the " +
			"database, which hold them too. This cannot be undone.\nTo hide instead: remanence forget.\n\n" +
			"With --text: in all projects, each memory that holds the words, with the\nconversation that it came from, and " +
			"each other line of a prompt, of quoted\nconversation, of a title or of a receipt that holds them.",
		Example: "  remanence purge m_19fx\n  remanence purge s_4d --dry-run\n  remanence purge s_4d --yes\n" +
			"  remanence purge --text jane doe --dry-run",
		Args: atLeast(1, "an id, or words with --text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := a.purgeRequest(cmd, args, words)
			if err != nil {
				return err
			}
			if dry || !yes {
				would, err := ask(cmd.Context(), a, api.PurgePreview, req)
				if err != nil {
					return err
				}
				v := ui.PurgePreview(req, would)
				v.Copies = a.copies()
				if dry || v.NothingHolds() {
					return a.out.Show(v)
				}
				if err := retypePurge(a, v); err != nil {
					return err
				}
			}
			copies := a.copies()
			req.Agent = a.agent()
			got, err := ask(cmd.Context(), a, api.Purge, req)
			if err != nil {
				return err
			}
			return a.out.Show(ui.PurgeDone(req, got, copies))
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&words, "text", false, "erase all that holds these words, in every project")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// purgeRequest asks to erase what the arguments name, with the whole ids of memories.
func (a *app) purgeRequest(cmd *cobra.Command, args []string, words bool) (event.PurgeRequest, error) {
	req := event.PurgeRequest{ProjectRef: a.ProjectRef()}
	if words {
		req.Text = strings.Join(args, " ")
		return req, nil
	}
	for _, id := range args {
		if strings.HasPrefix(id, "m_") {
			got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: req.ProjectRef, IDs: []string{id}})
			if err != nil {
				return req, err
			}
			id = got.Memories[0].ID
		}
		req.IDs = append(req.IDs, id)
	}
	return req, nil
}

// retypePurge has the ids or the words typed again, which no habit does.
func retypePurge(a *app, v ui.PurgeView) error {
	a.out.Say("This erases for good:\n%s", strings.Join(v.Lines(), "\n"))
	answer, err := a.prompt("Type " + v.Named() + " again to erase:")
	if err == nil && !slices.Equal(strings.Fields(answer), strings.Fields(v.Named())) {
		err = fault.Declined
	}
	return err
}

// copies are the copies of the database that erasing removes.
func (a *app) copies() []string { return daemon.ErasedCopies(a.Paths, a.Sys.Getenv) }
