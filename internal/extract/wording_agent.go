package extract

import (
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// The cues are in the six languages that the labelled turns are in. A cue that
// is only part of a word in one language and means something else there has
// spaces around it.

// TurnFacts is what the wording is judged by besides itself.
type TurnFacts struct {
	Reported bool     // the person reported a problem
	Trouble  bool     // they did, or a command failed
	Solved   bool     // a command that failed passes again
	Files    []string // that the turn changed
}

// Meaning tells what kind of statement of the assistant's a sentence is. What
// is asked, only thought of, somebody else's word or told of the work itself is
// none, and so are most others.
func (w TurnFacts) Meaning(s Statement) (mem.Kind, bool) {
	if n := lang.Width(s.Text); n < MinStatement || n > 2*MaxStatement || len([]rune(s.Text)) > MaxStatement {
		return "", false
	}
	l := s.Bare
	if s.doubt || s.leads() || Asks(s.Text) || offers(l) || takenBack(s.after) {
		return "", false
	}
	if lang.ContainsAny(l, " root cause ", " culprit ", "根本原因", "原因は", "原因是") && !thoughtOf(l) && !reported(l) {
		return mem.ErrorFix, true
	}
	switch {
	case open(l) && s.stands == aside:
		return "", false
	case open(l):
		return mem.Todo, true
	}
	if thoughtOf(l) || reported(l) || announces(l) {
		return "", false
	}
	switch {
	case warns(s):
		return mem.Gotcha, true
	case names(s):
		return mem.ErrorFix, true
	case decides(s):
		return mem.Decision, true
	case trades(s):
		return mem.TradeOff, true
	case rules(s):
		return mem.Convention, true
	case limits(s):
		return mem.Gotcha, true
	case instructs(s):
		return mem.Howto, true
	case places(s):
		return mem.Fact, true
	case s.under == mem.Todo && s.stands >= suggested:
		return "", false
	case s.under != "" && s.first && !negated(l) && !reports(l):
		return s.under, true
	case w.Explains(s):
		return mem.ErrorFix, true
	case gone(s):
		return mem.Gotcha, true
	case reasons(s):
		return mem.Rationale, true
	case measures(s), notices(s):
		return mem.Discovery, true
	}
	if w.describes(s) {
		return mem.FileNote, true
	}
	return "", false
}

// sectionKind tells what a heading, or a line that introduces a list, says that
// the items below it are.
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
		" problem ", "diagnosis", "ursache", "problem war", "la cause", "le problème", " causa ", "el problema", "原因", "问题"),
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
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasPrefix(s, "¿") ||
		strings.HasSuffix(s, "か。")
}

// offers reports whether a sentence offers to do something.
func offers(l string) bool {
	return lang.ContainsAny(
		l, "let me know", "if you'd like", "if you like", "if you want", "would you like", "want me to ", "happy to ",
		"shall i ", "should i ", "do you want", "feel free", "sag bescheid", "wenn du möchtest", "wenn du willst",
		"soll ich", "dis-moi", "si tu veux", "si vous voulez", "avísame", "si quieres", "お知らせください", "ご希望", "如果你",
		"需要我",
	)
}

// thoughtOf reports whether a sentence only thinks of something.
func thoughtOf(l string) bool {
	if lang.ContainsAny(
		l, " we could ", " i could ", " you could ", " one could ", " it could ", " this could ", " that could ",
		" could be ", " might ", " maybe ", " perhaps ", " possibly ", "one option", "another option", "an option",
		"alternatively", "i'd suggest", "i would suggest", "i suggest", "i'd recommend", "i would ", "i'd ", " we'd ",
		" you'd ", " would need ", " would be ", "probably ", "not sure", "some day", "someday", "consider ",
		"vielleicht", " könnte", "wäre ", "würde ich", " ich würde ", "eventuell", "peut-être", "pourrait",
		"pourrions", "faudrait peut", "quizás", "tal vez", "podría", "かもしれ", "と思われ", "也许", "或许", "可能是", "可以考虑",
	) {
		return !lang.ContainsAny(
			l, " could not ", "couldn't", "could never", " i decided", " we decided", " i chose", " we chose",
		)
	}
	return false
}

// thoughtOfList reports whether a line introduces things that are only thought of.
func thoughtOfList(l string) bool {
	return lang.ContainsAny(
		l, "possibilit", " options", " ideas", "candidates", "alternatives", "suggestion", "remarks", "nits",
		"möglichkeiten", "vorschläge", "pistes", "opciones", "ideas", "可能",
	)
}

