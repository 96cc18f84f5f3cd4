package cli

import (
	"context"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/store/sqlite"
)

func (a *app) dbVacuumCommand() *cobra.Command {
	return &cobra.Command{
		Use: "vacuum", Short: "give free space back to the disk",
		Long:    "The database is written anew without the space of what was erased. For that\nmoment the disk has to hold both.",
		Example: "  remanence db vacuum",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.vacuum(cmd.Context()) },
	}
}

func (a *app) vacuum(ctx context.Context) error {
	if err := a.hasDatabase(); err != nil {
		return err
	}
	if err := room(a.paths.Data, a.paths.dbBytes()); err != nil {
		return err
	}
	var v dbVacuumView
	err := a.alone(ctx, func() (err error) {
		v.Before, v.After, err = sqlite.Vacuum(ctx, a.paths.Database())
		return err
	})
	if err != nil {
		return err
	}
	up := readUpkeep(a.paths)
	up.Vacuum = a.sys.Now().UTC()
	up.write(a.paths)
	v.Freed = max(0, v.Before-v.After)
	return a.out.show(v)
}

// dbVacuumView is what a vacuum did, in bytes.
type dbVacuumView struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	Freed  int64 `json:"freed"`
}

func (dbVacuumView) schema() string { return "db_vacuum" }

func (v dbVacuumView) human(p *printer) {
	p.line("%s freed: from %s to %s", bytesText(v.Freed), bytesText(v.Before), bytesText(v.After))
}

func (a *app) dbReindexCommand() *cobra.Command {
	return &cobra.Command{
		Use: "reindex", Short: "make the search index anew",
		Long:    "The index by which memories are found is made of the memories, so that nothing\nis lost with it. Vectors are dropped; with an embedding server the daemon makes\nthem anew.",
		Example: "  remanence db reindex",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.hasDatabase(); err != nil {
				return err
			}
			n, err := ask(cmd.Context(), a, reindexStore, api.Nothing{})
			if err != nil {
				return err
			}
			return a.out.show(dbReindexView(n))
		},
	}
}

// reindexStore has whoever owns the database make its index anew.
var reindexStore = api.Route[api.Nothing, reindexed]{Name: "reindex"}

type reindexed struct {
	Memories int `json:"memories"`
}

func (h *house) reindex(ctx context.Context, _ api.Nothing) (reindexed, error) {
	n, err := h.store.Reindex(ctx)
	if err == nil {
		err = h.engine.Recall.ForgetVectors(ctx)
	}
	return reindexed{n}, err
}

// dbReindexView says how many memories are in the new index.
type dbReindexView reindexed

func (dbReindexView) schema() string { return "db_reindex" }

func (v dbReindexView) human(p *printer) {
	p.line("%s in the new index", plural(v.Memories, "memory", "memories"))
}
