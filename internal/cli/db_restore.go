package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func dbRestoreCommand(a *app) *cobra.Command {
	var yes, dry, salvage bool
	cmd := &cobra.Command{
		Use: "restore [file]", Short: "put a backup in the database's place",
		Long: "Without a file: the newest sound copy beside the database. If there is none,\n" +
			"or with --salvage, a new database is made of all that can still be read of the\npresent one. That is kept aside " +
			"in any case, and what waits in the spool is\ntaken in afterwards.",
		Example: "  remanence db restore\n  remanence db restore ~/remanence-monday.db --yes\n  remanence db restore " +
			"--salvage",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := a.planRestore(cmd.Context(), args, salvage)
			if err != nil {
				return err
			}
			if dry {
				plan.DryRun = true
				return a.out.Show(plan)
			}
			if !yes {
				a.out.Say("%s", plan.Will())
				if err := a.confirm("Go on?"); err != nil {
					return err
				}
			}
			return a.restore(cmd.Context(), plan)
		},
	}
	cmd.Flags().BoolVar(&salvage, "salvage", false, "save what can be read of the present database")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	return cmd
}

// planRestore decides what the database is made of.
func (a *app) planRestore(ctx context.Context, args []string, salvage bool) (ui.DBRestoreView, error) {
	v := ui.DBRestoreView{Path: a.Paths.Database()}
	switch {
	case salvage && len(args) > 0:
		return v, fault.Usage.WithMessage("a file and --salvage contradict each other").
			FixedBy("remanence db restore --salvage")
	case salvage:
		return v, a.hasDatabase()
	case len(args) > 0:
		file, err := filepath.Abs(args[0])
		if err != nil {
			return v, err
		}
		v.From = &file
		return v, restorable(ctx, a, file)
	}
	copies, err := sqlite.Copies(a.Paths.Database())
	if err != nil {
		return v, err
	}
	for _, c := range copies {
		if c.Kind == sqlite.CopyAside {
			continue
		}
		if _, err := sqlite.Inspect(ctx, c.Path); err == nil {
			v.From, v.Made = &c.Path, ui.TimeOrNil(c.Made)
			return v, nil
		}
	}
	if err := a.hasDatabase(); err != nil {
		return v, fault.NoBackup.Because("no sound copy is beside %s", a.Paths.Database())
	}
	if !a.damaged(ctx) {
		return v, fault.NoBackup.Because("no sound copy is beside %s, and the database is not damaged", a.Paths.Database())
	}
	return v, nil
}

// restorable refuses files that cannot take the database's place.
func restorable(ctx context.Context, a *app, file string) error {
	if config.SameDir(file, a.Paths.Database()) {
		return fault.Input.WithMessage("that is the database itself").Because("%s", file)
	}
	_, err := sqlite.Inspect(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.NoBackup.Because("%s is not there", file)
	}
	return err
}

// damaged reports whether the database is better made anew. A daemon that
// answers looks itself: it has the database open.
func (a *app) damaged(ctx context.Context) bool {
	if _, _, err := a.Running(ctx); err == nil {
		v, err := a.audit(ctx, true)
		return errors.Is(err, mem.ErrDisk) || err == nil && len(v.Damage)+len(v.Spoilt) > 0
	}
	_, err := sqlite.Inspect(ctx, a.Paths.Database())
	return errors.Is(err, mem.ErrCorrupt) || errors.Is(err, mem.ErrForeign) || errors.Is(err, mem.ErrDisk)
}

// restore carries a plan out.
func (a *app) restore(ctx context.Context, v ui.DBRestoreView) error {
	if err := daemon.CheckSpace(a.Paths.Data, v.Needs()); err != nil {
		return err
	}
	err := a.Exclusively(ctx, func() error {
		if v.From == nil {
			got, err := sqlite.Salvage(ctx, v.Path, a.Sys.Now())
			v.Aside, v.Rows, v.Gaps, v.Empty = ui.TextOrNil(got.Aside), got.Rows, got.Gaps, got.Empty
			return err
		}
		got, err := sqlite.Restore(ctx, v.Path, *v.From, a.Sys.Now())
		v.Aside, v.Schema = ui.TextOrNil(got.Aside), got.Schema
		return err
	})
	if err != nil {
		return err
	}
	return a.out.Show(v)
}

func dbMigrateCommand(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "migrate", Short: "bring the database to this version's schema",
		Long:    "The daemon does it by itself when it starts. A copy of the database as it was\nstays beside it.",
		Example: "  remanence db migrate --dry-run\n  remanence db migrate",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMigrate(cmd.Context(), a, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show the steps")
	return cmd
}

func runMigrate(ctx context.Context, a *app, dry bool) error {
	if err := a.hasDatabase(); err != nil {
		return err
	}
	have, pending, err := sqlite.Steps(ctx, a.Paths.Database())
	if err != nil {
		return err
	}
	v := ui.DBMigrateView{DryRun: dry, From: have, To: have + len(pending), Steps: ui.NotNil(pending)}
	if dry || len(pending) == 0 {
		return a.out.Show(v)
	}
	if err := daemon.CheckSpace(a.Paths.Data, a.Paths.DatabaseBytes()); err != nil {
		return err
	}
	err = a.Exclusively(ctx, func() error {
		st, err := sqlite.Open(ctx, sqlite.Config{Path: a.Paths.Database(), Now: a.Sys.Now})
		if err != nil {
			return err
		}
		return st.Close()
	})
	if err != nil {
		return err
	}
	copies, err := sqlite.Copies(a.Paths.Database())
	if i := slices.IndexFunc(copies, func(c sqlite.Copy) bool { return c.Kind == sqlite.CopyMigration }); i >= 0 {
		v.Copy = ui.TextOrNil(copies[i].Path)
	}
	return errors.Join(err, a.out.Show(v))
}
