package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/move"
)

func dbMoveCommand(a *app) *cobra.Command {
	var yes bool
	var q move.Request
	cmd := &cobra.Command{
		Use: "move --to ADDRESS", Short: "move all of it to a server, or back to the file",
		Long: "Copies every row, compares both by counts and checksums, and only then sets\nstore.dsn. The store of " +
			"before stays as it is. Killed half-way, the same command\ngoes on. Events are kept in the spool meanwhile.",
		Example: "  remanence db move --to 'postgres://remanence@db.example.org/remanence' --dry-run\n" +
			"  remanence db move --to sqlite:",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.agent() != "" && !q.DryRun {
				return fault.PersonOnly.WithMessage("only a person can move the memory")
			}
			if err := config.CheckDSN(q.To); err != nil {
				return fault.Usage.WithMessage("--to: %s", err).FixedBy("remanence db move --help")
			}
			q.Confirm = func() error {
				if yes {
					return nil
				}
				return a.confirm("Move the memory to " + q.To + "?")
			}
			shown := ui.MoveProgress{Printer: a.out}
			q.Report, q.Configure = shown.Show, func(dsn string) error { return putKey(a, "store.dsn", dsn) }
			got, err := move.Run(cmd.Context(), a.Connection, q)
			shown.End()
			if err != nil {
				return err
			}
			return a.out.Show(ui.DBMoveView{Moved: got})
		},
	}
	cmd.Flags().StringVar(&q.To, "to", "", "the address of a server, or sqlite:")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "only count, and look at the other place")
	return cmd
}
