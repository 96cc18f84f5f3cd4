package cli

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/doctor"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

func nextCommand(a *app) *cobra.Command {
	var q views.NextRequest
	var agent string
	var check bool
	cmd := &cobra.Command{
		Use:        "next",
		SuggestFor: []string{"preview"},
		Short:      "exactly what would be injected into the next session",
		Long: "The text goes to standard output, its size and origin to standard error.\nWith --project all: in the " +
			"project that was active last.",
		Example: "  remanence next\n  remanence next --prompt \"add retries to the webhook sender\"\n  remanence next " +
			"--check           exit 5 if something would be missing",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := agentName(agent); err != nil {
				return err
			}
			if q.Budget < 0 {
				return fault.Input.WithMessage("--budget has to be 0 or more")
			}
			if q.Session != "" && q.Prompt == "" {
				return fault.Input.WithMessage("--session needs --prompt")
			}
			q.ProjectRef = a.ProjectRef()
			r, err := ask(cmd.Context(), a, api.Next, q)
			if q.Session != "" && errors.Is(err, mem.ErrNotFound) && a.Project == "" {
				return fault.NoID.WithMessage("no such session").Because("none has the id %q", q.Session).
					FixedBy("remanence timeline")
			}
			if err != nil {
				return a.noProject(err)
			}
			if err := a.out.Show(nextView{r, tooShort(a, q.Prompt)}); err != nil {
				return err
			}
			if !check {
				return nil
			}
			if missing := doctor.MissingItems(r); len(missing) > 0 && r.Outcome != mem.Off {
				return fault.Lacking.Because("%s", strings.Join(missing, "; "))
			}
			if r.Text == "" {
				return fault.FoundProblems
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&q.Prompt, "prompt", "", "what would be injected with this prompt instead")
	cmd.Flags().StringVar(&q.Session, "session", "", "with --prompt: given in this session, instead of a new one")
	cmd.Flags().IntVar(&q.Budget, "budget", 0, "tokens; 0 means the configured budget")
	cmd.Flags().StringVar(&agent, "agent", "claude-code", "for this agent")
	cmd.Flags().BoolVar(&check, "check", false,
		"end with status 5 if nothing would be injected, or if something that must not be missing would not")
	return cmd
}

// tooShort reports whether nothing is injected with a prompt only because of its length.
func tooShort(a *app, prompt string) bool {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	p := strings.TrimSpace(prompt)
	short := rank.Trivial(p) || utf8.RuneCountInString(p) < config.Get[int](cfg, "recall.min_prompt_chars")
	return p != "" && short && !rank.Courtesy(p)
}

// nextView is the receipt of an injection that has not happened yet.
type nextView struct {
	mem.Receipt
	short bool // the prompt is
}

func (nextView) SchemaName() string { return "next" }

func (v nextView) Print(p *ui.Printer) {
	if v.Text == "" {
		why := "nothing is remembered here yet"
		switch {
		case v.Outcome == mem.Off:
			why = "it is paused here, or the project is excluded, see remanence status"
		case v.Budget == 0:
			why = "its budget is 0, see remanence config list --origin"
		case v.Trigger == "prompt" && v.Query == "":
			why = "the prompt is empty"
		case v.Query != "" && v.Outcome == mem.Nothing && v.short:
			why = "the prompt is too short to ask for anything, and names nothing that is known"
		case v.Query != "" && v.Outcome == mem.Nothing:
			why = "the prompt asks for nothing that could be remembered"
		case v.Query != "":
			why = "nothing that is remembered fits the prompt well enough"
		}
		p.Line("Nothing would be injected: %s.", why)
		receipt := ui.ReceiptView{WhyResponse: views.WhyResponse{Receipt: v.Receipt}}
		if d, ok := receipt.Nearest(); ok {
			receipt.Near(p, d)
		}
		receipt.LeftOut(p)
		return
	}
	p.Line("%s", ui.Safe(v.Text))
	p.Say("%s, %s", ui.Plural(len(v.Items), "item", "items"), views.Cost(v.Receipt))
}
