package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/lang"
)

// decides reports whether a sentence tells what was chosen.
func decides(s Statement) bool {
	l := s.Bare
	if negated(l) {
		return false
	}
	if lang.ContainsAny(
		l, " decided ", "decision:", "going with ", " went with ", "we'll use ", "we will use ", " i preferred ",
		" i chose ", " we chose ", " chose to ", " chose the ", " chose a ", "settled on ", "opted for ", "opted to ",
		" i picked ", " we picked ", " i pinned ", " sticking with ", " ended up with ", " ended up using ",
		"deliberately", " on purpose", "intentionally", "switched to ", "switched back to ", "switched from ",
		"in favour of ", "in favor of ", "isn't worth", "is not worth", " entschieden", " bewusst ", "absichtlich",
		" gewählt", "entscheidung:", "volontairement", "j'ai choisi", "j'ai décidé", "on a choisi", "on a décidé",
		"nous avons choisi", "nous avons décidé", "opté pour", "a propósito", " decidí ", " decidimos ",
		"he decidido", "hemos decidido", " elegí ", " opté por", "hemos elegido", "ことにしました", "ことにし、", "を採用", "に決め",
		"决定", "选择了", "选用", "改用", "采用",
	) {
		return !abandoned(l)
	}
	if lang.ContainsAny(
		l, " instead of ", " rather than ", " over a ", " statt ", " anstelle ", "plutôt qu", "au lieu d",
		"en lugar de", "en vez de", "ではなく", "代わりに", "而不是", "而非",
	) &&
		!measured(l) {
		return because(l) && !reports(l) ||
			lang.ContainsAny(l, " use ", " uses ", " we use", " using ", " verwende", " nutze", " utilise", " usamos", " uso ",
				"使用", "用 ") && !abandoned(l) &&
				!reports(l)
	}
	return opensWithI(l) && because(l) &&
		!lang.ContainsAny(l, " wait", " could not", " couldn't", " suspected", " tried", " checked", " looked", " ran ") &&
		!abandoned(l)
}

// abandoned reports whether a sentence tells of a choice that did not last.
func abandoned(l string) bool {
	if !lang.ContainsAny(
		l, "at first", "initially", "originally", " i first ", " first tried", "started with", "zuerst", "anfangs",
		"d'abord", "au début", "al principio", "primero ", "最初", "起初",
	) {
		return lang.ContainsAny(l, "but dropped", "but reverted", "then reverted", "no longer planned", "aber verworfen")
	}
	_, then, ok := strings.Cut(l, ", but ")
	return !ok || !lang.ContainsAny(then, "decided", "chose", "settled", "went with", "switched to", "opted")
}

func trades(s Statement) bool {
	return lang.ContainsAny(
		s.Bare,
		"trade-off", "tradeoff", "trade off", "at the cost of", "downside", "the price for", "the price is",
		"the price of this", "the catch is", "in exchange for", "nachteil", "auf kosten", "der preis dafür",
		"inconvénient", "au prix d", "en contrepartie", "desventaja", "a costa de", "a cambio de", "トレードオフ", "代价",
		"缺点",
	)
}

