package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func statsCommand(a *app) *cobra.Command {
	var days int
	var by string
	var effect bool
	cmd := &cobra.Command{
		Use:        "stats",
		SuggestFor: []string{"usage", "cost"},
		Short:      "what memory costs in tokens, and whether it is used",
		Long: "Counts what was injected and whether it was used. What is estimated is marked\nso, with its formula. " +
			"Dead weight was injected " + fmt.Sprint(views.DeadAfter) + " times or more and never used.\n\n" +
			"With --effect it compares sessions in which memory was used with the others:\nrepeated failures, questions, " +
			"reads, and tokens, with its method and its limits.",
		Example: "  remanence stats\n  remanence stats --days 7 --by trigger\n  remanence stats --by agent\n  remanence " +
			"stats --project all --by project\n  remanence stats --json",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if effect {
				if !cmd.Flags().Changed("days") {
					days = views.EffectDays
				}
				got, err := ask(cmd.Context(), a, api.Effect, views.EffectRequest{ProjectRef: a.ProjectRef(), Days: days})
				if err != nil {
					return a.noProject(err)
				}
				return a.out.Show(ui.EffectView{EffectResponse: got})
			}
			v, err := loadStats(cmd.Context(), a, days, by)
			if err != nil {
				return err
			}
			return a.out.Show(v)
		},
	}
	cmd.Flags().IntVar(&days, "days", 30, "so many days up to today, at most 366")
	cmd.Flags().StringVar(&by, "by", "day", "a bar for each day, trigger, agent, kind or project")
	cmd.Flags().BoolVar(&effect, "effect", false, "compare sessions in which memory was used with others (90 days)")
	cmd.MarkFlagsMutuallyExclusive("effect", "by")
	return cmd
}

// loadStats requests the economy and the values of the bars.
func loadStats(ctx context.Context, a *app, days int, by string) (ui.StatsView, error) {
	if days < 1 || days > 366 {
		return ui.StatsView{}, fault.Input.WithMessage("--days %d is out of range", days).FixedBy("give 1 to 366")
	}
	if !slices.Contains([]string{"day", "trigger", "agent", "kind", "project"}, by) {
		return ui.StatsView{}, fault.Input.WithMessage("--by %q is unknown",
			by).FixedBy("use day, trigger, agent, kind or project")
	}
	e, err := ask(ctx, a, api.Economy, views.EconomyRequest{ProjectRef: a.ProjectRef(), Days: days})
	if err != nil {
		return ui.StatsView{}, a.noProject(err)
	}
	v := ui.StatsView{EconomyResponse: e, By: by, Unit: "tokens", Bars: []ui.StatsBar{}}
	switch by {
	case "day":
		for _, d := range e.Days {
			v.Bars = append(v.Bars, ui.StatsBar{Name: d.Day, Value: d.InjectedTokens()})
		}
	case "trigger":
		for _, t := range e.Triggers {
			v.Bars = append(v.Bars, ui.StatsBar{Name: t, Value: e.Total.Tokens[t]})
		}
	case "agent":
		for agent, n := range e.Agents {
			v.Bars = append(v.Bars, ui.StatsBar{Name: cmp.Or(agent, "unknown"), Value: n})
		}
		slices.SortStableFunc(v.Bars, func(a, b ui.StatsBar) int {
			return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
		})
	case "kind":
		v.Unit = "memories"
		o, err := ask(ctx, a, api.Status, a.ProjectRef())
		if err != nil {
			return v, a.noProject(err)
		}
		for _, k := range mem.Kinds() {
			if n := o.Stats.Kinds[k.Kind]; n > 0 {
				v.Bars = append(v.Bars, ui.StatsBar{Name: string(k.Kind), Value: n})
			}
		}
	case "project":
		v.Unit = "memories"
		f, err := ask(ctx, a, api.Overview, api.Nothing{})
		if err != nil {
			return v, err
		}
		for _, p := range f.Projects {
			v.Bars = append(v.Bars, ui.StatsBar{
				Name:  cmp.Or(p.State.Project.Name, p.State.Project.Key),
				Value: p.Memories,
			})
		}
		slices.SortStableFunc(v.Bars, func(a, b ui.StatsBar) int { return cmp.Compare(b.Value, a.Value) })
	}
	return v, nil
}
