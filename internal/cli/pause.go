package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/event"
	"remanence/internal/mem"
)

func (a *app) pauseCommand() *cobra.Command {
	var q event.PauseRequest
	var length string
	cmd := &cobra.Command{
		Use:        "pause",
		SuggestFor: []string{"disable", "off"},
		Short:      "stop capturing and telling for a while",
		Long:       "A paused session, project or machine keeps nothing and is told nothing.",
		Example:    "  remanence pause --for 2h\n  remanence pause --scope all\n  remanence pause --scope session --inject-only",
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if length != "" {
				d, err := lasting(length)
				if err != nil {
					return err
				}
				q.For = d
			}
			return a.pause(cmd, q)
		},
	}
	pauseFlags(cmd, &q)
	cmd.Flags().StringVar(&length, "for", "", "for so long: 30m, 2h, 3d (default: until resumed)")
	cmd.Flags().BoolVar(&q.InjectOnly, "inject-only", false, "go on capturing, tell nothing")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	q := event.PauseRequest{Resume: true}
	cmd := &cobra.Command{
		Use:        "resume",
		SuggestFor: []string{"enable", "on"},
		Short:      "end a pause",
		Example:    "  remanence resume\n  remanence resume --scope all",
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.pause(cmd, q) },
	}
	pauseFlags(cmd, &q)
	return cmd
}

func pauseFlags(cmd *cobra.Command, q *event.PauseRequest) {
	cmd.Flags().StringVar(&q.Scope, "scope", "project", "session, project or all")
	cmd.Flags().StringVar(&q.Session, "session", "", "which session (default: the one this is run in)")
}

func (a *app) pause(cmd *cobra.Command, q event.PauseRequest) error {
	if q.Session != "" && !cmd.Flags().Changed("scope") {
		q.Scope = "session"
	}
	switch q.Scope {
	case "project", "all":
	case "session":
		if q.Session = cmp.Or(q.Session, a.session()); q.Session == "" {
			return faultInput.about("which session?").fixedBy("add --session ID")
		}
	default:
		return faultInput.about("no such scope: %q", q.Scope).fixedBy("use session, project or all")
	}
	q.Place = a.place()
	if q.Scope == "project" && q.Project == "all" {
		q.Scope = "all"
	}
	got, err := ask(cmd.Context(), a, api.Pause, q)
	if err != nil {
		return a.noProject(err)
	}
	v := pauseView{Did: "paused", Pauses: pausesOf(got.Pauses)}
	if q.Resume {
		v.Did = "resumed"
	}
	return a.out.show(v)
}

type pauseView struct {
	Did    string      `json:"did"`
	Pauses []pauseItem `json:"pauses"` // all that are in force
}

type pauseItem struct {
	Target     string     `json:"target"` // all, a project's or a session's id
	Until      *time.Time `json:"until"`  // null: until resumed
	InjectOnly bool       `json:"inject_only"`
}

func pausesOf(ps []mem.Pause) []pauseItem {
	out := []pauseItem{}
	for _, p := range ps {
		out = append(out, pauseItem{Target: p.Target, Until: moment(p.Until), InjectOnly: p.InjectOnly})
	}
	return out
}

func (pauseView) schema() string { return "pause" }

func (v pauseView) list() []any { return items(v.Pauses) }

func (v pauseView) human(p *printer) {
	if len(v.Pauses) == 0 {
		p.line("Nothing is paused: what happens is kept, and told.")
		return
	}
	for _, it := range v.Pauses {
		p.line("paused  %s", it.sentence(p.now()))
		p.line("end it: %s", oneLine(it.end()))
	}
}

// pauseHere is the widest pause that counts in a project, or in any if that is empty; nil if there is none.
func pauseHere(ps []pauseItem, project string) (widest *pauseItem) {
	for _, it := range ps {
		if project != "" && it.ofProject() && it.Target != project {
			continue
		}
		if widest == nil || it.Target == "all" || it.ofProject() && widest.Target != "all" {
			widest = &it
		}
	}
	return widest
}

func (it pauseItem) ofProject() bool { return strings.HasPrefix(it.Target, "p_") }

// end is the command that ends a pause, wherever it is typed.
func (it pauseItem) end() string {
	switch {
	case it.Target == "all":
		return "remanence resume --scope all"
	case it.ofProject():
		return "remanence resume --project " + it.Target
	}
	return "remanence resume --session " + it.Target
}

func (it pauseItem) sentence(now time.Time) string {
	what, until := "nothing is kept or told", "until resumed"
	if it.InjectOnly {
		what = "nothing is told"
	}
	if it.Until != nil {
		until = "until " + at(*it.Until, now)
	}
	return oneLine(it.Target) + ", " + what + ", " + until
}
