package extract

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// surelySalient is the least salience of a rule that the person lays down for good.
const surelySalient = 0.9

// The least salience of a sentence of the person's that is kept.
const (
	leastStated = 0.3
	leastAsked  = 0.5 // of one that asks for work, or says what is wrong or what was: that may be different soon
)

// FromPerson returns what a prompt lays down, wants or corrects, in its order. A sentence whose subject is in the one
// before it gets that one, and the first of a prompt gets the request before it, if there is one; what a change of
// course is about is found among what it ends. A prompt with headings is a plan: its passages are judged as those of an
// answer, and Pasted.
func FromPerson(prompt, before string) []Point {
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
		said := TrimNo(p.Text)
		p.Text, p.Kind = said, personKind(said)
		c, least := cuesIn(lang.CueText(said)), leastStated
		if asksForWork(said) || !c.Has(cueWish) && c.Has(cueSelf, cuePast) || !c.Has(cueConvention) && Complains(said) {
			least = leastAsked
		}
		if unnamed(said) {
			whole, known := p.withSubject(all, before)
			if known && least == leastStated && c.Has(cueWish, cueNorm, cuePrefer) && !c.Has(cueReverse) {
				p = whole
			} else {
				p.Salience, least = p.Salience-0.5, leastAsked
			}
		}
		kind, laidDown := Instruction(said)
		if laidDown {
			p.Kind, p.Salience = kind, max(p.Salience, surelySalient)
		}
		holds := func(o Point) bool {
			return o.Text == p.Text || p.Text != said && strings.HasPrefix(p.Text, o.Text)
		}
		if p.Salience >= least && (laidDown || !observes(said)) {
			out = append(slices.DeleteFunc(out, holds), p)
		}
	}
	slices.SortStableFunc(out, func(a, b Point) int { return cmp.Compare(b.Salience, a.Salience) })
	out = out[:min(len(out), MaxUserStatements)]
	slices.SortStableFunc(out, func(a, b Point) int { return a.At - b.At })
	return out
}

// withSubject completes a sentence whose subject it does not name with the sentences before it, as far as one names it,
// or with the request before the prompt; that may be of a document. known is false if none does.
func (p Point) withSubject(all []Statement, before string) (whole Point, known bool) {
	p.Text = TrimNo(p.from.all[0].Text)
	at := slices.IndexFunc(all, func(o Statement) bool { return o.Text == p.from.all[0].Text })
	for ; at > 0; at-- {
		previous := all[at-1].Text
		if p.Text = previous + " " + p.Text; Asks(previous) || len([]rune(p.Text)) > MaxStatement {
			return p, false
		}
		if !unnamed(previous) {
			return p, true
		}
	}
	known = startsWithPronoun(p.Text)
	about := chars.Clip(cmp.Or(PlanTitle(before), Request(before)), shortAbout)
	p.Text += " (on: " + about + ")"
	p.Pasted = isPlan(before) || len(before) > PastedLength
	return p, known && about != ""
}

// unnamed reports whether a sentence speaks of something that it does not name.
func unnamed(s string) bool { return pointsAt(s) || startsWithPronoun(s) }

// observes reports whether a sentence says what the person sees at the moment, or only thinks of: it lays nothing down.
func observes(s string) bool {
	l := lang.CueText(s)
	c := cuesIn(l)
	return !c.Has(cueDecide, cueRemember, cueReverse) && (!c.Has(cueNorm) && c.Has(cueThought) ||
		!c.Has(cueNorm, cueWish) && describesProblem(l) || lang.ContainsAny(
		l, " i don't see ", " i do not see ", " i can't ", " i cannot ", " i still see ", " i see ", " i get ", " we get ",
		" i'm getting ", " sehe ", " bekomme ", " bekommen ", " vois ", " on a ", " veo ", " вижу ", "看到", "見え",
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

// asksForWork reports whether a sentence begins with a request, maybe behind where it is to be done.
func asksForWork(s string) bool {
	_, rest, _ := strings.Cut(s, ", ")
	return cuesIn(lang.CueText(s)).Has(cueTask) || cuesIn(lang.CueText(rest)).Has(cueTask)
}

// pointsAt reports whether a short sentence speaks of something that it does not name. The project itself
// needs no name.
func pointsAt(s string) bool {
	l := strings.NewReplacer(" this repo", "", " this project", "", " this codebase", "", " this service", "",
		" this folder", "").Replace(lang.CueText(s))
	return lang.Width(s) < 3*MinStatement && len(codeNames(s)) == 0 &&
		lang.ContainsAny(l, " this ", " that ", " it ", " it's ", " them ", " das ", " es ", " ça ",
			" cela ", " eso ", " это ")
}
