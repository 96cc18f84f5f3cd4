package setup

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// splice replaces body[start:end] by text.
type splice struct {
	start, end int
	text       string
}

// apply makes the replacements, whose ranges do not overlap.
func apply(body []byte, list []splice) []byte {
	slices.SortStableFunc(list, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, s := range list {
		out.Write(body[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.Write(body[at:])
	return out.Bytes()
}

// A container that was there, but empty, must stay when our hooks leave it again; one that we made must go. Blanks
// after its opening bracket remember which it was. No blank: we made it (or, for the whole text, it was `{}`).
const (
	markEmpty  = 1 // it was there with nothing inside
	markBlanks = 2 // it was there with blanks inside: those that now stand before its closing bracket
	markText   = 3 // the whole text was blanks: those that now stand after it
	markNone   = 4 // the whole text was nothing
)

// mark counts the blanks after the opening bracket.
func mark(body []byte, c *node) int {
	rest := body[c.start+1:]
	return len(rest) - len(bytes.TrimLeft(rest, " "))
}

// style is how the text at hand is laid out.
type style struct {
	eol   string // line end
	unit  string // one step of indentation
	lines bool   // members stand on lines of their own
	colon string // between key and value
	gap   string // after a comma within a line
}

// styleOf looks at the first member of the whole; a text without members is laid out our way.
func styleOf(d document) style {
	st := style{eol: "\n", unit: "  ", lines: true, colon: ": ", gap: " "}
	if i := bytes.IndexByte(d.body, '\n'); i > 0 && d.body[i-1] == '\r' {
		st.eol = "\r\n"
	}
	if d.root == nil || len(d.root.items) == 0 {
		return st
	}
	first := d.root.items[0]
	lead := string(d.body[d.root.start+1 : first.start])
	nl := strings.LastIndexByte(lead, '\n')
	st.lines = nl >= 0
	if st.lines {
		st.unit = strings.TrimPrefix(lead[nl+1:], lineIndent(d.body, d.root.start))
	}
	if strings.IndexByte(blanks, d.body[first.val.start-1]) < 0 {
		st.colon, st.gap = ":", ""
	}
	return st
}

// lineIndent returns the blanks that begin the line of an offset.
func lineIndent(body []byte, at int) string {
	line := body[bytes.LastIndexByte(body[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (st style) handler(e Entry) string {
	var members []string
	if !e.Flat {
		members = append(members, `"type"`+st.colon+`"command"`)
	}
	members = append(members, `"command"`+st.colon+quote(e.Command))
	if e.Timeout > 0 {
		members = append(members, `"timeout"`+st.colon+strconv.Itoa(e.Timeout))
	}
	return "{" + strings.Join(members, ","+st.gap) + "}"
}

// group is one element of an event's array. It always stands on one line.
func (st style) group(e Entry) string {
	if e.Flat {
		return st.handler(e)
	}
	matcher := ""
	if e.Matcher != "" {
		matcher = `"matcher"` + st.colon + quote(e.Matcher) + "," + st.gap
	}
	return "{" + matcher + `"hooks"` + st.colon + "[" + st.handler(e) + "]}"
}

// around puts brackets of our own about one item.
func (st style) around(brackets, indent, item string) string {
	head, tail := "", ""
	if st.lines {
		head, tail = st.eol+indent+st.unit, st.eol+indent
	}
	return brackets[:1] + head + item + tail + brackets[1:]
}

// insertAll appends entries to valid settings of the known shape.
func insertAll(body []byte, entries []Entry) []byte {
	if len(bytes.Trim(body, blanks)) == 0 {
		return fillBlank(body, entries)
	}
	for _, e := range entries {
		d, err := parse(body)
		if err != nil {
			panic(err) // both the text and what was inserted are valid
		}
		body = d.insert(e)
	}
	return body
}

// insert appends one entry at the deepest level that is there already.
func (d document) insert(e Entry) []byte {
	st := styleOf(d)
	hooks := d.root.get("hooks")
	event := hooks.get(e.Event)
	switch {
	case hooks == nil:
		return d.add(st, d.root, func(st style, indent string) string {
			inner := quote(e.Event) + st.colon + st.around("[]", indent+st.unit, st.group(e))
			return `"hooks"` + st.colon + st.around("{}", indent, inner)
		})
	case event == nil:
		return d.add(st, hooks, func(st style, indent string) string {
			return quote(e.Event) + st.colon + st.around("[]", indent, st.group(e))
		})
	default:
		return d.add(st, event, func(st style, _ string) string { return st.group(e) })
	}
}

// add appends an item to a container. item formats it by the style of the container, with its own indentation.
func (d document) add(st style, c *node, item func(st style, indent string) string) []byte {
	if len(c.items) == 0 {
		return d.addFirst(st, c, item)
	}
	lead := string(d.body[c.start+1 : c.items[0].start])
	nl := strings.LastIndexByte(lead, '\n')
	st.lines = nl >= 0
	indent, sep := "", ","+st.gap
	if st.lines {
		indent = lead[nl+1:]
		sep = "," + st.eol + indent
	}
	at := c.items[len(c.items)-1].end()
	return apply(d.body, []splice{{at, at, sep + item(st, indent)}})
}

func (d document) addFirst(st style, c *node, item func(st style, indent string) string) []byte {
	base := lineIndent(d.body, c.start)
	head, tail := "", ""
	if st.lines {
		head, tail = st.eol+base+st.unit, st.eol+base
	}
	was := markEmpty
	if c == d.root {
		was = 0
	}
	if inside := string(d.body[c.start+1 : c.end-1]); inside != "" {
		was, tail = markBlanks, inside
	}
	head = strings.Repeat(" ", was) + head
	return apply(d.body, []splice{{c.start + 1, c.end - 1, head + item(st, base+st.unit) + tail}})
}

// fillBlank makes settings of a text that holds only blanks.
func fillBlank(body []byte, entries []Entry) []byte {
	if len(entries) == 0 {
		return body
	}
	st := styleOf(document{body: body})
	after, was := string(body), markText
	if after == "" {
		after, was = st.eol, markNone
	}
	text := insertAll([]byte("{}"+after), entries)
	return append([]byte("{"+strings.Repeat(" ", was)), text[1:]...)
}

// without cuts hooks and status lines out, with all that held nothing but them, and makes the rewrites.
func (d document) without(gone map[*node]bool, rewrite []splice) []byte {
	c := cutter{body: d.body, cuts: rewrite}
	emptied := c.sweep(d.root, func(member item) bool {
		if member.key != "hooks" || member.val.kind != '{' {
			return gone[member.val]
		}
		return c.sweepMarked(member.val, func(event item) bool {
			return event.val.kind == '[' && c.sweepMarked(event.val, func(group item) bool {
				list := group.val.get("hooks")
				return gone[group.val] || list != nil && list.kind == '[' && c.sweep(list, func(h item) bool { return gone[h.val] })
			})
		})
	})
	if emptied {
		c.cutWhole(d.root)
	}
	return apply(d.body, c.cuts)
}

// cutter collects cuts.
type cutter struct {
	body []byte
	cuts []splice
}

// sweep cuts those items that gone names, each with one comma. It reports whether nothing would be left: then it cuts
// nothing, since that is the caller's to do.
func (c *cutter) sweep(n *node, gone func(item) bool) (emptied bool) {
	out := make([]bool, len(n.items))
	kept := -1 // index of the last item that stays
	for i, it := range n.items {
		out[i] = gone(it)
		if !out[i] {
			kept = i
		}
	}
	if kept < 0 {
		return len(n.items) > 0
	}
	before := -1
	for i, it := range n.items {
		switch {
		case !out[i]:
			before = i
		case before >= 0:
			from := n.items[i-1].end()
			c.cuts = append(c.cuts, splice{from, it.end(), ""})
		default:
			c.cuts = append(c.cuts, splice{it.start, n.items[i+1].start, ""})
		}
	}
	return false
}

// sweepMarked is sweep for a container that may have been there, empty, before our hooks came.
func (c *cutter) sweepMarked(n *node, gone func(item) bool) (emptied bool) {
	if !c.sweep(n, gone) {
		return false
	}
	switch mark(c.body, n) {
	case 0:
		return true
	case markEmpty:
		c.cut(n.start+1, n.end-1)
	default:
		c.cut(n.start+1, n.items[len(n.items)-1].end())
	}
	return false
}

// cutWhole gives back what the text was before it held nothing but our hooks.
func (c *cutter) cutWhole(root *node) {
	switch mark(c.body, root) {
	case markBlanks:
		c.cut(root.start+1, root.items[len(root.items)-1].end())
	case markText:
		c.cut(root.start, root.end)
	case markNone:
		c.cut(root.start, len(c.body))
	default:
		c.cut(root.start+1, root.end-1)
	}
}

func (c *cutter) cut(from, to int) {
	c.cuts = append(c.cuts, splice{from, to, ""})
}
