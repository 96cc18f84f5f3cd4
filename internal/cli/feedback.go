package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// feedbackCommand records what memories were worth.
func feedbackCommand(a *app) *cobra.Command {
	var note string
	verdicts := []string{curate.Useful, curate.Wrong, curate.Stale, curate.PreventedMistake}
	cmd := &cobra.Command{
		Use:   "mark <id>... useful|wrong|stale|prevented",
		Short: "record what memories were worth",
		Long: "useful      it helped: counts as a use\n" +
			"wrong       it is not so: forgotten, can be undone\n" +
			"stale       it is no longer so: believed less\n" +
			"prevented   it kept a mistake from being made: --note names which",
		Example: "  remanence mark m_19fx useful\n  remanence mark m_19fx prevented --note \"would have pushed to main\"",
		Args:    atLeast(2, "an id and a verdict"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, verdict := args[:len(args)-1], args[len(args)-1]
			if !slices.Contains(verdicts, verdict) {
				return fault.Input.WithMessage("no such verdict: %q", verdict).FixedBy("one of " + strings.Join(verdicts, ", "))
			}
			if verdict == curate.PreventedMistake && strings.TrimSpace(note) == "" {
				return fault.Input.WithMessage("the mistake that was prevented is not named").
					Because("only a named one counts").FixedBy("--note \"what would have been done\"")
			}
			got, err := ask(cmd.Context(), a, api.Feedback, curate.FeedbackRequest{
				IDs: ids, Verdict: verdict, Note: note,
				Agent: a.agent(),
			})
			if err != nil {
				return err
			}
			v := ui.MemoryList{Schema: "mark", Response: got, Memories: got.Memories, Did: "marked " + verdict}
			switch {
			case verdict == curate.Wrong && a.agent() == "":
				v.Did, v.Undo = "forgotten", "remanence restore "+strings.Join(idsOf(got.Memories), " ")
			case verdict == curate.Wrong:
				v.Did = "reported wrong"
			}
			v.NoEffect, v.Reported = got.NoEffect, verdict == curate.Wrong && a.agent() != ""
			return a.out.Show(v)
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "what happened, in a sentence; it is kept with the memory")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		list, directive := a.completeIDs(cmd, args, typed)
		if len(args) > 0 {
			list = append(list, verdicts...)
		}
		return list, directive
	}
	return cmd
}

func idsOf(ms []mem.Memory) []string {
	out := make([]string, 0, len(ms))
	for _, m := range ms {
		out = append(out, m.ID)
	}
	return out
}
