// Package canary makes texts and JSON values with a private span in them, in
// every disguise that a span comes in, and with a word in the span that must be
// found nowhere afterwards.
package canary

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Word is the word in a private span.
const Word = "QZCANARY7WX"

// Text is a text with a private span round Word.
type Text struct {
	Text   string
	Closed bool // whatever the span opens it closes as well
	whole  bool // it is one only as long as it is in one piece
}

// Private draws a text. Its span may be nested, unclosed, mixed with other
// blocks, in a code fence, quoted into JSON or HTML, and its tags spelled in
// any way that a reader takes for the tag.
func Private(r *rand.Rand) Text {
	t := span(r)
	t.Text = filler(r) + t.Text
	if t.Closed {
		t.Text += filler(r)
	}
	switch r.IntN(8) {
	case 0:
		t.Text = "```xml\n" + t.Text + "\n```\nand so on"
	case 1:
		t.Text = "> " + t.Text
	}
	for range r.IntN(8) / 5 {
		t.Text = quoted(r, t.Text)
	}
	return t
}

// span is the span alone.
func span(r *rand.Rand) Text {
	inner := filler(r) + Word + filler(r)
	open, shut := Opener(r), Closer(r)
	switch r.IntN(10) {
	case 0: // nested, the word behind an inner closer
		return Text{Text: open + "x" + Opener(r) + "y" + Closer(r) + inner + shut, Closed: true}
	case 1: // deeper
		return Text{Text: open + Opener(r) + Opener(r) + inner + Closer(r) + Closer(r) + inner + shut, Closed: true}
	case 2:
		return Text{Text: open + inner, Closed: false}
	case 3: // unclosed although something is closed
		return Text{Text: open + Opener(r) + "y" + Closer(r) + inner, Closed: false}
	case 4: // overlapping another block
		return Text{Text: "<system-reminder>note" + open + "</system-reminder>" + inner + shut, Closed: false}
	case 5:
		return Text{Text: open + "a<system-reminder>" + inner + "</system-reminder>" + inner + shut, Closed: true}
	case 6: // a tag made by taking another span out
		return Text{Text: "<pri" + open + inner + shut + "vate>" + inner + shut, whole: true}
	case 7: // the closer of something else
		return Text{Text: open + inner + "</privat><//private></privateer>" + inner + shut, Closed: true}
	}
	return Text{Text: open + inner + shut, Closed: true}
}

// Opener draws a spelling of the opening tag, Closer of the closing one.
func Opener(r *rand.Rand) string {
	return bracket(r, '<') + blank(r) + name(r) + attributes(r) + bracket(r, '>')
}

// Closer draws a spelling of the closing tag.
func Closer(r *rand.Rand) string {
	slash := pick(r, "/", "/", "/", "/", "／", `\/`)
	return bracket(r, '<') + blank(r) + slash + blank(r) + name(r) + pick(r, "", "", " ", "\n", "\u200b") + bracket(r, '>')
}

func bracket(r *rand.Rand, c byte) string {
	if c == '<' {
		return pick(r, "<", "<", "<", "<", "<", "＜", "﹤", "&lt;", "&LT;", "&#60;", "&#x3c;", "&#x3C;", "&amp;lt;", `\u003c`,
			`\u003C`, `\\u003c`, `\x3c`)
	}
	return pick(r, ">", ">", ">", ">", ">", "＞", "﹥", "&gt;", "&#62;", "&#x3e;", "&amp;gt;", `\u003e`, `\\u003E`, `\x3e`)
}

func blank(r *rand.Rand) string {
	return pick(r, "", "", "", "", "", "", " ", "\n", "\t", "\u200b", "\ufeff", "\u2060", "\u00ad", "\u202e", "\u2028")
}

func attributes(r *rand.Rand) string {
	return pick(r, "", "", "", "", " ", "\n", "\r\n\t", ` reason="x"`, ` why='a > b'`, "\nid=7\n", " /", "\u200b")
}

