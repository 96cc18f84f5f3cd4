package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func checkpointLogCommand(a *app) *cobra.Command {
	q := filesync.LogRequest{}
	en := &q.Entry
	cmd := &cobra.Command{
		Use:   "log <title>",
		Short: "put an entry about the work into the journal",
		Long: "The entry goes to the end of LOG.md in the vault or, where there is no vault,\ninto a memory. What is not " +
			"given stands there as none.",
		Example: "  remanence checkpoint log \"retries\" --happened \"tests pass\" --cited m_7k2q\n" +
			"  remanence checkpoint log \"retries\" --decision \"jitter: bursts came back\"",
		Args: exactly(1, "a title"),
		RunE: func(cmd *cobra.Command, args []string) error {
			en.Title, q.ProjectRef, q.Agent = args[0], a.ProjectRef(), a.agent()
			got, err := ask(cmd.Context(), a, api.CheckpointLog, q)
			if err != nil {
				return a.noProject(err)
			}
			v := loggedView{File: ui.TextOrNil(got.File), Text: got.Text}
			if got.Memory != nil {
				v.Memory = &got.Memory.ID
			}
			return a.out.Show(v)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&en.Projects, "in", nil, "project it is about; may be repeated (default: this one)")
	f.StringVar(&en.Scope, "scope", "", "what the work was about")
	f.StringVar(&en.Happened, "happened", "", "what happened")
	f.StringArrayVar(&en.Decisions, "decision", nil, "a decision that was made; may be repeated, as may the following")
	f.StringArrayVar(&en.Cited, "cited", nil, "a memory that was of use")
	f.StringArrayVar(&en.Prevented, "prevented", nil, "a memory that kept somebody from a mistake, and from which")
	f.StringArrayVar(&en.New, "new", nil, "a memory that was made")
	f.StringArrayVar(&en.Drift, "drift", nil, "work that nobody laid down")
	f.StringArrayVar(&en.Lint, "lint", nil, "a memory in need of care")
	return cmd
}

type loggedView struct {
	File   *string `json:"file"`   // null: there is no vault
	Memory *string `json:"memory"` // its id, if the entry went into one
	Text   string  `json:"text"`
}

func (loggedView) SchemaName() string { return "checkpoint_log" }

func (v loggedView) Print(p *ui.Printer) {
	where := "nowhere"
	switch {
	case v.File != nil:
		where = *v.File
	case v.Memory != nil:
		where = *v.Memory
	}
	p.Line("logged  %s", where)
	p.Line("%s", ui.Safe(v.Text))
	if v.File == nil {
		p.Say("There is no vault, so the entry is a memory. To have the journal in a file: remanence vault init")
	}
}

func checkpointDriftCommand(a *app) *cobra.Command {
	var q views.DriftRequest
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "work of a session that nobody laid down",
		Long: "Lists by rule what somebody should look at: files that were changed and that no\ndecision, note or open " +
			"item names; decisions that say neither why nor where; what\n" +
			"denies something that was laid down before; what was begun and not done. It\nchanges nothing.",
		Example: "  remanence checkpoint drift\n  remanence checkpoint drift --session s_4d --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.ProjectRef, q.Agent = a.ProjectRef(), a.agent()
			got, err := ask(cmd.Context(), a, api.Drift, q)
			if errors.Is(err, mem.ErrNotFound) && q.Session == "" && a.Project == "" {
				got, err = curate.FindingsResponse{}, nil
			}
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(findingsOf("drift", got))
		},
	}
	cmd.Flags().StringVar(&q.Session, "session", "",
		"session (default: the agent's own, else the last one of the project)")
	return cmd
}

func lintCommand(a *app) *cobra.Command {
	var q curate.LintRequest
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "memories in need of care: alike, unused, outdated, dead files",
		Long: "Looks by rule at the memories that say how things are, and changes nothing:\n\n  contradiction  denies " +
			"what another one says\n  duplicate      says the same as another one (80 % of the words)\n" +
			"  dead_file      names files that are not there any more\n  outdated       its files changed since it was made " +
			"or last confirmed\n" +
			"  dead_weight    told again and again, and never used\n  unused         older than 90 days and never needed",
		Example: "  remanence lint\n  remanence lint --rule duplicate\n  remanence lint --project all --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, r := range q.Rules {
				if !slices.Contains(curate.LintRules(), r) {
					return fault.Input.Saying("no such rule: %q", r).FixedBy("use " + strings.Join(curate.LintRules(), ", "))
				}
			}
			q.ProjectRef = a.ProjectRef()
			got, err := ask(cmd.Context(), a, api.Lint, q)
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(findingsOf("lint", got))
		},
	}
	cmd.Flags().StringArrayVar(&q.Rules, "rule", nil, "only this rule; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(curate.LintRules(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

type findingsView struct {
	Session  *string   `json:"session"` // that was looked at
	Looked   int       `json:"looked"`  // at so many memories
	Total    int       `json:"total"`
	Next     *string   `json:"next"`
	Findings []finding `json:"findings"`

	name string
}

type finding struct {
	Rule  string   `json:"rule"`
	Text  string   `json:"text"`
	IDs   []string `json:"ids"`
	Files []string `json:"files"`
	Fix   *string  `json:"fix"`
}

func findingsOf(name string, got curate.FindingsResponse) findingsView {
	v := findingsView{
		Session: ui.TextOrNil(got.Session), Looked: got.Examined, Total: len(got.Findings),
		Findings: []finding{}, name: name,
	}
	for _, f := range got.Findings {
		v.Findings = append(v.Findings, finding{f.Rule, f.Text, ui.NotNil(f.IDs), ui.NotNil(f.Files), ui.TextOrNil(f.Fix)})
	}
	return v
}

func (v findingsView) SchemaName() string { return v.name }

func (v findingsView) List() []any { return ui.Items(v.Findings) }

func (v findingsView) Print(p *ui.Printer) {
	if v.Total == 0 {
		p.Line("Nothing found in %s.", v.looked())
		return
	}
	for _, f := range v.Findings {
		ids := strings.Join(f.IDs, " ")
		if ids != "" {
			ids = "  " + ids
		}
		p.Line("%s%s  %s", ui.Pad(f.Rule, 14), ids, ui.Clip(ui.OneLine(f.Text), 200))
		if f.Fix != nil {
			p.Hint("%s%s", strings.Repeat(" ", 16), *f.Fix)
		}
	}
	p.Hint("%s in %s. These are hints: judge each.", ui.Plural(v.Total, "finding", "findings"), v.looked())
}

// looked is what was looked at: lint leaves out what only says what happened.
func (v findingsView) looked() string {
	if v.name == "lint" {
		return ui.Plural(v.Looked, "lasting memory", "lasting memories")
	}
	return ui.Plural(v.Looked, "memory", "memories")
}
