package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func (a *app) statsCommand() *cobra.Command {
	var days int
	var by string
	cmd := &cobra.Command{
		Use:        "stats",
		SuggestFor: []string{"usage", "cost"},
		Short:      "what memory costs in tokens, and whether it is used",
		Long: "Counts what was told to agents and what came of it. What is estimated is marked\nso, with its formula. Dead weight was told " +
			fmt.Sprint(views.DeadAfter) + " times or more and never used.",
		Example: "  remanence stats\n  remanence stats --days 7 --by trigger\n  remanence stats --by agent\n  remanence stats --project all --by project\n  remanence stats --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.stats(cmd.Context(), days, by)
			if err != nil {
				return err
			}
			return a.out.show(v)
		},
	}
	cmd.Flags().IntVar(&days, "days", 30, "so many days up to today, at most 366")
	cmd.Flags().StringVar(&by, "by", "day", "a bar for each day, trigger, agent, kind or project")
	return cmd
}

// stats asks for the economy and, where it is not by day, for what the bars show.
func (a *app) stats(ctx context.Context, days int, by string) (statsView, error) {
	if days < 1 || days > 366 {
		return statsView{}, faultInput.about("--days %d is out of range", days).fixedBy("give 1 to 366")
	}
	if !slices.Contains([]string{"day", "trigger", "agent", "kind", "project"}, by) {
		return statsView{}, faultInput.about("--by %q is unknown", by).fixedBy("use day, trigger, agent, kind or project")
	}
	e, err := ask(ctx, a, api.Economy, views.EconomyRequest{Place: a.place(), Days: days})
	if err != nil {
		return statsView{}, a.noProject(err)
	}
	v := statsView{EconomyResponse: e, By: by, Unit: "tokens", Bars: []statsBar{}}
	switch by {
	case "day":
		for _, d := range e.Days {
			v.Bars = append(v.Bars, statsBar{d.Day, d.Told()})
		}
	case "trigger":
		for _, t := range e.Triggers {
			v.Bars = append(v.Bars, statsBar{t, e.Total.Tokens[t]})
		}
	case "agent":
		for agent, n := range e.Agents {
			v.Bars = append(v.Bars, statsBar{cmp.Or(agent, "unknown"), n})
		}
		slices.SortStableFunc(v.Bars, func(a, b statsBar) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name)) })
	case "kind":
		v.Unit = "memories"
		o, err := ask(ctx, a, api.Status, a.place())
		if err != nil {
			return v, a.noProject(err)
		}
		for _, k := range mem.Kinds() {
			if n := o.Stats.Kinds[k.Kind]; n > 0 {
				v.Bars = append(v.Bars, statsBar{string(k.Kind), n})
			}
		}
	case "project":
		v.Unit = "memories"
		f, err := ask(ctx, a, api.Fleet, api.Nothing{})
		if err != nil {
			return v, err
		}
		for _, p := range f.Projects {
			v.Bars = append(v.Bars, statsBar{cmp.Or(p.Standing.Project.Name, p.Standing.Project.Key), p.Memories})
		}
		slices.SortStableFunc(v.Bars, func(a, b statsBar) int { return cmp.Compare(b.Value, a.Value) })
	}
	return v, nil
}

// statsView is what memory costs, and one set of bars.
type statsView struct {
	views.EconomyResponse
	By   string     `json:"by"`
	Unit string     `json:"unit"` // of the bars: tokens or memories
	Bars []statsBar `json:"bars"`
}

type statsBar struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

func (statsView) schema() string { return "stats" }

func (v statsView) list() []any { return items(v.Bars) }

func (v statsView) human(p *printer) {
	where := cmp.Or(v.Project.Name, v.Project.Key, "all projects")
	p.line("%s · %s up to today", p.style(bold, safe(where)), plural(len(v.Days), "day", "days"))
	told := v.Total.Told()
	p.field("told", "%s tokens in %s, %s with nothing worth telling", chars.Thousands(told), plural(v.Total.Injected, "injection", "injections"), plural(v.Total.Abstained, "time", "times"))
	p.field("tools", "%s tokens in %s of our tools · the list of them %d a session", chars.Thousands(v.Total.Results), plural(v.Total.Calls, "call", "calls"), v.ToolsTokens)
	if v.Total.Model > 0 {
		p.field("model", "%s tokens, of all projects", chars.Thousands(v.Total.Model))
	}
	p.field("used", "%s", v.usedText())
	if e := v.Estimate; e.Tokens > 0 {
		p.field("estimate", "about %s tokens not read again: %d × %d (%s)", chars.Thousands(e.Tokens), e.Items, e.PerRead, e.Formula)
	}
	if v.Cut {
		p.line("  only the newest %d receipts were counted", views.MaxEconomy)
	}
	v.draw(p)
	if len(v.Dead) == 0 {
		return
	}
	p.line("dead weight: told %d times or more, never used", views.DeadAfter)
	var ids []string
	for _, d := range v.Dead[:min(len(v.Dead), 5)] {
		p.line("  %s  %d×  %s tokens  %s", d.ID, d.Told, chars.Thousands(d.Tokens), clip(oneLine(d.Title), max(minFlex, p.width-40)))
		ids = append(ids, d.ID)
	}
	if more := len(v.Dead) - len(ids); more > 0 {
		p.line("  and %d more", more)
	}
	p.hint("forget them: remanence forget %s", strings.Join(ids, " "))
}

// usedText says how many of the items told were used afterwards.
func (v statsView) usedText() string {
	if v.Told == 0 {
		return "nothing was told yet"
	}
	return fmt.Sprintf("%d of %s told were used afterwards (%.0f %%)", v.Used, plural(v.Told, "item", "items"), 100*float64(v.Used)/float64(v.Told))
}

// draw shows a bar for each value. Days at the beginning without anything are left out.
func (v statsView) draw(p *printer) {
	bars := v.Bars
	if v.By == "day" {
		first := slices.IndexFunc(bars, func(b statsBar) bool { return b.Value > 0 })
		if first < 0 {
			return
		}
		bars = bars[first:]
	}
	most, name := 0, 0
	for _, b := range bars {
		most, name = max(most, b.Value), max(name, cells(oneLine(b.Name)))
	}
	if most == 0 {
		return
	}
	p.line("%s by %s", v.Unit, v.By)
	name = min(name, 30)
	room := max(10, min(p.width, roomy)-name-14)
	for _, b := range bars {
		p.line("  %s %10s %s", pad(clip(oneLine(b.Name), name), name), chars.Thousands(b.Value), bar(b.Value, most, room))
	}
}

// bar is a bar of at most room cells, by eighths; anything at all is seen.
func bar(value, most, room int) string {
	eighths := value * room * 8 / most
	if value > 0 {
		eighths = max(1, eighths)
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}
