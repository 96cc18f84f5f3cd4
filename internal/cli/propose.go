package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/gitblame"
	"remanence/internal/instructions"
	"remanence/internal/propose"
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

// maxDated bounds the lines whose dates are sent to the daemon.
const maxDated = 20_000

func runPropose(ctx context.Context, a *app, name string, sessions int, yes bool) error {
	if ref := a.ProjectRef(); ref.Project != "" {
		return fault.Input.WithMessage("--project %s: lines go into a file of the project's directory", ref.Project).
			FixedBy("give the directory: remanence propose --project DIR")
	}
	p, err := a.checks().ProjectHere(nil)
	if err != nil {
		return err
	}
	file, with, apart, err := instructions.Choose(p.Root, name)
	if err == nil {
		err = propose.Check(file.Text)
	}
	if err != nil {
		return ui.NotEditable(p.Root, cmp.Or(file.Name, name), err)
	}
	req := views.ProposeRequest{ProjectRef: a.ProjectRef(), File: file.Name, Text: file.Text, Sessions: sessions}
	for _, f := range with {
		req.With = append(req.With, f.Text)
	}
	if read, err := gitblame.Read(ctx, file.Path, 1, 0); err == nil { // without git, no line has a date
		for _, l := range read.Lines[:min(len(read.Lines), maxDated)] {
			req.Changed = append(req.Changed, time.Time{})
			if l.Commit != "" {
				req.Changed[len(req.Changed)-1] = l.Authored
			}
		}
	}
	got, err := ask(ctx, a, api.Propose, req)
	if err != nil {
		return a.noProject(err)
	}
	v, text := ui.Proposed(got, file.Text, apart)
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
