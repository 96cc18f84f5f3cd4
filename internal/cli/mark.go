package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

func forgetCommand(a *app) *cobra.Command {
	var found foundMemories
	order := curate.MarkRequest{Verb: curate.ProposeForget}
	cmd := &cobra.Command{
		Use:        "forget [id]...",
		SuggestFor: []string{"delete", "remove", "rm"},
		Short:      "forget memories; can be undone",
		Long: "Forgotten memories are neither injected nor found. They can be restored\nfor privacy.hide_days " +
			"days (30), then they are erased for good. To erase\nat once: remanence purge.\n\nA query or a filter finds the " +
			"first 1,000, the\ntag of an import all of it; a line says if there may be more.",
		Example: "  remanence forget m_19fx\n  remanence forget --query \"old api\" --dry-run\n  remanence forget --query " +
			"\"old api\" -k gotcha --yes\n  remanence forget --tag import-20260302-090000.000",
		RunE: func(cmd *cobra.Command, args []string) error {
			order.ProjectRef, order.IDs, order.Agent = a.ProjectRef(), args, a.agent()
			return found.run(a, cmd, order)
		},
	}
	found.register(cmd, &order)
	cmd.Flags().StringVar(&order.Reason, "reason", "", "why, in a sentence; kept with the memory")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// foundMemories selects the memories that an order is about by what a search finds.
type foundMemories struct {
	filters
	words string
	yes   bool
}

func (f *foundMemories) register(cmd *cobra.Command, order *curate.MarkRequest) {
	f.filters.register(cmd.Flags())
	cmd.Flags().StringVar(&f.words, "query", "", "all memories that a search for this finds")
	cmd.Flags().BoolVar(&order.DryRun, "dry-run", false, "only show which")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
}

// run does an order about memories with the given ids, or shows what the filters find and does it about exactly that
// once confirmed.
func (f *foundMemories) run(a *app, cmd *cobra.Command, order curate.MarkRequest) error {
	words := strings.Fields(f.words)
	narrowed := f.words != "" || len(f.inForce("")) > 0
	switch help := cmd.CommandPath() + " --help"; {
	case cmd.Flags().Changed("query") && len(words) == 0: // as of a variable that is not set: it would find all
		return fault.Input.WithMessage("--query is empty")
	case len(order.IDs) > 0 && narrowed:
		return fault.Usage.WithMessage("%s takes ids or a query, not both", order.Verb).FixedBy(help)
	case len(order.IDs) == 0 && !narrowed:
		return fault.Usage.WithMessage("%s needs an id, --query or a filter", order.Verb).FixedBy(help)
	case len(order.IDs) > 0:
		return runMark(a, cmd, order)
	}
	q, err := f.query(words, a.Sys.Now())
	if err != nil {
		return err
	}
	q.File = a.fromHere(q.File)
	if order.Verb == curate.ProposeRestore {
		q.Statuses = []mem.Status{mem.Forgotten}
	}
	dry := order.DryRun
	order.Query, order.DryRun = &q, true
	found, err := ask(cmd.Context(), a, api.Mark, order)
	if err != nil {
		return a.noProject(err)
	}
	if dry || len(found.Memories) == 0 {
		found.DryRun = dry
		return printMarked(a, cmd, found)
	}
	if !f.yes {
		ui.PreviewMemories(a.out, found.Memories)
		act := map[string]string{curate.ProposeForget: "Hide ", curate.ProposeRestore: "Restore "}[order.Verb]
		if err := a.confirm(act + ui.Plural(len(found.Memories), "memory", "memories") + "?"); err != nil {
			return err
		}
	}
	order.Query, order.DryRun = nil, false
	for _, m := range found.Memories {
		order.IDs = append(order.IDs, m.ID)
	}
	var selection []string
	for _, flag := range f.inForce(a.Project) {
		name, value, _ := strings.Cut(flag, " ")
		selection = append(selection, name, value)
	}
	if f.words != "" {
		selection = append(selection, "--query", f.words)
	}
	return runMark(a, cmd, order, selection...)
}

// markCommand is restore, pin or unpin.
func markCommand(a *app, verb string) *cobra.Command {
	short := map[string]string{
		"restore": "bring forgotten memories back",
		"pin":     "pin memories: they are injected first and never decay",
		"unpin":   "take the pin off again",
	}
	var found foundMemories
	order := curate.MarkRequest{Verb: verb}
	cmd := &cobra.Command{
		Use:     verb + " <id>...",
		Short:   short[verb],
		Example: "  remanence " + verb + " m_19fx",
		Args:    atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			order.ProjectRef, order.IDs, order.Agent = a.ProjectRef(), args, a.agent()
			return found.run(a, cmd, order)
		},
	}
	if verb == curate.ProposeRestore {
		found.register(cmd, &order)
		cmd.Use, cmd.Args = verb+" [id]...", nil
		cmd.Long = "By their ids, or all forgotten ones that a query or a filter finds."
		cmd.Example += "\n  remanence restore --tag import-20260302-090000.000"
	}
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// runMark does an order. selection are the flags that found its memories, nil for ids that were given.
func runMark(a *app, cmd *cobra.Command, order curate.MarkRequest, selection ...string) error {
	got, err := ask(cmd.Context(), a, api.Mark, order)
	if err != nil {
		return err
	}
	return printMarked(a, cmd, got, selection...)
}

// printProposed shows memories that stay as they are until the person decides. That
// nothing was changed is also the exit status.
func printProposed(a *app, cmd *cobra.Command, schema string, response any, list ...mem.Proposal) error {
	ids := memoriesOf(list)
	kept, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids})
	if err != nil {
		return err
	}
	v := ui.MemoryList{
		Schema: schema, Response: response, Memories: kept.Memories, Did: "not changed, waits for the person", Proposed: ids,
	}
	if !slices.ContainsFunc(list, func(p mem.Proposal) bool { return !p.Rejected }) {
		v.Did = "not changed, rejected before"
	}
	if err := a.out.Show(v); err != nil {
		return err
	}
	return fault.FoundProblems
}

