package ui

import (
	"cmp"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/views"
)

// EffectView compares sessions in which memory was used with others.
type EffectView struct {
	views.EffectResponse
}

// SchemaName returns the name of the view's schema.
func (EffectView) SchemaName() string { return "effect" }

// List returns the items that --jsonl prints.
func (v EffectView) List() []any { return Items(v.Measures) }

// Print writes the view for a person.
func (v EffectView) Print(p *Printer) {
	where := cmp.Or(v.Project.Name, v.Project.Key, "all projects")
	p.Line("%s · %s up to today", p.Style(Bold, Safe(where)), Plural(v.Days, "day", "days"))
	n := v.Sessions
	if n.Used+n.Given+n.None == 0 {
		p.Line("%s", effectOfNone(n.Past))
		return
	}
	p.Field("sessions", "%d used memory · %d were given some, no use of it was seen · %d were given none", n.Used, n.Given,
		n.None)
	if n.Past > 0 {
		p.Line("  %d more not compared: read in or imported, so that nothing was injected", n.Past)
	}
	if v.Cut {
		p.Line("  there is more than one evaluation reads; the newest was counted")
	}
	for _, m := range v.Measures {
		p.Line("%s", m.What)
		p.Line("  memory used %s · others %s", effectValue(m, m.Used), effectValue(m, m.Others))
		p.Line("  %s", effectVerdict(m))
	}
	p.Line("how it is counted")
	for _, s := range v.Method {
		p.Line("  - %s", s)
	}
	p.Line("what it does not show")
	for _, s := range v.Limits {
		p.Line("  - %s", s)
	}
}

// effectOfNone says why there is nothing to compare, given the sessions that were read in or imported.
func effectOfNone(past int) string {
	if past == 0 {
		return "no session with a prompt began in these days"
	}
	return Plural(past, "session of these days was", "sessions of these days were") + " read in or imported: nothing " +
		"was injected there, so there is nothing to compare yet. The next session of your agent will be counted"
}

// effectValue is the value of one side with its numbers.
func effectValue(m views.EffectMeasure, g views.EffectGroup) string {
	switch {
	case g.Of == 0:
		return "none"
	case m.Share:
		return fmt.Sprintf("%.0f %% (%d of %d, in %s)", 100*g.Value, g.Part, g.Of, Plural(g.Sessions, "session", "sessions"))
	}
	return fmt.Sprintf("%s (mean of %s)", effectNumber(g.Value), Plural(g.Sessions, "session", "sessions"))
}

func effectNumber(v float64) string {
	if v < 100 && v > -100 {
		return fmt.Sprintf("%.1f", v)
	}
	return chars.Thousands(int(v))
}

// effectVerdict says what the numbers allow to say.
func effectVerdict(m views.EffectMeasure) string {
	between := fmt.Sprintf("%s to %s", effectNumber(m.Low), effectNumber(m.High))
	if m.Share {
		between = fmt.Sprintf("%.0f to %.0f points", 100*m.Low, 100*m.High)
	}
	switch m.Verdict {
	case views.EffectLess:
		return "less where memory was used: " + between + " (95 %). That does not say why."
	case views.EffectMore:
		return "more where memory was used: " + between + " (95 %). That does not say why."
	case views.EffectChance:
		return "no difference that these sessions show: " + between + " (95 %)"
	}
	return fmt.Sprintf("too few sessions to compare: each side needs %d", views.EffectLeast)
}
