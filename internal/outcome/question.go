package outcome

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/rank"
)

// question returns what the end of an answer asks the person, and the lists that stand below and above it. It is empty
// if the answer asks nothing, or whether there is anything else to do.
func question(answer string) (asked string, below, above []string) {
	lines := closing(answer)
	n := len(lines)
	for n > 0 && lines[n-1].item {
		n--
	}
	below = itemsBelow(lines[n:])
	if len(below) > 0 && lastQuestions(lastOf(below)) != "" { // a list of questions
		var all []string
		for _, item := range below {
			if q := lastQuestions(item); q != "" {
				all = append(all, q)
			}
		}
		return definite(strings.Join(all, " ")), nil, nil
	}
	if n == 0 {
		return "", nil, nil
	}
	asked = definite(lastQuestions(lines[n-1].text))
	start := n - 1
	for start > 0 && lines[start-1].item {
		start--
	}
	return asked, below, itemsBelow(lines[start : n-1])
}

// lastQuestions returns the questions that a line ends with. A remark in brackets may stand behind them.
func lastQuestions(text string) string {
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) })
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		text = text[:i]
	}
	all := lang.SplitSentences(text)
	start := len(all)
	for start > 0 && extract.Asks(all[start-1]) && !strings.Contains(lastOf(strings.Fields(all[start-1])), "://") {
		start--
	}
	return strings.Join(all[start:], " ")
}

// definite returns a question, or an empty text if it asks whether there is anything else to do.
func definite(asked string) string {
	if dutyCues().Find(lang.CueText(asked)).Has(cueAny) {
		return ""
	}
	return chars.Clip(asked, maxDuty)
}

// asksByTool returns what the agent asked by a tool in the last turn, if that waits for its answer.
func (s *Session) asksByTool() string { return s.Exchanges[len(s.Exchanges)-1].Question }

// question returns what the agent asked at the end of a session that was not answered. It puts something to choice or
// names something of its turn, or it is all that the agent said: other questions say nothing on their own.
func (s *Session) question(later []string) (end End, ok bool) {
	x := s.Exchanges[len(s.Exchanges)-1]
	if asked := s.asksByTool(); asked != "" {
		if len([]rune(asked)) > maxDuty { // the question stands behind its reason
			asked = cmp.Or(lastQuestions(asked), asked)
		}
		text := "answer “" + extract.WholeTitle(asked, maxDuty) + "”"
		return End{Prompt: x.Prompt, At: x.At, Text: text, Person: true}, true
	}
	asked, below, above := question(x.Answer)
	if asked == "" || !x.Ended {
		return end, false
	}
	about := topics(asked, x.Answer)
	if slices.ContainsFunc(later, func(l string) bool { return 2*shared(about, topics(l, x.Answer)) > len(about) }) {
		return end, false
	}
	end = End{Prompt: x.Prompt, At: x.At, Text: "answer “" + asked + "”", Person: true}
	rest := strings.TrimSpace(extract.WithoutNarration(x.Answer))
	named := len(codeIn(asked))+len(rank.Names(asked)) > 0 || shared(about, topics(rest+" "+x.Asked, x.Answer)) > 0
	switch {
	case x.Asked != "" && !s.worked(x.Prompt) && rest == "":
		end.Text, end.Person = "asked for, not done: "+x.Asked+"; the agent asked “"+asked+"”", false
	case len(below) > 1:
		end.Text = chars.Clip(end.Text+": "+listed(below), maxDuty)
	case named:
	case len(above) > 1 && extract.PointsAtList(lang.CueText(asked)):
		end.Text = chars.Clip(end.Text+": "+listed(above), maxDuty)
	default:
		return end, false
	}
	return end, true
}

// topics returns the words of a text that say what it is about, in the form in which words are compared. Everyday words
// of the language of an answer do not, nor do endings of Japanese.
func topics(text, answer string) map[string]bool {
	everyday, out := rank.EverydayIn(answer), map[string]bool{}
	for name := range rank.TextNames(text) {
		for _, t := range rank.Analyze(nil, name) {
			ending := t.Pair && strings.ContainsFunc(t.Key, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) })
			if !ending && (t.Pair || len(t.Key) > 2) && !t.Stop && !everyday(t.Key) {
				out[t.Key] = true
			}
		}
	}
	return out
}

// shared returns how many words two texts have in common.
func shared(a, b map[string]bool) (n int) {
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
