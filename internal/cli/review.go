package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
)

// reviewCommand lists what needs the person's judgement.
func reviewCommand(a *app) *cobra.Command {
	var q curate.ReviewRequest
	var among filters
	cmd := &cobra.Command{
		Use:   "review",
		Short: "what needs your judgement: stale, contradicting, alike",
		Long: "Lists, and changes nothing:\n\n" +
			"  proposal       an agent proposes to change or hide your statement; it stays\n" +
			"  secret         holds a secret by today's rules\n" +
			"  contradiction  contradicts a recorded decision\n" +
			"  low_trust      came from outside, or reads like an order; not injected\n" +
			"  promotion      may be worth knowing in every project\n" +
			"  duplicate      states the same as another one\n" +
			"  stale          not used for 30 days, and seldom before\n" +
			"  dead_weight    injected often, never used\n\n" +
			"accept does what the finding proposes, reject keeps things as they are and does\nnot show it again, merge has " +
			"the second memory go into the first. With --all it\nis done about all findings of a rule, after a look at them. " +
			"Only you can decide,\nan agent cannot. What was decided can be undone.",
		Example: "  remanence review\n  remanence review --rule stale --until 6mo\n  remanence review accept stale " +
			"m_19fx\n  remanence review reject proposal m_19fx pr_8c1d2e3f4a5b\n  remanence review accept stale --all " +
			"--until 6mo\n  remanence review merge duplicate m_7k2q m_19fx",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := knownRules(q.Rules...)
			if err != nil {
				return err
			}
			if q.Limit < 1 {
				return fault.Input.WithMessage("--limit has to be 1 or more")
			}
			if q.MemoryFilter, err = among.among(a.Sys.Now()); err != nil {
				return err
			}
			q.File = a.fromHere(q.File)
			q.ProjectRef = a.ProjectRef()
			got, err := ask(cmd.Context(), a, api.Review, q)
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(ui.ReviewView{ReviewResponse: got})
		},
	}
	cmd.Flags().StringArrayVar(&q.Rules, "rule", nil, "only this rule; may be repeated")
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "findings of each rule")
	among.registerFew(cmd.Flags())
	for _, action := range []string{curate.AcceptFinding, curate.RejectFinding, curate.MergeFinding} {
		cmd.AddCommand(resolveCommand(a, action))
	}
	return cmd
}

// knownRules refuses a rule that no review has.
func knownRules(rules ...string) error {
	for _, r := range rules {
		if !slices.Contains(curate.ReviewRules(), r) {
			return fault.Input.WithMessage("no such rule: %q", r).FixedBy("use " + strings.Join(curate.ReviewRules(), ", "))
		}
	}
	return nil
}

// resolveCommand does something about a finding, or about all of a rule.
func resolveCommand(a *app, action string) *cobra.Command {
	short := map[string]string{
		curate.AcceptFinding: "do what the finding proposes",
		curate.RejectFinding: "keep things as they are, and do not show it again",
		curate.MergeFinding:  "have the second memory go into the first",
	}
	rule := map[string]string{
		curate.AcceptFinding: "stale", curate.RejectFinding: "stale",
		curate.MergeFinding: "duplicate",
	}[action]
	q := curate.ResolveRequest{Action: action}
	var among filters
	var yes bool
	cmd := &cobra.Command{
		Use:   action + " <rule> [id] [id]",
		Short: short[action],
		Example: "  remanence review " + action + " duplicate m_7k2q m_19fx\n  remanence review " + action + " " + rule +
			" --all --until 6mo --dry-run",
		Args: atLeast(1, "the rule, and the ids of the finding or --all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownRules(args[0]); err != nil {
				return err
			}
			q.Rule, q.IDs, q.Agent = args[0], args[1:], a.agent()
			if q.Every {
				return resolveEvery(a, cmd, q, among, yes)
			}
			switch {
			case len(q.IDs) == 0:
				return fault.Usage.WithMessage("%s needs the ids of a finding, or --all", cmd.CommandPath()).
					FixedBy(cmd.CommandPath() +
						" --help")
			case q.DryRun || len(among.inForce("")) > 0:
				return fault.Usage.WithMessage("--dry-run and filters go with --all").FixedBy(cmd.CommandPath() + " --help")
			}
			got, err := ask(cmd.Context(), a, api.Resolve, q)
			if err != nil {
				return err
			}
			v := ui.MemoryList{Schema: "resolve", Response: got, Memories: got.Memories, Did: ui.Resolved(action)}
			switch p := got.Proposal; {
			case got.Run != "":
				v.Undo = "remanence consolidate --undo " + got.Run
			case p != nil && action == curate.AcceptFinding && ui.UndoOf(p.Action) != "":
				v.Undo = "remanence " + ui.UndoOf(p.Action) + " " + strings.Join(idsOf(got.Memories), " ")
			}
			return a.out.Show(v)
		},
	}
	cmd.Flags().BoolVar(&q.Every, "all", false, "about all findings of the rule")
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "with --all: only show how many, and the first of them")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	among.registerFew(cmd.Flags())
	return cmd
}

// resolveEvery shows what is found and decides it once confirmed.
func resolveEvery(a *app, cmd *cobra.Command, q curate.ResolveRequest, among filters, yes bool) error {
	if len(q.IDs) > 0 {
		return fault.Usage.WithMessage("--all takes no ids").FixedBy(cmd.CommandPath() + " --help")
	}
	var err error
	if q.MemoryFilter, err = among.among(a.Sys.Now()); err != nil {
		return err
	}
	q.ProjectRef, q.File = a.ProjectRef(), a.fromHere(q.File)
	dry := q.DryRun
	q.DryRun = true
	if dry || !yes {
		found, err := ask(cmd.Context(), a, api.Resolve, q)
		if err != nil {
			return a.noProject(err)
		}
		if dry || found.Decided == 0 {
			return a.out.Show(ui.ResolvedView{ResolveResponse: found})
		}
		ui.PreviewMemories(a.out, found.Memories)
		if err := a.confirm(ui.Plural(found.Decided, "finding", "findings") + " of " + q.Rule + ": " + q.Action +
			"?"); err != nil {
			return err
		}
	}
	q.DryRun = false
	got, err := ask(cmd.Context(), a, api.Resolve, q)
	if err != nil {
		return a.noProject(err)
	}
	return a.out.Show(ui.ResolvedView{ResolveResponse: got})
}
