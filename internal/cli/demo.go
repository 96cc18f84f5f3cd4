package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/demo"
)

func demoCommand(a *app) *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "three sessions, and what each later one gets of the others",
		Long: "Plays three recorded sessions through the real hook, daemon and store, in a\n" +
			"directory of its own: what is kept of a fix and a decision, what survives a\n" +
			"compaction, what the last session gets of it, and why. Needs no agent, no\n" +
			"network and no setup; nothing is left behind. --json gives the steps, what was\ninjected and the memories.",
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
