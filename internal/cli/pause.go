package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/when"
)

func pauseCommand(a *app) *cobra.Command {
	var q event.PauseRequest
	var length string
	cmd := &cobra.Command{
		Use:        "pause",
		SuggestFor: []string{"disable", "off"},
		Short:      "stop capture and injection for a while",
		Long:       "In a paused session, project or machine nothing is captured or injected.",
		Example: "  remanence pause --for 2h\n  remanence pause --scope all\n  remanence pause --scope session " +
			"--inject-only",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if length != "" {
				d, err := when.ParseDuration(length)
				if err != nil {
					return err
				}
				q.For = d
			}
			return runPause(a, cmd, q)
		},
	}
	pauseFlags(cmd, &q)
	cmd.Flags().StringVar(&length, "for", "", "for so long: 30m, 2h, 3d (default: until resumed)")
	cmd.Flags().BoolVar(&q.InjectOnly, "inject-only", false, "capture, but inject nothing")
	return cmd
}

func resumeCommand(a *app) *cobra.Command {
	q := event.PauseRequest{Resume: true}
	cmd := &cobra.Command{
		Use:        "resume",
		SuggestFor: []string{"enable", "on"},
		Short:      "end a pause",
		Example:    "  remanence resume\n  remanence resume --scope all",
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return runPause(a, cmd, q) },
	}
	pauseFlags(cmd, &q)
	return cmd
}

func pauseFlags(cmd *cobra.Command, q *event.PauseRequest) {
	cmd.Flags().StringVar(&q.Scope, "scope", "project", "session, project or all")
	cmd.Flags().StringVar(&q.Session, "session", "", "which session (default: the one this is run in)")
}

func runPause(a *app, cmd *cobra.Command, q event.PauseRequest) error {
	if q.Session != "" && !cmd.Flags().Changed("scope") {
		q.Scope = "session"
	}
	switch q.Scope {
	case "project", "all":
	case "session":
		if q.Session = cmp.Or(q.Session, a.session()); q.Session == "" {
			return fault.Input.WithMessage("which session?").FixedBy("add --session ID")
		}
	default:
		return fault.Input.WithMessage("no such scope: %q", q.Scope).FixedBy("use session, project or all")
	}
	q.ProjectRef = a.ProjectRef()
	if q.Scope == "project" && q.Project == "all" {
		q.Scope = "all"
	}
	got, err := ask(cmd.Context(), a, api.Pause, q)
	if err != nil {
		return a.noProject(err)
	}
	v := pauseView{Did: "paused", Pauses: ui.PausesOf(got.Pauses)}
	if q.Resume {
		v.Did = "resumed"
	}
	return a.out.Show(v)
}

type pauseView struct {
	Did    string         `json:"did"`
	Pauses []ui.PauseItem `json:"pauses"` // all that are in force
}

func (pauseView) SchemaName() string { return "pause" }

func (v pauseView) List() []any { return ui.Items(v.Pauses) }

func (v pauseView) Print(p *ui.Printer) {
	if len(v.Pauses) == 0 {
		p.Line("Nothing is paused: capture and injection are on.")
		return
	}
	for _, it := range v.Pauses {
		p.Line("paused  %s", it.Sentence(p.Now()))
		p.Line("end it: %s", ui.OneLine(it.End()))
	}
}
