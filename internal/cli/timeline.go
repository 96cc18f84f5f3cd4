package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/views"
	"remanence/internal/when"
)

// defaultAround is how many entries of a timeline are shown on each side.
const defaultAround = 10

func timelineCommand(a *app) *cobra.Command {
	var q views.TimelineRequest
	cmd := &cobra.Command{
		Use:        "timeline [id | file | date]",
		SuggestFor: []string{"log", "history"},
		Short:      "what was learned around a memory, a session, a file or a day",
		Example: "  remanence timeline m_7k2q\n  remanence timeline internal/net/retry.go\n  remanence timeline " +
			"yesterday --around 5",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Around < 1 {
				return fault.Input.WithMessage("--around has to be 1 or more")
			}
			q.ProjectRef, q.Anchor = a.ProjectRef(), strings.Join(args, "")
			if _, _, err := when.Parse(q.Anchor, a.Sys.Now()); err != nil {
				q.Anchor = a.fromHere(q.Anchor) // a file, if it is not an id
			}
			return runTimeline(a, cmd, q)
		},
	}
	cmd.Flags().IntVar(&q.Around, "around", defaultAround, "entries on each side")
	cmd.Flags().StringVar(&q.Session, "session", "", "only of this session")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

func runTimeline(a *app, cmd *cobra.Command, q views.TimelineRequest) error {
	got, err := ask(cmd.Context(), a, api.Timeline, q)
	if err != nil {
		return err
	}
	v := ui.TimelineView{TimelineResponse: got, Typed: q.Anchor, Further: "--around ", Around: q.Around}
	if cmd.Name() != "timeline" {
		v.Further = "remanence timeline " + q.Anchor + " --around "
	}
	return a.out.Show(v)
}
