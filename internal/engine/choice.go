package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// What is chosen is often said in two turns: an answer weighs what could be done,
// and the prompt after it picks. Neither says it alone: "B", "ok, cents it is".

// maxPick is the length of a prompt that picks, in characters.
const maxPick = 240

// maxWhy bounds the reasons that are kept of what was proposed, in bytes.
const maxWhy = 200

// option is one of several things that an answer puts to choice, by the number or
// the letter that it has there.
type option struct{ mark, text string }

// chosen is the decision that the person made by this turn's prompt about what the
// answer before it weighed, and what becomes of that turn's summary: it says what
// the person had to add.
func (e *Engine) chosen(ctx context.Context, m *moment, own []mem.Memory) (mm mem.Memory, edits []mem.Edit, ok bool, err error) {
	if m.turn.Number < 2 || m.turn.Private || len([]rune(m.turn.Text)) > maxPick || m.turn.Trust == mem.TrustNone {
		return mm, nil, false, nil
	}
	asked, answer, err := e.answerBefore(ctx, m)
	if err != nil || answer == "" {
		return mm, nil, false, err
	}
	did := slices.ContainsFunc(own, func(o mem.Memory) bool { return o.Kind == mem.Change })
	c, ok := choice(asked.Text, answer, m.turn.Text, did)
	if !ok {
		return mm, nil, false, nil
	}
	mm = m.newMemory(mem.Decision, mem.ScopeProject)
	if mm.Title, mm.Body = titled(c.said()); c.why != "" {
		mm.Body = mem.Clip(mem.Line(strings.TrimRight(c.said(), ".")+". "+c.why), maxStatement)
	}
	mm.Trust, mm.Origin = worth(min(mem.TrustAssistant, m.turn.Trust, asked.Trust), own), mem.FromAssistant
	mm.Tags, mm.Concepts, mm.Files = []string{madeOfWords}, topicsOf(asked.Text), namedIn(mm.Text(), nil)
	if c.words != "" {
		if edits, err = e.amended(ctx, m, asked.PromptID, c.words); err != nil {
			return mm, nil, false, err
		}
	}
	over, err := e.putToChoice(ctx, m, asked.PromptID, c.among)
	return mm, append(edits, over...), true, err
}

// putToChoice ends the open items that a turn's answer put to choice: the decision
// stands for the one that was picked, and the others were not.
func (e *Engine) putToChoice(ctx context.Context, m *moment, prompt string, among []option) ([]mem.Edit, error) {
	if len(among) == 0 || m.turn.Trust == mem.TrustNone {
		return nil, nil
	}
	open, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, PromptID: prompt, Kinds: []mem.Kind{mem.Todo}, Tags: []string{madeOfWords}, Open: true, Limit: 20,
	})
	if err != nil {
		return nil, fmt.Errorf("items put to choice: %w", err)
	}
	var out []mem.Edit
	over := mem.Superseded
	for _, o := range open {
		said := cmp.Or(o.Body, o.Title)
		if !o.Pinned && slices.ContainsFunc(among, func(a option) bool { return a.holds(said) }) {
			out = append(out, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return out, nil
}

// answerBefore is the last answer of the person's turn before this one, and that
// turn with the worst trust of the two; empty if it may not be told.
func (e *Engine) answerBefore(ctx context.Context, m *moment) (asked mem.Turn, answer string, err error) {
	turns, err := e.Store.Turns(ctx, m.Session, 20)
	if err != nil {
		return asked, "", fmt.Errorf("turn before: %w", err)
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: 5})
	if err != nil {
		return asked, "", fmt.Errorf("answer before: %w", err)
	}
	i := slices.IndexFunc(stops, func(s mem.Event) bool { return s.PromptID != m.PromptID })
	if i < 0 {
		return asked, "", nil
	}
	worst := mem.TrustUser
	for _, t := range turns { // newest first
		if t.PromptID != stops[i].PromptID && t.Number != m.turn.Number-1 {
			continue
		}
		if worst = min(worst, t.Trust); t.Private || t.Trust == mem.TrustNone || len(t.Text) > pasted {
			return asked, "", nil
		}
		if t.Number == m.turn.Number-1 {
			asked, answer = t, stops[i].Text
		}
	}
	asked.Trust = worst
	return asked, answer, nil
}

// amended is the change to a turn's summary that adds what the person said to it.
func (e *Engine) amended(ctx context.Context, m *moment, prompt, words string) ([]mem.Edit, error) {
	old, err := e.Store.List(ctx, mem.Query{Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Summary}, Limit: 20})
	if err != nil {
		return nil, fmt.Errorf("summary of the turn before: %w", err)
	}
	i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == "turn:"+prompt })
	if i < 0 || old[i].Body == "" {
		return nil, nil
	}
	o := old[i]
	o.Body = mem.Clip(o.Body, maxStatement) + fmt.Sprintf(" Then the person: “%s”", words)
	o.Index = rank.Index(o)
	return []mem.Edit{{ID: o.ID, Body: &o.Body, Index: &o.Index}}, nil
}

