package extract

import (
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Instruction reports whether a sentence of the person lays something down, and its kind. It has to contain words that
// name a rule, a choice or the wish to have it remembered; an outburst alone does not count.
func Instruction(s string) (mem.Kind, bool) {
	if lang.Width(s) < 12 || len([]rune(s)) > MaxStatement || Asks(s) {
		return "", false
	}
	l := lang.CueText(s)
	if offers(l) || RefersBack(l) ||
		lang.ContainsAny(
			l, " we could ", " maybe ", " perhaps ", "vielleicht", "peut-être", "quizás", "也许", " if we ", "what if",
		) {
		return "", false
	}
	switch {
	case lang.ContainsAny(l, " remember that ", " remember: ", "note for later", "for the record", "keep in mind",
		"merk dir", "merke dir", "denk daran, dass", "zur info fürs nächste mal", "souviens-toi", "retiens que",
		"pour mémoire", "recuerda que", "ten en cuenta que", "覚えておいて", "记住", "请记得"):
		return mem.Fact, true
	case negated(l):
		return "", false
	case staysWith(l) || lang.ContainsAny(l, " we decided ", " we've decided ", " let's go with ", " we go with ",
		" we will use ", " we'll use ", " the decision is ", "wir haben uns entschieden", "wir haben entschieden",
		"wir nehmen ab jetzt", "on a décidé", "nous avons décidé", "on part sur", "hemos decidido", "decidimos ",
		"vamos con ", "ことにします", "に決めました", "我们决定", "就用"):
		return mem.Decision, true
	case lang.ContainsAny(l, " from now on", " our convention", " the convention ", " we use ", " we always ",
		" we never ", " our style ", " by default we ", "ab jetzt ", "ab sofort", "von nun an", "wir verwenden",
		"wir benutzen", "wir nutzen", "désormais", "dorénavant", "on utilise", "nous utilisons", "a partir de ahora",
		"siempre usamos", "nosotros usamos", "usamos siempre", "今後は", "これからは", "以后", "从现在起", "我们使用", "我们一律"):
		return mem.Convention, true
	case lang.HasAnyPrefix(l, "never mind", "nevermind", "never say never", "always a pleasure", "always nice",
		"always good", "always happy", "immer gern", "immer wieder", "toujours un plaisir", "siempre un placer"):
		return "", false
	case lang.HasAnyPrefix(l, "always ", "never ", "immer ", "niemals ", "toujours ", "ne jamais ", "siempre ", "nunca "):
		return mem.Convention, true
	case lang.ContainsAny(l, ", never ", " and never ", " but never ", ": never ", " please never ", " please always ",
		", always ", " and always ", " und immer ", " und nie ", " bitte immer ", " bitte nie", " et jamais ",
		" et toujours ", " y nunca ", " y siempre "):
		return mem.Convention, true
	case lang.ContainsAny(l, ", nie ", ", niemals ", ", jamais ", ", nunca ") && lang.ContainsAny(l, " immer ", " stets ",
		" nur ", " toujours ", " siempre ", " sólo ") && !was(l):
		return mem.Convention, true
	case asksFirst(l):
		return mem.Convention, true
	case lang.ContainsAny(l, " i prefer ", " i'd rather ", " i always want ", " i never want ", "ich bevorzuge",
		"mir ist lieber", "je préfère", "prefiero ", "の方が好き", "我更喜欢", "我偏好", "我喜欢"):
		return mem.Preference, true
	}
	return "", false
}

// RefersBack reports whether a sentence only wants what stands before it to be
// remembered.
func RefersBack(l string) bool {
	l = strings.TrimSpace(strings.Trim(l, " .!"))
	for _, please := range []string{"and ", "please ", "pls ", "und ", "bitte "} {
		l = strings.TrimPrefix(l, please)
	}
	return lang.ContainsAny(
		"|remember that|remember this|remember it|remember that please|remember that pls|keep that in mind|keep this in "+
			"mind|merk dir das|merk dir das bitte|merke dir das|souviens-toi de ça|retiens ça|recuérdalo|recuerda "+
			"eso|recuerda esto|覚えておいて|记住|记住这个|",
		"|"+l+"|",
	)
}

// staysWith reports whether a sentence says what it is to stay with, by its name.
func staysWith(l string) bool {
	return lang.ContainsAny(
		l, " we stay with ", " we'll stay with ", " we stick with ", " we'll stick with ", " let's stay with ",
		" let's stick with ", " wir bleiben bei ", " bleiben wir bei ", " on reste sur ",
	) &&
		!lang.HasAnyPrefix(l, "can ", "could ", "should ", "shall ") &&
		!lang.ContainsAny(l, " option", " plan ", " it ", " this ", " that ", " one ", " dem ", " der ")
}

// asksFirst reports whether a sentence says what is not to be done without asking.
func asksFirst(l string) bool {
	return cuesIn(l).Has(cueNorm) && !opensWithI(l) && lang.ContainsAny(
		l, " without asking", " ohne zu fragen", " ohne mich zu fragen", " ohne rückfrage", " sans demander",
		" sans me demander", " sin preguntar",
	)
}

// describesProblem reports whether a sentence describes a bad state of something.
func describesProblem(l string) bool {
	return lang.ContainsAny(
		l, " red ", " red.", " green", " broken", " fail", "error", " bug", " flaky", " slow", " missing",
		" outdated", " them ", " them.", " pass", " rot ", " kaputt", " langsam", "fehler", "problem", "erreur",
		" lent", " cassé", " lento",
	)
}

// Corrections are the sentences by which a person corrects what was done. One is
// an event of its day; only what is said again is how the person wants it.
func Corrections(text string) []string {
	var out []string
	for _, s := range Sentences(text) {
		l := lang.CueText(s)
		if Asks(s) || len([]rune(s)) > 160 {
			continue
		}
		statement, no := withoutNo(s, l)
		if (no || lang.ContainsAny(l, " not ", " instead of ", " rather than ", " stop using ", "don't use ", "statt ",
			"nicht ", " pas ", "au lieu d", "en lugar de", "ではなく", "不要", "而不是")) &&
			lang.ContainsAny(l, " use ", " using ", " nimm ", " verwende ", " benutze ", " utilise ", " usa ", "使って", "使用",
				"用") {
			out = append(out, statement)
		}
	}
	return out
}

// TrimNo is a sentence without the no before what it lays down: "No, never npm."
// Without a stop behind it the no is part of it: "no secrets in the repo".
func TrimNo(s string) string {
	no, rest, ok := strings.Cut(s, " ")
	if !ok || !lang.ContainsAny("|no|nope|nein|nee|non|", "|"+strings.ToLower(strings.TrimRight(no, ",.!"))+"|") ||
		strings.TrimRight(no, ",.!") == no {
		return s
	}
	return strings.TrimSpace(rest)
}

// Corrects reports whether a prompt begins with a no to something that was decided
// just before and names it: "No, validate on submit.", or says that it is to be otherwise: "It should not be in the
// header but below."
func Corrects(prompt, decision string) bool {
	said := chars.Clip(chars.FirstLine(prompt), MaxStatement)
	rest := TrimNo(said)
	return (rest != said || contrasts(lang.CueText(said))) && turnsOn(rest, decision)
}

// contrasts reports whether a text says what something is not to be, and what instead.
func contrasts(l string) bool {
	for not, but := range map[string][]string{
		" not ": {" but ", " instead"}, "n't ": {" but ", " instead"}, " nicht ": {" sondern "}, " kein": {" sondern "},
		" pas ": {" mais "}, " no ": {" sino "}, " não ": {" mas sim ", " e sim "}, " non ": {" bensì ", " ma "},
		" не ": {", а "}, "不": {"而是"}, "ではなく": {""},
	} {
		if _, rest, ok := strings.Cut(l, not); ok && lang.ContainsAny(rest, but...) {
			return true
		}
	}
	return false
}

// ChangesMind reports whether a prompt names something that was decided and says
// that it is to be otherwise by now: "They want parquet after all."
func ChangesMind(prompt, decision string) bool {
	return slices.ContainsFunc(Sentences(prompt), func(s string) bool {
		return lang.ContainsAny(
			lang.CueText(s),
			" after all", " changed my mind", " on second thought", " doch lieber ", " doch besser ",
			" à la réflexion", " pensándolo bien", "やっぱり",
		) &&
			turnsOn(s, decision)
	})
}

// turnsOn reports whether a sentence speaks of something that was decided, and
// not in favour of it.
func turnsOn(s, decision string) bool {
	return !Asks(s) &&
		!lang.ContainsAny(
			lang.CueText(s),
			" keep ", " leave ", " stay", " fine", " good", " right", " behalte", " lass ", " bleib", " gut",
			" garde", " laisse", " deja ",
		) &&
		CountShared(rank.Terms(s), rank.Terms(decision)) >= 2
}

// ForbidsCommand reports whether a prompt forbids what a command does: "never
// force-unlock without asking".
func ForbidsCommand(prompt, command string) bool {
	does := strings.Fields(strings.ToLower(command))
	for _, s := range Sentences(prompt) {
		if Asks(s) {
			continue
		}
		for _, never := range []string{" never ", " don't ", " do not ", " nie ", " niemals ", " jamais ", " nunca "} {
			who, what, _ := strings.Cut(lang.CueText(s), never)
			if strings.HasSuffix(who, " you") || lang.ContainsAny(what, " again", " yet", " now", " already") {
				continue // a reproach, or said of this once
			}
			words := strings.Fields(strings.NewReplacer(",", " ", ".", " ", "!", " ").Replace(what))
			for len(words) > 0 && lang.ContainsAny("|ever|just|please|use|run|do|call|", "|"+words[0]+"|") {
				words = words[1:]
			}
			if len(words) > 0 && slices.Contains(does, words[0]) &&
				(strings.Contains(words[0], "-") || len(words) > 1 && slices.Contains(does, words[1])) {
				return true
			}
		}
	}
	return false
}

// withoutNo is a sentence without the no that it begins with.
func withoutNo(s, l string) (string, bool) {
	for _, no := range []string{
		"no,", "no!", "no ", "nope,", "nein,", "nein!", "nein ", "non,", "non ", "不，", "不是，",
		"いや、", "いいえ、",
	} {
		if lang.HasAnyPrefix(l, no) && len(s) > len(no) {
			return strings.TrimSpace(s[len(no):]), true
		}
	}
	return s, false
}

// SameCorrection reports whether two corrections ask for the same.
func SameCorrection(a, b string) bool {
	x, y := rank.Terms(a), rank.Terms(b)
	both := CountShared(x, y)
	return both > 0 && both >= min(len(x), len(y), 2)
}

// Complains reports whether a prompt reports that something is wrong or slow, or
// asks why it is.
func Complains(prompt string) bool {
	l := lang.CueText(prompt)
	if lang.ContainsAny(
		l, "why do we ", "why did we ", "why is there", "why are there", "why have we", "warum haben wir",
		"pourquoi avons-nous", "por qué tenemos",
	) {
		return false
	}
	return lang.ContainsAny(
		l, "fail", "error", "bug", " why ", "slow", "broke", "crash", "wrong", " leak", " down", "stuck", "flaky",
		" twice", " lose", "doesn't", "does not", "do not ", "don't ", "isn't", "cannot", "can't", "throws",
		"exception", "timeout", "time out", "killed", " 500", " 413", " 404", " 502", "warning", "too long",
		"too much", "faster", "takes ", " invalid", "undefined", " memory", " is full", "échoue", "échec",
		"schlägt fehl", "fight", "escapes", "wobbl", " off by", "segfault", "again", "no longer",
		"only in production", "locked", "missing", "problem", "fehler", "kaputt", "langsam", "doppelt", "findet",
		"nicht ", "warum", "stürzt", "erreur", "lent", "coupe", "pourquoi", "plante", "marche pas", "falla", "lento",
		"salen mal", "por qué", "no funciona", "エラー", "遅い", "失敗", "なぜ", "落ち", "错误", "超时", "慢", "失败", "为什么", "崩溃",
		"问题",
	)
}
