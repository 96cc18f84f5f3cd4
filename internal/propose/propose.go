// Package propose reads files of instructions, such as AGENTS.md, as statements, compares memories with them, and
// inserts lines into them. It reads no file and no store. Start with Parse and Insert.
package propose

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Doc is a file of instructions, split into statements.
type Doc struct {
	Statements []Statement
	keys       [][]string // of the words of each statement
}

// Statement is a sentence of a file, or a whole paragraph or item of several sentences.
type Statement struct {
	Line  int    // where it begins, from 1
	Text  string // without the marks of a list or of emphasis
	Whole bool   // of several sentences, which are statements too
}

// Says returns a statement that says all that a claim does.
func (d Doc) Says(claim string) (Statement, bool) {
	claim = Claim(claim)
	want := keysOf(claim)
	for i, s := range d.Statements {
		if 3*shared(want, d.keys[i]) < 2*len(want) {
			continue
		}
		if j := lang.Compare(s.Text, claim); j.Relation == lang.Same || j.Relation == lang.Adds && longer(s.Text, claim) {
			return s, true
		}
	}
	return Statement{}, false
}

// Against returns the statements that a later claim contradicts.
func (d Doc) Against(claim string) []Statement {
	var out []Statement
	want := keysOf(claim)
	for i, s := range d.Statements {
		if !s.Whole && 3*shared(want, d.keys[i]) >= min(len(want), len(d.keys[i])) && Contradicts(claim, s.Text) &&
			!slices.ContainsFunc(out, func(o Statement) bool { return o.Line == s.Line }) {
			out = append(out, s)
		}
	}
	return out
}

// Contradicts reports whether two statements cannot both hold: they say the contrary with the same words, give another
// number, or the later one puts something in the place of what the earlier one has.
func Contradicts(later, earlier string) bool {
	now, then := mem.Memory{Title: Claim(later)}, mem.Memory{Title: Claim(earlier)}
	j := extract.CompareMemories(now, then)
	if j.Relation == lang.Opposite || j.Relation == lang.Differs && j.Reason == lang.ByNumber {
		return rank.Alike(now, then) >= extract.Contradictory // other statements may differ in a negation, too
	}
	return extract.Reverses(now.Title, then.Title, "")
}

// Covers reports whether one claim says all that the other does.
func Covers(claim, other string) bool {
	claim, other = Claim(claim), Claim(other)
	j := lang.Compare(claim, other)
	return j.Relation == lang.Same || j.Relation == lang.Adds && longer(claim, other)
}

func longer(a, b string) bool { return len(strings.Fields(a)) > len(strings.Fields(b)) }

// Parse splits a Markdown text into statements. Headings, tables, comments, front matter and blocks of code are none.
func Parse(text string) Doc {
	var d Doc
	var block []string
	first := 0 // line of the block
	flush := func() {
		d.add(first, block)
		block = nil
	}
	r := reader{}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, bom)) {
		number++
		t, plain := r.read(line, number)
		item, isItem := lang.TrimListMark(t)
		switch {
		case !plain || t == "" || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "|"):
			flush()
			continue
		case isItem:
			flush()
			t = item
		}
		if len(block) == 0 {
			first = number
		}
		block = append(block, t)
	}
	flush()
	return d
}

// add adds the statements of a block of lines.
func (d *Doc) add(first int, lines []string) {
	if len(lines) == 0 {
		return
	}
	for i, l := range lines {
		l = strings.TrimPrefix(strings.TrimPrefix(l, "[ ] "), "[x] ")
		lines[i] = strings.TrimPrefix(strings.TrimSpace(lang.WithoutEmphasis(l)), Unconfirmed)
	}
	whole := strings.Join(lines, " ")
	sentences := lang.SplitSentences(whole)
	at := 0
	for _, s := range sentences {
		if i := strings.Index(whole[at:], s); i >= 0 {
			at += i
		}
		line, end := first, 0
		for i, l := range lines {
			if end += len(l) + 1; at < end {
				line += i
				break
			}
		}
		d.put(Statement{Line: line, Text: strings.TrimSpace(s)})
	}
	if len(sentences) > 1 {
		d.put(Statement{first, whole, true})
	}
}

func (d *Doc) put(s Statement) {
	if s.Text != "" {
		d.Statements, d.keys = append(d.Statements, s), append(d.keys, keysOf(s.Text))
	}
}

