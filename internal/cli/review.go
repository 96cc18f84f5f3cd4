package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// reviewCommand lists what needs the person's judgement.
func (a *app) reviewCommand() *cobra.Command {
	var q curate.ReviewRequest
	var among filters
	cmd := &cobra.Command{
		Use:   "review",
		Short: "what needs your judgement: stale, contradicting, alike",
		Long: "Lists, and changes nothing:\n\n" +
			"  proposal       an agent asks to change or hide what you said; it stays\n  secret         holds a secret by today's rules\n  contradiction  denies what was laid down before\n  low_trust      came from outside, or reads like an order; never told unasked\n" +
			"  promotion      may be worth knowing in every project\n  duplicate      says the same as another one\n  stale          not used for 30 days, and seldom before\n  dead_weight    told often, never used\n\n" +
			"accept does what the finding proposes, reject keeps things as they are and does\nnot show it again, merge has the second memory go into the first. With --all it\nis done about all findings of a rule, after a look at them. Only you can decide,\nan agent cannot. What was decided can be undone.",
		Example: "  remanence review\n  remanence review --rule stale --until 6mo\n  remanence review accept stale m_19fx\n  remanence review reject proposal m_19fx pr_8c1d2e3f4a5b\n  remanence review accept stale --all --until 6mo\n  remanence review merge duplicate m_7k2q m_19fx",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := knownRules(q.Rules...)
			if err != nil {
				return err
			}
			if q.Limit < 1 {
				return faultInput.about("--limit has to be 1 or more")
			}
			if q.Among, err = among.among(a.sys.Now()); err != nil {
				return err
			}
			q.File = a.fromHere(q.File)
			q.Place = a.place()
			got, err := ask(cmd.Context(), a, api.Review, q)
			if err != nil {
				return a.noProject(err)
			}
			return a.out.show(inboxOf(got, a.sys.Now()))
		},
	}
	cmd.Flags().StringArrayVar(&q.Rules, "rule", nil, "only this rule; may be repeated")
	cmd.Flags().IntVar(&q.Limit, "limit", 10, "findings of each rule")
	among.registerFew(cmd.Flags())
	for _, action := range []string{curate.AcceptFinding, curate.RejectFinding, curate.MergeFinding} {
		cmd.AddCommand(a.resolveCommand(action))
	}
	return cmd
}

// knownRules refuses a rule that no review has.
func knownRules(rules ...string) error {
	for _, r := range rules {
		if !slices.Contains(curate.ReviewRules(), r) {
			return faultInput.about("no such rule: %q", r).fixedBy("use " + strings.Join(curate.ReviewRules(), ", "))
		}
	}
	return nil
}

// resolveCommand does something about a finding, or about all of a rule.
func (a *app) resolveCommand(action string) *cobra.Command {
	short := map[string]string{
		curate.AcceptFinding: "do what the finding proposes",
		curate.RejectFinding: "keep things as they are, and do not show it again",
		curate.MergeFinding:  "have the second memory go into the first",
	}
	rule := map[string]string{curate.AcceptFinding: "stale", curate.RejectFinding: "stale", curate.MergeFinding: "duplicate"}[action]
	q := curate.ResolveRequest{Action: action}
	var among filters
	var yes bool
	cmd := &cobra.Command{
		Use:     action + " <rule> [id] [id]",
		Short:   short[action],
		Example: "  remanence review " + action + " duplicate m_7k2q m_19fx\n  remanence review " + action + " " + rule + " --all --until 6mo --dry-run",
		Args:    atLeast(1, "the rule, and the ids of the finding or --all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := knownRules(args[0]); err != nil {
				return err
			}
			q.Rule, q.IDs, q.Agent = args[0], args[1:], a.agent()
			if q.Every {
				return a.resolveEvery(cmd, q, among, yes)
			}
			switch {
			case len(q.IDs) == 0:
				return faultUsage.about("%s needs the ids of a finding, or --all", cmd.CommandPath()).fixedBy(cmd.CommandPath() + " --help")
			case q.DryRun || len(among.inForce(flags{})) > 0:
				return faultUsage.about("--dry-run and filters go with --all").fixedBy(cmd.CommandPath() + " --help")
			}
			got, err := ask(cmd.Context(), a, api.Resolve, q)
			if err != nil {
				return err
			}
			v := recordsOf(decided(action), got.Memories, a.sys.Now())
			if got.Round != "" {
				v.Undo = nullable("remanence consolidate --undo " + got.Round)
			}
			return a.out.show(v)
		},
	}
	cmd.Flags().BoolVar(&q.Every, "all", false, "about all findings of the rule")
	cmd.Flags().BoolVar(&q.DryRun, "dry-run", false, "with --all: only show how many, and the first of them")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	among.registerFew(cmd.Flags())
	return cmd
}

// resolveEvery shows what is found and decides it once confirmed.
func (a *app) resolveEvery(cmd *cobra.Command, q curate.ResolveRequest, among filters, yes bool) error {
	if len(q.IDs) > 0 {
		return faultUsage.about("--all takes no ids").fixedBy(cmd.CommandPath() + " --help")
	}
	var err error
	if q.Among, err = among.among(a.sys.Now()); err != nil {
		return err
	}
	q.Place, q.File = a.place(), a.fromHere(q.File)
	dry := q.DryRun
	q.DryRun = true
	if dry || !yes {
		found, err := ask(cmd.Context(), a, api.Resolve, q)
		if err != nil {
			return a.noProject(err)
		}
		v := a.resolved(found)
		if dry || found.Decided == 0 {
			return a.out.show(v)
		}
		if !a.flags.json && !a.flags.jsonl {
			for _, r := range v.Memories {
				a.out.say("  %s  %s  %s", r.ID, r.Kind, clip(oneLine(r.Title), 100))
			}
		}
		if err := a.confirm(plural(found.Decided, "finding", "findings") + " of " + q.Rule + ": " + q.Action + "?"); err != nil {
			return err
		}
	}
	q.DryRun = false
	got, err := ask(cmd.Context(), a, api.Resolve, q)
	if err != nil {
		return a.noProject(err)
	}
	return a.out.show(a.resolved(got))
}

