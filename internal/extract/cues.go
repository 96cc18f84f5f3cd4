package extract

import (
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// sectionKind returns the kind of the items below a heading, or below a line that introduces a list.
func sectionKind(heading string) mem.Kind {
	l := " " + strings.Trim(strings.ToLower(chars.Line(heading)), "#*:： ") + " "
	if len(strings.Fields(l)) > 8 {
		return ""
	}
	switch {
	case lang.ContainsAny(l, "question", "frage", "pregunta", "質問", "问题列表"):
		return ""
	case lang.ContainsAny(
		l, "follow-up", "follow up", "todo", "to do ", "next step", "what's left", "what is left", "remaining",
		"still open", "not done", "not included", "left out", "did not do", "didn't do", "leftover", "outstanding",
		"deferred", "noch offen", "offene punkte", "nächste schritte", "noch zu tun", "reste à faire",
		"prochaines étapes", "pendiente", "próximos pasos", "残り", "残作業", "今後", "次のステップ", "待办", "后续", "下一步", "未完成",
	),
		l == " open ",
		l == " next ",
		l == " todo ",
		l == " later ",
		l == " weiter ",
		lang.ContainsAny(l, " open items ", " open points ", " offen "):
		if reports(l) { // what was done to a list of work
			return ""
		}
		return mem.Todo
	case lang.ContainsAny(l, "decisi", "entscheidung", "décision", "決定", "决定", "what i chose", "choices", "the design",
		"design notes", "by design"):
		return mem.Decision
	case lang.ContainsAny(l, "root cause", " cause ", "what was wrong", "what went wrong", "the problem", "what happened",
		" problem ",
		" problems ", "diagnosis", "ursache", "problem war", "la cause", "le problème", " causa ", "el problema", "原因", "问题"),
		lang.HasAnyPrefix(l, "why it ", "why the ", "why this ", "warum ", "pourquoi ", "por qué "):
		return mem.ErrorFix
	case lang.ContainsAny(l, "gotcha", "caveat", "pitfall", "watch out", "things to know", "worth knowing", "careful",
		"be aware", "heads-up", "warning", "stolperfallen", "achtung", "pièges", "cuidado", "注意"):
		return mem.Gotcha
	case lang.ContainsAny(l, "convention", "konvention", "convenci", "規約", "约定"):
		return mem.Convention
	case lang.ContainsAny(l, "trade-off", "tradeoff", "downsides", "nachteile"):
		return mem.TradeOff
	}
	return ""
}

// leads reports whether a sentence only leads to what stands below it.
func (s Statement) leads() bool {
	return strings.HasSuffix(s.Text, ":") || strings.HasSuffix(s.Text, "：")
}

// Asks reports whether a text asks the person something.
func Asks(s string) bool {
	s = strings.TrimRight(s, " *_`)")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟") ||
		strings.HasPrefix(s, "¿") || strings.HasSuffix(s, "か。")
}

// offers reports whether a sentence offers to do something.
func offers(l string) bool { return cuesIn(l).Has(cueOffer) }

// thoughtOf reports whether a sentence only thinks of something.
func thoughtOf(l string) bool {
	c := cuesIn(l)
	return c.Has(cueThought) && !c.Has(cueMeant)
}

// thoughtOfList reports whether a line introduces things that are only thought of.
func thoughtOfList(l string) bool { return cuesIn(l).Has(cueIdeas) }

// announces reports whether a sentence announces what the assistant is about to do.
func announces(l string) bool { return cuesIn(l).Has(cueNarrate) }

// apologizes reports whether a sentence only takes a correction.
func apologizes(l string) bool { return cuesIn(l).Has(cueApology) }

// opensWithI reports whether a sentence is about what its author did.
func opensWithI(l string) bool { return cuesIn(l).Has(cueSelf) }

// was reports whether a sentence describes a past state.
func was(l string) bool { return cuesIn(l).Has(cuePast) }

// negated reports whether a sentence says that something was decided against, or not
// decided. With its reason it is a decision all the same.
func negated(l string) bool {
	c := cuesIn(l)
	return c.Has(cueAgainst) && !c.Has(cueReason)
}

// reports reports whether a sentence describes how the work went. What was done is in the memories of the changes
// already.
func reports(l string) bool { return cuesIn(l).Has(cueVerify, cueInventory, cuePraise) }

// withoutApology is a sentence without the taking of a correction that it begins
// with: "Good catch — the lock leaks."
func withoutApology(s string) string {
	for _, dash := range []string{" — ", " – ", " - ", "—"} {
		if sorry, rest, ok := strings.Cut(s, dash); ok && apologizes(lang.CueText(sorry)) &&
			lang.Width(sorry) < 2*MinStatement &&
			lang.Width(rest) >= MinStatement {
			return rest
		}
	}
	return s
}

// open reports whether a sentence names work that is left.
func open(l string) bool {
	c := cuesIn(l)
	switch {
	case c.Has(cueDisabled) && c.Has(cueForNow):
		return true
	case c.Has(cueClosed), announces(l):
		return false
	case c.Has(cueOpen):
		return true
	}
	if lang.HasAnyPrefix(strings.TrimLeftFunc(l, func(r rune) bool { return !unicode.IsLetter(r) }), "not ") &&
		lang.ContainsAny(l, " yet ", " yet.", " yet,") {
		return true
	}
	return strings.HasSuffix(strings.TrimRight(l, " ."), " yet") &&
		lang.ContainsAny(l, " is not ", " are not ", " isn't ", " aren't ", " has not ", " have not ", " hasn't ", " no ")
}
