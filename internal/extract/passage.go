package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of passages, in characters.
const (
	maxPassage   = 320
	maxContext   = 80 // of a heading or a lead that a passage is completed with
	maxItemShort = 70 // items that are shorter on average are kept together
	shortAbout   = 60 // of a request that a passage is completed with
	maxLabel     = 8  // words
)

// passage is a part of an answer that says one thing whole: neighbouring sentences of a
// paragraph, an item of a list, a row of a table, or a short list with its lead.
type passage struct {
	all []Statement
	at  int // place among the passages
	// words of the request and files of the turn are not in the text: they complete it
	joined bool // a list that is kept together
	text   string
}

// passagesOf returns the passages of a text in its order. What only accompanies the
// work is left out: questions, offers, narration, lines that introduce others. With
// single each sentence is a passage of its own.
func passagesOf(all []Statement, single bool) []passage {
	var out []passage
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].block == all[i].block {
			end++
		}
		out = append(out, cutBlock(all[i:end], single)...)
		i = end
	}
	out = joinLists(out)
	for i := range out {
		out[i].at = i
		out[i].text = out[i].say()
	}
	return out
}

// cutBlock divides the statements of a block at what accompanies the work, at what says
// that it is open or a warning, and where a passage would be too long.
func cutBlock(block []Statement, single bool) []passage {
	var out []passage
	var run []Statement
	n := 0
	flush := func() {
		if len(run) > 0 {
			out = append(out, passage{all: run})
		}
		run, n = nil, 0
	}
	for _, s := range block {
		if s.accompanies(single) {
			flush()
			continue
		}
		w := len([]rune(s.Text)) + 1
		if n > 0 && (n+w > maxPassage || single || !s.continues(run[len(run)-1])) {
			flush()
		}
		run, n = append(run, s), n+w
	}
	flush()
	return out
}

// continues reports whether a sentence goes on with what the one before it says: it
// points back or shares a word with it, and is no warning, decision or work that is left.
func (s Statement) continues(before Statement) bool {
	switch {
	case open(s.Bare), open(before.Bare), s.cues.Has(cueWarn), s.cues.Has(cueDecide) && !s.cues.Has(cuePoints):
		return false
	case s.cues.Has(cuePoints), before.cues.Has(cueCause), s.list != 0,
		lang.Width(s.Text) < 2*MinStatement && len(codeNames(s.Text)) == 0:
		return true
	}
	return CountShared(rank.Terms(s.Text), rank.Terms(before.Text)) > 0
}

// accompanies reports whether a sentence only accompanies the work. A person narrates
// and offers nothing.
func (s Statement) accompanies(person bool) bool {
	bare := lang.Width(s.Text) < MinStatement && len(codeNames(s.Text)) == 0 // "Fixed."
	switch {
	case bare && s.list == 0, s.leads(), Asks(s.Text):
		return true
	case person:
		return false
	case s.cues.Has(cueOffer, cueApology) && !s.cues.Has(cueDecide, cueCause), s.cues.Has(cueNarrate):
		return true
	}
	return s.onlyReports() && lang.Width(s.Text) < 3*MinStatement
}

// joinLists makes one passage of a list whose items are short and no work that is left.
func joinLists(all []passage) []passage {
	var out []passage
	for i := 0; i < len(all); {
		end, total := i, 0
		for end < len(all) && (end == i || all[i].sameList(all[end])) {
			total += len([]rune(all[end].plain())) + 2
			end++
		}
		n := end - i
		head := all[i].all[0]
		if slices.ContainsFunc(all[i:end], passage.open) || n < 2 || total > maxPassage || total/n > maxItemShort ||
			head.stands != 0 || head.under != "" || head.doubt {
			out = append(out, all[i])
			i++
			continue
		}
		whole := passage{joined: true}
		for _, p := range all[i:end] {
			whole.all = append(whole.all, p.all...)
		}
		out = append(out, whole)
		i = end
	}
	return out
}

func (p passage) list() int { return p.all[0].list }