// rules reports whether a sentence says how things are done in a project.
func rules(s Statement) bool {
	l := s.Bare
	if reports(l) {
		return false
	}
	if lang.ContainsAny(
		l, "by convention", "the convention", "our convention", "convention:", "must be named", "naming rule",
		"style rule", "rule of thumb", "konvention", "par convention", "por convención", "規約", "慣例", "约定", "规范是",
	) ||
		lang.HasAnyPrefix(
			l, "please don't", "please do not", "please always", "please never", "bitte nie", "bitte immer",
			"always ", "immer ", "toujours ", "siempre ",
		) {
		return true
	}
	here := lang.ContainsAny(
		l, "this repo", "this project", "this code base", "this codebase", "in here, ", "in diesem projekt",
		"in diesem repo", "dans ce projet", "dans ce dépôt", "en este proyecto", "en este repo", "このプロジェクト",
		"このリポジトリ", "本项目", "这个项目", "本仓库",
	)
	if here && !opensWithI(l) {
		return lang.ContainsAny(
			l, " keeps ", " uses ", " use ", " names ", " has ", " always ", " never ", " every ", " all ", " must ",
			" only ", " belongs ", " verwendet", " nutzt", " immer ", " jede", " utilise", " toujours", " jamais",
			" chaque", " usa ", " siempre ", " nunca ", " cada ", "必ず", "使い", "使用", "一律", "都",
		)
	}
	return lang.ContainsAny(l, " always ", " never ") &&
		lang.ContainsAny(
			l, " must ", " we always ", " we never ", " are always ", " is always ", " are never ", " is never ",
		) &&
		!ofThePast(l) &&
		!because(l) &&
		!lang.ContainsAny(l, ", so ")
}

// ofThePast reports whether a sentence with always or never tells of what was.
func ofThePast(l string) bool {
	return lang.ContainsAny(l, " was ", " were ", " did ", " had ", "could never")
}

// instructs reports whether a sentence says how something is done.
func instructs(s Statement) bool {
	l := s.Bare
	if lang.ContainsAny(l, "yourself", " verify", " to check", " to see ", "selbst prüfen") {
		return false
	}
	if lang.ContainsAny(l, "to run the ", "run it with", "can be run with", " how to ", "to reproduce") && !opensWithI(l) {
		return true
	}
	if !strings.Contains(s.Text, "`") {
		return lang.HasAnyPrefix(l, "to build ", "to run ", "to deploy ", "to test ")
	}
	if lang.HasAnyPrefix(l, "run ", "delete ", "remove ", "set ", "restart ", "drop ", "use ", "call ", "start ") &&
		lang.ContainsAny(l, " once ", " after ", " before ", " first", " whenever ", " when ") {
		return true
	}
	_, short, _ := strings.Cut(l, ": ")
	return (lang.HasAnyPrefix(l, "to ", "um ", "pour ", "para ") || lang.HasAnyPrefix(short, "to ", "um ", "pour ",
		"para ")) &&
		lang.ContainsAny(l, " run ", ", run", " use ", " add ", " set ", " call ", ", ", "führe", "lance", "ejecuta")
}

func reasons(s Statement) bool {
	l := s.Bare
	if lang.HasAnyPrefix(
		l, "that way", "this way", "auf diese weise", "so bleibt", "de cette façon", "ainsi,", "de esta forma",
		"así,",
	) &&
		s.before != "" {
		return true
	}
	if lang.ContainsAny(
		l, "the reason is", "this is because", "the reason for", "the reason why", "exists because", "stays because",
		"is there because", "der grund ist", "der grund dafür", "la raison est", "la razón es", "理由は", "理由是",
	) {
		return true
	}
	return lang.ContainsAny(l, " because ", ", since ", " weil ", "parce qu", "porque ", "からです", "因为", ", hence") &&
		!opensWithI(l) &&
		!reports(l) &&
		lang.Width(s.Text) >= 3*MinStatement
}

// measures reports whether a sentence gives a figure before and after.
func measures(s Statement) bool {
	l := s.Bare
	if !measured(l) {
		return false
	}
	n := 0
	for _, w := range strings.FieldsFunc(l, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' }) {
		if strings.ContainsAny(w, "0123456789") {
			n++
		}
	}
	return n >= 2
}

// measured reports whether a sentence compares two figures.
func measured(l string) bool {
	return figureAfter(l, " from ") && figureAfter(l, " to ") || figureAfter(l, " instead of ") ||
		figureAfter(l, " statt ") || figureAfter(l, "au lieu de ") || figureAfter(l, "en lugar de ") ||
		figureAfter(l, " down to ") ||
		figureAfter(l, " against ") ||
		figureAfter(l, " von ") && figureAfter(l, " auf ") ||
		figureAfter(l, " de ") && (figureAfter(l, " a ") || figureAfter(l, " à ")) ||
		figureAfter(l, "从 ") && figureAfter(l, "到 ") ||
		lang.ContainsAny(l, "times faster", "mal schneller", "fois plus rapide", "veces más rápid", "倍")
}

