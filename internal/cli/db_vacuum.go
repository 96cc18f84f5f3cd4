package cli

import (
	"context"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/store/sqlite"
)

func dbVacuumCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "vacuum", Short: "give free space back to the disk",
		Long: "The database is written anew without the space of what was erased. For that\nmoment the disk has to " +
			"hold both.",
		Example: "  remanence db vacuum",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runVacuum(cmd.Context(), a) },
	}
}

func runVacuum(ctx context.Context, a *app) error {
	if err := a.hasDatabase(); err != nil {
		return err
	}
	if err := daemon.CheckSpace(a.Paths.Data, a.Paths.DatabaseBytes()); err != nil {
		return err
	}
	var v ui.DBVacuumView
	err := a.Exclusively(ctx, func() (err error) {
		v.Before, v.After, err = sqlite.Vacuum(ctx, a.Paths.Database())
		return err
	})
	if err != nil {
		return err
	}
	up := a.Paths.ReadUpkeep()
	up.Vacuum = a.Sys.Now().UTC()
	up.Write(a.Paths)
	v.Freed = max(0, v.Before-v.After)
	return a.out.Show(v)
}

func dbReindexCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "reindex", Short: "make the search index anew",
		Long: "The index by which memories are found is made of the memories, so that nothing\nis lost with it. " +
			"Vectors are dropped; with an embedding server the daemon makes\nthem anew.",
		Example: "  remanence db reindex",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.hasDatabase(); err != nil {
				return err
			}
			n, err := ask(cmd.Context(), a, daemon.ReindexStore, api.Nothing{})
			if err != nil {
				return err
			}
			return a.out.Show(dbReindexView(n))
		},
	}
}

// dbReindexView counts the memories in the new index.
type dbReindexView daemon.ReindexResponse

func (dbReindexView) SchemaName() string { return "db_reindex" }

func (v dbReindexView) Print(p *ui.Printer) {
	p.Line("%s in the new index", ui.Plural(v.Memories, "memory", "memories"))
}
