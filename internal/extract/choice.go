package extract

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/rank"
)

// What is chosen is often said in two turns: an answer weighs what could be done,
// and the prompt after it picks. Neither says it alone: "B", "ok, cents it is".

// MaxPick is the length of a prompt that picks, in characters.
const MaxPick = 240

// maxWhy bounds the reasons that are kept of what was proposed, in bytes.
const maxWhy = 200

// Option is one of several things that an answer puts to choice, by the number or
// the letter that it has there.
type Option struct{ mark, text string }

// Pick is what was chosen: what the answer said of it, and what the person said if
// that is more than yes.
type Pick struct {
	what, Why, Words string
	Among            []Option // what the answer put to choice, if one of it was picked by its mark or its words
}

// Said returns the words of the pick as a statement.
func (p Pick) Said() string {
	if p.Words == "" {
		return "Chosen: " + p.what
	}
	return fmt.Sprintf("“%s”, said to: %s", p.Words, p.what)
}

// Choice returns the option of the answer before that a prompt picks: by its mark, by its words, by assent to a
// proposal, or by a refusal that changed the work. Assent to a plain offer to do something is no choice.
func Choice(asked, answer, prompt string, changed bool) (p Pick, ok bool) {
	prompt = chars.Line(prompt)
	all, options := Statements(answer), optionsOf(answer)
	at := proposal(asked, all)
	if Asks(prompt) || refuses(prompt) || !asksToChoose(asked) && !weighs(all, options, at) {
		return p, false
	}
	if i := optionPicked(prompt, options); i >= 0 {
		p.what = options[i].text
		if at >= 0 && optionNamed(all[at].Bare, options) == i {
			p.Why = all[at].Text
		}
		p.Words = extraWords(prompt, p.what, options[i].mark)
		if !slices.ContainsFunc(
			all,
			func(s Statement) bool { return s.stands == left && options[i].Holds(s.Text) },
		) { // else one is done first
			p.Among = options
		}
		return p, true
	}
	if at < 0 || marked(all[at].Bare, options, " step ", " schritt ", " étape ", " paso ") >= 0 { // only an order
		return p, false
	}
	p.what, p.Why = strings.TrimRight(all[at].Text, ":："), further(all[at+1:])
	if i := optionNamed(all[at].Bare, options); i >= 0 {
		p.what = strings.TrimRight(options[i].text, ".") + ". " + p.what
	}
	p.Words = prompt
	terms := rank.Terms(prompt)
	about := CountShared(terms, rank.Terms(p.what+" "+p.Why)) > 0
	switch {
	case asksToChoose(asked) && len(terms) > 0 && len(strings.Fields(prompt)) <= 4 &&
		CountShared(terms, rank.Terms(asked)) == len(terms):
		return p, true // one of what was asked about, by its name
	case TrimNo(prompt) != prompt:
		return p, changed && about && asksToChoose(asked)
	case !assents(prompt):
		return p, false
	case Agrees(prompt):
		p.Words = ""
		return p, true
	}
	p.Words = extraWords(prompt, p.what, "")
	return p, about
}

// weighs reports whether an answer puts several things to choice.
func weighs(all []Statement, options []Option, at int) bool {
	if len(options) > 0 && (at >= 0 || slices.ContainsFunc(all, func(s Statement) bool { return Asks(s.Text) })) {
		return true
	}
	return at >= 0 && slices.ContainsFunc(all, func(s Statement) bool {
		return thoughtOfList(s.Bare) ||
			lang.ContainsAny(
				s.Bare,
				" ways to ", "alternativ", " other option", " andere möglichkeit", " autre option", " otra opción",
				"もう一つの案", "另一种",
			)
	})
}

// proposal is the place of the sentence that proposes something, or of the one that
// answers what was asked; -1 if there is none.
func proposal(asked string, all []Statement) int {
	if l := lang.CueText(asked); lang.ContainsAny(l, " or ", " vs ", " vs. ", " oder ", " ou ", " o ", "还是") {
		if i := slices.IndexFunc(all, func(s Statement) bool {
			return !s.leads() && !Asks(s.Text) && !reports(s.Bare) && CountShared(rank.Terms(s.Text), rank.Terms(asked)) > 0
		}); i >= 0 {
			return i
		}
	}
	if i := proposed(all); i >= 0 {
		return i
	}
	if asksToChoose(asked) {
		return openingOf(all, nil, true)
	}
	return -1
}