// drawn lists, for each letter of the tag's name, others that are drawn like it.
var drawn = map[rune]string{
	'p': "рРρΡｐＰ𝐩𝓹ṗ", 'r': "гⓡｒＲ𝐫ŕ", 'i': "іІιΙıｉＩ𝐢íïⅰ", 'v': "ѵѴνｖＶ𝐯ⅴṽ", 'a': "аАαΑɑａＡ𝐚áåą", 't': "тТτΤｔＴ𝐭ţ",
	'e': "еЕεΕｅＥ𝐞éëєę",
}

// name spells the tag's name: mostly plainly, else with one letter in four exchanged.
func name(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return pick(r, "private", "private", "PRIVATE", "Private", "pRiVaTe")
	}
	var b strings.Builder
	for _, c := range "private" {
		switch r.IntN(12) {
		case 0, 1:
			likes := []rune(drawn[c])
			b.WriteRune(likes[r.IntN(len(likes))])
		case 2:
			b.WriteString(string(c) + pick(r, "\u200b", "\u200d", "\u00ad", "\u0301", "\u0332", "\ufe0f", "\U000e0041", "\x00"))
		case 3:
			b.WriteString(pick(r, fmt.Sprintf(`\u%04x`, c), fmt.Sprintf("&#%d;", c), fmt.Sprintf("&#x%X;", c),
				strings.ToUpper(string(c))))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// filler is text without a tag.
func filler(r *rand.Rand) string {
	return pick(r, "", " ", "\n", "words before and after ", "if a < b && c > d { return }\n", "List<Private2> x ",
		"naïve café ", "<p>para</p>", "\\path\\to ", "&amp; ", `"quoted" `, "日本 ")
}

func pick(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

// quoted puts a text into another as programs do.
func quoted(r *rand.Rand, s string) string {
	switch r.IntN(4) {
	case 0:
		return html.EscapeString(s)
	case 1: // < and > become escapes
		b, err := json.Marshal(map[string]string{"content": strings.ToValidUTF8(s, "")})
		if err != nil {
			panic(err) // it is a string
		}
		return string(b)
	case 2:
		return `{"text": ` + asciiJSON(s) + `}`
	}
	return strconv.Quote(strings.ToValidUTF8(s, ""))
}

// asciiJSON quotes a text so that no character beyond ASCII is left.
func asciiJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r >= ' ' && r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + `"`
}

// Value draws a JSON value that holds a private span: a text, or one that was
// cut into pieces, which stand in an array, in blocks or in fields. Pieces in
// fields come of a span that is closed: what is left open in a field ends with it.
func Value(r *rand.Rand) any {
	t := Private(r)
	if t.whole {
		return t.Text
	}
	switch r.IntN(6) {
	case 0:
		return anys(pieces(r, t.Text, true))
	case 1:
		return blocks(pieces(r, t.Text, true))
	case 2:
		return map[string]any{"content": blocks(pieces(r, t.Text, true)), "n": 3}
	case 3:
		if !t.Closed {
			return map[string]any{"file": map[string]any{"content": t.Text}}
		}
		return fields(pieces(r, t.Text, false))
	}
	return t.Text
}

// pieces cuts a text at a few places; within tags too, if torn says so.
func pieces(r *rand.Rand, s string, torn bool) []string {
	if !torn {
		return tagwise(r, s)
	}
	rs := []rune(s)
	var out []string
	for len(rs) > 0 && len(out) < 4 {
		n := 1 + r.IntN(len(rs))
		out = append(out, string(rs[:n]))
		rs = rs[n:]
	}
	return append(out, string(rs))
}

// tagwise cuts round the word, which lies within no tag.
func tagwise(r *rand.Rand, s string) []string {
	var out []string
	for {
		before, after, ok := strings.Cut(s, Word)
		if !ok {
			return append(out, s)
		}
		switch r.IntN(3) {
		case 0:
			out = append(out, before, Word)
		case 1:
			out = append(out, before+Word)
		default:
			out = append(out, before, "between", Word, "more")
		}
		s = after
	}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func blocks(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = map[string]any{"type": "text", "text": s}
	}
	return out
}

// fields names the pieces so that they stand in their order once written.
func fields(list []string) map[string]any {
	out := map[string]any{}
	for i, s := range list {
		out["part"+string(rune('a'+i))] = s
	}
	return out
}
