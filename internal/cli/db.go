package cli

import (
	"os"

	"github.com/spf13/cobra"

	"remanence/internal/daemon"
	"remanence/internal/fault"
)

func dbCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "db",
		Short: "look after the database: check, back up, restore",
		Long: "Everything that is remembered is in one SQLite file. What writes to it goes\nthrough the daemon, or " +
			"stops it for as long as it takes; events are kept in the\nspool meanwhile.",
		Example: "  remanence db info\n  remanence db check --full\n  remanence db backup\n  remanence db restore",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return dbInfo(cmd.Context(), a) },
	}
	cmd.AddCommand(dbInfoCommand(a), dbCheckCommand(a), dbBackupCommand(a), dbRestoreCommand(a), dbVacuumCommand(a),
		dbReindexCommand(a), dbMigrateCommand(a), dbMoveCommand(a))
	return cmd
}

// hasDatabase fails with a fault where there is none yet.
func (a *app) hasDatabase() error {
	if daemon.OnServer(a.Paths, a.Sys.Getenv) {
		return fault.OnServer.Because("store.dsn names a server")
	}
	if _, err := os.Stat(a.Paths.Database()); err != nil {
		return fault.NoDatabase.Because("%s is not there", a.Paths.Database())
	}
	return nil
}
