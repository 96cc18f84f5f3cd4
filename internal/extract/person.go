package extract

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// maxPlanStatements is how many statements are made of a pasted plan.
const maxPlanStatements = 4

// surelySalient is the least salience of a rule that the person lays down for good.
const surelySalient = 0.9

// FromPerson returns what a prompt lays down, wants or corrects, in its order. A prompt
// with headings is a plan: its passages are judged as those of an answer, and Pasted.
func FromPerson(prompt string) []Point {
	prompt = withoutImages(prompt)
	if isPlan(prompt) {
		out, _ := TurnFacts{}.choose(Statements(prompt), maxPlanStatements, 0)
		first := headingsOf(prompt)[:2] // what stands below these describes how things are
		out = slices.DeleteFunc(out, func(p Point) bool { return p.checks || !lasts(p, first) })
		out = TurnFacts{}.joinItems(out, nil)
		for i, p := range out {
			out[i].Pasted = true
			rule := cuesIn(lang.CueText(p.Text)).Has(cueNorm, cueConvention)
			under := p.from.under()
			out[i].Before = under == mem.ErrorFix || p.describes(first) && under != mem.Decision && !rule
			if out[i].Before && p.Kind == mem.Decision {
				out[i].Kind = mem.ErrorFix // what was chosen wrongly is the problem
			}
		}
		return out
	}
	if len(prompt) > PastedLength {
		return nil
	}
	var out []Point
	all := Statements(prompt)
	for i, s := range all {
		if i > 0 && RefersBack(s.Bare) && !Asks(all[i-1].Text) {
			out = append(out, Point{Text: all[i-1].Text, Kind: mem.Fact, At: i, Salience: surelySalient})
		}
	}
	for _, p := range (TurnFacts{}).score(all, ModelPerson) {
		p.Text = TrimNo(p.Text)
		p.Kind = personKind(p.Text)
		if pointsAt(p.Text) || startsWithPronoun(p.Text) {
			p.Salience -= 0.5
		}
		kind, laidDown := Instruction(p.Text)
		if laidDown {
			p.Kind, p.Salience = kind, max(p.Salience, surelySalient)
		}
		same := func(o Point) bool { return o.Text == p.Text }
		if p.Salience >= leastSalience && (laidDown || !observes(p.Text)) && !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Point) int { return cmp.Compare(b.Salience, a.Salience) })
	out = out[:min(len(out), MaxUserStatements)]
	slices.SortStableFunc(out, func(a, b Point) int { return a.At - b.At })
	return out
}

// lasts reports whether a point of a plan holds once the plan is carried out: what it decides, a rule, the cause of
// the problem, which stands below the title, the first heading or one that names it. How things are before the work
// does not, nor does a step of it. first are the first two headings.
func lasts(p Point, first []string) bool {
	c := cuesIn(lang.CueText(p.Text))
	return c.Has(cueNorm, cueConvention, cueDecide) || c.Has(cueCause) && p.describes(first) ||
		p.from.under() == mem.Decision && p.Kind == mem.Decision
}

// describes reports whether a point of a plan stands below one of its first headings, or one that names a problem.
func (p Point) describes(first []string) bool {
	return p.from.under() == mem.ErrorFix || slices.ContainsFunc(first, func(heading string) bool {
		return p.from.all[0].heading == headingText(heading)
	})
}

// observes reports whether a sentence says what the person sees at the moment, or only thinks of: it lays nothing down.
func observes(s string) bool {
	l := lang.CueText(s)
	c := cuesIn(l)
	return !c.Has(cueDecide, cueRemember, cueReverse) && (c.Has(cueThought) && !c.Has(cueNorm) || lang.ContainsAny(
		l, " i don't see ", " i do not see ", " i can't see ", " i still see ", " i see ", " i get ", " i'm getting ",
		" ich sehe ", " ich bekomme ", " je vois ", " je ne vois ", " veo ", " no veo ", " вижу ", "看到", "見え",
	))
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

// personKind names what a sentence of the person's is.
func personKind(s string) mem.Kind {
	c := cuesIn(lang.CueText(s))
	switch {
	case c.Has(cueRemember):
		return mem.Fact
	case c.Has(cueDecide):
		return mem.Decision
	case c.Has(cueNorm, cueConvention):
		return mem.Convention
	case c.Has(cuePrefer):
		return mem.Preference
	case c.Has(cueWish, cueReverse):
		return mem.Decision
	}
	return mem.Fact
}

// startsWithPronoun reports whether the subject of a sentence is not named in it.
func startsWithPronoun(s string) bool {
	return len(codeNames(s)) == 0 && lang.HasAnyPrefix(lang.CueText(s), "it ", "it's ", "this ", "that ", "they ",
		"these ", "those ", "es ", "das ", "ça ", "c'est ", "eso ", "это ")
}

// pointsAt reports whether a short sentence speaks of something that it does not name.
func pointsAt(s string) bool {
	return lang.Width(s) < 3*MinStatement && len(codeNames(s)) == 0 &&
		lang.ContainsAny(lang.CueText(s), " this ", " that ", " it ", " them ", " das ", " es ", " ça ", " cela ", " eso ",
			" это ")
}
