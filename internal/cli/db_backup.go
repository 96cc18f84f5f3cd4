package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/fsx"
	"remanence/internal/store/sqlite"
)

func dbBackupCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "backup [file]", Short: "make a copy, while all goes on",
		Long: "The copy is consistent, checked, and only you can read it. Without a file it\ngoes beside the database, " +
			"where restore finds it, and purge too: an erased\nmemory is in no copy there. A copy elsewhere is yours to look " +
			"after.",
		Example: "  remanence db backup\n  remanence db backup ~/remanence-monday.db",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			return runBackup(cmd.Context(), a, file)
		},
	}
}

func runBackup(ctx context.Context, a *app, file string) error {
	to, err := config.NewFile(file)
	if err == nil {
		err = a.hasDatabase()
	}
	if err == nil {
		err = daemon.CheckSpace(a.Paths.Data, a.Paths.DatabaseBytes())
	}
	if err != nil {
		return err
	}
	made, err := ask(ctx, a, daemon.BackupStore, api.Nothing{})
	if err != nil {
		return err
	}
	if to == "" {
		to = made.Path
	} else if err := fsx.Move(made.Path, to); err != nil {
		return errors.Join(fault.Store.WithMessage("the backup cannot be written there").Because("%s", err),
			os.Remove(made.Path))
	}
	found, err := sqlite.Inspect(ctx, to)
	if err != nil {
		return err
	}
	up := a.Paths.ReadUpkeep()
	up.Backup = a.Sys.Now().UTC()
	up.Write(a.Paths)
	return a.out.Show(ui.DBBackupView{File: to, Bytes: made.Bytes, Schema: found.Schema})
}
