package cli

import (
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
	cmd := &cobra.Command{
		Use:   "edit <id>",
		Short: "change the text, kind or scope of a memory",
		Long:  "Without a flag the text is opened in $VISUAL or $EDITOR.",
		Example: "  remanence edit m_7k2q\n  remanence edit m_7k2q --text \"jittered backoff, 5 tries\"\n  remanence edit " +
			"m_7k2q --kind decision --scope user",
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
			return runEdit(a, cmd, q)
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the new text")
	cmd.Flags().StringVar(&kind, "kind", "", "the new kind")
	cmd.Flags().StringVar(&scope, "scope", "", "the new scope: project or user")
	cmd.Flags().StringVar(&reason, "reason", "", "why, in a sentence; kept with the memory")
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

func runEdit(a *app, cmd *cobra.Command, q curate.EditRequest) error {
	got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: []string{q.ID}})
	if err != nil {
		return err
	}
	old := got.Memories[0]
	q.ID = old.ID
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
	return a.did("edit", m, "edited", m.Memory, "")
}