// reported reports whether a sentence tells what somebody or something else says.
func reported(l string) bool {
	return lang.ContainsAny(
		l, " says", " said ", " say that", "according to", "claims ", " suggests ", " recommends ", "usual advice",
		" wrote:", " wrote that", " describes ", " asks for", " asks us", " laut ", " besagt", " sagt,", " steht in ",
		"selon ", "d'après", " dit que", "según ", " dice que", "によると", "と書かれ", "根据", "上说", "指出", "the issue ",
		"the ticket ", "the article", " you asked", " you told", "as you wanted", "du wolltest", "du hattest gebeten",
		"tu as demandé", "tu m'as dit", "me pediste", "me dijiste",
	)
}

// announces reports whether a sentence tells what the assistant is about to do.
func announces(l string) bool {
	return lang.HasAnyPrefix(
		l, "i'll ", "i will ", "let me ", "let's ", "now i'll", "i am going to", "i'm going to", "next, i", "next i",
		"first, i'll", "ich werde ", "je vais ", "voy a ",
	)
}

// apologizes reports whether a sentence only takes a correction.
func apologizes(l string) bool {
	return lang.HasAnyPrefix(
		l, "you're right", "you are right", "you're absolutely right", "you are absolutely right", "good catch",
		"sorry", "apologies", "my apologies", "i apologize", "thanks for ", "thank you for ", "you're welcome",
		"du hast recht", "sie haben recht", "entschuldigung", "tut mir leid", "tienes razón", "perdón", "lo siento",
		"tu as raison", "vous avez raison", "désolé", "申し訳", "すみません", "抱歉", "对不起", "你说得对",
	)
}

// promises reports whether a sentence takes a correction and says what the
// assistant did, or will do now: "Understood, I won't do that again."
func promises(l string) bool {
	return (apologizes(l) || lang.HasAnyPrefix(l, "understood", "got it", "noted", "verstanden", "alles klar", "compris",
		"entendido")) &&
		lang.ContainsAny(l, " i ", " i'll ", " i won't ", " i've ", " ich ", " je ", " j'")
}

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

// negated reports whether a sentence says that something was decided against, or
// not decided. With its reason it is a decision all the same.
func negated(l string) bool {
	return lang.ContainsAny(
		l, "decided not to", "decided against", "chose not to", "not decided", "n't decided", "undecided",
		"no decision", "not going with", "entschieden, nicht", "dagegen entschieden", "nicht entschieden",
		"décidé de ne pas", "pas décidé", "decidí no ", "decidimos no ", "decidido no ", "しないことに", "决定不", "没有决定",
		"尚未决定",
	) &&
		!because(l)
}

// takenBack reports whether a sentence takes back what the one before it said.
func takenBack(next string) bool {
	l := lang.CueText(next)
	return lang.ContainsAny(
		l, "reverted that", "reverted it", "i dropped that", "dropped it again", "backed it out", "backed that out",
		"undid that", "scrapped", "that did not work out", "that didn't work out", "wieder verworfen",
		"rückgängig gemacht", "abandonné", "descarté", "撤销了", "やめました",
	)
}

// because reports whether a sentence gives a reason.
func because(l string) bool {
	return lang.ContainsAny(
		l, " because ", ", since ", " since it", " since we", " since the", " since a ", ", as ", " so that ",
		" to avoid ", "hence", " weil ", ", da ", "parce qu", ", car ", " afin ", " puisque", "porque ", " ya que",
		"para que", "ため", "からです", "ので", "因为", "以便", "由于",
	)
}

// open reports whether a sentence names work that is left.
func open(l string) bool {
	if lang.ContainsAny(
		l, "commented out", "disabled", "skipped", "hard-coded", "hardcoded", " needs to be ", " need to be ",
	) &&
		lang.ContainsAny(l, " for now", "before the next", "next release", " later", "manually") {
		return true
	}
	if lang.ContainsAny(
		l, "nothing left", "nothing else", "nothing open", "nothing remaining", "no follow-up", "no todo",
		"nothing to do", "i have not", "i haven't", "i did not", "i didn't", "not changed", "no remaining",
		"nichts mehr offen", "rien à faire", "nada pendiente", "remaining tests pass",
	) {
		return false
	}
	if announces(l) {
		return false
	}
	if lang.HasAnyPrefix(strings.TrimLeftFunc(l, func(r rune) bool { return !unicode.IsLetter(r) }), "not ") &&
		lang.ContainsAny(l, " yet ", " yet.", " yet,") {
		return true
	}
	return lang.ContainsAny(
		l, "still open", "still need", "still miss", "still has to", "still have to", "still lacks", "todo:",
		" to do:", "still to do", "yet to be", "left for later", "follow-up pr", "in a separate pr", "its own pr",
		"a separate pr", "untested", "no tests for", "not included", "remaining:", " remains to", "remaining work",
		"what's left", "what is left", "left to do", "left open", "next step", "follow-up", "follow up", " not yet ",
		"not done yet", " yet:", "next:", "is pending", "are pending", "has only run", "have to be computed",
		"needs to be done", "need an exemption", "you'll need to", "you will need to", "you still have to",
		"musst du", "müsst ihr", "noch offen", "offen ist", "offen bleibt", "bleibt offen", "noch nicht",
		"fehlt noch", "fehlen noch", "muss noch", "müssen noch", "steht noch aus", "stehen noch aus", "als nächstes",
		"il reste", "reste à", "restent à", "reste :", "pas encore", "queda pendiente", "quedan pendiente",
		"pendiente de", "falta revisar", "falta añadir", "falta hacer", "falta probar", "faltan ", "queda por",
		"quedan por", "todavía no", "aún no", "falta por", "未対応", "未着手", "まだ", "残っています", "残りは", "还没有", "尚未", "还需要",
		"待办", "下一步", "未完成", "剩下的",
	) ||
		strings.HasSuffix(strings.TrimRight(l, " ."), " yet") &&
			lang.ContainsAny(
				l, " is not ", " are not ", " isn't ", " aren't ", " has not ", " have not ", " hasn't ", " no ",
			)
}