func memoriesOf(list []mem.Proposal) (ids []string) {
	for _, p := range list {
		ids = append(ids, p.Memory)
	}
	return ids
}

// printMarked shows what an order did and how to undo it: by ids, or if there are too many by the same selection.
func printMarked(a *app, cmd *cobra.Command, got curate.MarkResponse, selection ...string) error {
	if len(got.Proposed) > 0 && len(got.Memories) == 0 {
		return printProposed(a, cmd, "mark", got, got.Proposed...)
	}
	did := map[string]string{"forget": "forgotten", "restore": "restored", "pin": "pinned", "unpin": "unpinned"}[got.Verb]
	v := ui.MemoryList{
		Schema: "mark", Response: got, Memories: got.Memories, Did: did, DryRun: got.DryRun,
		Proposed: memoriesOf(got.Proposed),
	}
	if got.Verb == "forget" && len(got.Memories) == curate.MaxFound { // there may be more
		v.Limit = curate.MaxFound
	}
	if len(got.Memories) > 0 && !got.DryRun {
		v.Undo = "remanence " + ui.UndoOf(got.Verb) + " " + ui.IDsText(idsOf(got.Memories), selection)
	}
	if err := a.out.Show(v); err != nil || len(got.Proposed) == 0 {
		return err
	}
	return fault.FoundProblems
}

