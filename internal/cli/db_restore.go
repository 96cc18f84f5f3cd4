package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func (a *app) dbRestoreCommand() *cobra.Command {
	var yes, dry, salvage bool
	cmd := &cobra.Command{
		Use: "restore [file]", Short: "put a backup in the database's place",
		Long: "Without a file: the newest sound copy beside the database. If there is none,\n" +
			"or with --salvage, a new database is made of all that can still be read of the\npresent one. That is kept aside in any case, and what waits in the spool is\ntaken in afterwards.",
		Example: "  remanence db restore\n  remanence db restore ~/remanence-monday.db --yes\n  remanence db restore --salvage",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := a.planRestore(cmd.Context(), args, salvage)
			if err != nil {
				return err
			}
			if dry {
				plan.DryRun = true
				return a.out.show(plan)
			}
			if !yes {
				a.out.say("%s", plan.will())
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
func (a *app) planRestore(ctx context.Context, args []string, salvage bool) (dbRestoreView, error) {
	v := dbRestoreView{Path: a.paths.Database()}
	switch {
	case salvage && len(args) > 0:
		return v, faultUsage.about("a file and --salvage contradict each other").fixedBy("remanence db restore --salvage")
	case salvage:
		return v, a.hasDatabase()
	case len(args) > 0:
		file, err := filepath.Abs(args[0])
		if err != nil {
			return v, err
		}
		v.From = &file
		return v, a.restorable(ctx, file)
	}
	copies, err := sqlite.Copies(a.paths.Database())
	if err != nil {
		return v, err
	}
	for _, c := range copies {
		if c.Kind == sqlite.CopyAside {
			continue
		}
		if _, err := sqlite.Inspect(ctx, c.Path); err == nil {
			v.From, v.Made = &c.Path, moment(c.Made)
			return v, nil
		}
	}
	if err := a.hasDatabase(); err != nil {
		return v, faultNoBackup.because("no sound copy is beside %s", a.paths.Database())
	}
	if !a.damaged(ctx) {
		return v, faultNoBackup.because("no sound copy is beside %s, and the database is not damaged", a.paths.Database())
	}
	return v, nil
}

// restorable refuses files that cannot take the database's place.
func (a *app) restorable(ctx context.Context, file string) error {
	if sameDir(file, a.paths.Database()) {
		return faultInput.about("that is the database itself").because("%s", file)
	}
	_, err := sqlite.Inspect(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return faultNoBackup.because("%s is not there", file)
	}
	return err
}

// damaged reports whether the database is better made anew. A daemon that
// answers looks itself: it has the database open.
func (a *app) damaged(ctx context.Context) bool {
	if _, _, err := a.running(ctx); err == nil {
		v, err := a.audit(ctx, true)
		return errors.Is(err, mem.ErrDisk) || err == nil && len(v.Damage)+len(v.Spoilt) > 0
	}
	_, err := sqlite.Inspect(ctx, a.paths.Database())
	return errors.Is(err, mem.ErrCorrupt) || errors.Is(err, mem.ErrForeign) || errors.Is(err, mem.ErrDisk)
}

// restore carries a plan out.
func (a *app) restore(ctx context.Context, v dbRestoreView) error {
	if err := room(a.paths.Data, v.needs()); err != nil {
		return err
	}
	err := a.alone(ctx, func() error {
		if v.From == nil {
			got, err := sqlite.Salvage(ctx, v.Path, a.sys.Now())
			v.Aside, v.Rows, v.Gaps, v.Empty = nullable(got.Aside), got.Rows, got.Gaps, got.Empty
			return err
		}
		got, err := sqlite.Restore(ctx, v.Path, *v.From, a.sys.Now())
		v.Aside, v.Schema = nullable(got.Aside), got.Schema
		return err
	})
	if err != nil {
		return err
	}
	return a.out.show(v)
}

// dbRestoreView is what a restore will do, or did.
type dbRestoreView struct {
	DryRun bool           `json:"dry_run"`
	Path   string         `json:"path"`
	From   *string        `json:"from"`           // null: salvaged from the present database
	Made   *time.Time     `json:"made"`           // when the copy was made; null: not one of ours
	Schema int            `json:"schema_version"` // of the file; 0: salvaged, or not yet done
	Aside  *string        `json:"aside"`          // where the database of before is
	Rows   map[string]int `json:"rows"`           // by table, where salvaged
	Gaps   int            `json:"gaps"`           // places that could not be read
	Empty  bool           `json:"empty"`          // nothing at all could be read: the new database is empty
}

// needs is how much space it takes, in bytes.
func (v dbRestoreView) needs() int64 {
	if v.From == nil {
		return 2 * sizeOfFile(v.Path)
	}
	return sizeOfFile(*v.From)
}

func sizeOfFile(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (v dbRestoreView) will() string {
	if v.From == nil {
		return fmt.Sprintf("No sound copy is there. What can still be read of %s goes into a new database; the present one is kept aside.", v.Path)
	}
	return fmt.Sprintf("%s takes the place of %s, which is kept aside. What was remembered since then is not in it.", *v.From, v.Path)
}

func (dbRestoreView) schema() string { return "db_restore" }

func (v dbRestoreView) human(p *printer) {
	if v.DryRun {
		p.line("%s", safe(v.will()))
		p.line("Dry run: nothing was written.")
		return
	}
	switch {
	case v.Empty:
		p.line("Nothing could be read of it: a new, empty database is in its place.")
	case v.From == nil:
		p.line("Saved: %s, %s, %s, %s.", plural(v.Rows["memory"], "memory", "memories"), plural(v.Rows["session"], "session", "sessions"),
			plural(v.Rows["event"], "event", "events"), plural(v.Rows["receipt"], "receipt", "receipts"))
		if v.Gaps > 0 {
			p.line("Not everything could be read: %s.", plural(v.Gaps, "gap", "gaps"))
		} else {
			p.line("Every row could be read.")
		}
	default:
		p.line("Restored from %s", safe(*v.From))
	}
	if v.Aside != nil {
		p.line("The database of before is kept as %s", safe(*v.Aside))
		holds := "it holds what was remembered: "
		if v.Empty {
			holds = ""
		}
		p.hint("%sremove it when you do not need it; a purge removes it too", holds)
	}
}

func (a *app) dbMigrateCommand() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "migrate", Short: "bring the database to this version's schema",
		Long:    "The daemon does it by itself when it starts. A copy of the database as it was\nstays beside it.",
		Example: "  remanence db migrate --dry-run\n  remanence db migrate",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.migrate(cmd.Context(), dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show the steps")
	return cmd
}

func (a *app) migrate(ctx context.Context, dry bool) error {
	if err := a.hasDatabase(); err != nil {
		return err
	}
	have, pending, err := sqlite.Steps(ctx, a.paths.Database())
	if err != nil {
		return err
	}
	v := dbMigrateView{DryRun: dry, From: have, To: have + len(pending), Steps: some(pending)}
	if dry || len(pending) == 0 {
		return a.out.show(v)
	}
	if err := room(a.paths.Data, a.paths.dbBytes()); err != nil {
		return err
	}
	err = a.alone(ctx, func() error {
		st, err := sqlite.Open(ctx, sqlite.Config{Path: a.paths.Database(), Now: a.sys.Now})
		if err != nil {
			return err
		}
		return st.Close()
	})
	if err != nil {
		return err
	}
	copies, err := sqlite.Copies(a.paths.Database())
	if i := slices.IndexFunc(copies, func(c sqlite.Copy) bool { return c.Kind == sqlite.CopyMigration }); i >= 0 {
		v.Copy = nullable(copies[i].Path)
	}
	return errors.Join(err, a.out.show(v))
}

// dbMigrateView is what a migration will do, or did.
type dbMigrateView struct {
	DryRun bool     `json:"dry_run"`
	From   int      `json:"from"`
	To     int      `json:"to"`
	Steps  []string `json:"steps"`
	Copy   *string  `json:"copy"` // of the database as it was
}

func (dbMigrateView) schema() string { return "db_migrate" }

func (v dbMigrateView) human(p *printer) {
	if len(v.Steps) == 0 {
		p.line("Nothing to do: schema %d is this version's.", v.From)
		return
	}
	does := "Done"
	if v.DryRun {
		does = "To do"
	}
	for _, s := range v.Steps {
		p.line("%s  %s", does, s)
	}
	if v.Copy != nil {
		p.line("The database as it was: %s", safe(*v.Copy))
	}
}