// proposed is the place of the first sentence that says what the assistant would do; -1 if none does.
func proposed(all []Statement) int {
	return slices.IndexFunc(all, func(s Statement) bool { return proposes(s.Bare) && !Asks(s.Text) })
}

// further are the sentences that stand below a proposal: mostly its reasons.
func further(all []Statement) string {
	var out []string
	n := 0
	for _, s := range all {
		if n += len(s.Text); n > maxWhy {
			break
		}
		if !s.leads() && !Asks(s.Text) && !offers(s.Bare) && !proposes(s.Bare) {
			out = append(out, s.Text)
		}
	}
	return strings.Join(out, " ")
}

// asksToChoose reports whether a prompt asks which of several things it is to be.
func asksToChoose(prompt string) bool {
	return lang.HasAnyPrefix(lang.CueText(prompt), "should ", "soll ", "sollen ", "sollte", "faut-il ", "devrait") ||
		lang.ContainsAny(
			lang.CueText(prompt),
			" or ", " vs ", " vs. ", " which ", " options", " should we ", " should i ", " shall we ",
			" what do you think", " what would you ", " what do you suggest", " better ", " oder ", " welche",
			" sollen wir ", " sollten wir ", " was meinst du", " was schlägst du", " besser ", " ou ", " quel",
			" devrions-nous ", " qu'en penses-tu", " cuál", " qué opinas", " deberíamos ", "どちら", "どっち", "还是", "哪个",
			"哪种",
		)
}

// proposes reports whether a sentence says what the assistant would do.
func proposes(l string) bool {
	for _, would := range []string{" i'd ", " i would "} {
		if _, do, ok := strings.Cut(l, would); ok &&
			!lang.HasAnyPrefix(do, "need ", "like ", "have ", "be ", "love ", "not ", "expect ", "say ") {
			return true
		}
	}
	return lang.ContainsAny(
		l, " i recommend", " i suggest", " my recommendation", " my suggestion", " recommended:", " recommendation:",
		" ich würde ", " ich empfehle", " ich schlage ", " mein vorschlag", " meine empfehlung", " je recomm",
		" je conseille", " je propose", " je prendrais", " je garderais", " recomiendo", " propongo", " yo usaría",
		"おすすめ", "お勧め", "推奨", "我建议", "推荐",
	)
}

// assents reports whether a prompt begins with a word of assent.
func assents(prompt string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(lang.CueText(prompt)), " ")
	return lang.ContainsAny(
		"|yes|yep|yeah|yup|ya|ok|okay|sure|agreed|fine|good|great|perfect|sounds|exactly|right|go|do|mach|vas-y|allez-y|"+
			"dale|adelante|hazlo|ja|jo|jep|jawohl|klar|gut|passt|einverstanden|genau|oui|d'accord|parfait|sí|si|vale|"+
			"perfecto|claro|はい|了解|お願いします|好|好的|可以|行|同意|",
		"|"+strings.Trim(first, ",.!:;。！，、")+"|",
	)
}

// refuses reports whether a prompt puts aside what was proposed.
func refuses(prompt string) bool {
	return Retracts(prompt) ||
		lang.ContainsAny(
			lang.CueText(prompt),
			" forget ", " revert", " undo ", " scrap ", " drop it", " leave it", " neither", " none of", " not now",
			" later ", " weder ", " vergiss ", " lass ", " später", " laisse tomber", " plus tard", " déjalo",
			" olvida",
		)
}

// optionsOf are the things that an answer numbers or letters, from the first on:
// its last list of them.
func optionsOf(answer string) []Option {
	var out []Option
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
			out = []Option{o}
		case len(out) > 0 && o.mark == string(rune(out[len(out)-1].mark[0]+1)):
			out = append(out, o)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// Holds reports whether a sentence is one of an option's, with or without its mark.
func (o Option) Holds(s string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(s, "Option "), strings.ToUpper(o.mark))
	return strings.Contains(o.text, s) || rest != s && strings.Contains(o.text, strings.TrimLeft(rest, " .):-–—"))
}

