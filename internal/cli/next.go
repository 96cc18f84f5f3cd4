package cli

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

func (a *app) nextCommand() *cobra.Command {
	var q views.NextRequest
	var agent string
	var check bool
	cmd := &cobra.Command{
		Use:        "next",
		SuggestFor: []string{"preview"},
		Short:      "exactly what the next session would be told",
		Long:       "The text goes to standard output, its size and origin to standard error.\nWith --project all: in the project that was active last.",
		Example:    "  remanence next\n  remanence next --prompt \"add retries to the webhook sender\"\n  remanence next --check           exit 5 if something would be missing",
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := agentName(agent); err != nil {
				return err
			}
			if q.Budget < 0 {
				return faultInput.about("--budget has to be 0 or more")
			}
			if q.Session != "" && q.Prompt == "" {
				return faultInput.about("--session needs --prompt")
			}
			q.Place = a.place()
			r, err := ask(cmd.Context(), a, api.Next, q)
			if q.Session != "" && errors.Is(err, mem.ErrNotFound) && a.flags.project == "" {
				return faultNoID.about("no such session").because("none has the id %q", q.Session).fixedBy("remanence timeline")
			}
			if err != nil {
				return a.noProject(err)
			}
			if err := a.out.show(nextView{receiptOf("next", r), a.tooShort(q.Prompt)}); err != nil {
				return err
			}
			if !check {
				return nil
			}
			if missing := lackingOf(r); len(missing) > 0 && r.Outcome != mem.Off {
				return faultLacking.because("%s", strings.Join(missing, "; "))
			}
			if r.Text == "" {
				return foundProblems
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&q.Prompt, "prompt", "", "what this prompt would be told instead")
	cmd.Flags().StringVar(&q.Session, "session", "", "with --prompt: given in this session, instead of a new one")
	cmd.Flags().IntVar(&q.Budget, "budget", 0, "tokens; 0 means the configured budget")
	cmd.Flags().StringVar(&agent, "agent", "claude-code", "for this agent")
	cmd.Flags().BoolVar(&check, "check", false, "end with status 5 if nothing would be told, or if something that must not be missing would not")
	return cmd
}

// lackingOf names what must not be missing and would not be told, and why.
func lackingOf(r mem.Receipt) []string {
	why := map[string]string{
		"budget": "has no room", "limit": "has no room", "missing": "is not there", "unreadable": "cannot be read", "trust": "is not trusted enough to be told",
	}
	var out []string
	for _, c := range r.Dropped {
		if c.Required {
			id, _, _ := strings.Cut(c.ID, "@")
			if c.Title != "" && c.Title != id {
				id += " (" + clip(oneLine(c.Title), 60) + ")"
			}
			out = append(out, safe(id)+" "+why[c.Gate])
		}
	}
	return out
}

// tooShort reports whether a prompt that is told nothing is so for its length
// alone: another of the kind might be told something.
func (a *app) tooShort(prompt string) bool {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv) // its mistakes are shown by config validate
	p := strings.TrimSpace(prompt)
	short := rank.Trivial(p) || utf8.RuneCountInString(p) < value[int](cfg, "recall.min_prompt_chars")
	return p != "" && short && !rank.Courtesy(p)
}

// nextView is a receipt of what has not been told yet: its text is the answer.
type nextView struct {
	receiptView
	short bool // the prompt is
}

func (v nextView) human(p *printer) {
	if v.Text == "" {
		why := "nothing is remembered here yet"
		switch {
		case v.Outcome == mem.Off:
			why = "it is paused here, or the project is excluded, see remanence status"
		case v.Budget == 0:
			why = "its budget is 0, see remanence config list --origin"
		case v.Trigger == "prompt" && v.Asked == nil:
			why = "the prompt is empty"
		case v.Asked != nil && v.Outcome == mem.Nothing && v.short:
			why = "the prompt is too short to ask for anything, and names nothing that is known"
		case v.Asked != nil && v.Outcome == mem.Nothing:
			why = "the prompt asks for nothing that could be remembered"
		case v.Asked != nil:
			why = "nothing that is remembered fits the prompt well enough"
		}
		p.line("Nothing would be told: %s.", why)
		if d, ok := v.nearest(); ok {
			v.near(p, d)
		}
		v.leftOut(p)
		return
	}
	p.line("%s", safe(v.Text))
	p.say("%s, %s", plural(len(v.Items), "item", "items"), views.Cost(v.Tokens, v.Budget))
}
