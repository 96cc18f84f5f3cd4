package extract

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// maxPlanStatements is how many statements are made of a plan, besides its approach.
const maxPlanStatements = 4

// BeforePrefix begins what a plan said of how things were, once it is carried out.
const BeforePrefix = "Before the change: "

// BeforeChange returns what a plan said of how things were, once it is carried out, with the title of the plan, which
// says what was changed.
func BeforeChange(plan, text string) string {
	return BeforePrefix + strings.TrimRight(text, ". ") + ". The change: " + PlanTitle(plan) + "."
}

// PlanOf returns the plan that a call of mem.ToolPlan puts to the person.
func PlanOf(input, response json.RawMessage) string {
	return cmp.Or(Text(Fields(input)["plan"]), Text(Fields(response)["plan"]))
}

// fromPlan returns what a plan lays down, in its order: what it is to do, rules, decisions, the cause of the problem.
func fromPlan(prompt string) []Point {
	all := Statements(prompt)
	out, _ := TurnFacts{}.choose(all, maxPlanStatements, 0)
	first := headingsOf(prompt)[:2] // what stands below these describes how things are
	out = slices.DeleteFunc(out, func(p Point) bool { return p.checks || !lasts(p, first) })
	out = TurnFacts{}.joinItems(out, nil)
	for i, p := range out {
		out[i].Pasted = true
		under := p.from.under()
		out[i].Before = under == mem.ErrorFix || p.describes(first) && under != mem.Decision &&
			(!p.rules() || saysNow(lang.CueText(p.Text)))
		if out[i].Before && p.Kind == mem.Decision {
			out[i].Kind = mem.ErrorFix // what was chosen wrongly is the problem
		}
	}
	if p, ok := approach(all, PlanTitle(prompt)); ok {
		out = append(slices.DeleteFunc(out, p.holds), p)
		slices.SortStableFunc(out, func(a, b Point) int { return a.At - b.At })
	}
	return out
}

// approach returns what a plan is to do, as the section says that is headed so: its first paragraph or list, behind the
// title of the plan.
func approach(all []Statement, title string) (Point, bool) {
	var items []Point
	for _, p := range passagesOf(all, false) {
		if headsApproach(p.all[0].heading) && (len(items) == 0 || p.sameList(items[0].from)) {
			items = append(items, Point{Kind: mem.Decision, At: p.at, Salience: surelySalient, Pasted: true, from: p})
		}
	}
	if len(items) == 0 {
		return Point{}, false
	}
	out := TurnFacts{}.joinItems(items, nil)[0]
	out.Text = strings.TrimPrefix(out.from.say(), out.from.all[0].heading+": ")
	if out.from.isPart(all) {
		out.Text = strings.TrimRight(out.Text, ".;, ") + "; …"
	}
	if titled := title + ": " + out.Text; title != "" && len([]rune(titled)) <= MaxStatement {
		out.Text = titled
	}
	return out, len([]rune(out.Text)) <= MaxStatement
}

// holds reports whether another point is of a paragraph or an item that is a part of p.
func (p Point) holds(o Point) bool {
	return slices.ContainsFunc(p.from.all, func(s Statement) bool { return s.block == o.from.all[0].block })
}

// headsApproach reports whether a heading of a plan says that the way to do it stands below.
func headsApproach(heading string) bool {
	return lang.HasAnyPrefix(lang.CueText(heading), "approach", "our approach", "solution", "proposed solution",
		"strategy", "design", "decision", "ansatz", "lösung", "vorgehen", "entwurf", "approche", "démarche", "conception",
		"enfoque", "solución", "diseño", "подход", "решение", "方針", "設計", "方案", "设计")
}

// lasts reports whether a point of a plan holds once the plan is carried out: what it decides, a rule, the cause of
// the problem, which stands below the title, the first heading or one that names it. How things are before the work
// does not, nor does a step of it. first are the first two headings.
func lasts(p Point, first []string) bool {
	c := cuesIn(lang.CueText(p.Text))
	return p.rules() || c.Has(cueDecide) || c.Has(cueCause) && p.describes(first) ||
		p.from.under() == mem.Decision && p.Kind == mem.Decision
}

// rules reports whether a sentence of a point lays down a rule. "Currently they must log in twice" says how things are.
func (p Point) rules() bool {
	return p.Kind != mem.Discovery && slices.ContainsFunc(p.from.all, func(s Statement) bool {
		return s.cues.Has(cueNorm, cueConvention) && !saysNow(s.Bare)
	})
}

// saysNow reports whether a text says that things are so now.
func saysNow(l string) bool {
	return lang.ContainsAny(l, " currently", " at the moment", " right now ", " as of now ", " derzeit ", " zurzeit ",
		" aktuell ", " actuellement ", " actualmente ", " atualmente ", " attualmente ", "сейчас", "目前", "现在", "現在", "現状")
}

// describes reports whether a point of a plan stands below one of its first headings, or one that names a problem.
func (p Point) describes(first []string) bool {
	return p.from.under() == mem.ErrorFix || slices.ContainsFunc(first, func(heading string) bool {
		return p.from.all[0].heading == headingText(heading)
	})
}

// isPlan reports whether a prompt is laid out as a document.
func isPlan(prompt string) bool { return len(headingsOf(prompt)) >= 2 }

// PlanTitle returns the title of a prompt that is laid out as a document: its first heading, without "Plan:". It is
// empty for any other prompt.
func PlanTitle(prompt string) string {
	heads := headingsOf(prompt)
	if len(heads) < 2 {
		return ""
	}
	title := chars.Line(lang.WithoutEmphasis(strings.TrimLeft(heads[0], "# ")))
	if label, rest, ok := strings.Cut(title, ": "); ok && strings.EqualFold(strings.TrimSpace(label), "plan") {
		title = rest
	}
	return title
}

// headingsOf returns the lines of a Markdown text that are headings. A comment in a block of code is none.
func headingsOf(text string) []string {
	var out []string
	var code prose
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); !code.fenced(t) && strings.HasPrefix(line, "#") &&
			strings.HasPrefix(strings.TrimLeft(line, "#"), " ") {
			out = append(out, t)
		}
	}
	return out
}
