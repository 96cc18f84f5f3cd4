package stored

import (
	"iter"
	"strings"
)

// leastPattern is the least length of a pattern in bytes.
const leastPattern = 2

// patterns are strings that are searched together in one pass over a text: a purge
// may have thousands. The zero value has none.
type patterns struct {
	width int                  // bytes of the beginnings that are compared
	pairs [1 << 16 / 64]uint64 // a bit for each pair of first bytes
	begun map[string][]string  // patterns by their beginning
}

// newPatterns returns patterns of strings of at least leastPattern bytes.
func newPatterns(list []string) patterns {
	p := patterns{width: 8, begun: make(map[string][]string, len(list))}
	for _, s := range list {
		p.width = min(p.width, len(s))
	}
	for _, s := range list {
		at := pair(s)
		p.pairs[at/64] |= 1 << (at % 64)
		p.begun[s[:p.width]] = append(p.begun[s[:p.width]], s)
	}
	return p
}

func pair(s string) int { return int(s[0])<<8 | int(s[1]) }

// in yields a pattern for each of its occurrences in text.
func (p *patterns) in(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(p.begun) == 0 {
			return
		}
		for ; len(text) >= p.width; text = text[1:] {
			if at := pair(text); p.pairs[at/64]&(1<<(at%64)) == 0 {
				continue
			}
			for _, s := range p.begun[text[:p.width]] {
				if strings.HasPrefix(text, s) && !yield(s) {
					return
				}
			}
		}
	}
}
