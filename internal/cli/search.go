package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"remanence/internal/agent"
	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/when"
)

// filters are the flags that narrow a search.
type filters struct {
	kinds, tags                       []string
	file, branch, agent, since, until string
}

func (f *filters) register(fs *pflag.FlagSet) {
	f.registerFew(fs)
	fs.StringVar(&f.branch, "branch", "", "only learned on this branch")
	fs.StringVar(&f.agent, "agent", "", "only learned with this agent")
}

// registerFew is register for those that a mem.Among has.
func (f *filters) registerFew(fs *pflag.FlagSet) {
	fs.StringArrayVarP(&f.kinds, "kind", "k", nil, "only this kind; may be repeated")
	fs.StringArrayVar(&f.tags, "tag", nil, "only with this tag; of several, any")
	fs.StringVar(&f.file, "file", "", "only about this file; dir/ means all in it")
	fs.StringVar(&f.since, "since", "", "not older: 2w, 3d, yesterday, 2026-01-31")
	fs.StringVar(&f.until, "until", "", "not newer")
}

// among is what the filters narrow a review to.
func (f filters) among(now time.Time) (curate.MemoryFilter, error) {
	q, err := f.query(nil, now)
	return curate.MemoryFilter{Kinds: q.Kinds, Tags: q.Tags, File: q.File, After: q.After, Before: q.Before}, err
}

// query is the question that words and filters make.
func (f filters) query(words []string, now time.Time) (mem.Query, error) {
	q := mem.Query{Text: strings.Join(words, " "), File: f.file, Branch: f.branch, Tags: f.tags}
	var err error
	for _, k := range f.kinds {
		kind, err := mem.ParseKind(k)
		if err != nil {
			return q, err
		}
		q.Kinds = append(q.Kinds, kind)
	}
	if f.agent != "" {
		if q.Agent, err = agentName(f.agent); err != nil {
			return q, err
		}
	}
	if q.After, err = when.Since(f.since, now); err != nil {
		return q, err
	}
	if f.until != "" {
		if _, q.Before, err = when.Parse(f.until, now); err != nil {
			return q, err
		}
	}
	return q, nil
}

// fromHere is a file or folder that a person names: the one where they stand, if
// it is there and the project is that one, else as it is, from the project's root.
func (a *app) fromHere(name string) string {
	abs, err := filepath.Abs(name)
	if name == "" || a.Project != "" || err != nil {
		return name
	}
	if root := a.Sys.Getenv("CLAUDE_PROJECT_DIR"); root != "" {
		if rel, err := filepath.Rel(root, abs); err != nil || !filepath.IsLocal(rel) {
			return name // another project
		}
	}
	info, err := os.Lstat(abs)
	if err != nil {
		return name
	}
	if info.IsDir() {
		abs += "/"
	}
	return abs
}

// inForce lists the filters that are set, as flags.
func (f filters) inForce(project string) []string {
	var out []string
	add := func(flag, v string) {
		if v != "" {
			out = append(out, "--"+flag+" "+v)
		}
	}
	for _, k := range f.kinds {
		add("kind", k)
	}
	for _, t := range f.tags {
		add("tag", t)
	}
	add("file", f.file)
	add("since", f.since)
	add("until", f.until)
	add("branch", f.branch)
	add("agent", f.agent)
	add("project", project)
	return out
}

func kindNames() []string {
	var names []string
	for _, i := range mem.Kinds() {
		names = append(names, string(i.Kind))
	}
	return names
}

// agentName is the full name of an agent.
func agentName(s string) (string, error) {
	if d, ok := agent.ByName(strings.ToLower(s)); ok {
		return d.ID(), nil
	}
	var names []string
	for _, d := range agent.Dialects() {
		names = append(names, d.ID())
	}
	return "", fault.Input.WithMessage("unknown agent %q", s).FixedBy("supported now: " + strings.Join(names, ", "))
}

func searchCommand(a *app) *cobra.Command {
	var f filters
	var n int
	var explain, ids, hidden bool
	var next, strategy string
	var importance float64
	cmd := &cobra.Command{
		Use:        "search [words]...",
		SuggestFor: []string{"find", "recall", "query", "grep", "list", "ls"},
		Short:      "find memories by words, best first; without words the newest",
		Example: "  remanence search retry backoff --since 2mo\n" +
			"  remanence search -k gotcha --file internal/net/client.go\n" +
			"  remanence search \"flaky test\" --project all --explain",
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return fault.Input.WithMessage("-n has to be 1 or more")
			}
			q, err := f.query(args, a.Sys.Now())
			q.Text, q.File = strings.TrimSpace(q.Text), a.fromHere(q.File)
			if err != nil {
				return err
			}
			if q.Offset, err = offset(next); err != nil {
				return err
			}
			if importance < 0 || importance > 1 {
				return fault.Input.WithMessage("--min-importance is from 0 to 1")
			}
			how, err := parseStrategy(strategy)
			if err != nil {
				return err
			}
			q.MinImportance, q.Hidden = importance, hidden
			q.Limit = n
			found, err := ask(cmd.Context(), a, api.Search, recall.SearchRequest{
				ProjectRef: a.ProjectRef(), Query: q,
				Strategy: how,
			})
			if err != nil {
				return a.noProject(err)
			}
			v := ui.SearchView{
				SearchResponse: found, Query: q.Text, Explain: explain, IDs: ids, Filters: f.inForce(a.Project),
			}
			if found.Searched == 0 {
				v.Before = movedFrom(cmd.Context(), a, found.Project)
			}
			if found.Warning != "" {
				a.out.Say("%s", found.Warning)
			}
			return a.out.Show(v)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().IntVarP(&n, "limit", "n", 20, "at most so many")
	cmd.Flags().BoolVar(&explain, "explain", false, "show what each score is made of")
	cmd.Flags().BoolVar(&ids, "ids", false, "only the ids, one a line")
	cmd.Flags().StringVar(&strategy, "strategy", string(recall.Auto), "how: auto, keyword, vector or hybrid")
	cmd.Flags().Float64Var(&importance, "min-importance", 0, "only as important as this, 0 to 1")
	cmd.Flags().BoolVar(&hidden, "hidden", false, "also what was forgotten or replaced")
	cmd.Flags().StringVar(&next, "next", "", "go on where the answer with this cursor ended")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	return cmd
}

func parseStrategy(s string) (recall.Strategy, error) {
	if how := recall.Strategy(strings.ToLower(s)); slices.Contains(recall.Strategies(), how) {
		return how, nil
	}
	return "", fault.Input.WithMessage("no such strategy: %q", s).FixedBy("use auto, keyword, vector or hybrid")
}

func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, fault.Input.WithMessage("%q is no cursor of a search", cursor)
	}
	return n, nil
}

// noProject returns the fault of an unknown project if the error could be one of an unknown id.
func (a *app) noProject(err error) error {
	if f := daemon.Explain(err); f.Is(fault.NoID) && a.Project != "" {
		return fault.NoProject.Because("nothing is known of %q", a.Project)
	}
	return err
}
