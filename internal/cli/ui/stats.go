package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/views"
)

// StatsView is what memory costs, and one set of bars.
type StatsView struct {
	views.EconomyResponse
	By   string     `json:"by"`
	Unit string     `json:"unit"` // of the bars: tokens or memories
	Bars []StatsBar `json:"bars"`
}

// StatsBar is one bar of a chart.
type StatsBar struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// SchemaName returns the name of the view's schema.
func (StatsView) SchemaName() string { return "stats" }

// List returns the items that --jsonl prints.
func (v StatsView) List() []any { return Items(v.Bars) }

// Print writes the view for a person.
func (v StatsView) Print(p *Printer) {
	where := cmp.Or(v.Project.Name, v.Project.Key, "all projects")
	p.Line("%s · %s up to today", p.Style(Bold, Safe(where)), Plural(len(v.Days), "day", "days"))
	tokens := v.Total.InjectedTokens()
	p.Field("injected", "%s tokens in %s, nothing fit %s", chars.Thousands(tokens),
		Plural(v.Total.Injected, "injection", "injections"), Plural(v.Total.Abstained, "time", "times"))
	p.Field("tools", "%s tokens in %s of our tools · the list of them %s tokens a session",
		chars.Thousands(v.Total.Results),
		Plural(v.Total.Calls, "call", "calls"), chars.Thousands(v.ToolsTokens))
	if v.Total.Model > 0 {
		p.Field("model", "%s tokens, of all projects", chars.Thousands(v.Total.Model))
	}
	p.Field("used", "%s", v.usedText())
	if e := v.Estimate; e.Tokens > 0 {
		p.Field("estimate", "about %s tokens not read again: %d × %d (%s)", chars.Thousands(e.Tokens), e.Items, e.PerRead,
			e.Formula)
	}
	if v.Cut {
		p.Line("  only the newest %d receipts were counted", views.MaxEconomy)
	}
	v.draw(p)
	if len(v.Dead) == 0 {
		return
	}
	p.Line("dead weight: injected %d times or more, never used", views.DeadAfter)
	var ids []string
	for _, d := range v.Dead[:min(len(v.Dead), 5)] {
		p.Line("  %s  %d×  %s tokens  %s", d.ID, d.Injections, chars.Thousands(d.Tokens),
			Clip(OneLine(d.Title), max(minFlex, p.Width-40)))
		ids = append(ids, d.ID)
	}
	if more := len(v.Dead) - len(ids); more > 0 {
		p.Line("  and %d more", more)
	}
	p.Hint("forget them: remanence forget %s", strings.Join(ids, " "))
}

// usedText returns how many of the injected items were used afterwards.
func (v StatsView) usedText() string {
	if v.Injected == 0 {
		return "nothing was injected yet"
	}
	return fmt.Sprintf("%d of %s injected were used afterwards (%.0f %%)", v.Used, Plural(v.Injected, "item", "items"),
		100*float64(v.Used)/float64(v.Injected))
}

// draw shows a bar for each value. Days at the beginning without anything are left out.
func (v StatsView) draw(p *Printer) {
	bars := v.Bars
	if v.By == "day" {
		first := slices.IndexFunc(bars, func(b StatsBar) bool { return b.Value > 0 })
		if first < 0 {
			return
		}
		bars = bars[first:]
	}
	most, name := 0, 0
	for _, b := range bars {
		most, name = max(most, b.Value), max(name, Cells(OneLine(b.Name)))
	}
	if most == 0 {
		return
	}
	p.Line("%s by %s", v.Unit, v.By)
	name = min(name, 30)
	room := max(10, min(p.Width, roomy)-name-14)
	for _, b := range bars {
		p.Line("  %s %10s %s", Pad(Clip(OneLine(b.Name), name), name), chars.Thousands(b.Value), Bar(b.Value, most, room))
	}
}

// Bar is a bar of at most room cells, by eighths; anything at all is seen.
func Bar(value, most, room int) string {
	eighths := value * room * 8 / most
	if value > 0 {
		eighths = max(1, eighths)
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}
