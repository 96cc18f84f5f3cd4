package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	blanks = " \t\r\n" // what JSON allows between its tokens
	utfBOM = "\xef\xbb\xbf"
)

// document is a JSON text together with where each of its values stands. Offsets count from the start of body.
type document struct {
	bom  []byte // kept apart: JSON has none, but editors write one
	body []byte
	root *node // nil for a text of blanks only
}

// node is one value: body[start:end].
type node struct {
	kind       byte // first byte of its text: '{', '[', '"', or that of a number or word
	start, end int
	items      []item // of an object or an array
}

// item is a member of an object, or an element of an array (key ""). It stands at start up to the end of its value.
type item struct {
	key   string
	start int
	val   *node
}

func (it item) end() int { return it.val.end }

// parse reads JSON text strictly: comments and trailing commas are ErrNotJSON.
func parse(src []byte) (document, error) {
	body := bytes.TrimPrefix(src, []byte(utfBOM))
	d := document{bom: src[:len(src)-len(body)], body: body}
	if len(bytes.Trim(body, blanks)) == 0 {
		return d, nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return document{}, syntax(body, err)
	}
	p := parser{text: body}
	d.root = p.value()
	return d, nil
}

func syntax(body []byte, err error) error {
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	line := 1 + bytes.Count(body[:min(int(at.Offset), len(body))], []byte("\n"))
	return fmt.Errorf("%w: line %d: %w", ErrNotJSON, line, err)
}

// with returns the document's text with another body.
func (d document) with(body []byte) []byte {
	return append(bytes.Clone(d.bom), body...)
}

// get returns the value of an object's key, nil if it has none. Of doubled keys the last one counts, as it does for
// the agent.
func (n *node) get(key string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := len(n.items) - 1; i >= 0; i-- {
		if n.items[i].key == key {
			return n.items[i].val
		}
	}
	return nil
}

// lasts maps each key of an object to the value that counts.
func (n *node) lasts() map[string]*node {
	m := make(map[string]*node, len(n.items))
	for _, it := range n.items {
		m[it.key] = it.val
	}
	return m
}

// text returns a string's value; ok is false for anything but a string.
func (d document) text(n *node) (s string, ok bool) {
	if n == nil || n.kind != '"' {
		return "", false
	}
	return unescape(d.body[n.start:n.end]), true
}

// texts returns an array of strings; ok is false if it holds anything else or is no array.
func (d document) texts(n *node) (list []string, ok bool) {
	if n == nil || n.kind != '[' {
		return nil, false
	}
	for _, it := range n.items {
		s, ok := d.text(it.val)
		if !ok {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

func unescape(literal []byte) string {
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		return "" // not reached: the whole text was found valid
	}
	return s
}

// parser finds the values of a text that is known to be valid JSON.
type parser struct {
	text []byte
	at   int
}

func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(blanks, p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value() *node {
	p.skip()
	n := &node{kind: p.text[p.at], start: p.at}
	switch n.kind {
	case '{', '[':
		p.container(n)
	case '"':
		p.str()
	default:
		for p.at < len(p.text) && strings.IndexByte(blanks+",]}", p.text[p.at]) < 0 {
			p.at++
		}
	}
	n.end = p.at
	return n
}

func (p *parser) container(n *node) {
	p.at++
	for p.skip(); p.text[p.at] != '}' && p.text[p.at] != ']'; p.skip() {
		if p.text[p.at] == ',' {
			p.at++
			p.skip()
		}
		it := item{start: p.at}
		if n.kind == '{' {
			p.str()
			it.key = unescape(p.text[it.start:p.at])
			p.skip()
			p.at++ // the colon
		}
		it.val = p.value()
		n.items = append(n.items, it)
	}
	p.at++
}

func (p *parser) str() {
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}
