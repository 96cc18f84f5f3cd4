package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// consolidateCommand brings memories in order, or takes that back.
func consolidateCommand(a *app) *cobra.Command {
	var q curate.ConsolidateRequest
	var list bool
	var limit int
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "bring memories in order: merge, archive; can be undone",
		Long: "By rule, and without a question: duplicates are merged, what a session\nlearned and is worth it " +
			"reaches the project, what faded is archived: no longer\n" +
			"injected, and still found by a search. It happens by itself after\neach session, and for all of a " +
			"project after every fifth. Pinned, evergreen and\nyour own memories and decisions are never archived.\n\n" +
			"Each change is listed with its reason, and a round can be undone. What was\nundone is not done again.",
		Example: "  remanence consolidate --dry-run\n  remanence consolidate --list\n  remanence consolidate --undo k_3",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list && (q.Undo != "" || q.DryRun) {
				return fault.Usage.WithMessage("--list goes with neither --undo nor --dry-run").
					FixedBy("remanence consolidate --help")
			}
			if cmd.Flags().Changed("undo") && q.Undo == "" {
				return fault.Usage.WithMessage("--undo needs the id of a round").FixedBy("remanence consolidate --list")
			}
			q.ProjectRef, q.Agent = a.ProjectRef(), a.agent()
			if list {
				got, err := ask(cmd.Context(), a, api.Runs, curate.RunsRequest{ProjectRef: q.ProjectRef, Limit: limit})
				if err != nil {
					return a.noProject(err)
				}
				return a.out.Show(consolidationView{got, true})
			}
			got, err := ask(cmd.Context(), a, api.Consolidate, q)
			if q.Undo != "" && errors.Is(err, mem.ErrNotFound) {
				return fault.NoID.WithMessage("no such round").Because("nothing has the id %q",
					q.Undo).FixedBy("remanence consolidate --list")
			}
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(consolidationView{got, false})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&q.DryRun, "dry-run", false, "only show what would be changed, and why")
	f.StringVar(&q.Undo, "undo", "", "id of a round: give its memories back what they had")
	f.BoolVar(&list, "list", false, "the rounds that were, newest first")
	f.IntVar(&limit, "limit", 10, "how many of them")
	return cmd
}

// consolidationView lists runs and what they changed.
type consolidationView struct {
	curate.ConsolidateResponse
	listed bool // runs of the past
}

func (consolidationView) SchemaName() string { return "consolidation" }

func (v consolidationView) List() []any { return ui.Items(v.Runs) }

func (v consolidationView) Print(p *ui.Printer) {
	if len(v.Runs) == 0 {
		p.Line("No rounds yet.")
		return
	}
	for _, r := range v.Runs {
		v.printRun(p, r)
	}
}

func (v consolidationView) printRun(p *ui.Printer, r mem.Run) {
	what := ui.Plural(r.Examined, "memory", "memories") + " looked at, " + ui.Plural(len(r.Changes), "change", "changes")
	switch {
	case v.Undo:
		p.Line("%s  %s restored", r.ID, ui.Plural(v.Changed, "memory", "memories"))
		return
	case v.DryRun:
		what += " would be made"
	case r.Undone:
		what += ", undone"
	}
	if v.listed && !r.At.IsZero() {
		what = r.At.Local().Format("2006-01-02 15:04") + "  " + string(r.Kind) + "  " + what
	}
	if r.ID != "" {
		what = r.ID + "  " + what
	}
	p.Line("%s", what)
	for _, s := range r.Changes {
		if s.Rule == mem.RuleContinue { // the memory that was merged into it shows it
			continue
		}
		p.Line("  %s%s  %s", ui.Pad(verbOf(s.Rule), 13), s.Memory, ui.Clip(ui.OneLine(v.title(s.Memory)), 100))
		p.Line("  %s%s", strings.Repeat(" ", 13), ui.OneLine(s.Reason))
	}
	if r.ID != "" && len(r.Changes) > 0 && !r.Undone && !v.DryRun {
		p.Hint("undo: remanence consolidate --undo %s", r.ID)
	}
}

// title returns the title of a changed memory, "" if it was erased.
func (v consolidationView) title(id string) string {
	for _, m := range v.Memories {
		if m.ID == id {
			return m.Title
		}
	}
	return ""
}

// verbOf is a rule as what it did.
func verbOf(rule string) string {
	switch rule {
	case mem.RuleMerge:
		return "merged"
	case mem.RulePromote, curate.ReviewPromotion:
		return "promoted"
	case mem.RuleArchive, curate.ReviewStale:
		return "archived"
	case curate.ReviewContradiction:
		return "superseded"
	case curate.ReviewLowTrust:
		return "vouched for"
	}
	return rule
}

// mergeCommand has one memory go into another.
func mergeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge <keep> <drop>",
		Short: "merge a memory into another one",
		Long: "The first memory stays as it is worded and gets the greater importance, the uses\nof both and a little " +
			"more confidence, and the files and tags of the second if\nthat is " +
			"trusted as much. The second is hidden. It can be undone.",
		Example: "  remanence merge m_7k2q m_19fx",
		Args:    exactly(2, "the memory to keep and the one that goes into it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := ask(cmd.Context(), a, api.Merge, curate.MergeRequest{Keep: args[0], Drop: args[1], Agent: a.agent()})
			if err != nil {
				return err
			}
			return a.out.Show(ui.MemoryList{
				Schema: "merge", Response: got, Memories: got.Memories, Did: "merged",
				Undo: "remanence consolidate --undo " + got.Run,
			})
		},
	}
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}