func figureAfter(l, word string) bool {
	for {
		_, rest, ok := strings.Cut(l, word)
		if !ok {
			return false
		}
		if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
		l = rest
	}
}

// places reports whether a sentence says where or how large something is.
func places(s Statement) bool {
	l := s.Bare
	if opensWithI(l) || reports(l) || !strings.Contains(s.Text, "`") && !strings.ContainsAny(s.Text, "0123456789/") {
		return false
	}
	return lang.ContainsAny(
		l, " defaults to ", " listens on ", " limit of ", " limit is ", " expires after", " expire after",
		" runs every ", " is generated from", " is generated by", " are generated ", " is configured in",
		" is served from", " is capped at", " times out after", " is kept in ", " are kept in ", " is stored in ",
		"läuft auf port", "écoute sur", "escucha en", "デフォルトは", "默认为", "默认是",
	)
}

// opensWithI reports whether a sentence is about what the assistant did.
func opensWithI(l string) bool {
	return lang.HasAnyPrefix(
		l, "i ", "i'", "we ", "we'", "ich ", "wir ", "j'", "je ", "nous ", "he ", "hemos ", "我", "私は",
	)
}

// reports reports whether a sentence tells how the work went: what it did is in
// the notes of the changes already.
func reports(l string) bool {
	return lang.ContainsAny(
		l, " all tests", "tests pass", "test passes", "tests still pass", "is green", "are green", " passes now",
		"successfully", "alle tests", "tous les tests", "todos los tests", "todas las pruebas",
	) ||
		lang.HasAnyPrefix(
			l, "done", "fixed", "rolled back", "documented", "implemented", "added", "renamed", "moved", "updated",
			"committed", "installed", "erledigt", "fertig", "c'est fait", "listo", "hecho", "完成", "完了",
		)
}

// describes reports whether a sentence says what a file of the turn, or one it
// names by its path, is for.
func (w TurnFacts) describes(s Statement) bool {
	l := s.Bare
	if opensWithI(l) || reports(l) || announces(l) || lang.Width(s.Text) < 2*MinStatement ||
		lang.ContainsAny(l, " now ", " now,", " now.", " jetzt ", " maintenant ", " ahora ") {
		return false
	}
	words := strings.Fields(s.Text)
	for i, word := range words[:len(words)-1] {
		name := strings.Trim(word, "`'\",.;:()")
		if ext := path.Ext(name); len(ext) < 2 || len(ext) > 5 ||
			!strings.Contains(name, "/") &&
				!slices.ContainsFunc(w.Files, func(f string) bool { return path.Base(f) == name }) {
			continue
		}
		if strings.HasSuffix(word, ",") || strings.HasSuffix(word, ".") {
			continue
		}
		switch strings.ToLower(strings.Trim(words[i+1], ",.")) {
		case "holds",
			"contains", "defines", "owns", "keeps", "handles", "drives", "loads", "parses", "expects", "assumes",
			"generates", "must", "ignores", "decides", "maps", "reads", "writes", "trusts", "needs", "requires",
			"enthält", "definiert", "erwartet", "contient", "définit", "contiene", "define",
			"espera":
			return true
		}
	}
	return false
}

// Observes reports whether a sentence of a subagent's report says something of
// the code, and not of its work.
func (w TurnFacts) Observes(s Statement) bool {
	l := s.Bare
	return strings.Contains(s.Text, "`") && lang.Width(s.Text) >= MinStatement && !opensWithI(l) && !Asks(s.Text) &&
		!offers(l) &&
		!thoughtOf(l) &&
		!reports(l)
}
