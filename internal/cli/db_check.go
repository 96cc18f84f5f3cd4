package cli

import (
	"context"
	"errors"
	"slices"

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

// audit requests an audit from the daemon. A daemon cannot open a damaged database, so that is read in this
// process.
func (a *app) audit(ctx context.Context, full bool) (dbCheckView, error) {
	if err := a.hasDatabase(); err != nil {
		return dbCheckView{}, err
	}
	got, err := ask(ctx, a, daemon.AuditStore, daemon.AuditRequest{Full: full})
	if err == nil {
		return a.checked(got, full), nil
	}
	if !daemon.Explain(err).Is(fault.Corrupt) {
		return dbCheckView{}, err
	}
	got, err = sqlite.Inspect(ctx, a.Paths.Database())
	if err != nil && !errors.Is(err, mem.ErrCorrupt) && !errors.Is(err, mem.ErrForeign) {
		return dbCheckView{}, err
	}
	if len(got.Damage) == 0 && err != nil {
		got.Damage = []string{err.Error()}
	}
	v := a.checked(got, true)
	if len(got.Damage) == 0 {
		v.Unseen = []string{partRows}
	}
	return v, nil
}

func (a *app) checked(got sqlite.Audit, full bool) dbCheckView {
	return dbCheckView{
		OK: got.OK(), Path: a.Paths.Database(), Full: full, Schema: got.Schema,
		Damage: ui.NotNil(got.Damage), Dangling: got.Dangling, Index: ui.NotNil(got.Index), Spoilt: ui.NotNil(got.Unreadable),
		Unseen: uncheckedParts(got, full),
	}
}

// The parts of a database that are looked at.
const (
	partTables     = "pages and tables"
	partReferences = "references"
	partRows       = "rows"
	partIndex      = "index"
)

// uncheckedParts are the parts that were not looked at: behind damage there is nothing
// to be relied on.
func uncheckedParts(got sqlite.Audit, full bool) []string {
	switch {
	case len(got.Damage) > 0:
		return []string{partReferences, partRows, partIndex}
	case !full:
		return []string{partRows}
	}
	return []string{}
}

// dbCheckView is what a closer look at the database found.
type dbCheckView struct {
	OK       bool     `json:"ok"`
	Path     string   `json:"path"`
	Full     bool     `json:"full"`
	Schema   int      `json:"schema_version"`
	Damage   []string `json:"damage"`
	Dangling int      `json:"dangling"` // rows that name others which are not there
	Index    []string `json:"index"`
	Spoilt   []string `json:"spoilt"` // rows that cannot be read
	Unseen   []string `json:"unseen"` // parts that were not looked at
}

func (dbCheckView) SchemaName() string { return "db_check" }

func (v dbCheckView) Print(p *ui.Printer) {
	p.Line("%s", ui.Safe(v.Path))
	v.verdict(p, partTables, v.Damage, fault.Corrupt)
	var dangling []string
	if v.Dangling > 0 {
		dangling = []string{ui.Plural(v.Dangling, "row names", "rows name") + " others that are not there"}
	}
	v.verdict(p, partReferences, dangling, fault.Corrupt)
	v.verdict(p, partRows, v.Spoilt, fault.Rows)
	v.verdict(p, partIndex, v.Index, fault.Index)
}

// verdict prints one line on a part, and what is wrong with it.
func (v dbCheckView) verdict(p *ui.Printer, part string, problems []string, f fault.Fault) {
	if slices.Contains(v.Unseen, part) {
		p.Line("  · not looked at: %s", part)
		return
	}
	if len(problems) == 0 {
		p.Line("  %s %s", p.Style(ui.Green, "✓ ok  "), part)
		return
	}
	p.Line("  %s %s  %s", p.Style(ui.Red, "✗ fail"), part, f.Code)
	for _, s := range problems {
		p.Line("           %s", ui.OneLine(s))
	}
	p.Line("           fix: %s", f.Fix[0])
}
