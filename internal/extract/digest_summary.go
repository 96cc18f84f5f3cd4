package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/lang"
	"remanence/internal/rank"
)

// Bounds of the parts of a summary, in characters.
const (
	MaxPartOfTurn    = 200
	MaxPartOfSession = 400
)

// SummaryTag tags summaries of turns and of sessions.
const SummaryTag = "session-summary"

// IsTrivial reports whether a turn in which nothing was done says next to nothing.
func IsTrivial(prompt, answer string) bool {
	answer = strings.TrimSpace(answer)
	if utf8.RuneCountInString(answer) < MinAnswer || asksForStatus(prompt) { // that only says again what is known
		return true
	}
	return utf8.RuneCountInString(answer) < leastTalk && (rank.Courtesy(prompt) || greets(prompt))
}

// greets reports whether a prompt is a greeting or thanks and asks for nothing.
func greets(prompt string) bool {
	l := lang.CueText(prompt)
	return len(strings.Fields(l)) < 8 && !strings.ContainsAny(prompt, "?？`/") &&
		lang.HasAnyPrefix(
			l, "hi ", "hi,", "hi!", "hello", "hey", "thanks", "thank you", "good morning", "morning", "hallo", "moin",
			"servus", "danke", "guten ", "bonjour", "salut", "merci", "hola", "gracias", "buenos", "おはよう", "こんにちは",
			"ありがとう", "你好", "谢谢",
		)
}

// JoinParts joins sentences and parts of them.
func JoinParts(parts []string) string {
	return strings.ReplaceAll(strings.Join(parts, "; "), ".; ", "; ")
}

// Parts are what JoinParts joined, or smaller parts of that. A command in backquotes is not divided.
func Parts(joined string) (out []string) {
	for _, part := range strings.Split(joined, "; ") {
		if i := len(out) - 1; i >= 0 && strings.Count(out[i], "`")%2 == 1 {
			out[i] += "; " + part
			continue
		}
		out = append(out, part)
	}
	return out
}

// Marks of the parts of a summary that name what other memories hold: changed files, a command that was fixed, one that
// works now, a commit, the plan that was carried out. Commands are in backquotes.
const (
	ChangedPrefix   = "changed "
	FixedPrefix     = "fixed: "
	WorksNowSuffix  = " works now"
	CommittedPrefix = "committed "
	PlannedPrefix   = "implemented: "
)

// Opening returns the first sentence of an answer that describes the result of the work. "Done." or "You're right,
// sorry about that." do not, nor does a guess.
func Opening(answer string) string { return opening(answer, false) }

// OpeningItem is Opening for an answer whose result stands in a list.
func OpeningItem(answer string) string { return opening(answer, true) }

func opening(answer string, lists bool) string {
	all := Statements(answer)
	var open []Option // nothing came of what is put to choice
	if opts := optionsOf(answer); weighs(all, opts, proposed(all)) {
		open = opts
	}
	all = slices.DeleteFunc(all, func(s Statement) bool { return (s.list > 0) != lists })
	i := openingOf(all, open, false)
	if i < 0 {
		i = openingOf(all, open, true)
	}
	if i < 0 {
		return ""
	}
	return strings.TrimRight(withoutApology(all[i].Text), ":：")
}

// Remedy returns the first sentence of an answer that says what was done about a problem, else the item of a list that
// does.
func Remedy(answer string) string {
	for _, s := range Statements(answer) {
		if s.cues.Has(cueFix) && openingOf([]Statement{s}, nil, false) == 0 {
			return strings.TrimRight(withoutApology(s.Text), ":：")
		}
	}
	if item := OpeningItem(answer); !DescribesProblem(item) {
		return item
	}
	return ""
}

// DescribesProblem reports whether a text says what was wrong, and not what was done about it.
func DescribesProblem(text string) bool {
	all := Statements(text)
	return len(all) > 0 && all[0].describesProblem()
}

func (s Statement) describesProblem() bool {
	named := lang.HasAnyPrefix(
		strings.TrimPrefix(s.Bare, " the "), "bug", "problem", "issue", "symptom", "fehler", "problème", "le problème",
		"el problema", "問題", "问题",
	)
	return (named || s.cues.Has(cueCause)) && !s.cues.Has(cueFix)
}

// openingOf is the place of that sentence; -1 if there is none. Without report, one that only reports that the work was
// checked is passed over.
func openingOf(all []Statement, open []Option, report bool) int {
	return slices.IndexFunc(all, func(s Statement) bool {
		s.Text = withoutApology(s.Text)
		s.Bare = lang.CueText(s.Text)
		return lang.Width(s.Text) >= MinStatement && !Asks(s.Text) && !offers(s.Bare) && !announces(s.Bare) &&
			!apologizes(s.Bare) && !s.onlyGuesses() && (report && !s.cues.Has(cuePraise) || !s.onlyReports()) &&
			(!s.leads() || opensWithI(s.Bare)) &&
			!slices.ContainsFunc(open, func(o Option) bool { return o.Holds(s.Text) })
	})
}

// onlyGuesses reports whether a statement is a guess, an idea without a reason, work that is left, or says that
// something was so before: no result.
func (s Statement) onlyGuesses() bool {
	if lang.ContainsAny(s.Bare, " was already ", " were already ", " war bereits ", " waren bereits ", " war schon ",
		" waren schon ", " était déjà ", " étaient déjà ", " ya estaba", " já estava", " era già ", " erano già ", " уже был",
		"もともと", "本来就") {
		return true
	}
	reasoned := s.cues.Has(cueReason) || strings.Contains(s.Bare, " since ")
	return s.cues.Has(cueHedge, cueOpen) || s.cues.Has(cueThought) && !reasoned
}

// onlyReports reports whether a statement says no more than that the work was checked, or is good.
func (s Statement) onlyReports() bool {
	return s.cues.Has(cueVerify, cuePraise) && !s.cues.Has(cueCause, cueDecide, cueContrast)
}

// SessionKey begins the keys of summaries of sessions.
const SessionKey = "session:"

// JoinPart adds a turn's part to that of its session if there is room for it.
func JoinPart(all, more string) string {
	more = WholeTitle(more, MaxPartOfTurn)
	switch {
	case more == "" || strings.Contains(all, more):
		return all
	case all == "":
		return more
	}
	joined := JoinParts([]string{all, more})
	if utf8.RuneCountInString(joined) > MaxPartOfSession {
		return all
	}
	return joined
}
