package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func (a *app) dbCheckCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use: "check", Short: "is it whole; exit 5 if not",
		Long:    "Looks at pages, tables, references and the index, and changes nothing. With\n--full every row is read and compared with its indexes, which takes longer.",
		Example: "  remanence db check\n  remanence db check --full --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.audit(cmd.Context(), full)
			if err != nil {
				return err
			}
			return a.out.judged(v, v.OK)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "compare every row with its indexes too")
	return cmd
}

// auditStore has whoever owns the database look closely.
var auditStore = api.Route[auditAsk, sqlite.Audit]{Name: "audit"}

type auditAsk struct {
	Full bool `json:"full"`
}

func (h *house) audit(ctx context.Context, ask auditAsk) (sqlite.Audit, error) {
	return h.store.Audit(ctx, ask.Full)
}

// audit asks the daemon. It cannot open a damaged database, so that is looked
// at here.
func (a *app) audit(ctx context.Context, full bool) (dbCheckView, error) {
	if err := a.hasDatabase(); err != nil {
		return dbCheckView{}, err
	}
	got, err := ask(ctx, a, auditStore, auditAsk{full})
	if err == nil {
		return a.checked(got, full), nil
	}
	if !explain(nil, err).Is(faultCorrupt) {
		return dbCheckView{}, err
	}
	got, err = sqlite.Inspect(ctx, a.paths.Database())
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
		OK: got.OK(), Path: a.paths.Database(), Full: full, Schema: got.Schema,
		Damage: some(got.Damage), Dangling: got.Dangling, Index: some(got.Index), Spoilt: some(got.Spoilt), Unseen: unseen(got, full),
	}
}

// The parts of a database that are looked at.
const (
	partTables     = "pages and tables"
	partReferences = "references"
	partRows       = "rows"
	partIndex      = "index"
)

// unseen are the parts that were not looked at: behind damage there is nothing
// to be relied on.
func unseen(got sqlite.Audit, full bool) []string {
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

func (dbCheckView) schema() string { return "db_check" }

func (v dbCheckView) human(p *printer) {
	p.line("%s", safe(v.Path))
	v.verdict(p, partTables, v.Damage, faultCorrupt)
	var dangling []string
	if v.Dangling > 0 {
		dangling = []string{plural(v.Dangling, "row names", "rows name") + " others that are not there"}
	}
	v.verdict(p, partReferences, dangling, faultCorrupt)
	v.verdict(p, partRows, v.Spoilt, faultRows)
	v.verdict(p, partIndex, v.Index, faultIndex)
}

// verdict prints one line on a part, and what is wrong with it.
func (v dbCheckView) verdict(p *printer, part string, problems []string, f Fault) {
	if slices.Contains(v.Unseen, part) {
		p.line("  · not looked at: %s", part)
		return
	}
	if len(problems) == 0 {
		p.line("  %s %s", p.style(green, "✓ ok  "), part)
		return
	}
	p.line("  %s %s  %s", p.style(red, "✗ fail"), part, f.Code)
	for _, s := range problems {
		p.line("           %s", oneLine(s))
	}
	p.line("           fix: %s", f.Fix[0])
}
