package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/instructions"
	"remanence/internal/views"
)

func proposeCommand(a *app) *cobra.Command {
	var yes bool
	var sessions int
	cmd := &cobra.Command{
		Use:        "propose [FILE]",
		SuggestFor: []string{"suggest", "rules"},
		Short:      "lines for CLAUDE.md or AGENTS.md that you say again and again",
		Long: "Shows as a difference which lines the project's AGENTS.md or CLAUDE.md lacks:\n" +
			"what you said in several sessions, and what was injected often and used. Each\n" +
			"has its evidence. Lines that you contradicted later are named. The file is\n" +
			"written only after your yes. What it says is not injected any more.",
		Example: "  remanence propose\n  remanence propose CLAUDE.md --sessions 2",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sessions < 1 {
				return fault.Input.WithMessage("--sessions has to be 1 or more")
			}
			if yes && a.agent() != "" {
				return fault.PersonOnly.WithMessage("only a person can change a file of instructions").
					FixedBy("run it in a terminal of your own: remanence propose")
			}
			return runPropose(cmd.Context(), a, strings.Join(args, ""), sessions, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking")
	cmd.Flags().IntVar(&sessions, "sessions", views.DefaultSessions, "propose what was said or used in so many at least")
	return cmd
}

func runPropose(ctx context.Context, a *app, name string, sessions int, yes bool) error {
	if ref := a.ProjectRef(); ref.Project != "" {
		return fault.Input.WithMessage("--project %s: lines go into a file of the project's directory", ref.Project).
			FixedBy("give the directory: remanence propose --project DIR")
	}
	p, err := a.checks().ProjectHere(nil)
	if err != nil {
		return err
	}
	in, err := daemon.ReadInstructions(ctx, a.ProjectRef(), p.Root, name, sessions)
	file := in.File
	if err != nil {
		return ui.NotEditable(p.Root, cmp.Or(file.Name, name), err)
	}
	got, err := ask(ctx, a, api.Propose, in.Request)
	if err != nil {
		return a.noProject(err)
	}
	v, text := ui.Proposed(got, file.Text, in.Apart)
	if len(got.Lines) > 0 && yes {
		if err := instructions.Write(file, text); err != nil {
			return ui.NotEditable(p.Root, file.Name, err)
		}
		v.Written = true
	}
	v.Asking = v.Asks(a.out, a.Sys)
	if err := a.out.Show(v); err != nil || !v.Asking {
		return err
	}
	if err := a.confirm("Write this to " + file.Name + "?"); err != nil {
		return err
	}
	if err := instructions.Write(file, text); err != nil {
		return ui.NotEditable(p.Root, file.Name, err)
	}
	a.out.Say("Written to %s.", file.Name)
	return nil
}