// decided says what an action did.
func decided(action string) string {
	return map[string]string{curate.AcceptFinding: "accepted", curate.RejectFinding: "kept as it is", curate.MergeFinding: "merged"}[action]
}

// resolvedView is what became of all findings of a rule, or would.
type resolvedView struct {
	Rule     string   `json:"rule"`
	Did      string   `json:"did"` // accepted, kept as it is, merged
	DryRun   bool     `json:"dry_run"`
	Decided  int      `json:"decided"` // findings
	Left     int      `json:"left"`    // that need a look of their own
	Undo     *string  `json:"undo"`
	Memories []record `json:"memories"` // of the first of them
}

func (a *app) resolved(got curate.ResolveResponse) resolvedView {
	v := resolvedView{Rule: got.Rule, Did: decided(got.Action), DryRun: got.DryRun, Decided: got.Decided, Left: got.Left}
	v.Memories = recordsOf("", got.Memories, a.sys.Now()).Records
	if got.Round != "" {
		v.Undo = nullable("remanence consolidate --undo " + got.Round)
	}
	return v
}

func (resolvedView) schema() string { return "resolved" }

func (v resolvedView) list() []any { return items(v.Memories) }

func (v resolvedView) human(p *printer) {
	would := ""
	if v.DryRun {
		would = "would be "
	}
	for _, r := range v.Memories {
		p.line("  %s  %s  %s", r.ID, r.Kind, clip(oneLine(r.Title), 100))
	}
	if n := v.Decided - len(v.Memories); n > 0 && len(v.Memories) > 0 {
		p.line("  and %d more", n)
	}
	p.line("%s of %s %s%s.", plural(v.Decided, "finding", "findings"), v.Rule, would, v.Did)
	if v.Left > 0 {
		p.hint("%s left: they read like an order, or share a memory with another finding", plural(v.Left, "finding is", "findings are"))
	}
	if v.Undo != nil {
		p.hint("undo: %s", *v.Undo)
	}
}

// inboxView lists findings.
type inboxView struct {
	Looked   int            `json:"looked"`
	Total    int            `json:"total"`
	Counts   map[string]int `json:"counts"` // by rule, those that are not shown too
	Findings []inboxItem    `json:"findings"`
}

type inboxItem struct {
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Accept   string   `json:"accept"` // what accepting does
	Actions  []string `json:"actions"`
	Memories []record `json:"memories"`
	// Proposal is the change that waits, of a finding about one.
	Proposal *proposalView `json:"proposal,omitempty"`
}

// proposalView is a change that an agent asks for.
type proposalView struct {
	ID      string     `json:"id"`
	Action  string     `json:"action"`
	Was     string     `json:"was"`  // the text when it was proposed
	Text    *string    `json:"text"` // the proposed one; null where it stays
	Reason  *string    `json:"reason"`
	Session *string    `json:"session"`
	Trust   string     `json:"trust"` // of the author
	At      *time.Time `json:"at"`
}

func proposalViewOf(p *mem.Proposal) *proposalView {
	if p == nil {
		return nil
	}
	return &proposalView{p.ID, p.Action, p.Was, nullable(p.Text()), nullable(p.Reason), nullable(p.Session), p.Trust.String(), moment(p.At)}
}

func inboxOf(in curate.ReviewResponse, now time.Time) inboxView {
	v := inboxView{Looked: in.Looked, Counts: in.Counts, Findings: []inboxItem{}}
	for _, n := range in.Counts {
		v.Total += n
	}
	for _, it := range in.Items {
		v.Findings = append(v.Findings, inboxItem{it.Rule, it.Text, it.Accept, it.Actions, recordsOf("", it.Memories, now).Records, proposalViewOf(it.Proposal)})
	}
	return v
}

func (inboxView) schema() string { return "review" }

func (v inboxView) list() []any { return items(v.Findings) }

func (v inboxView) human(p *printer) {
	if v.Total == 0 {
		p.line("Inbox zero: %s looked at.", plural(v.Looked, "memory", "memories"))
		return
	}
	rule, shown := "", map[string]int{}
	for _, f := range v.Findings {
		shown[f.Rule]++
		if f.Rule != rule {
			rule = f.Rule
			p.line("%s  %s", p.style(bold, rule), plural(v.Counts[rule], "finding", "findings"))
			p.hint("  accept: %s", f.Accept)
		}
		for _, m := range f.Memories {
			p.line("  %s%s", pad(m.ID, 10), clip(oneLine(m.Title), 100))
		}
		if len(f.Memories) == 1 { // two speak for themselves
			p.line("  %s%s", strings.Repeat(" ", 10), oneLine(f.Text))
		}
		if f.Proposal != nil {
			p.line("  %s%s  %s", strings.Repeat(" ", 10), f.Proposal.ID, at(*f.Proposal.At, p.now()))
		}
	}
	p.hint("decide: remanence review accept|reject|merge RULE ID [ID]")
	for _, r := range curate.ReviewRules() {
		if n := v.Counts[r] - shown[r]; n > 0 && shown[r] > 0 {
			p.hint("%d more of %s: remanence review --rule %s --limit %d", n, r, r, v.Counts[r])
		}
	}
}
