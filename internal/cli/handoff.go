package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/continuity"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

// maxHandoffFile is how much of a file is read, in bytes: more than the longest handoff that is taken in.
const maxHandoffFile = 8 * continuity.MaxHandoff

func handoffCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "handoff [file]",
		Short: "one page for whoever goes on with the work; or take one in",
		Long: "Writes a page in Markdown on a project: goal, state, decisions, dead ends, next\nsteps and exact commands, " +
			"each with the id of its memory. It is for a person or\nfor any agent.\n\nWith a file, or - for standard " +
			"input, the text is kept as the handoff of the\nnewest session, and the next session is given it, as data.",
		Example: "  remanence handoff > HANDOFF.md\n  remanence handoff HANDOFF.md\n  remanence handoff --json",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return takeHandoff(cmd, a, args[0])
			}
			page, err := ask(cmd.Context(), a, api.HandoffPage, a.ProjectRef())
			if err != nil {
				if f := daemon.Explain(err); f.Is(fault.NoID) && a.Project == "all" {
					return fault.Input.WithMessage("a handoff is of one project").FixedBy("remanence handoff --project NAME")
				}
				return a.noProject(err)
			}
			return a.out.Show(ui.HandoffView{HandoffPage: page})
		},
	}
}

// takeHandoff keeps a text as a handoff.
func takeHandoff(cmd *cobra.Command, a *app, file string) error {
	in := a.Sys.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fault.NoFile.Because("%s", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxHandoffFile))
	if err != nil {
		return fault.Denied.Because("%s", err)
	}
	cp, err := ask(cmd.Context(), a, api.Handoff, continuity.HandoffRequest{
		ProjectRef: a.ProjectRef(), Text: string(text), Agent: a.agent(),
	})
	if err != nil {
		return err
	}
	return a.out.Show(handoffTaken{cp})
}

// handoffTaken shows the checkpoint that holds a handoff.
type handoffTaken struct{ mem.Checkpoint }

func (handoffTaken) SchemaName() string { return "handoff_taken" }

func (v handoffTaken) Print(p *ui.Printer) {
	p.Line("kept as the handoff for the next session: %s", v.ID)
	p.Hint("what it will be given: remanence next")
}
