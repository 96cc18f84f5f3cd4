package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

func (a *app) forgetCommand() *cobra.Command {
	var f filters
	var query, reason string
	var dry, yes bool
	cmd := &cobra.Command{
		Use:        "forget [id]...",
		SuggestFor: []string{"delete", "remove", "rm"},
		Short:      "hide memories; can be undone",
		Long:       "Hidden memories are not told and not found any more. They can be restored\nfor privacy.hide_days days (30), then they are erased for good. To erase at\nonce: remanence purge.\n\nA query or a filter finds the first 1,000, and it is said if there may be more.",
		Example:    "  remanence forget m_19fx\n  remanence forget --query \"old api\" --dry-run\n  remanence forget --query \"old api\" -k gotcha --yes\n  remanence forget --tag import-20260302-090000.000",
		RunE: func(cmd *cobra.Command, args []string) error {
			order := curate.MarkRequest{Place: a.place(), Verb: "forget", IDs: args, DryRun: dry, Reason: reason, Agent: a.agent()}
			words := strings.Fields(query)
			if cmd.Flags().Changed("query") && len(words) == 0 { // as of a variable that is not set: it would find all
				return faultInput.about("--query is empty")
			}
			narrowed := query != "" || len(f.inForce(flags{})) > 0
			switch {
			case len(args) > 0 && narrowed:
				return faultUsage.about("forget takes ids or a query, not both").fixedBy("remanence forget --help")
			case len(args) == 0 && !narrowed:
				return faultUsage.about("forget needs an id, --query or a filter").fixedBy("remanence forget --help")
			case len(args) > 0:
				return a.mark(cmd, order)
			}
			q, err := f.query(words, a.sys.Now())
			if err != nil {
				return err
			}
			q.File = a.fromHere(q.File)
			return a.forgetFound(cmd, order, q, yes)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().StringVar(&query, "query", "", "all memories that a search for this finds")
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a sentence; kept with the memory")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show which")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// forgetFound shows what a query finds and hides exactly that once confirmed.
func (a *app) forgetFound(cmd *cobra.Command, order curate.MarkRequest, q mem.Query, yes bool) error {
	dry := order.DryRun
	order.Query, order.DryRun = &q, true
	found, err := ask(cmd.Context(), a, api.Mark, order)
	if err != nil {
		return a.noProject(err)
	}
	if dry || len(found.Memories) == 0 {
		found.DryRun = dry
		return a.marked(cmd, found)
	}
	if !yes {
		if !a.flags.json && !a.flags.jsonl {
			recordsOf("hidden", found.Memories, a.sys.Now()).preview(a.out)
		}
		if err := a.confirm("Hide " + plural(len(found.Memories), "memory", "memories") + "?"); err != nil {
			return err
		}
	}
	order.Query, order.DryRun = nil, false
	for _, m := range found.Memories {
		order.IDs = append(order.IDs, m.ID)
	}
	return a.mark(cmd, order)
}

// preview lists what is about to be changed, as talk.
func (v records) preview(p *printer) {
	for _, r := range v.Records {
		p.say("  %s  %s  %s", r.ID, r.Kind, clip(oneLine(r.Title), 100))
	}
}

// markCommand is restore, pin or unpin.
func (a *app) markCommand(verb string) *cobra.Command {
	short := map[string]string{
		"restore": "bring hidden memories back",
		"pin":     "keep memories: they are told first and never fade",
		"unpin":   "take the pin off again",
	}
	cmd := &cobra.Command{
		Use:     verb + " <id>...",
		Short:   short[verb],
		Example: "  remanence " + verb + " m_19fx",
		Args:    atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mark(cmd, curate.MarkRequest{Place: a.place(), Verb: verb, IDs: args, Agent: a.agent()})
		},
	}
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

func (a *app) mark(cmd *cobra.Command, order curate.MarkRequest) error {
	got, err := ask(cmd.Context(), a, api.Mark, order)
	if err != nil {
		return err
	}
	return a.marked(cmd, got)
}

// proposed shows memories that stay as they are until the person decides. That
// nothing was changed is also the exit status.
func (a *app) proposed(cmd *cobra.Command, list ...mem.Proposal) error {
	v, err := a.proposedView(cmd, list)
	if err != nil {
		return err
	}
	if err := a.out.show(v); err != nil {
		return err
	}
	return foundProblems
}

func (a *app) proposedView(cmd *cobra.Command, list []mem.Proposal) (records, error) {
	ids := memoriesOf(list)
	kept, err := ask(cmd.Context(), a, api.Show, event.IDs{Place: a.place(), IDs: ids})
	v := recordsOf("not changed, waits for the person", kept.Memories, a.sys.Now())
	if !slices.ContainsFunc(list, func(p mem.Proposal) bool { return !p.Rejected }) {
		v.Did = "not changed, rejected before"
	}
	v.Proposed = ids
	return v, err
}

func memoriesOf(list []mem.Proposal) (ids []string) {
	for _, p := range list {
		ids = append(ids, p.Memory)
	}
	return ids
}

// marked shows what an order did and how to undo it.
func (a *app) marked(cmd *cobra.Command, got curate.MarkResponse) error {
	if len(got.Proposed) > 0 && len(got.Memories) == 0 {
		return a.proposed(cmd, got.Proposed...)
	}
	verbs := map[string]struct{ did, undo string }{
		"forget": {"hidden", "restore"}, "restore": {"restored", "forget"},
		"pin": {"pinned", "unpin"}, "unpin": {"unpinned", "pin"},
	}
	v := recordsOf(verbs[got.Verb].did, got.Memories, a.sys.Now())
	v.DryRun = got.DryRun
	if got.Verb == "forget" && len(got.Memories) == curate.MaxFound { // there may be more
		v.Next = nullable(strconv.Itoa(curate.MaxFound))
	}
	if len(got.Memories) > 0 && !got.DryRun {
		undo := "remanence " + verbs[got.Verb].undo
		for _, m := range got.Memories {
			undo += " " + m.ID
		}
		v.Undo = &undo
	}
	v.Proposed = memoriesOf(got.Proposed)
	if err := a.out.show(v); err != nil || len(got.Proposed) == 0 {
		return err
	}
	return foundProblems
}

func (a *app) addCommand() *cobra.Command {
	var q curate.AddRequest
	var kind, scope string
	cmd := &cobra.Command{
		Use:        "add <text>...",
		SuggestFor: []string{"remember", "save", "store", "note"},
		Short:      "remember a statement of yours",
		Example: "  remanence add \"no Retry-After with 429 here\" -k gotcha --file client.go\n" +
			"  git log -1 --format=%B | remanence add -k decision\n" +
			"  remanence add -k preference --scope user \"tabs, not spaces\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if q.Kind, err = parseKind(kind); err != nil {
				return err
			}
			if q.Scope, err = parseScope(scope); err != nil {
				return err
			}
			if q.Text, err = a.textFrom(args, cmd.CommandPath()); err != nil {
				return err
			}
			for i, f := range q.Files {
				q.Files[i] = a.fromHere(f)
			}
			q.Place, q.Agent = a.place(), a.agent()
			m, err := ask(cmd.Context(), a, api.Add, q)
			if err != nil {
				return a.noProject(err)
			}
			if m.Proposal != nil {
				return a.proposed(cmd, *m.Proposal)
			}
			if m.Similar != nil && m.ID == "" {
				return a.alike(*m.Similar)
			}
			if m.Repeats > 0 && m.Supersedes == "" {
				return a.did("known already", m.Memory, "")
			}
			if err := a.did("added", m.Memory, "remanence forget "+m.ID); err != nil || m.Similar == nil {
				return err
			}
			a.differs(m)
			return nil
		},
	}
	cmd.Flags().StringVarP(&kind, "kind", "k", "fact", "kind: decision, fact, gotcha, howto, preference, todo …")
	cmd.Flags().StringArrayVar(&q.Files, "file", nil, "file it is about; may be repeated")
	cmd.Flags().StringVar(&scope, "scope", "project", "how far it reaches: project or user")
	cmd.Flags().StringArrayVar(&q.Tags, "tag", nil, "free tag; may be repeated")
	cmd.Flags().BoolVar(&q.IfNew, "if-new", false, "only if nothing is kept that says the same; that is shown instead")
	cmd.Flags().BoolVar(&q.KeepBoth, "keep-both", false, "keep it beside what is like it; they are never merged")
	cmd.Flags().StringVar(&q.Supersedes, "replaces", "", "id of the memory that it takes the place of")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	return cmd
}

