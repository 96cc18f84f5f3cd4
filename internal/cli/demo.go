package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/demo"
)

func demoCommand(a *app) *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "two sessions of a bug hunt, and what the second one gets",
		Long: "Plays two recorded sessions through the real hook, daemon and store, in a\n" +
			"directory of its own: what is kept of the first, what the second gets, and\n" +
			"why. Needs no agent, no network and no setup; nothing is left behind. --json\n" +
			"gives the steps, what was injected and the memories.",
		Example: "  remanence demo\n  remanence demo --fast    without pauses\n  remanence demo --keep    leave the " +
			"directory there to look at",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Sys, o.Execute = a.Sys, execute
			return demo.Play(cmd.Context(), a.out, o)
		},
	}
	cmd.Flags().BoolVar(&o.Fast, "fast", false, "without pauses")
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "leave the directory there")
	return cmd
}
