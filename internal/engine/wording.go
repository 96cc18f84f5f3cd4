package engine

import (
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// said is one sentence or list item of a text, and what stands around it.
type said struct {
	text   string
	bare   string   // text as cues are looked for in it: see cueText
	before string   // the sentence before it in the same paragraph
	after  string   // the one after it
	under  mem.Kind // what the heading or the line above says the items below it are
	first  bool     // it is the first of its line
	doubt  bool     // the line above says that they are only thought of
	stands standing // to work that is left
}

// maxSaid is how many sentences of one text are looked at.
const maxSaid = 200

// prose is a text taken apart: what it says in its own words. Code fences,
// quotations, tables and headings are no statements.
type prose struct {
	out           []said
	fence         string // what the open code fence was opened with
	section, list mem.Kind
	doubt         bool // of the list
	stands        standing
}

// statements splits a text into sentences and list items. Emphasis and list
// marks are removed.
func statements(text string) []said {
	var p prose
	paragraph, at := 0, -1
	stands := standings(text)
	for line := range strings.Lines(text) {
		if len(p.out) >= maxSaid {
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
		plain, item := unlisted(t)
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
	whole := boldLine(t)
	lead := strings.HasSuffix(t, ":") || strings.HasSuffix(t, "：")
	t = withoutEmphasis(t)
	if !item {
		p.list, p.doubt = "", false
		if lead || whole {
			l := cueText(t)
			p.list, p.doubt = sectionKind(t), thoughtOf(l) || thoughtOfList(l)
			if p.list == "" && lead && !p.doubt && !asks(t) && len(strings.Fields(l)) <= 8 && open(l) {
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
	for i, s := range split(t) {
		one := said{text: s, bare: cueText(s), under: under, first: i == 0, doubt: item && p.doubt, stands: p.stands}
		if n := len(p.out); n > paragraph {
			one.before = p.out[n-1].text
			p.out[n-1].after = s
		}
		p.out = append(p.out, one)
	}
}

// withoutEmphasis removes what makes text bold, but not from code.
func withoutEmphasis(t string) string {
	if !strings.Contains(t, "**") && !strings.Contains(t, "__") {
		return t
	}
	parts := strings.Split(t, "`")
	for i, part := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "**", ""), "__", "")
		}
	}
	return strings.Join(parts, "`")
}

// boldLine reports whether a line is nothing but bold: a heading.
func boldLine(t string) bool {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(t, ":"), "**")
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(strings.TrimSuffix(inner, ":"), "**")
	return ok && !strings.Contains(inner, "**") && len(inner) < 60
}

// unlisted is a line without its list mark; item tells whether it had one. The box
// of what is not done stays.
func unlisted(t string) (string, bool) {
	rest := strings.TrimLeft(t, "-*•+")
	if n := len(t) - len(rest); n == 1 || n == len("•") && strings.HasPrefix(t, "•") {
		if trimmed := strings.TrimLeft(rest, " "); trimmed != rest {
			return strings.TrimPrefix(strings.TrimPrefix(trimmed, "[x] "), "[X] "), true
		}
	}
	digits := strings.TrimLeft(t, "0123456789")
	if n := len(t) - len(digits); n > 0 && n < 4 && len(digits) > 1 && (digits[0] == '.' || digits[0] == ')') && digits[1] == ' ' {
		return strings.TrimSpace(digits[1:]), true
	}
	return t, false
}

// sentences are the texts of the statements.
func sentences(text string) []string {
	all := statements(text)
	out := make([]string, 0, len(all))
	for _, s := range all {
		out = append(out, s.text)
	}
	return out
}

// split cuts a line after ., ! and ? that end a sentence: a space and a capital
// or a wide character follows, or any letter where the word before is no
// abbreviation. A full stop inside a name or a number ends nothing.
func split(line string) []string {
	var out []string
	rs := []rune(line)
	start, code := 0, false
	for i, r := range rs {
		if r == '`' {
			code = !code
		}
		end := strings.ContainsRune("。！？", r)
		if strings.ContainsRune(".!?", r) {
			end = i+1 == len(rs) || i+2 < len(rs) && rs[i+1] == ' ' && (unicode.IsUpper(rs[i+2]) && !abbreviated(rs[start:i]) || strings.ContainsRune("`¿¡", rs[i+2]) || mem.Wide(rs[i+2]) || unicode.IsLower(rs[i+2]) && wholeWord(rs[start:i]))
		}
		if end && !code {
			if s := strings.TrimSpace(string(rs[start : i+1])); s != "" {
				out = append(out, s)
			}
			start = i + 1
		}
	}
	if s := strings.TrimSpace(string(rs[start:])); s != "" {
		out = append(out, s)
	}
	return out
}

// abbreviated reports whether a text ends with an abbreviation that never ends a
// sentence: "Postgres vs. SQLite".
func abbreviated(rs []rune) bool {
	words := strings.Fields(strings.ToLower(string(rs[max(0, len(rs)-8):])))
	return len(words) > 0 && holds("|vs|e.g|i.e|cf|mr|mrs|dr|fig|z.b|d.h|bzw|ggf|vgl|nr|p.ej|", "|"+strings.TrimLeft(words[len(words)-1], "(")+"|")
}

// wholeWord reports whether a text ends with code, or a word that is no abbreviation.
func wholeWord(rs []rune) bool {
	if len(rs) > 0 && rs[len(rs)-1] == '`' {
		return true
	}
	n := 0
	for n < len(rs) && unicode.IsLetter(rs[len(rs)-1-n]) {
		n++
	}
	if n < 4 || n < len(rs) && rs[len(rs)-1-n] != ' ' && rs[len(rs)-1-n] != '-' {
		return false
	}
	switch strings.ToLower(string(rs[len(rs)-n:])) {
	case "approx", "resp", "evtl", "inkl", "etwa", "vers", "usually":
		return false
	}
	return true
}

// cueText is a sentence as cues are looked for in it: in lower case, in one line
// with a space at both ends, without what it quotes. Of code the marks stay.
func cueText(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	var until rune
	for _, r := range strings.ToLower(s) {
		switch {
		case until != 0:
			if r == until {
				until = 0
			}
			if r != '`' {
				continue
			}
		case r == '`':
			until = '`'
		case r == '"':
			until = '"'
			continue
		case strings.ContainsRune("“„", r):
			until = '”'
			if strings.ContainsRune(s, '“') && r == '„' {
				until = '“'
			}
			continue
		case r == '«':
			until = '»'
			continue
		case r == '’':
			r = '\''
		case strings.ContainsRune("()[]—–…\t\n\r", r):
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte(' ')
	if until != 0 && until != '`' { // a quotation that does not end is none
		return " " + strings.ToLower(mem.Line(s)) + " "
	}
	l := " " + mem.Line(b.String()) + " "
	if strings.Contains(l, "nt ") {
		l = strings.NewReplacer(" dont ", " don't ", " doesnt ", " doesn't ", " didnt ", " didn't ", " isnt ", " isn't ", " arent ", " aren't ", " wasnt ", " wasn't ", " wont ", " won't ", " cant ", " can't ").Replace(l)
	}
	return l
}

func holds(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func begins(s string, words ...string) bool {
	s = strings.TrimSpace(s)
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// breadth is the length of a text in characters; one of a script without spaces
// says as much as two.
func breadth(s string) int {
	n := 0
	for _, r := range s {
		n++
		if mem.Wide(r) {
			n++
		}
	}
	return n
}