func addCommand(a *app) *cobra.Command {
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
			if q.Kind, err = mem.ParseKind(kind); err != nil {
				return err
			}
			if q.Scope, err = mem.ParseScope(scope); err != nil {
				return err
			}
			if q.Text, err = a.textFrom(args, cmd.CommandPath()); err != nil {
				return err
			}
			for i, f := range q.Files {
				q.Files[i] = a.fromHere(f)
			}
			q.ProjectRef, q.Agent = a.ProjectRef(), a.agent()
			m, err := ask(cmd.Context(), a, api.Add, q)
			if err != nil {
				return a.noProject(err)
			}
			if m.Proposal != nil {
				return printProposed(a, cmd, "add", m, *m.Proposal)
			}
			if m.Similar != nil && m.ID == "" {
				return printSimilar(a, m)
			}
			if m.Repeats > 0 && m.Supersedes == "" {
				known := "known already"
				if len(q.Files)+len(q.Tags)+len(q.Aliases) > 0 {
					known += ", completed"
				}
				return a.did("add", m, known, m.Memory, "")
			}
			if err := a.did("add", m, "added", m.Memory, "remanence forget "+m.ID); err != nil || m.Similar == nil {
				return err
			}
			printDiffers(a, m)
			return nil
		},
	}
	cmd.Flags().StringVarP(&kind, "kind", "k", "fact", "kind: decision, fact, gotcha, howto, preference, todo …")
	cmd.Flags().StringArrayVar(&q.Files, "file", nil, "file it is about; may be repeated")
	cmd.Flags().StringVar(&scope, "scope", "project", "how far it reaches: project or user")
	cmd.Flags().StringArrayVar(&q.Tags, "tag", nil, "free tag; may be repeated")
	cmd.Flags().StringArrayVar(&q.Aliases, "alias", nil, "other words that a later question may use; may be repeated")
	cmd.Flags().BoolVar(&q.IfNew, "if-new", false, "only if there is no memory of the same statement; that one is "+
		"shown instead")
	cmd.Flags().BoolVar(&q.KeepBoth, "keep-both", false, "keep it beside what is like it; they are never merged")
	cmd.Flags().StringVar(&q.Supersedes, "replaces", "", "id of the memory that it takes the place of")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	return cmd
}

// printDiffers names the memory that an added one is like and differs from.
func printDiffers(a *app, m curate.AddResponse) {
	if a.flags.JSON || a.flags.JSONLines {
		return
	}
	old := m.Similar
	a.out.Hint("%s differs (%s): %s", old.ID, m.Difference, ui.OneLine(old.Text()))
	a.out.Hint("If this takes its place: remanence forget %s; if both hold: add it again with --keep-both", old.ID)
}

// printSimilar shows the memory that is similar to one that was to be added.
// The exit status also reports that nothing was added.
func printSimilar(a *app, got curate.AddResponse) error {
	h := got.Similar
	if err := a.did("add", got, "not added, alike", h.Memory, ""); err != nil {
		return err
	}
	if !a.flags.JSON && !a.flags.JSONLines {
		a.out.Hint("%.0f %% of it is contained there. Change that one: remanence edit %s", 100*h.Score, h.ID)
		a.out.Hint("or put this in its place: remanence add --replaces %s; or keep both: --keep-both instead of --if-new",
			h.ID)
	}
	return fault.FoundProblems
}

// agent is the session of the agent in whose shell the command runs, "" outside
// of one: a command that an agent types does not count as the person's.
func (a *app) agent() string {
	if a.Sys.Getenv("CLAUDECODE") == "" {
		return ""
	}
	return cmp.Or(a.session(), event.UnknownAgent)
}

// session is the agent's id of the session that the environment names, "" for none.
func (a *app) session() string {
	return cmp.Or(a.Sys.Getenv("CLAUDE_CODE_SESSION_ID"), a.Sys.Getenv("REMANENCE_SESSION_ID"))
}

// did shows the one memory that was made or changed, as JSON the response of the API.
func (a *app) did(schema string, response any, what string, m mem.Memory, undo string) error {
	return a.out.Show(ui.MemoryList{
		Schema: schema, Response: response, Memories: []mem.Memory{m}, Did: what, Undo: undo,
	})
}
