package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// headIndex finds all heads of rules in one pass over a text. It looks up every three bytes, with ASCII letters folded
// to one case, and compares heads only at triples that begin one. Heads are ASCII; folding other letters would change
// byte offsets.
type headIndex struct {
	triples [1 << 15 / 64]uint64 // bit set of the triples that begin a head, five bits per byte
	follows [1 << 15 / 64]uint64 // likewise of those that begin with the second byte of a head
	first   [1024]uint16         // index of a bucket's first entry, by a hash of the triple
	entries []entry              // entries[0] is unused, so that 0 ends a bucket
}

// entry is a head in a bucket. A head with a character class among its first three bytes has one entry for each
// combination.
type entry struct {
	rule, next uint16 // indexes in builtin and in entries
	triple     uint16
	head       uint8 // index in the rule's heads
	fourth     byte  // the head's fourth byte, folded; anyByte if it is not one byte
}

const anyByte = 0xFF

// build adds every head of the built-in rules.
func (x *headIndex) build() {
	x.entries = make([]entry, 1, 1408)
	for i := range builtin {
		for j, h := range builtin[i].heads {
			if h[0] != '[' && h[1] != '[' && h[2] != '[' {
				fourth := byte(anyByte)
				if len(h) > 3 && h[3] != '[' {
					fourth = h[3] & 31
				}
				t := triple(h, 0)
				b := &x.first[bucketOf(t)]
				x.triples[t>>6] |= 1 << (t & 63)
				x.follow(t, fourth)
				x.entries = append(x.entries, entry{uint16(i), *b, uint16(t), uint8(j), fourth})
				*b = uint16(len(x.entries) - 1)
				continue
			}
			a, rest := element(h)
			b, rest := element(rest)
			c, _ := element(rest)
			x.add(entry{rule: uint16(i), head: uint8(j), fourth: anyByte}, a, b, c)
		}
	}
}

// element splits a head after its first byte or character class.
func element(head string) (class, rest string) {
	if head[0] != '[' {
		return head[:1], head[1:]
	}
	end := strings.IndexByte(head, ']')
	return head[1:end], head[end+1:]
}

// add adds a head whose first three bytes are each in one of the given sets.
func (x *headIndex) add(e entry, first, second, third string) {
	for i := range len(first) {
		for j := range len(second) {
			for k := range len(third) {
				x.addTriple(e, uint32(first[i]&31)<<10|uint32(second[j]&31)<<5|uint32(third[k]&31))
			}
		}
	}
}

// follow adds the triple that follows t in a head, or all of them.
func (x *headIndex) follow(t uint32, fourth byte) {
	next := t << 5 & (1<<15 - 1)
	if fourth == anyByte {
		x.follows[next>>6] |= (1<<32 - 1) << (next & 63)
		return
	}
	next |= uint32(fourth)
	x.follows[next>>6] |= 1 << (next & 63)
}

func (x *headIndex) addTriple(e entry, t uint32) {
	x.triples[t>>6] |= 1 << (t & 63)
	x.follow(t, anyByte)
	b := bucketOf(t)
	e.triple, e.next = uint16(t), x.first[b]
	x.first[b] = uint16(len(x.entries))
	x.entries = append(x.entries, e)
}

func triple(s string, i int) uint32 {
	return uint32(s[i]&31)<<10 | uint32(s[i+1]&31)<<5 | uint32(s[i+2]&31)
}

func bucketOf(triple uint32) uint32 { return triple * 0x9E3779B1 >> 22 }

// next returns the first offset at or after i where a head may begin, or len(s).
func (x *headIndex) next(s string, i int) int {
	if i+3 > len(s) {
		return len(s)
	}
	t := triple(s, i) >> 5
	for j := i + 2; j < len(s); j++ {
		t = (t<<5 | uint32(s[j]&31)) & (1<<15 - 1)
		if x.triples[t>>6]&(1<<(t&63)) == 0 {
			continue
		}
		if j+1 == len(s) {
			return j - 2
		}
		if next := (t<<5 | uint32(s[j+1]&31)) & (1<<15 - 1); x.follows[next>>6]&(1<<(next&63)) != 0 {
			return j - 2
		}
	}
	return len(s)
}

// bucket returns the first entry for a triple. The bucket also has entries for others.
func (x *headIndex) bucket(t uint32) uint16 { return x.first[bucketOf(t)] }

// maybe reports whether the head may begin at s[i:], whose first three bytes are t.
func (e *entry) maybe(s string, i int, t uint32) bool {
	return uint32(e.triple) == t && (e.fourth == anyByte || i+3 < len(s) && s[i+3]&31 == e.fourth)
}

// at reports whether the head begins at s[i:], and returns its end.
func (e *entry) at(s string, i int) (end int, ok bool) {
	r := &builtin[e.rule]
	for rest := r.heads[e.head]; rest != ""; i++ {
		if i == len(s) {
			return 0, false
		}
		c := s[i]
		if r.fold && ascii.IsUpper(c) {
			c += 'a' - 'A'
		}
		if rest[0] == c && c != '[' {
			rest = rest[1:]
			continue
		}
		if rest[0] != '[' {
			return 0, false
		}
		var class string
		if class, rest = element(rest); strings.IndexByte(class, c) < 0 {
			return 0, false
		}
	}
	return i, true
}
