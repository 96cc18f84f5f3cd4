package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func (a *app) nextCommand() *cobra.Command {
	var q mem.NextAsk
	var agent string
	var check bool
	cmd := &cobra.Command{
		Use:     "next",
		Short:   "exactly what the next session would be told",
		Long:    "The text goes to standard output, its size and origin to standard error.",
		Example: "  remanence next\n  remanence next --prompt \"add retries to the webhook sender\"\n  remanence next --check           exit 5 if it would be told nothing",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := agentName(agent); err != nil {
				return err
			}
			if q.Budget < 0 {
				return faultInput.about("--budget has to be 0 or more")
			}
			q.Place = a.place()
			r, err := ask(cmd.Context(), a, api.Next, q)
			if err != nil {
				return a.noProject(err)
			}
			if err := a.out.show(nextView{receiptOf("next", r)}); err != nil {
				return err
			}
			if check && r.Text == "" {
				return foundProblems
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&q.Prompt, "prompt", "", "what this prompt would be told instead")
	cmd.Flags().IntVar(&q.Budget, "budget", 0, "tokens; 0 means the configured budget")
	cmd.Flags().StringVar(&agent, "agent", "claude-code", "for this agent")
	cmd.Flags().BoolVar(&check, "check", false, "end with status 5 if nothing would be told")
	return cmd
}

// nextView is a receipt of what has not been told yet: its text is the answer.
type nextView struct{ receiptView }

func (v nextView) human(p *printer) {
	if v.Text == "" {
		why := "nothing is remembered here yet"
		switch {
		case v.Budget == 0:
			why = "its budget is 0, see remanence config list --origin"
		case v.Asked != nil:
			why = "nothing that is remembered fits the prompt well enough"
		}
		p.line("Nothing would be told: %s.", why)
		for _, line := range v.leftOut() {
			p.line("%s", line)
		}
		return
	}
	p.line("%s", safe(v.Text))
	p.say("%s · %d/%d tokens", plural(len(v.Items), "item", "items"), v.Tokens, v.Budget)
}