// pick is what was chosen: what the answer said of it, and what the person said if
// that is more than yes.
type pick struct {
	what, why, words string
	among            []option // what the answer put to choice, if one of it was picked by its mark or its words
}

func (p pick) said() string {
	if p.words == "" {
		return "Chosen: " + p.what
	}
	return fmt.Sprintf("“%s”, said to: %s", p.words, p.what)
}

// choice is what a prompt picks of what was weighed before it: by the mark of an
// option, by its words, by saying yes to what was proposed, or by a no to it that
// made the work take another turn. A plain offer to do something is no choice.
func choice(asked, answer, prompt string, changed bool) (p pick, ok bool) {
	prompt = mem.Line(prompt)
	all, options := statements(answer), optionsOf(answer)
	at := proposal(asked, all)
	if asks(prompt) || refuses(prompt) || !asksToChoose(asked) && !weighs(all, options, at) {
		return p, false
	}
	if i := picked(prompt, options); i >= 0 {
		p.what = options[i].text
		if at >= 0 && of(all[at].bare, options) == i {
			p.why = all[at].text
		}
		p.words = more(prompt, p.what, options[i].mark)
		if !slices.ContainsFunc(all, func(s said) bool { return s.stands == left && options[i].holds(s.text) }) { // else one is done first
			p.among = options
		}
		return p, true
	}
	if at < 0 {
		return p, false
	}
	p.what, p.why = strings.TrimRight(all[at].text, ":："), further(all[at+1:])
	if i := of(all[at].bare, options); i >= 0 {
		p.what = options[i].text + " " + p.what
	}
	p.words = prompt
	terms := rank.Terms(prompt)
	about := shared(terms, rank.Terms(p.what+" "+p.why)) > 0
	switch {
	case asksToChoose(asked) && len(terms) > 0 && len(strings.Fields(prompt)) <= 4 && shared(terms, rank.Terms(asked)) == len(terms):
		return p, true // one of what was asked about, by its name
	case behindNo(prompt) != prompt:
		return p, changed && about && asksToChoose(asked)
	case !yes(prompt):
		return p, false
	case agrees(prompt):
		p.words = ""
		return p, true
	}
	p.words = more(prompt, p.what, "")
	return p, about
}

// weighs reports whether an answer puts several things to choice.
func weighs(all []said, options []option, at int) bool {
	if len(options) > 0 && (at >= 0 || slices.ContainsFunc(all, func(s said) bool { return asks(s.text) })) {
		return true
	}
	return at >= 0 && slices.ContainsFunc(all, func(s said) bool {
		return thoughtOfList(s.bare) || holds(s.bare, " ways to ", "alternativ", " other option", " andere möglichkeit", " autre option", " otra opción", "もう一つの案", "另一种")
	})
}

// proposal is the place of the sentence that proposes something, or of the one that
// answers what was asked; -1 if there is none.
func proposal(asked string, all []said) int {
	if l := cueText(asked); holds(l, " or ", " vs ", " vs. ", " oder ", " ou ", " o ", "还是") {
		if i := slices.IndexFunc(all, func(s said) bool {
			return !s.leads() && !asks(s.text) && !reports(s.bare) && shared(rank.Terms(s.text), rank.Terms(asked)) > 0
		}); i >= 0 {
			return i
		}
	}
	if i := proposed(all); i >= 0 {
		return i
	}
	if asksToChoose(asked) {
		return openingOf(all, nil)
	}
	return -1
}

