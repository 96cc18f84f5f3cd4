package redact

import "strings"

// finder finds, in one pass over a text, every place where a rule's head stands. It looks at three bytes at a time,
// letters without their case, and compares heads only where such a triple begins one. Heads are ASCII, and only
// ASCII letters are folded: folding all of Unicode would change lengths and so the places.
type finder struct {
	triples [1 << 15 / 64]uint64 // which triples begin a head, five bits a byte
	first   [512]uint16          // heads by a hash of the triple: index of the first one
	heads   []head               // heads[0] is unused, so that 0 ends a bucket
}

type head struct {
	text string
	fold bool // matches in any case; text is lower case
	rule int  // index in builtin
	next uint16
}

func newFinder() finder {
	f := finder{heads: make([]head, 1, 512)}
	for i := range builtin {
		for _, h := range builtin[i].heads {
			f.addAll(h, i)
		}
	}
	return f
}

// addAll adds a head that may hold classes of characters, as in "gh[opsu]_": one head for each choice.
func (f *finder) addAll(text string, rule int) {
	before, rest, ok := strings.Cut(text, "[")
	if !ok {
		f.add(text, rule)
		return
	}
	class, after, _ := strings.Cut(rest, "]")
	for i := range len(class) {
		f.addAll(before+class[i:i+1]+after, rule)
	}
}

func (f *finder) add(text string, rule int) {
	t := triple(text, 0)
	f.triples[t>>6] |= 1 << (t & 63)
	b := bucketOf(t)
	f.heads = append(f.heads, head{text: text, fold: builtin[rule].fold, rule: rule, next: f.first[b]})
	f.first[b] = uint16(len(f.heads) - 1)
}

func triple(s string, i int) uint32 {
	return uint32(s[i]&31)<<10 | uint32(s[i+1]&31)<<5 | uint32(s[i+2]&31)
}

func bucketOf(triple uint32) uint32 { return triple * 0x9E3779B1 >> 23 }

// next returns the first place at or after i where a head may stand, or len(s).
func (f *finder) next(s string, i int) int {
	if i+3 > len(s) {
		return len(s)
	}
	t := triple(s, i) >> 5
	for j := i + 2; j < len(s); j++ {
		t = (t<<5 | uint32(s[j]&31)) & (1<<15 - 1)
		if f.triples[t>>6]&(1<<(t&63)) != 0 {
			return j - 2
		}
	}
	return len(s)
}

func (f *finder) bucket(s string, at int) uint16 { return f.first[bucketOf(triple(s, at))] }

// at reports whether the head stands at s[i:].
func (h *head) at(s string, i int) bool {
	if h.fold {
		return hasFold(s[i:], h.text)
	}
	return strings.HasPrefix(s[i:], h.text)
}