// optionOf reads one line: "2. **Blocks.** Small", "- **B** a table", "Option A: a column".
func optionOf(line string) (Option, bool) {
	bold := strings.Contains(line, "**")
	t := strings.TrimSpace(lang.WithoutEmphasis(strings.TrimLeft(line, "-*•+# ")))
	if bold && strings.HasPrefix(line, "**") {
		t = strings.TrimSpace(lang.WithoutEmphasis(line))
	}
	named := false
	for _, name := range []string{"Option ", "Variant ", "Variante ", "Opción ", "Approach "} {
		if rest, ok := strings.CutPrefix(t, name); ok {
			t, named = rest, true
		}
	}
	if len(t) < 3 || !(t[0] >= '1' && t[0] <= '9' || t[0] >= 'A' && t[0] <= 'H') {
		return Option{}, false
	}
	rest := strings.TrimLeft(t[1:], ".):")
	if len(rest) == len(t)-1 && !(bold && t[0] >= 'A') && !named || !strings.HasPrefix(rest, " ") {
		return Option{}, false
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest, " -–—:"))
	return Option{strings.ToLower(t[:1]), rest}, rest != ""
}

// optionNamed is the place of the option that a sentence names by its mark; -1 if it names none.
func optionNamed(l string, options []Option) int {
	return marked(l, options, " option ", " with ", " for ", " variant ", " variante ", " number ", " opción ", " take ",
		" pick ", " choose ", " la ", " le ")
}

// marked is the place of the option whose mark a sentence has behind one of some words; -1 if there is none.
func marked(l string, options []Option, words ...string) int {
	return slices.IndexFunc(options, func(o Option) bool {
		return slices.ContainsFunc(words, func(before string) bool {
			return lang.ContainsAny(l, before+o.mark+".", before+o.mark+",", before+o.mark+":", before+o.mark+";",
				before+o.mark+"!") || strings.Contains(l, before+o.mark+" ") && (o.mark != "a" || before == " option ")
		})
	})
}

// optionPicked is the place of the option that a prompt picks, by its mark or by words
// that no other one has; -1 if it picks none.
func optionPicked(prompt string, options []Option) int {
	words := strings.FieldsFunc(
		strings.ToLower(prompt),
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",.:;!()", r) },
	)
	for len(words) > 1 &&
		lang.ContainsAny("|ok|okay|yes|yep|ja|oui|sí|lets|let's|do|go|with|for|take|option|variant|variante|number|"+
			"nummer|opción|i'd|i'll|dann|wir|nehmen|nimm|bitte|the|la|le|el|die|den|das|", "|"+words[0]+"|") {
		words = words[1:]
	}
	if len(words) == 0 {
		return -1
	}
	after := ""
	if len(words) > 1 {
		after = words[1]
	}
	if i := slices.IndexFunc(options, func(o Option) bool { return o.mark == ordinal(words[0]) }); i >= 0 &&
		lang.ContainsAny(
			"||but|and|please|pls|with|then|it|is|sounds|looks|one|aber|und|bitte|mit|dann|mais|et|avec|pero|y|con|",
			"|"+after+"|",
		) {
		return i
	}
	terms := rank.Terms(prompt)
	if len(words) > 6 || len(terms) == 0 {
		return -1
	}
	found := -1
	for i, o := range options {
		if CountShared(terms, rank.Terms(o.text)) == len(terms) {
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

// extraWords is a prompt that says more than what it picks.
func extraWords(prompt, picked, mark string) string {
	of := rank.Terms(picked)
	terms := slices.DeleteFunc(rank.Terms(prompt), func(t string) bool {
		return ordinal(t) == mark || assents(t) || CountShared([]string{t}, of) > 0 ||
			lang.ContainsAny(
				"|one|option|variant|variante|number|nummer|pls|please|bitte|lets|let's|go|take|do|it|is|",
				"|"+t+"|",
			)
	})
	if len(terms) < 2 &&
		!lang.ContainsAny(
			lang.CueText(prompt),
			" but ", " not ", " without ", " no ", " only ", " aber ", " nicht ", " ohne ", " nur ", " kein",
			" mais ", " pas ", " sans ", " pero ", " sin ", "但", "不",
		) {
		return ""
	}
	return prompt
}
