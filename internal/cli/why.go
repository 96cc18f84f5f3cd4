package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

func whyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:        "why [r_id | last]",
		SuggestFor: []string{"explain"},
		Short:      "what was told to the agent, why, and what was left out",
		Example:    "  remanence why\n  remanence why r_88c1\n  remanence why last --json",
		Args:       atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhy(a, cmd, strings.Join(args, ""))
		},
	}
}

func runWhy(a *app, cmd *cobra.Command, id string) error {
	got, err := ask(cmd.Context(), a, api.Why, views.WhyRequest{ProjectRef: a.ProjectRef(), ID: id})
	last := id == "" || id == "last"
	if last && errors.Is(err, mem.ErrNotFound) && a.Project == "" {
		got, err = views.WhyResponse{}, nil
	}
	if !last && errors.Is(err, mem.ErrNotFound) { // the id alone is looked for, in every project
		return fault.NoID.Saying("no such receipt").Because("nothing was told under the id %q", id).FixedBy("remanence why")
	}
	if err != nil {
		return a.noProject(err)
	}
	v := receiptOf("receipt", got.Receipt)
	v.Become(got)
	return a.out.Show(v)
}

func receiptOf(name string, r mem.Receipt) ui.ReceiptView {
	v := ui.ReceiptView{
		ID: ui.TextOrNil(r.ID), At: ui.TimeOrNil(r.At), Session: ui.TextOrNil(r.Session), Trigger: r.Trigger,
		Outcome: r.Outcome, Asked: ui.TextOrNil(r.Query),
		Candidates: r.Candidates, Floor: r.Floor, Tokens: r.Tokens, Budget: r.Budget, TookMS: r.TookMS,
		Items: []ui.ToldItem{}, Dropped: []ui.CutItem{}, Text: r.Text, Compaction: r.Compaction, Name: name,
		Terms:   ui.NotNil(r.Terms),
		Weights: rank.AllWeights(),
	}
	if r.Session == "next" {
		v.Session = nil // there is none yet
	}
	for _, it := range r.Items {
		v.Items = append(v.Items, ui.ToldItem{
			ID: it.ID, Rank: it.Rank, Kind: it.Kind, Title: it.Title, Score: it.Score, Parts: it.Parts, Tokens: it.Tokens,
			Place: ui.TextOrNil(it.Section),
			Stale: ui.TextOrNil(string(it.Stale)),
		})
	}
	for _, c := range r.LeftOut {
		v.Dropped = append(v.Dropped, ui.CutItem{ID: c.ID, Title: c.Title, Score: c.Score, Parts: c.Parts, Gate: c.Gate})
	}
	return v
}