// warns reports whether a sentence says so itself that it warns.
func warns(s Statement) bool {
	l := s.Bare
	if lang.ContainsAny(
		l, "careful", "beware", "watch out", "gotcha", "caveat", "pitfall", "be aware", "heads-up", "heads up",
		"keep in mind", "to know:", "note that", "worth knowing", "bear in mind", "easy to miss", "easy to forget",
		"don't forget", "make sure to", "be sure to", "remember to", " hazard", "order matters", "position matters",
		"same pattern", "same bug", "same problem", "achtung", "vorsicht", "aufgepasst", "beachte", "attention :",
		"attention:", "à noter", "cuidado", " ojo:", " ojo,", "atención:", "ten en cuenta", "注意：", "注意:", "注意点",
		"请注意", "小心",
	) {
		return !reports(l)
	}
	return lang.HasAnyPrefix(
		l, "⚠", "❗", "note:", "nb:", "fyi:", "important:", "warning:", "hinweis:", "nota:", "wichtig:", "important :",
		"importante:", "重要",
	)
}

// limits reports whether a sentence names a limit that somebody else will run into.
func limits(s Statement) bool {
	l := s.Bare
	if lang.ContainsAny(
		l, "does not work", "doesn't work", "do not work", "don't work", "does not help", "doesn't help",
		"did not help", "didn't help", "made no difference", "must not ", "must never ", "only works", "only work ",
		"breaks if", "breaks when", "fails if", "fails when", "fails unless", ", otherwise", "; otherwise",
		", or else", "needs a restart", "requires a restart", " refuses to ", " refuses the", "is not enough",
		"are not enough", "can never be", "cannot be undone", "not supported", "no longer support", "has no effect",
		"have no effect", "is ignored", "are ignored", "ignored unless", "not thread-safe", "case-sensitive",
		"waiting to happen", "deadlock", "vulnerab", "will break", "will fail", "would break", "depends on the order",
		"the other way round fails", "panics on", "panics if", "panics when", " has to be on the same",
		"have to be on the same", "darf nicht", "dürfen nicht", "funktioniert nicht", "geht nur", ", sonst ",
		"ne fonctionne pas", "ne marche pas", ", sinon", "ne doit pas", "ne doivent pas", "no funciona", ", si no ",
		"de lo contrario", "no debe ", "しないと", "なければならない", "しなければ", "できません", "动作しません", "否则", "必须先", "不能",
	) {
		return !reports(l)
	}
	if lang.HasAnyPrefix(l, "if ", "once ", "wenn ", "falls ", "si ") &&
		lang.ContainsAny(l, " will ", " wird ", " werden ") &&
		!lang.ContainsAny(l, " you ", " du ", " sie ") {
		return !reports(l)
	}
	if lang.HasAnyPrefix(l, "don't ", "do not ", "never ", "nie ", "niemals ", "ne jamais", "nunca ") {
		return len(strings.Fields(l)) > 5
	}
	return lang.ContainsAny(l, " has to ", " have to ", " must ", " need to ", " needs the ", " needs every ") &&
		lang.ContainsAny(l, ", so ", "because", ": ", ", hence", "; ", "before") &&
		!opensWithI(l)
}

// gone reports whether a sentence says that something is not there any more.
func gone(s Statement) bool {
	return lang.ContainsAny(s.Bare, "no longer exist", "does not exist any") && !reports(s.Bare)
}

