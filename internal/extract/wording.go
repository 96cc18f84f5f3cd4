package extract

import (
	"strings"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// Statement is one sentence, list item or table row of a text, and what stands around it.
type Statement struct {
	Text   string
	Bare   string   // text as cues are looked for in it: see lang.CueText
	before string   // the sentence before it in the same paragraph
	after  string   // the one after it
	under  mem.Kind // what the heading or the line above says the items below it are
	first  bool     // it is the first of its line
	doubt  bool     // the line above says that they are only thought of
	stands standing // to work that is left

	heading string // above it
	lead    string // the line that introduces its list, or the item that it is a part of
	block   int    // its paragraph, item or row
	list    int    // its list or table; 0 in a paragraph
	level   int    // columns that its item is indented by
	row     bool
	cues    lang.Found
}

// MaxSentences is how many sentences of one text are looked at.
const MaxSentences = 200

// prose is a text taken apart: what it says in its own words. Code fences and
// quotations are no statements.
type prose struct {
	out           []Statement
	fence         string // what the open code fence was opened with
	section, list mem.Kind
	doubt         bool // of the list
	stands        standing

	heading, lead string
	block, listID int
	parents       []parentItem // items that the line is indented below
	table         tableRows
}

// parentItem is an item that others may stand below.
type parentItem struct {
	level int
	text  string
}

// Statements splits a text into sentences, list items and table rows. Emphasis and
// list marks are removed.
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
		if row, ok := p.table.read(t); ok {
			paragraph = len(p.out)
			p.row(row)
			continue
		}
		if t == "" || t[0] == '#' || t[0] == '|' || t[0] == '>' {
			if t != "" && t[0] == '#' {
				p.section, p.list, p.doubt = sectionKind(t), "", false
				p.head(strings.TrimLeft(t, "# "))
			}
			paragraph = len(p.out)
			continue
		}
		plain, item := lang.TrimListMark(t)
		level := len(line) - len(strings.TrimLeft(line, " \t"))
		if item {
			paragraph = len(p.out)
			p.item(plain, level)
		} else if paragraph == len(p.out) {
			p.block++
		}
		p.line(plain, item, paragraph)
	}
	return p.out
}

// headingText is the text of a heading.
func headingText(line string) string {
	return strings.TrimRight(lang.WithoutEmphasis(strings.TrimLeft(line, "# ")), " :：")
}

// head begins a section.
func (p *prose) head(title string) {
	p.heading, p.lead, p.parents = headingText(title), "", nil
	p.listID++
}

// item begins an item of a list.
func (p *prose) item(t string, level int) {
	for len(p.parents) > 0 && p.parents[len(p.parents)-1].level >= level {
		p.parents = p.parents[:len(p.parents)-1]
	}
	p.parents = append(p.parents, parentItem{level, lang.WithoutEmphasis(t)})
	p.block++
}

// row takes the cells of a table's row.
func (p *prose) row(text string) {
	if text == "" {
		return
	}
	p.block++
	text = lang.WithoutEmphasis(text)
	p.out = append(p.out, Statement{
		Text: text, Bare: lang.CueText(text), first: true, row: true, stands: p.stands,
		heading: p.heading, lead: p.lead, block: p.block, list: p.table.id,
	})
	p.out[len(p.out)-1].cues = cuesIn(p.out[len(p.out)-1].Bare)
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
		p.list, p.doubt, p.lead, p.parents = "", false, "", nil
		p.listID++
		if lead || whole {
			p.lead = strings.TrimRight(lastSentence(t), " :：")
		}
		if whole {
			p.head(t)
		}
		if lead || whole {
			last := lastSentence(t)
			l := lang.CueText(last)
			p.list, p.doubt = sectionKind(last), thoughtOf(l) || thoughtOfList(l) || lead && announces(l)
			if p.list == "" && lead && !p.doubt && !Asks(t) && len(strings.Fields(l)) <= 8 && open(l) {
				p.list = mem.Todo
			}
			if whole {
				p.section = p.list
				return
			}
			if p.list != "" {
				t = strings.TrimSuffix(t, last)
			}
		}
	}
	under := p.list
	if under == "" || !item {
		under = p.section
	}
	if rest, ok := strings.CutPrefix(t, "[ ] "); ok && item {
		t, under = rest, mem.Todo
	}
	if item && lang.HasAnyPrefix(t, "[x] ", "[X] ") {
		return // work that is done
	}
	if label, named, rest := labelOf(t); named && len(strings.Fields(label)) <= 5 && !strings.Contains(label, "`") &&
		!lang.ContainsAny(label, " is ", " are ", " was ", " were ", " ist ", " sind ", " est ", " sont ", " son ") {
		if k := sectionKind(label); k != "" {
			under = k
		} else if cuesIn(lang.CueText(label)).Has(cueGeneric) && lang.StartsSentence(rest) {
			t = rest // "Summary: …" does not say what it is about
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

			heading: p.heading, lead: p.lead, block: p.block,
		}
		one.cues = cuesIn(one.Bare)
		if item {
			one.list = p.listID + 1
			one.level = p.parents[len(p.parents)-1].level
			if n := len(p.parents); n > 1 {
				one.lead = p.parents[n-2].text
			}
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

// tableRows reads the rows of a table.
type tableRows struct {
	id     int
	header string
	open   bool
	ids    int
}

// read reads a line. ok reports whether it belongs to a table whose head is known. The text is empty for lines without
// cells.
func (x *tableRows) read(t string) (text string, ok bool) {
	if !strings.HasPrefix(t, "|") {
		x.open, x.header = false, ""
		return "", false
	}
	if strings.Trim(t, "|-: ") == "" {
		x.open = x.header != ""
		x.ids++
		x.id = 1000 + x.ids
		return "", x.open
	}
	if !x.open {
		x.header = t
		return "", false
	}
	var cells []string
	for _, c := range strings.Split(strings.Trim(t, "|"), "|") {
		if c = strings.TrimSpace(c); c != "" {
			cells = append(cells, c)
		}
	}
	if len(cells) < 2 {
		return strings.Join(cells, ""), true
	}
	return cells[0] + ": " + strings.Join(cells[1:], " — "), true
}

// lastSentence is the last sentence of a line.
func lastSentence(line string) string {
	ss := lang.SplitSentences(line)
	if len(ss) == 0 {
		return line
	}
	return ss[len(ss)-1]
}