// reader follows the parts of a Markdown text that are no statements.
type reader struct {
	fence   string // that ends the block of code; empty outside of one
	comment bool
	matter  bool // front matter
}

// read returns a line without what is no text of it, and whether it may hold a statement.
func (r *reader) read(line string, number int) (text string, plain bool) {
	t := strings.TrimLeft(strings.TrimSpace(line), "> ")
	switch {
	case r.matter:
		r.matter = t != "---"
		return "", false
	case number == 1 && t == "---":
		r.matter = true
		return "", false
	case r.fence != "":
		if strings.HasPrefix(t, r.fence) && strings.Trim(t, r.fence[:1]) == "" {
			r.fence = ""
		}
		return "", false
	}
	if !r.comment {
		for _, mark := range []string{"```", "~~~"} {
			if strings.HasPrefix(t, mark) {
				r.fence = t[:len(t)-len(strings.TrimLeft(t, mark[:1]))]
				return "", false
			}
		}
	}
	return strings.TrimSpace(r.uncommented(t)), true
}

// uncommented removes comments from a line.
func (r *reader) uncommented(t string) string {
	var b strings.Builder
	for {
		if r.comment {
			_, after, ends := strings.Cut(t, "-->")
			if !ends {
				return b.String()
			}
			t, r.comment = after, false
		}
		before, after, begins := strings.Cut(t, "<!--")
		b.WriteString(before)
		if !begins {
			return b.String()
		}
		t, r.comment = after, true
	}
}

// keysOf returns the beginnings of the longer words of a text, by which statements with other words are passed over.
func keysOf(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		runes := []rune(w)
		switch {
		case slices.ContainsFunc(runes, chars.Wide):
			for _, r := range runes {
				out = append(out, string(r))
			}
		case len(runes) > 3:
			out = append(out, string(runes[:3]))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func shared(want, has []string) (n int) {
	for _, w := range want {
		if _, found := slices.BinarySearch(has, w); found {
			n++
		}
	}
	return n
}

// reminders begin a claim that the person repeats, and say nothing about its subject.
var reminders = []string{
	"i told you already", "i told you before", "i told you", "i said already", "i already said",
	"as i said before", "as i said", "i have said", "i've said", "how often do i have to say", "once again",
	"once more", "again", "reminder", "remember", "please remember", "note", "no", "please",
	"ich habe es schon gesagt", "wie gesagt", "nochmal", "noch einmal", "bitte", "nein", "non", "encore une fois",
	"je l'ai déjà dit", "ya lo dije", "otra vez", "recuerda",
}

// tasks begin a request for work, which holds once.
var tasks = []string{
	"look into", "look at", "take a look", "have a look", "can you", "could you", "would you", "investigate",
	"find out", "go on", "continue", "try again", "fix the", "let's fix", "schau", "sieh dir", "kannst du",
	"könntest du", "mach weiter", "regarde", "peux-tu", "pouvez-vous", "mira", "puedes", "sigue",
}

// IsTask reports whether a claim is a question or asks for work, and so lays nothing down.
func IsTask(claim string) bool {
	claim = strings.ToLower(Claim(claim))
	for _, courtesy := range []string{"please ", "bitte "} {
		claim = strings.TrimPrefix(claim, courtesy)
	}
	return extract.Asks(claim) ||
		slices.ContainsFunc(tasks, func(t string) bool { return strings.HasPrefix(claim, t+" ") })
}

// Claim returns what a statement says without a reminder before it and a word of courtesy behind it.
func Claim(s string) string {
	s = chars.Line(s)
	for range 3 {
		i := strings.IndexAny(s, ":,;!.")
		if i < 0 || i+1 >= len(s) || s[i+1] != ' ' || !slices.Contains(reminders, strings.ToLower(s[:i])) {
			break
		}
		s = strings.TrimSpace(s[i+1:])
	}
	if lead := "from now on"; len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
		s = strings.TrimLeft(s[len(lead):], ", ")
	}
	bare := strings.TrimRight(s, ".! ")
	for _, end := range []string{", please", " please", ", bitte", ", s'il te plaît", ", por favor"} {
		if n := len(bare) - len(end); n > 0 && strings.EqualFold(bare[n:], end) {
			return bare[:n]
		}
	}
	return s
}
