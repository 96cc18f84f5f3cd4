package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// ErrNoEdit means that a key cannot be set by changing its line alone.
var ErrNoEdit = errors.New("the setting stands in a form that cannot be changed by itself")

// SetKey returns a TOML document in which key has the value; everything else,
// comments, order and blanks, stays as it was. literal is the value in TOML.
func SetKey(src []byte, key, literal string) ([]byte, error) {
	doc, err := layoutOf(src)
	if err != nil {
		return nil, err
	}
	for _, try := range doc.waysToSet(key, literal) {
		if onlyDiffers(src, try, key) {
			return try, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", key, ErrNoEdit)
}

// UnsetKey returns the document without the line of key, and without the table
// that held nothing else. It is the same document if key is not in it.
func UnsetKey(src []byte, key string) ([]byte, error) {
	doc, err := layoutOf(src)
	if err != nil {
		return nil, err
	}
	out := src
	for _, k := range doc.keys {
		if k.name == key {
			from, to := doc.lineStart(k.start), doc.lineEnd(k.end)
			out = splice(src, doc.tableStart(from, to), to, "")
			break
		}
	}
	if !onlyDiffers(src, out, key) {
		return nil, fmt.Errorf("%s: %w", key, ErrNoEdit)
	}
	return out, nil
}

// layout is where things stand in a TOML document.
type layout struct {
	src    []byte
	keys   []place
	tables []section
}

// place is one "name = value", by offsets.
type place struct {
	name              string // with its table's
	start, value, end int
}

// section is a table: the root's name is empty. A line can be added at end.
type section struct {
	name  string
	start int
	end   int
	list  bool // [[name]]: its keys are those of one element
}

func layoutOf(src []byte) (layout, error) {
	d := layout{src: src, tables: []section{{}}}
	var p unstable.Parser
	p.Reset(src)
	for p.NextExpression() {
		e := p.Expression()
		name, first, last := nameOf(e)
		if e.Kind == unstable.KeyValue {
			d.add(e, name, last)
			continue
		}
		d.tables = append(d.tables, section{
			name: name, start: d.lineStart(first), end: d.lineEnd(last),
			list: e.Kind == unstable.ArrayTable,
		})
	}
	if p.Error() != nil {
		return d, fmt.Errorf("%w: %w", ErrSyntax, p.Error())
	}
	d.rootEnd()
	return d, nil
}

// tableStart is where the table begins of which the lines from one offset to
// another are all, with the blank line above it; it is from where there is more
// in it, be it a comment.
func (d *layout) tableStart(from, to int) int {
	table, next := section{}, len(d.src)
	for _, t := range d.tables[1:] {
		if t.start < from {
			table = t
		} else {
			next = min(next, t.start)
		}
	}
	above := d.lineStart(max(0, table.start-1))
	head := bytes.TrimSpace(d.src[table.start:from])
	if table.name == "" || !bytes.HasSuffix(head, []byte("]")) || bytes.ContainsAny(head, "\n#") ||
		len(bytes.TrimSpace(d.src[to:next])) > 0 || bytes.HasPrefix(bytes.TrimSpace(d.src[above:table.start]), []byte("#")) {
		return from
	}
	if len(bytes.TrimSpace(d.src[above:table.start])) == 0 {
		return above
	}
	return table.start
}

// nameOf is the dotted name of an expression and the range its text has.
func nameOf(e *unstable.Node) (name string, first, last int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if len(parts) == 0 {
			first = int(n.Raw.Offset)
		}
		parts, last = append(parts, string(n.Data)), int(n.Raw.Offset+n.Raw.Length)
	}
	return strings.Join(parts, "."), first, last
}

func (d *layout) add(e *unstable.Node, name string, nameEnd int) {
	table := &d.tables[len(d.tables)-1]
	start, end := int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)
	end -= len(d.src[start:end]) - len(bytes.TrimRight(d.src[start:end], " \t"))
	value := nameEnd + bytes.IndexByte(d.src[nameEnd:], '=') + 1
	value += len(d.src[value:end]) - len(bytes.TrimLeft(d.src[value:end], " \t"))
	if table.name != "" {
		name = table.name + "." + name
	}
	if !table.list {
		d.keys = append(d.keys, place{name, start, value, end})
	}
	table.end = d.lineEnd(end)
}

// rootEnd lets a key of the root be added even where none stands yet: before
// the first table and the comment right above it.
func (d *layout) rootEnd() {
	root := &d.tables[0]
	if root.end > 0 {
		return
	}
	if len(d.tables) == 1 {
		root.end = len(d.src)
		return
	}
	root.end = d.tables[1].start
	for root.end > 0 {
		above := d.lineStart(root.end - 1)
		if !bytes.HasPrefix(bytes.TrimLeft(d.src[above:], " \t"), []byte("#")) {
			return
		}
		root.end = above
	}
}

func (d *layout) lineStart(at int) int { return bytes.LastIndexByte(d.src[:at], '\n') + 1 }

// lineEnd is the offset after the line's end.
func (d *layout) lineEnd(at int) int {
	if i := bytes.IndexByte(d.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.src)
}

// waysToSet lists candidate documents, the most natural first.
func (d *layout) waysToSet(key, literal string) [][]byte {
	for _, k := range d.keys {
		if k.name == key {
			return [][]byte{splice(d.src, k.value, k.end, literal)}
		}
	}
	var out [][]byte
	best := section{}
	for _, t := range d.tables {
		if t.name != "" && !t.list && strings.HasPrefix(key, t.name+".") && len(t.name) > len(best.name) {
			best = t
		}
	}
	if best.name != "" {
		out = append(out, d.addLine(best.end, strings.TrimPrefix(key, best.name+".")+" = "+literal))
	}
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		blank := ""
		if len(d.src) > 0 {
			blank = "\n"
		}
		out = append(out, d.addLine(len(d.src), blank+"["+key[:i]+"]\n"+key[i+1:]+" = "+literal))
	}
	return append(out, d.addLine(d.tables[0].end, key+" = "+literal))
}

// addLine puts lines at an offset where a line begins, with the document's own line ends.
func (d *layout) addLine(at int, text string) []byte {
	text += "\n"
	if at > 0 && d.src[at-1] != '\n' {
		text = "\n" + text
	}
	if bytes.Contains(d.src, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return splice(d.src, at, at, text)
}

func splice(src []byte, from, to int, text string) []byte {
	out := append([]byte{}, src[:from]...)
	return append(append(out, text...), src[to:]...)
}

// onlyDiffers reports whether two documents are equal except for one key.
func onlyDiffers(before, after []byte, key string) bool {
	was, err := flatTOML(before)
	if err != nil {
		return false
	}
	is, err := flatTOML(after)
	if err != nil {
		return false
	}
	delete(was, key)
	delete(is, key)
	return reflect.DeepEqual(was, is)
}

func flatTOML(b []byte) (map[string]any, error) {
	var tree map[string]any
	if err := toml.Unmarshal(b, &tree); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	flatten("", tree, flat)
	return flat, nil
}