// proposed is the place of the first sentence that says what the assistant would do; -1 if none does.
func proposed(all []said) int {
	return slices.IndexFunc(all, func(s said) bool { return proposes(s.bare) && !asks(s.text) })
}

// further are the sentences that stand below a proposal: mostly its reasons.
func further(all []said) string {
	var out []string
	n := 0
	for _, s := range all {
		if n += len(s.text); n > maxWhy {
			break
		}
		if !s.leads() && !asks(s.text) && !offers(s.bare) && !proposes(s.bare) {
			out = append(out, s.text)
		}
	}
	return strings.Join(out, " ")
}

// asksToChoose reports whether a prompt asks which of several things it is to be.
func asksToChoose(prompt string) bool {
	return begins(cueText(prompt), "should ", "soll ", "sollen ", "sollte", "faut-il ", "devrait") || holds(cueText(prompt), " or ", " vs ", " vs. ", " which ", " options", " should we ", " should i ", " shall we ", " what do you think", " what would you ", " what do you suggest", " better ",
		" oder ", " welche", " sollen wir ", " sollten wir ", " was meinst du", " was schlägst du", " besser ", " ou ", " quel", " devrions-nous ", " qu'en penses-tu", " cuál", " qué opinas", " deberíamos ", "どちら", "どっち", "还是", "哪个", "哪种")
}

// proposes reports whether a sentence says what the assistant would do.
func proposes(l string) bool {
	for _, would := range []string{" i'd ", " i would "} {
		if _, do, ok := strings.Cut(l, would); ok && !begins(do, "need ", "like ", "have ", "be ", "love ", "not ", "expect ", "say ") {
			return true
		}
	}
	return holds(l, " i recommend", " i suggest", " my recommendation", " my suggestion", " recommended:", " recommendation:",
		" ich würde ", " ich empfehle", " ich schlage ", " mein vorschlag", " meine empfehlung", " je recomm", " je conseille", " je propose", " je prendrais", " je garderais", " recomiendo", " propongo", " yo usaría", "おすすめ", "お勧め", "推奨", "我建议", "推荐")
}

// yes reports whether a prompt begins with a word of assent.
func yes(prompt string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(cueText(prompt)), " ")
	return holds("|yes|yep|yeah|yup|ya|ok|okay|sure|agreed|fine|good|great|perfect|sounds|exactly|right|go|do|mach|vas-y|allez-y|dale|adelante|hazlo|ja|jo|jep|jawohl|klar|gut|passt|einverstanden|genau|oui|d'accord|parfait|sí|si|vale|perfecto|claro|はい|了解|お願いします|好|好的|可以|行|同意|", "|"+strings.Trim(first, ",.!:;。！，、")+"|")
}

// refuses reports whether a prompt puts aside what was proposed.
func refuses(prompt string) bool {
	return takesBack(prompt) || holds(cueText(prompt), " forget ", " revert", " undo ", " scrap ", " drop it", " leave it", " neither", " none of", " not now", " later ", " weder ", " vergiss ", " lass ", " später", " laisse tomber", " plus tard", " déjalo", " olvida")
}

