package redact

import (
	"sort"
	"strings"
)

// A terminal's colours stand between a name and its value and within a secret: grep paints what it has found. So a text
// is searched as a reader sees it, and what is found is taken out where it stands.

// places tells where the bytes of a text without colours stand in the one with them.
type places []place

// place is a run: what begins at plain in the text without colours begins at whole in the other.
type place struct{ plain, whole int }

// of returns the place of the byte at i.
func (p places) of(i int) int {
	n := sort.Search(len(p), func(n int) bool { return p[n].plain > i }) - 1
	return p[n].whole + i - p[n].plain
}

// uncoloured returns s without the sequences of ESC [ that a terminal takes for itself, and no places if it has none.
func uncoloured(s string) (string, places) {
	at := strings.Index(s, "\x1b[")
	if at < 0 {
		return s, nil
	}
	var b strings.Builder
	found := places{{0, 0}}
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
		found = append(found, place{b.Len(), last})
		next := strings.Index(s[last:], "\x1b[")
		if next < 0 {
			break
		}
		at = last + next
	}
	b.WriteString(s[last:])
	return b.String(), found
}
