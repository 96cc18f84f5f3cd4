package cli

import (
	"cmp"
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
			return a.out.Show(loggedView{got})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&en.Projects, "in", nil, "project it is about; may be repeated (default: this one)")
	f.StringVar(&en.Scope, "scope", "", "what the work was about")
	f.StringVar(&en.Happened, "happened", "", "what happened")
	f.StringArrayVar(&en.Decisions, "decision", nil, "a decision that was made; may be repeated, as may the following")
	f.StringArrayVar(&en.Cited, "cited", nil, "a memory that was of use")
	f.StringArrayVar(&en.Prevented, "prevented", nil, "a memory that prevented a mistake, and which mistake")
	f.StringArrayVar(&en.New, "new", nil, "a memory that was made")
	f.StringArrayVar(&en.Drift, "drift", nil, "work that no memory records")
	f.StringArrayVar(&en.Lint, "lint", nil, "a memory in need of care")
	return cmd
}

// loggedView shows a new entry of the journal.
type loggedView struct{ filesync.LogResponse }

func (loggedView) SchemaName() string { return "checkpoint_log" }

func (v loggedView) Print(p *ui.Printer) {
	where := cmp.Or(v.File, "nowhere")
	if v.File == "" && v.Memory != nil {
		where = v.Memory.ID
	}
	p.Line("logged  %s", where)
	p.Line("%s", ui.Safe(v.Text))
	if v.File == "" {
		p.Say("There is no vault, so the entry is a memory. To have the journal in a file: remanence vault init")
	}
}

func checkpointDriftCommand(a *app) *cobra.Command {
	var q views.DriftRequest
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "work of a session that no memory records",
		Long: "Lists by rule what needs attention: files that were changed and that no\ndecision, note or open " +
			"item names; decisions that say neither why nor where; statements that\n" +
			"contradict recorded ones; work that was begun and not done. It\nchanges nothing.",
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
			return a.out.Show(findingsView{got, "drift"})
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
		Long: "Looks by rule at the memories that say how things are, and changes nothing:\n\n  contradiction  contradicts " +
			"another one\n  duplicate      states the same as another one (80 % of the words)\n" +
			"  dead_file      names files that are not there any more\n  outdated       its files changed since it was made " +
			"or last confirmed\n" +
			"  dead_weight    injected again and again, and never used\n  unused         older than 90 days and never needed",
		Example: "  remanence lint\n  remanence lint --rule duplicate\n  remanence lint --project all --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, r := range q.Rules {
				if !slices.Contains(curate.LintRules(), r) {
					return fault.Input.WithMessage("no such rule: %q", r).FixedBy("use " + strings.Join(curate.LintRules(), ", "))
				}
			}
			q.ProjectRef = a.ProjectRef()
			got, err := ask(cmd.Context(), a, api.Lint, q)
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(findingsView{got, "lint"})
		},
	}
	cmd.Flags().StringArrayVar(&q.Rules, "rule", nil, "only this rule; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(curate.LintRules(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// findingsView shows findings of lint or of drift detection.
type findingsView struct {
	curate.FindingsResponse
	name string
}

func (v findingsView) SchemaName() string { return v.name }

func (v findingsView) List() []any { return ui.Items(v.Findings) }

func (v findingsView) Print(p *ui.Printer) {
	if len(v.Findings) == 0 {
		p.Line("Nothing found in %s.", v.examined())
		return
	}
	for _, f := range v.Findings {
		ids := strings.Join(f.IDs, " ")
		if ids != "" {
			ids = "  " + ids
		}
		p.Line("%s%s  %s", ui.Pad(f.Rule, 14), ids, ui.Clip(ui.OneLine(f.Text), 200))
		if f.Fix != "" {
			p.Hint("%s%s", strings.Repeat(" ", 16), f.Fix)
		}
	}
	p.Hint("%s in %s. These are hints: judge each.", ui.Plural(len(v.Findings), "finding", "findings"), v.examined())
}

// examined counts the examined memories. Lint leaves out those that only record an event.
func (v findingsView) examined() string {
	if v.name == "lint" {
		return ui.Plural(v.Examined, "lasting memory", "lasting memories")
	}
	return ui.Plural(v.Examined, "memory", "memories")
}
