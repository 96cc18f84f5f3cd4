package extract

import (
	"strings"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// standing is how a line of an answer stands to work that is left.
type standing uint8

// The zero standing says nothing about it.
const (
	left      standing = iota + 1 // its list is one of work that is left
	suggested                     // a heading alone does not make it work that is left
	aside                         // put to choice, or ruled out: no work that is left, whatever it says
)

// blockKind is what a block of lines is.
type blockKind uint8

// The kinds of blocks.
const (
	paragraphBlock blockKind = iota
	headingBlock
	listBlock
)

// block is a heading, a paragraph, or a list with all lines of its items.
type block struct {
	kind     blockKind
	lines    []int  // places of its lines in the text
	first    string // its first line
	last     string // its last line
	ordered  bool   // a list with numbers or letters
	boxes    bool   // a list of boxes that are not ticked
	variants bool   // a heading or a list that names alternatives by a mark: "Option 2", "B:"
}

// standings returns for each line whether it names work that is left, by its place: the heading and the line above its
// list, and whether the answer ends with a question about it.
func standings(text string) []standing {
	n, blocks := blocksOf(text)
	out := make([]standing, n)
	mark := func(b block, s standing) {
		for _, i := range b.lines {
			out[i] = max(out[i], s)
		}
	}
	question := ""
	if len(blocks) > 0 && blocks[len(blocks)-1].kind == paragraphBlock {
		question = closing(blocks[len(blocks)-1].last)
	}
	lastHeading := 0
	for i, b := range blocks {
		if b.kind == headingBlock {
			lastHeading = i
		}
	}
	over := "" // the heading
	var section standing
	for i, b := range blocks {
		if i > MaxSentences {
			break
		}
		switch b.kind {
		case headingBlock:
			over, section = b.first, headed(b)
		case paragraphBlock:
			mark(b, section)
			if label, _, ok := strings.Cut(b.first, ":"); ok && ruledOut(label) {
				mark(b, aside)
			}
		case listBlock:
			lead := ""
			if i > 0 && blocks[i-1].kind == paragraphBlock {
				lead = blocks[i-1].last
			}
			asked := ""
			if i >= lastHeading && len(blocks)-i <= 3 {
				asked = question
			}
			mark(b, max(section, b.stands(over, lead, asked)))
		}
	}
	return out
}

// stands returns whether the items of a list name work that is left. over is the heading, lead the line above, question
// the end of the answer.
func (b block) stands(over, lead, question string) standing {
	leads := strings.HasSuffix(lead, ":") || strings.HasSuffix(lead, "：")
	bare := strings.TrimRight(lead, ":：")
	l := lang.CueText(bare)
	switch {
	case b.variants || bare != "" && Asks(bare):
		return aside
	case leads && (offers(l) || thoughtOf(l) || ruledOut(bare)):
		return aside
	case b.boxes || leads && remainder(lead):
		return left
	case !(leads && sectionKind(lead) != "") && remainder(over):
		return left
	case question == "":
		return 0
	case PointsAtList(lang.CueText(question)) || b.ordered && !offers(lang.CueText(question)):
		return aside
	}
	return suggested
}

// headed is how all that stands under a heading stands to work that is left.
func headed(b block) standing {
	if b.variants || ruledOut(b.first) || len(strings.Fields(b.first)) <= 3 && thoughtOfList(lang.CueText(b.first)) {
		return aside
	}
	return 0
}

// remainder reports whether a heading or a leading line says that work is left,
// and not only what could come next.
func remainder(line string) bool {
	l := lang.CueText(line)
	return (sectionKind(line) == mem.Todo || open(l)) && !lang.ContainsAny(l, "next", "follow", "later",
		"nächste", "weiter", "prochain", "próxim", "今後", "次の", "后续", "下一步")
}

// ruledOut reports whether a heading, a leading line or a label says that what
// belongs to it is not going to be done.
func ruledOut(line string) bool {
	l := " " + strings.Trim(strings.ToLower(lang.WithoutEmphasis(short(line))), "#*:： ") + " "
	return lang.ContainsAny(
		l, "out of scope", "out-of-scope", "not in scope", "outside the scope", "non-goal", "not a goal",
		" won't do ", " won't fix ", " wontfix ", " will not do ", "nicht im umfang", "außerhalb des umfangs",
		"nicht-ziel", "hors périmètre", "hors scope", "hors du périmètre", "non-objectif", "fuera de alcance",
		"fuera del alcance", "no objetivos", "対象外", "範囲外", "スコープ外", "超出范围", "不在范围", "范围之外", "非目标",
	)
}

// short is a line if it is short enough for a heading.
func short(line string) string {
	if len(line) > 80 {
		return ""
	}
	return strings.ReplaceAll(line, "’", "'")
}

// PointsAtList reports whether a question speaks of things that stand above it.
func PointsAtList(l string) bool {
	return lang.ContainsAny(
		l, " which ", " these", " those", " them", " any of ", " one of ", " welche", " davon", " diese", " lequel",
		" laquelle", " lesquel", " quel", " ces ", " cuál", " alguno", " estos", " estas", "どれ", "どちら", "どの", "哪",
		"这些",
	)
}

// closing is the question or the offer that a paragraph ends with; empty if it
// ends with none. The answer's own pick may stand behind the question.
func closing(line string) string {
	ss := lang.SplitSentences(lang.WithoutEmphasis(line))
	if len(ss) == 0 {
		return ""
	}
	last := ss[len(ss)-1]
	if proposes(lang.CueText(last)) && !Asks(last) && len(ss) > 1 {
		last = ss[len(ss)-2]
	}
	if Asks(last) || offers(lang.CueText(last)) {
		return last
	}
	return ""
}

// blocksOf takes a text apart, and counts its lines. Code belongs to no block.
func blocksOf(text string) (n int, out []block) {
	var code prose
	blank, open := true, false // whether a blank line was before; whether the last block is a list
	for line := range strings.Lines(text) {
		at := n
		n++
		t := strings.TrimSpace(line)
		if code.fenced(t) {
			continue
		}
		if t == "" {
			blank = true
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		b := block{first: t, last: t, lines: []int{at}}
		b.kind, b.ordered, b.boxes, b.variants = blockOf(t)
		switch {
		case open && (b.kind == listBlock || indented && b.kind == paragraphBlock):
			join(&out[len(out)-1], b, indented)
		case b.kind == paragraphBlock && !blank && len(out) > 0 && out[len(out)-1].kind == paragraphBlock:
			join(&out[len(out)-1], b, true)
		default:
			out = append(out, b)
			open = b.kind == listBlock
		}
		blank = false
	}
	return n, out
}

// join adds a line to a block. What is indented does not say which list it is.
func join(to *block, b block, inner bool) {
	to.lines, to.last = append(to.lines, b.lines...), b.last
	to.boxes = to.boxes || b.boxes
	if !inner {
		to.variants = to.variants || b.variants
	}
}

// blockOf returns the block that a line begins or belongs to.
func blockOf(t string) (kind blockKind, ordered, boxes, variants bool) {
	if t[0] == '#' || lang.IsBoldLine(t) {
		return headingBlock, false, false, variant(t)
	}
	plain, item := lang.TrimListMark(t)
	switch {
	case item:
		_, marked := optionOf(t)
		return listBlock, marked || t[0] >= '0' && t[0] <= '9', strings.HasPrefix(plain, "[ ] "), variant(t)
	case lettered(t):
		return listBlock, true, false, variant(t)
	}
	return paragraphBlock, false, false, false
}

// variant reports whether a heading or an item calls itself an alternative: a
// name for one with its mark, "Option 2", "Variante B".
func variant(t string) bool {
	plain, _ := lang.TrimListMark(t)
	plain = strings.TrimSpace(strings.TrimLeft(lang.WithoutEmphasis(plain), "# "))
	if _, ok := optionOf(plain); !ok {
		return false
	}
	return len(plain) > 1 && plain[1] >= 'a' && plain[1] <= 'z'
}

// lettered reports whether a line begins with a letter that counts: "A)", "(b)",
// "c.", "**A.**".
func lettered(t string) bool {
	bold := strings.HasPrefix(t, "**")
	t = strings.TrimPrefix(strings.TrimLeft(t, "*"), "(")
	if len(t) < 4 || !(t[0] >= 'a' && t[0] <= 'h' || t[0] >= 'A' && t[0] <= 'H') {
		return false
	}
	return t[1] == ')' || (t[1] == '.' || t[1] == ':') && (t[2] == ' ' || bold && t[2] == '*')
}
