package secrets

import (
	"sort"
	"strings"
)

// ANSI colour sequences may stand between a name and its value and inside a secret, for example in the output of grep.
// So a text is also searched without them, and the positions of what is found are mapped back.

// offsets maps byte offsets of a text without ANSI sequences to the original.
type offsets []offsetPair

// offsetPair is one run of text: offset plain in the stripped text is offset whole in the original.
type offsetPair struct{ plain, whole int }

// of returns the offset in the original of the byte at i.
func (p offsets) of(i int) int {
	n := sort.Search(len(p), func(n int) bool { return p[n].plain > i }) - 1
	return p[n].whole + i - p[n].plain
}

// stripANSI returns s without ANSI escape sequences, and nil offsets if it has none.
func stripANSI(s string) (string, offsets) {
	at := strings.Index(s, "\x1b[")
	if at < 0 {
		return s, nil
	}
	var b strings.Builder
	found := offsets{{0, 0}}
	last := 0
	for at >= 0 {
		b.WriteString(s[last:at])
		last = at + len("\x1b[")
		for last < len(s) && s[last] >= ' ' && s[last] < '@' {
			last++
		}
		if last < len(s) && s[last] >= '@' && s[last] <= '~' {
			last++
		}
		if found[len(found)-1].plain == b.Len() {
			found = found[:len(found)-1]
		}
		found = append(found, offsetPair{b.Len(), last})
		next := strings.Index(s[last:], "\x1b[")
		if next < 0 {
			break
		}
		at = last + next
	}
	b.WriteString(s[last:])
	return b.String(), found
}
