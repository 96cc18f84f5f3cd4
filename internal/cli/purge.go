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
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "purge <id>...",
		Short: "erase memories or sessions for good",
		Long: "Erases every byte of them that Remanence keeps, with the backups and set-aside\ndatabases beside the " +
			"database, which hold them too. This cannot be undone.\nTo hide instead: remanence forget.",
		Example: "  remanence purge m_19fx\n  remanence purge s_4d --dry-run\n  remanence purge s_4d --yes",
		Args:    atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := a.purgeTargets(cmd, args)
			if err != nil {
				return err
			}
			if dry || !yes {
				would, err := ask(cmd.Context(), a, api.PurgePreview, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids})
				if err != nil {
					return err
				}
				v := ui.PurgePreview(ids, would)
				v.Copies = a.copies()
				if dry {
					return a.out.Show(v)
				}
				if err := retypePurge(a, v); err != nil {
					return err
				}
			}
			copies := a.copies()
			got, err := ask(cmd.Context(), a, api.Purge, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids, Agent: a.agent()})
			if err != nil {
				return err
			}
			return a.out.Show(ui.PurgeView{
				IDs: ids, Erased: ui.ErasedCounts(got.Purged), Memories: []ui.PurgeItem{}, Copies: copies,
				Unreached: ui.NotNil(got.Unreached),
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// purgeTargets finds the whole ids of memories.
func (a *app) purgeTargets(cmd *cobra.Command, args []string) (ids []string, err error) {
	for _, id := range args {
		if !strings.HasPrefix(id, "m_") {
			ids = append(ids, id)
			continue
		}
		got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: []string{id}})
		if err != nil {
			return nil, err
		}
		ids = append(ids, got.Memories[0].ID)
	}
	return ids, nil
}

// retypePurge has the ids typed again, which no habit does.
func retypePurge(a *app, v ui.PurgeView) error {
	a.out.Say("This erases for good:")
	for _, l := range v.Lines() {
		a.out.Say("%s", l)
	}
	answer, err := a.prompt("Type " + strings.Join(v.IDs, " ") + " again to erase:")
	if err != nil {
		return err
	}
	if !slices.Equal(strings.Fields(answer), v.IDs) {
		return fault.Declined
	}
	return nil
}

// copies are the copies of the database that erasing removes.
func (a *app) copies() []string { return daemon.ErasedCopies(a.Paths, a.Sys.Getenv) }