// notices reports whether a sentence tells what was come across.
func notices(s Statement) bool {
	return lang.ContainsAny(
		s.Bare,
		"i noticed that", "i found that", "i found out", "i came across", "contrary to", "surprisingly",
		"despite its name", "mir ist aufgefallen", "überraschend", "j'ai remarqué", "j'ai découvert",
		"contrairement à", "he notado", "me di cuenta", "al contrario de", "気づき", "わかりました", "我发现", "发现了",
	)
}

// names reports whether a sentence says so itself that it names what was wrong,
// and does: "Found it and fixed it." names nothing.
func names(s Statement) bool {
	return (len(rank.Terms(s.Text)) > 2 || strings.Contains(s.Text, "`")) &&
		lang.ContainsAny(
			s.Bare,
			"root cause", " culprit", "the problem was", "the issue was", "the bug was", "the cause was",
			"the reason was", "the error was", "the mistake was", "the limit was", "the leak was", "the failure was",
			"was caused by", "were caused by", "is caused by", "the error came from", "came from", "stemmed from",
			"traced it to", "traced this to", "traced that to", "tracked it down to", "boiled down to", "turned out",
			"turns out", "fixed by", "the fix was", "the fix is", " fixed it", "found it:", "that is what broke",
			"one real problem", "that's what", "ursache", "lag an ", "lag daran", "das problem war", "der fehler war",
			"schuld war", "war falsch", "la cause ", "le problème était", "le problème venait", "venait de",
			"venait du", "était dû", "causé par", "provoqué par", "la causa ", "el problema era", "el error era",
			"el fallo era", "se debía a", "原因", "问题在于", "问题出在", "是由于",
		)
}

// Explains reports whether a sentence explains what was wrong, in a turn in which
// something was.
func (w TurnFacts) Explains(s Statement) bool {
	l := s.Bare
	if !w.Trouble || opensWithI(l) || promises(l) || reports(l) || reported(l) {
		return false
	}
	if strings.Contains(s.Text, "`") &&
		lang.ContainsAny(
			l, " makes ", " causes ", " forces ", " triggers ", " führt dazu", " zwingt ", " verursacht ",
			" provoque ", " oblige ", " hace que ", " provoca ",
		) &&
		!lang.HasAnyPrefix(l, "this ", "that ", "it ", "das ", "dies ") &&
		!lang.ContainsAny(l, " now ", "faster", "easier", "safe", " test", "schneller", "plus rapide") {
		return true
	}
	return lang.ContainsAny(
		l, " because ", ", so ", " so nobody", " so every", ", hence", "that's why", "that is why", "which is why",
		" therefore", ", while ", " regression", "introduced in", "introduced by", " was missing", "misconfigured",
		"off by one", " weil ", "deshalb", "daher", "parce qu", ", car ", "du coup", "porque ", "por eso", "así que",
		"ため", "ので", "因为", "所以", "导致",
	) ||
		strings.Contains(l, ": ") && was(l)
}

// was reports whether a sentence tells how something was.
func was(l string) bool {
	return lang.ContainsAny(
		l, " was ", " were ", " had ", " did ", " war ", " waren ", " hatte", " était", " avait", " era ", " había",
	)
}

// did reports whether an English sentence tells what something did: not what is
// done to it.
func did(l string) bool {
	before := ""
	for _, w := range strings.Fields(l) {
		if strings.HasSuffix(w, "ed") && len(w) > 4 && !lang.ContainsAny("|is|are|be|been|being|gets|", "|"+before+"|") {
			return true
		}
		before = w
	}
	return false
}

// Tells reports whether a sentence may tell what was wrong where none says so:
// it speaks of what the code did or did not do, and not of what was done now.
func (w TurnFacts) Tells(s Statement) bool {
	l := s.Bare
	if !w.Trouble || lang.Width(s.Text) < 2*MinStatement || s.doubt || Asks(s.Text) || opensWithI(l) || promises(l) ||
		lang.HasAnyPrefix(l, "it ", "the fix", "all ", "done") ||
		reports(l) ||
		thoughtOf(l) ||
		reported(l) ||
		offers(l) ||
		open(l) ||
		lang.ContainsAny(l, " now ", " now.", " now,", " jetzt ", " maintenant ", " ahora ", " tests", " passes", " gone",
			"现在", "今は") {
		return false
	}
	lacks := lang.ContainsAny(
		l, " only ", " never ", " not ", "n't ", " without ", " missing", " wrong", " rejects ", " ignores ",
		" already ", " still ", " no ", " nicht ", " nie ", " kein", " nur ", " ohne ", " fehlte", " ne ", " pas ",
		" jamais ", " aucun", " sans ", " sólo ", " nunca ", " sin ", "没有", "只", "なかった", "だけ",
	)
	return lacks || w.Solved && strings.Contains(s.Text, "`") && (w.Reported || was(l) || did(l))
}