// optionsOf are the things that an answer numbers or letters, from the first on:
// its last list of them.
func optionsOf(answer string) []option {
	var out []option
	var code prose
	for line := range strings.Lines(answer) {
		t := strings.TrimSpace(line)
		if code.fenced(t) {
			continue
		}
		o, ok := optionOf(t)
		switch {
		case !ok:
		case o.mark == "1" || o.mark == "a":
			out = []option{o}
		case len(out) > 0 && o.mark == string(rune(out[len(out)-1].mark[0]+1)):
			out = append(out, o)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// holds reports whether a sentence is one of an option's, with or without its mark.
func (o option) holds(s string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(s, "Option "), strings.ToUpper(o.mark))
	return strings.Contains(o.text, s) || rest != s && strings.Contains(o.text, strings.TrimLeft(rest, " .):-–—"))
}

// optionOf reads one line: "2. **Blocks.** Small", "- **B** a table", "Option A: a column".
func optionOf(line string) (option, bool) {
	bold := strings.Contains(line, "**")
	t := strings.TrimSpace(withoutEmphasis(strings.TrimLeft(line, "-*•+# ")))
	if bold && strings.HasPrefix(line, "**") {
		t = strings.TrimSpace(withoutEmphasis(line))
	}
	named := false
	for _, name := range []string{"Option ", "Variant ", "Variante ", "Opción ", "Approach "} {
		if rest, ok := strings.CutPrefix(t, name); ok {
			t, named = rest, true
		}
	}
	if len(t) < 3 || !(t[0] >= '1' && t[0] <= '9' || t[0] >= 'A' && t[0] <= 'H') {
		return option{}, false
	}
	rest := strings.TrimLeft(t[1:], ".):")
	if len(rest) == len(t)-1 && !(bold && t[0] >= 'A') && !named || !strings.HasPrefix(rest, " ") {
		return option{}, false
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest, " -–—:"))
	return option{strings.ToLower(t[:1]), rest}, rest != ""
}

// of is the place of the option that a sentence names by its mark; -1 if it names none.
func of(l string, options []option) int {
	return slices.IndexFunc(options, func(o option) bool {
		for _, before := range []string{" option ", " with ", " for ", " variant ", " variante ", " number ", " opción ", " take ", " pick ", " choose ", " la ", " le "} {
			for _, after := range []string{" ", ".", ",", ":", ";", "!"} {
				if o.mark == "a" && before != " option " && after == " " {
					continue // an article
				}
				if strings.Contains(l, before+o.mark+after) {
					return true
				}
			}
		}
		return false
	})
}

// picked is the place of the option that a prompt picks, by its mark or by words
// that no other one has; -1 if it picks none.
func picked(prompt string, options []option) int {
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",.:;!()", r) })
	for len(words) > 1 && holds("|ok|okay|yes|yep|ja|oui|sí|lets|let's|do|go|with|for|take|option|variant|variante|number|nummer|opción|i'd|i'll|dann|wir|nehmen|nimm|bitte|the|la|le|el|die|den|das|", "|"+words[0]+"|") {
		words = words[1:]
	}
	if len(words) == 0 {
		return -1
	}
	after := ""
	if len(words) > 1 {
		after = words[1]
	}
	if i := slices.IndexFunc(options, func(o option) bool { return o.mark == ordinal(words[0]) }); i >= 0 && holds("||but|and|please|pls|with|then|it|is|sounds|looks|one|aber|und|bitte|mit|dann|mais|et|avec|pero|y|con|", "|"+after+"|") {
		return i
	}
	terms := rank.Terms(prompt)
	if len(words) > 6 || len(terms) == 0 {
		return -1
	}
	found := -1
	for i, o := range options {
		if shared(terms, rank.Terms(o.text)) == len(terms) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// ordinal is the mark that a word says in letters, or the word itself.
func ordinal(w string) string {
	switch w {
	case "first", "one", "erste", "ersten", "première", "premier", "primera":
		return "1"
	case "second", "two", "zweite", "zweiten", "deuxième", "segunda":
		return "2"
	case "third", "three", "dritte", "dritten", "troisième", "tercera":
		return "3"
	}
	return w
}

// more is a prompt that says more than what it picks.
func more(prompt, picked, mark string) string {
	of := rank.Terms(picked)
	terms := slices.DeleteFunc(rank.Terms(prompt), func(t string) bool {
		return ordinal(t) == mark || yes(t) || shared([]string{t}, of) > 0 || holds("|one|option|variant|variante|number|nummer|pls|please|bitte|lets|let's|go|take|do|it|is|", "|"+t+"|")
	})
	if len(terms) < 2 && !holds(cueText(prompt), " but ", " not ", " without ", " no ", " only ", " aber ", " nicht ", " ohne ", " nur ", " kein", " mais ", " pas ", " sans ", " pero ", " sin ", "但", "不") {
		return ""
	}
	return prompt
}
