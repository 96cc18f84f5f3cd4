package extract

import (
	"strings"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// Statement is one sentence or list item of a text, and what stands around it.
type Statement struct {
	Text   string
	Bare   string   // text as cues are looked for in it: see cueText
	before string   // the sentence before it in the same paragraph
	after  string   // the one after it
	under  mem.Kind // what the heading or the line above says the items below it are
	first  bool     // it is the first of its line
	doubt  bool     // the line above says that they are only thought of
	stands standing // to work that is left
}

// MaxSentences is how many sentences of one text are looked at.
const MaxSentences = 200

// prose is a text taken apart: what it says in its own words. Code fences,
// quotations, tables and headings are no statements.
type prose struct {
	out           []Statement
	fence         string // what the open code fence was opened with
	section, list mem.Kind
	doubt         bool // of the list
	stands        standing
}

// Statements splits a text into sentences and list items. Emphasis and list
// marks are removed.
func Statements(text string) []Statement {
	var p prose
	paragraph, at := 0, -1
	stands := standings(text)
	for line := range strings.Lines(text) {
		if len(p.out) >= MaxSentences {
			break
		}
		at++
		p.stands = stands[at]
		t := strings.TrimSpace(line)
		if p.fenced(t) {
			paragraph = len(p.out)
			continue
		}
		if t == "" || t[0] == '#' || t[0] == '|' || t[0] == '>' {
			if t != "" && t[0] == '#' {
				p.section, p.list, p.doubt = sectionKind(t), "", false
			}
			paragraph = len(p.out)
			continue
		}
		plain, item := lang.TrimListMark(t)
		if item {
			paragraph = len(p.out)
		}
		p.line(plain, item, paragraph)
	}
	return p.out
}

// fenced reports whether a line belongs to a code fence. A fence ends at a line
// of the same marks, as many at least.
func (p *prose) fenced(t string) bool {
	marks := t[:len(t)-len(strings.TrimLeft(t, "`"))]
	if strings.HasPrefix(t, "~") {
		marks = t[:len(t)-len(strings.TrimLeft(t, "~"))]
	}
	switch {
	case p.fence == "" && len(marks) >= 3:
		p.fence = marks
		return true
	case p.fence != "" && strings.HasPrefix(marks, p.fence) && t == marks:
		p.fence = ""
		return true
	}
	return p.fence != ""
}

func (p *prose) line(t string, item bool, paragraph int) {
	whole := lang.IsBoldLine(t)
	lead := strings.HasSuffix(t, ":") || strings.HasSuffix(t, "：")
	t = lang.WithoutEmphasis(t)
	if !item {
		p.list, p.doubt = "", false
		if lead || whole {
			l := lang.CueText(t)
			p.list, p.doubt = sectionKind(t), thoughtOf(l) || thoughtOfList(l)
			if p.list == "" && lead && !p.doubt && !Asks(t) && len(strings.Fields(l)) <= 8 && open(l) {
				p.list = mem.Todo
			}
			if whole || p.list != "" {
				if whole {
					p.section = p.list
				}
				return
			}
		}
	}
	under := p.list
	if under == "" {
		under = p.section
	}
	if rest, ok := strings.CutPrefix(t, "[ ] "); ok && item {
		t, under = rest, mem.Todo
	}
	if label, _, ok := strings.Cut(t, ": "); ok && len(strings.Fields(label)) <= 5 && !strings.Contains(label, "`") {
		if k := sectionKind(label); k != "" {
			under = k
		}
	}
	for i, s := range lang.SplitSentences(t) {
		one := Statement{
			Text:   s,
			Bare:   lang.CueText(s),
			under:  under,
			first:  i == 0,
			doubt:  item && p.doubt,
			stands: p.stands,
		}
		if n := len(p.out); n > paragraph {
			one.before = p.out[n-1].Text
			p.out[n-1].after = s
		}
		p.out = append(p.out, one)
	}
}

// Sentences are the texts of the statements.
func Sentences(text string) []string {
	all := Statements(text)
	out := make([]string, 0, len(all))
	for _, s := range all {
		out = append(out, s.Text)
	}
	return out
}
