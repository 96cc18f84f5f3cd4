package cli

import (
	"cmp"
	"fmt"
	"maps"
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
	"remanence/internal/chars"
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
	if f.since != "" {
		if q.After, _, err = when.Parse(f.since, now); err != nil {
			return q, err
		}
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
			v := searchView{SearchResponse: found, query: q.Text, explain: explain, ids: ids, filters: f.inForce(a.Project)}
			if found.Searched == 0 {
				v.before = movedFrom(cmd.Context(), a, found.Project)
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

// searchView shows the response to a search.
type searchView struct {
	recall.SearchResponse
	query        string
	explain, ids bool
	filters      []string
	before       mem.Project // that this one may have been; without a key there is none
}

func (searchView) SchemaName() string { return "search" }

func (v searchView) List() []any { return ui.Items(v.Hits) }

func (v searchView) Print(p *ui.Printer) {
	if v.ids {
		for _, h := range v.Hits {
			p.Line("%s", h.ID)
		}
		return
	}
	if len(v.Hits) == 0 {
		v.nothing(p)
		return
	}
	cols := []ui.Column{
		{Name: "id"},
		{Name: "kind", Drop: 1},
		{Name: "title", Flex: true},
		{Name: "when", Drop: 3},
		{Name: "file", Drop: 2, Path: true},
		{Name: "score", Drop: 4},
	}
	rows := make([][]string, 0, len(v.Hits))
	for _, h := range v.Hits {
		rows = append(rows, v.row(h, p.Now()))
	}
	if !v.explain {
		p.Table(cols, rows)
	}
	for i, h := range v.Hits {
		if v.explain {
			p.Table(cols, rows[i:i+1])
			p.Line("    %s", parts(h.Parts))
		}
	}
	more := ""
	if v.Next != "" {
		more = " · more: --next " + v.Next
	}
	of := ""
	if v.Searched > 0 {
		of = fmt.Sprintf(" of %d", v.Searched)
	}
	p.Hint("%d%s · %.0f ms · details: remanence show %s%s", len(v.Hits), of, v.TookMS, v.Hits[0].ID, more)
}

func (v searchView) row(h mem.Hit, now time.Time) []string {
	file, score, when := "", "", ""
	if len(h.Files) > 0 {
		file = ui.OneLine(h.Files[0])
	}
	if v.query != "" {
		score = fmt.Sprintf("%.2f", h.Score)
	}
	if !h.Created.IsZero() {
		when = ui.Date(h.Created, now)
	}
	return []string{h.ID, string(h.Kind), ui.OneLine(h.Title), when, file, score}
}

// nothing shows what was searched and which filter to drop.
func (v searchView) nothing(p *ui.Printer) {
	where := "every project"
	if v.Project.Name != "" {
		where = ui.OneLine(v.Project.Name)
	}
	what := "Nothing"
	if v.query != "" {
		what = "Nothing for " + ui.InQuotes(chars.Clip(v.query, 200))
	}
	p.Line("%s among %s of %s.", what, ui.Plural(v.Searched, "memory", "memories"), where)
	switch {
	case len(v.filters) > 0:
		p.Line("Try without %s.", v.filters[0])
	case v.Searched == 0 && v.before.Key != "":
		p.Line("Nothing is remembered here yet. %s is not there any more; what was remembered there: --project %s",
			ui.OneLine(v.before.Root), v.before.Key)
	case v.Searched == 0 && v.Project.Name != "":
		p.Line("Nothing is remembered here yet. Every project: --project all")
	case v.Project.Name != "":
		p.Hint("Try fewer words, or every project: --project all")
	}
}

// parts lists what a score is made of, the most important first.
func parts(m map[string]float64) string {
	names := slices.Collect(maps.Keys(m))
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(m[y], m[x]), cmp.Compare(x, y))
	})
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %.2f", n, m[n]))
	}
	return strings.Join(out, "  ")
}

// noProject returns the fault of an unknown project if the error could be one of an unknown id.
func (a *app) noProject(err error) error {
	if f := daemon.Explain(err); f.Is(fault.NoID) && a.Project != "" {
		return fault.NoProject.Because("nothing is known of %q", a.Project)
	}
	return err
}