// sameList reports whether two passages are items of one list, on the same level and below the same line.
func (p passage) sameList(o passage) bool {
	a, b := p.all[0], o.all[0]
	return a.list != 0 && a.list == b.list && a.level == b.level && a.lead == b.lead && a.heading == b.heading
}

// isPart reports whether a passage begins with the line above its list, and the list has items that it has not.
func (p passage) isPart(all []Statement) bool {
	head := p.all[0]
	return head.list != 0 && p.text != p.plain() && slices.ContainsFunc(all, func(s Statement) bool {
		return p.sameList(passage{all: []Statement{s}}) &&
			!slices.ContainsFunc(p.all, func(has Statement) bool { return has.block == s.block })
	})
}

// plain is the text of a passage without what it is completed with.
func (p passage) plain() string {
	var b strings.Builder
	for i, s := range p.all {
		switch {
		case i == 0:
		case p.joined && s.list != 0 && s.block != p.all[i-1].block:
			b.WriteString("; ")
		case p.joined && s.list == 0 && p.all[i-1].list != 0:
			b.WriteString(". ")
		default:
			b.WriteString(" ")
		}
		text := s.Text
		if p.joined && s.list != 0 && (i+1 == len(p.all) || p.all[i+1].block != s.block) {
			text = strings.TrimRight(text, ".;,")
		}
		b.WriteString(text)
	}
	return b.String()
}

// say is the text of a passage, completed by its subject: the sentence before it, the
// item that it is part of, the line above its list, or the heading.
func (p passage) say() string {
	head, text := p.all[0], withoutApology(p.plain())
	if p.leans() && head.before != "" && !Asks(head.before) &&
		len([]rune(head.before))+len([]rune(text)) < MaxStatement &&
		!cuesIn(lang.CueText(head.before)).Has(cueOffer, cueNarrate, cuePraise) {
		return head.before + " " + text
	}
	if head.list == 0 {
		return text
	}
	contexts := []string{head.lead, head.heading}
	if cuesIn(lang.CueText(head.lead)).Has(cuePoints) {
		slices.Reverse(contexts)
	}
	for _, context := range contexts {
		if completes(context, text) && !(head.under == mem.Todo && sectionKind(context) == mem.Todo) {
			return strings.TrimRight(chars.Clip(context, maxContext), " .:") + ": " + text
		}
	}
	return text
}

// leans reports whether a passage begins with a word that points back.
func (p passage) leans() bool { return p.all[0].cues.Has(cuePoints) }

// about returns the text of a passage of a turn. If neither a heading nor the words before complete it, the only file
// that was changed is added, or the request; clear is false then, as what it is about is only guessed.
func (w TurnFacts) about(p passage, k mem.Kind) (text string, clear bool) {
	if p.text != p.plain() {
		return p.text, true
	}
	file := onlyFile(w.Files)
	if p.list() != 0 && k != mem.Todo && file != "" && len(codeNames(p.text)) == 0 {
		return path.Base(file) + ": " + p.text, true
	}
	if !p.leans() && (k != mem.Discovery || lang.Width(p.text) >= 3*MinStatement) {
		return p.text, true
	}
	if about := chars.Clip(Request(w.Request), shortAbout); about != "" {
		return p.text + " (on: " + about + ")", false
	}
	return p.text, false
}

// onlyFile is the file that was changed if it is one, apart from tests.
func onlyFile(files []string) string {
	only := ""
	for _, f := range files {
		switch {
		case strings.Contains(strings.ToLower(f), "test"):
		case only != "":
			return ""
		default:
			only = f
		}
	}
	return only
}

// informs reports whether a passage has words of its own beside names: a file's path alone is not enough.
func (p passage) informs(person bool) bool {
	n := 0
	for _, w := range strings.Fields(strings.ReplaceAll(p.plain(), "`", " ` ")) {
		if w != "`" && !spelledLikeCode(strings.Trim(w, ".,;:!?()[]{}'\"*")) && lang.Width(w) > 1 {
			n += lang.Width(w)
		}
	}
	if p.under() == mem.Todo || p.open() {
		return n > 0
	}
	least := MinStatement
	if person {
		least /= 2
	}
	return n >= least && !isLog(p.plain())
}

