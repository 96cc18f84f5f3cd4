package extract

import (
	"cmp"
	"slices"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// surelySalient is the least salience of a rule that the person lays down for good.
const surelySalient = 0.9

// FromPerson returns what a prompt lays down, wants or corrects, in its order. A prompt
// with headings is a plan: its passages are judged as those of an answer, and Pasted.
func FromPerson(prompt string) []Point {
	prompt = withoutImages(prompt)
	if isPlan(prompt) {
		return fromPlan(prompt)
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

// observes reports whether a sentence says what the person sees at the moment, or only thinks of: it lays nothing down.
func observes(s string) bool {
	l := lang.CueText(s)
	c := cuesIn(l)
	return !c.Has(cueDecide, cueRemember, cueReverse) && (c.Has(cueThought) && !c.Has(cueNorm) || lang.ContainsAny(
		l, " i don't see ", " i do not see ", " i can't see ", " i still see ", " i see ", " i get ", " i'm getting ",
		" ich sehe ", " ich bekomme ", " je vois ", " je ne vois ", " veo ", " no veo ", " вижу ", "看到", "見え",
	))
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
