package lang

import (
	"fmt"
	"strings"
)

// Lexicon finds the cues of a table in a text, all of them in one pass.
type Lexicon struct {
	nodes []lexiconNode
	first [256]int32 // where each byte leads from the start, 0 if no cue begins with it
	names []string   // of the classes
}

// lexiconNode is a state of the automaton: what was read is the beginning of a cue.
type lexiconNode struct {
	next  []lexiconEdge
	fall  int32 // the state of the longest proper ending that begins a cue, too
	whole []cueEnd
}

// lexiconEdge leads to the state that a byte continues to.
type lexiconEdge struct {
	on byte
	to int32
}

// to returns the state that a byte continues to.
func (n *lexiconNode) to(on byte) (int32, bool) {
	for _, e := range n.next {
		if e.on == on {
			return e.to, true
		}
	}
	return 0, false
}

// cueEnd is a cue that ends in a state.
type cueEnd struct {
	class  uint8
	length int
	first  bool // it counts at the start of the text only
}

// Found says how often the cues of each class occur in a text.
type Found struct {
	counts [MaxClasses]uint8
}

// MaxClasses bounds the classes of a lexicon.
const MaxClasses = 64

// Has reports whether a cue of any of the classes was found.
func (f Found) Has(classes ...uint8) bool {
	for _, c := range classes {
		if f.counts[c] > 0 {
			return true
		}
	}
	return false
}

// Count is how many cues of a class were found.
func (f Found) Count(class uint8) int { return int(f.counts[class]) }

// ParseLexicon reads a table with lines of a class, a language and cues between bars.
// A cue is part of a text as CueText returns it, so spaces in it are significant. A cue
// that begins with ^ stands at the start of the text. names lists the classes in the
// order of their numbers.
func ParseLexicon(table string, names []string) (*Lexicon, error) {
	x := &Lexicon{nodes: make([]lexiconNode, 1), names: names}
	classes := map[string]uint8{}
	for i, name := range names {
		classes[name] = uint8(i)
	}
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		class, ok := classes[f[0]]
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("lexicon: line %q", line)
		}
		for _, cue := range strings.Split(f[2], "|") {
			x.add(cue, class)
		}
	}
	x.link()
	return x, nil
}

func (x *Lexicon) add(cue string, class uint8) {
	text, first := strings.CutPrefix(cue, "^")
	if text == "" {
		return
	}
	at := int32(0)
	for i := range len(text) {
		to, ok := x.nodes[at].to(text[i])
		if !ok {
			to = int32(len(x.nodes))
			x.nodes = append(x.nodes, lexiconNode{})
			x.nodes[at].next = append(x.nodes[at].next, lexiconEdge{text[i], to})
		}
		at = to
	}
	x.nodes[at].whole = append(x.nodes[at].whole, cueEnd{class, len(text), first})
}

// link fills in where to go on when the next byte continues no cue.
func (x *Lexicon) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range x.nodes[at].next {
			queue = append(queue, e.to)
			if at == 0 {
				x.first[e.on] = e.to
				continue
			}
			fall := x.step(x.nodes[at].fall, e.on)
			x.nodes[e.to].fall = fall
			x.nodes[e.to].whole = append(x.nodes[e.to].whole, x.nodes[fall].whole...)
		}
	}
}

func (x *Lexicon) step(at int32, c byte) int32 {
	for at != 0 {
		if to, ok := x.nodes[at].to(c); ok {
			return to
		}
		at = x.nodes[at].fall
	}
	return x.first[c]
}

// Find returns the cues in a text as CueText returns it.
func (x *Lexicon) Find(text string) (f Found) {
	start := len(text) - len(strings.TrimLeft(text, " "))
	at := int32(0)
	for i := range len(text) {
		at = x.step(at, text[i])
		for _, e := range x.nodes[at].whole {
			if e.first && i+1-e.length != start {
				continue
			}
			if f.counts[e.class] < 255 {
				f.counts[e.class]++
			}
		}
	}
	return f
}
