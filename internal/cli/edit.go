package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

func editCommand(a *app) *cobra.Command {
	var text, kind, scope, reason string
	var undo bool
	cmd := &cobra.Command{
		Use:   "edit <id>",
		Short: "change the text, kind or scope of a memory",
		Long:  "Without a flag the text is opened in $VISUAL or $EDITOR.",
		Example: "  remanence edit m_7k2q\n  remanence edit m_7k2q --text \"jittered backoff, 5 tries\"\n  remanence edit " +
			"m_7k2q --kind decision --scope user\n  remanence edit m_7k2q --undo",
		Args: exactly(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := curate.EditRequest{ID: args[0], Agent: a.agent(), Reason: reason}
			changed := cmd.Flags().Changed
			if changed("text") {
				q.Text = &text
			}
			if changed("kind") {
				k, err := mem.ParseKind(kind)
				if err != nil {
					return err
				}
				q.Kind = &k
			}
			if changed("scope") {
				s, err := mem.ParseScope(scope)
				if err != nil {
					return err
				}
				q.Scope = &s
			}
			return runEdit(a, cmd, q, undo)
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the new text")
	cmd.Flags().StringVar(&kind, "kind", "", "the new kind")
	cmd.Flags().StringVar(&scope, "scope", "", "the new scope: project or user")
	cmd.Flags().BoolVar(&undo, "undo", false, "bring back the text before the last change")
	cmd.MarkFlagsMutuallyExclusive("undo", "text")
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a sentence; kept with the memory")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

func runEdit(a *app, cmd *cobra.Command, q curate.EditRequest, undo bool) error {
	got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: []string{q.ID}})
	if err != nil {
		return err
	}
	old := got.Memories[0]
	q.ID = old.ID
	if undo {
		if q.Text, err = textBefore(old); err != nil {
			return err
		}
	}
	if q.Text == nil && q.Kind == nil && q.Scope == nil {
		was := old.Text()
		text, err := a.editText(old.ID, was)
		if err != nil {
			return err
		}
		if text == strings.TrimSpace(was) {
			a.out.Say("Nothing was changed.")
			return a.did("edit", curate.EditResponse{Memory: old}, "unchanged", old, "")
		}
		q.Text = &text
	}
	if q.Text != nil && strings.TrimSpace(*q.Text) == "" {
		return fault.Input.WithMessage("the text is empty").FixedBy("remanence forget " + old.ID)
	}
	m, err := ask(cmd.Context(), a, api.Edit, q)
	if err != nil {
		return err
	}
	if m.Proposal != nil {
		return printProposed(a, cmd, "edit", m, *m.Proposal)
	}
	back := ""
	if q.Text != nil {
		back = "remanence edit " + old.ID + " --undo"
	}
	return a.did("edit", m, "edited", m.Memory, back)
}

// textBefore returns the text that a memory had before it was last changed, by a person or an agent.
func textBefore(m mem.Memory) (*string, error) {
	for _, f := range slices.Backward(m.Feedback) {
		switch {
		case f.Was == "":
			continue
		case strings.HasSuffix(f.Was, "…"):
			return nil, fault.Input.WithMessage("the text before was too long to be kept whole").
				FixedBy("remanence show " + m.ID)
		}
		return &f.Was, nil
	}
	return nil, fault.Input.WithMessage("the text was never changed").FixedBy("remanence show " + m.ID)
}