// isLog reports whether a text is a line of a log or of a program's output.
func isLog(text string) bool {
	return strings.HasPrefix(text, "[") || strings.HasPrefix(text, "at ") && strings.Contains(text, "(") ||
		strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// completes reports whether a heading or a line above a list adds a subject to a text.
func completes(context, text string) bool {
	if context == "" || Asks(context) {
		return false
	}
	l := lang.CueText(context)
	c := cuesIn(l)
	terms := rank.Terms(context)
	if c.Has(cueOffer, cueNarrate) || c.Has(cueGeneric) && !strings.Contains(context, "`") || len(terms) == 0 {
		return false
	}
	return 2*CountShared(terms, rank.Terms(text)) < len(terms)
}

// under is what the heading or the label of a passage says it is.
func (p passage) under() mem.Kind { return p.all[0].under }

// reportsEdit reports whether a passage says what a turn changed and not why, when, or what to heed: "`Tabs.tsx`: Added
// a class". Who reads the code, or the summary of the turn, reads it there.
func (w TurnFacts) reportsEdit(p passage) bool {
	return !p.explains() && (w.Changed && !w.Reported && saysEdit(p.all[0].Text) || w.inEdits(p))
}

// inEdits reports whether nearly all words of a passage stand in what the turn wrote into files.
func (w TurnFacts) inEdits(p passage) bool {
	terms := rank.Terms(p.plain())
	n := 0
	for _, t := range terms {
		if w.Edited[t] {
			n++
		}
	}
	return n > 0 && 4*n >= 3*len(terms)
}

// explains reports whether one of the statements of a passage explains something.
func (p passage) explains() bool { return slices.ContainsFunc(p.all, Statement.explains) }

// explains reports whether a statement says why, when, or what to heed.
func (s Statement) explains() bool {
	return s.cues.Has(cueCause, cueReason, cueContrast, cueDecide, cueNorm, cueWarn, cueLimit, cueConvention, cueTradeOff,
		cueHowto, cueFind, cueCondition)
}

// SaysEdit reports whether a sentence says what was changed: "Added", "I replaced", "`Tabs.tsx`: Added".
func SaysEdit(s string) bool {
	first, size := utf8.DecodeRuneInString(strings.TrimPrefix(s, "I "))
	s = strings.TrimPrefix(s, "I ")[size:]
	return saysEdit(string(unicode.ToUpper(first)) + s)
}

// saysEdit reports whether a text, or what follows its label, begins with a change that was made: "Tabs.tsx — Added",
// "Larger text: Bumped".
func saysEdit(text string) bool {
	for _, mark := range []string{": ", " — ", " – ", " - "} {
		if label, rest, ok := strings.Cut(text, mark); ok && len(strings.Fields(label)) <= maxLabel {
			text = rest
		}
	}
	verb, _, more := strings.Cut(text, " ")
	past := strings.HasSuffix(verb, "ed") && !strings.HasSuffix(verb, "eed") && verb[0] >= 'A' && verb[0] <= 'Z'
	past = past || slices.Contains(strings.Fields(irregular), verb)
	return more && past || cuesIn(lang.CueText(text)).Has(cueInventory)
}

// irregular are past forms of verbs by which changes are described.
const irregular = "Broke Built Chose Cut Gave Hid Kept Made Put Rewrote Set Split Took Wrote"

// found adds up the cues of the sentences of a passage.
func (p passage) found(class uint8) float64 {
	n := 0
	for _, s := range p.all {
		n += s.cues.Count(class)
	}
	return [...]float64{0, 0.7, 1}[min(n, 2)]
}

// above reports whether the heading or the line above a list has a cue.
func (p passage) above(class uint8) bool {
	return cuesIn(lang.CueText(p.all[0].lead)).Has(class) || cuesIn(lang.CueText(p.all[0].heading)).Has(class)
}