// differs names the memory that an added one is like and differs from.
func (a *app) differs(m curate.AddResponse) {
	if a.flags.json || a.flags.jsonl {
		return
	}
	old := m.Similar.Memory
	a.out.hint("%s differs (%s): %s", old.ID, m.Difference, oneLine(old.Text()))
	a.out.hint("If this takes its place: remanence forget %s; if both hold, there is nothing to do", old.ID)
}

// alike shows the memory that says nearly the same as one that was to be added.
// That nothing was added is also the exit status.
func (a *app) alike(h mem.Hit) error {
	v := recordsOf("not added, alike", []mem.Memory{h.Memory}, a.sys.Now())
	if err := a.out.show(v); err != nil {
		return err
	}
	if !a.flags.json && !a.flags.jsonl {
		a.out.hint("%.0f %% of it is said there. Change that one: remanence edit %s", 100*h.Score, h.Memory.ID)
		a.out.hint("or put this in its place: remanence add --replaces %s; or keep both: --keep-both instead of --if-new", h.Memory.ID)
	}
	return foundProblems
}

// agent is the session of the agent in whose shell the command runs, "" outside
// of one: what an agent types is not the person's hand.
func (a *app) agent() string {
	if a.sys.Getenv("CLAUDECODE") == "" {
		return ""
	}
	return cmp.Or(a.session(), event.UnknownAgent)
}

// session is the agent's id of the session that the environment names, "" for none.
func (a *app) session() string {
	return cmp.Or(a.sys.Getenv("CLAUDE_CODE_SESSION_ID"), a.sys.Getenv("REMANENCE_SESSION_ID"))
}

// did shows the one memory that was made or changed.
func (a *app) did(what string, m mem.Memory, undo string) error {
	v := recordsOf(what, []mem.Memory{m}, a.sys.Now())
	v.Undo = nullable(undo)
	return a.out.show(v)
}

func parseScope(s string) (mem.Scope, error) {
	switch k := mem.Scope(s); k {
	case mem.ScopeProject, mem.ScopeUser:
		return k, nil
	}
	return "", faultInput.about("no such scope: %q", s).fixedBy("use project or user")
}
