package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/doctor"
)

func doctorCommand(a *app) *cobra.Command {
	var fix bool
	var bundle string
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "diagnose", "fix"},
		Short:      "find what is wrong and name the fix; exit 5 if it fails",
		Long:       "Required checks fail, optional ones warn. --fix does only what is safe.",
		Example: "  remanence doctor\n  remanence doctor --fix\n  remanence doctor --bundle report.txt\n  remanence " +
			"doctor --json",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			end := a.out.Waiting("doctor")
			checks, did := a.checks().Examine(cmd.Context()), []string{}
			if fix {
				if did = ui.NotNil(a.checks().Repair(cmd.Context(), checks)); len(did) > 0 {
					checks = a.checks().Examine(cmd.Context())
				}
			}
			end()
			if bundle != "" {
				if err := runBundle(a, cmd, bundle, checks); err != nil {
					return err
				}
			}
			return runDoctor(a, checks, did, bundle)
		},
	}
	cmd.Flags().StringVar(&bundle, "bundle", "",
		"write what a bug report needs into this new file: no memories, no prompts, no secrets")
	cmd.Flags().BoolVar(&fix, "fix", false, "do the fixes that are safe, then look again")
	return cmd
}

func runDoctor(a *app, checks []doctor.Check, did []string, bundle string) error {
	v := doctor.Tally(checks, did)
	v.Bundle = ui.TextOrNil(bundle)
	return a.out.Judged(v, v.OK)
}
