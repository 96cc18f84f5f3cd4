package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func dbCheckCommand(a *app) *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use: "check", Short: "is it whole; exit 5 if not",
		Long: "Looks at pages, tables, references and the index, and changes nothing. With\n--full every row is read " +
			"and compared with its indexes, which takes longer.",
		Example: "  remanence db check\n  remanence db check --full --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.audit(cmd.Context(), full)
			if err != nil {
				return err
			}
			return a.out.Judged(v, v.OK)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "compare every row with its indexes too")
	return cmd
}

// audit requests an audit from the daemon. A daemon cannot open a damaged database, so that is read in this process.
func (a *app) audit(ctx context.Context, full bool) (ui.DBCheckView, error) {
	if err := a.hasDatabase(); err != nil {
		return ui.DBCheckView{}, err
	}
	got, err := ask(ctx, a, daemon.AuditStore, daemon.AuditRequest{Full: full})
	if err == nil {
		return a.checked(got, full), nil
	}
	if !daemon.Explain(err).Is(fault.Corrupt) {
		return ui.DBCheckView{}, err
	}
	got, err = sqlite.Inspect(ctx, a.Paths.Database())
	if err != nil && !errors.Is(err, mem.ErrCorrupt) && !errors.Is(err, mem.ErrForeign) {
		return ui.DBCheckView{}, err
	}
	if len(got.Damage) == 0 && err != nil {
		got.Damage = []string{err.Error()}
	}
	v := a.checked(got, true)
	if len(got.Damage) == 0 {
		v.Unseen = []string{ui.PartRows}
	}
	return v, nil
}

func (a *app) checked(got sqlite.Audit, full bool) ui.DBCheckView {
	return ui.DBCheckView{
		OK: got.OK(), Path: a.Paths.Database(), Full: full, Schema: got.Schema,
		Damage: ui.NotNil(got.Damage), Dangling: got.Dangling, Index: ui.NotNil(got.Index), Spoilt: ui.NotNil(got.Unreadable),
		Unseen: uncheckedParts(got, full),
	}
}

// uncheckedParts are the parts that were not looked at: behind damage there is nothing to be relied on.
func uncheckedParts(got sqlite.Audit, full bool) []string {
	switch {
	case len(got.Damage) > 0:
		return []string{ui.PartReferences, ui.PartRows, ui.PartIndex}
	case !full:
		return []string{ui.PartRows}
	}
	return []string{}
}
