package blame

import (
	"slices"
	"strings"
	"unicode"
)

// UndoneLine is a line of an earlier edit that a new one takes back.
type UndoneLine struct {
	Old      string   // the line that the earlier edit wrote
	New      string   // what the new edit puts in its place; empty if it only removes what the earlier one wrote
	Restores bool     // New is the line that the earlier edit had replaced; else it has another value in place of Old's
	Words    []string // words that the earlier edit brought or removed and that are lost or back now; lower case
}

// Bounds of what is compared.
const (
	maxValues = 2   // words in which a line with another value may differ
	maxLines  = 200 // lines of each side of an edit whose words are compared
	rewrite   = 40  // lines that an edit removes, from which on it may write a file anew
)

// Change is what a new edit changes, prepared for the comparison with earlier ones. The zero value changes nothing.
type Change struct {
	gone map[string]bool
	come []string         // without doubles, sorted; maxLines at most
	with map[string][]int // lines of come by their words
}

// ChangeOf returns what an edit changes. Its old text has to be known.
func ChangeOf(e Edit) Change {
	gone, come := difference(e.Old, e.New)
	c := Change{gone: map[string]bool{}, come: come[:min(len(come), maxLines)], with: map[string][]int{}}
	for _, line := range gone {
		c.gone[line] = true
	}
	for i, line := range c.come {
		for _, w := range Words(line) {
			if at := c.with[w]; len(at) == 0 || at[len(at)-1] != i {
				c.with[w] = append(at, i)
			}
		}
	}
	return c
}

// Undoes returns the lines of an earlier edit that the change takes back: a line that the edit wrote gives way to the
// line that it had replaced, or to the same line with another value, or all that the edit wrote is removed and nothing
// else. A line that moves, or gives way to something new, is not taken back; nor is one that has another value where
// most of many lines give way to something new. Of a large edit the first lines in the order of the alphabet are
// compared.
func (c Change) Undoes(then Edit) (out []UndoneLine) {
	replaced, wrote := difference(then.Old, then.New)
	all := len(wrote)
	wrote = slices.DeleteFunc(wrote, func(line string) bool { return !c.gone[line] })
	switch {
	case len(wrote) == 0, len(c.come) == 0 && (len(wrote) < all || len(wrote) < len(c.gone)):
		return nil
	case len(c.come) == 0:
		before := Words(strings.Join(replaced, "\n"))
		for _, was := range wrote[:min(len(wrote), maxLines)] {
			out = append(out, UndoneLine{Old: was, Words: missing(Words(was), before)})
		}
		return out
	}
	restored := make([]bool, len(c.come))
	for _, line := range replaced {
		if i, ok := slices.BinarySearch(c.come, line); ok {
			restored[i] = true
		}
	}
	for _, was := range wrote[:min(len(wrote), maxLines)] {
		words := Words(was)
		if i := c.nearest(words, restored); i >= 0 {
			is := Words(c.come[i])
			out = append(out, UndoneLine{
				Old: was, New: c.come[i], Restores: true, Words: append(missing(words, is), missing(is, words)...),
			})
			continue
		}
		i := c.nearest(words, nil)
		if lost := otherValue(words, Words(c.come[i])); len(lost) > 0 {
			out = append(out, UndoneLine{Old: was, New: c.come[i], Words: lost})
		}
	}
	if values := len(out); len(c.gone) > rewrite && 4*values < min(len(c.gone), maxLines) {
		out = slices.DeleteFunc(out, func(l UndoneLine) bool { return !l.Restores })
	}
	return out
}

// nearest returns the index of the new line that has most of some words, the first of several; -1 if there is none. If
// among is set, lines without a mark there do not count.
func (c Change) nearest(words []string, among []bool) int {
	shared := make([]int, len(c.come))
	for _, w := range words {
		for _, i := range c.with[w] {
			shared[i]++
		}
	}
	best := -1
	for i, n := range shared {
		if (among == nil || among[i]) && (best < 0 || n > shared[best]) {
			best = i
		}
	}
	return best
}

// difference returns the lines with a word that only one of two texts has, without indentation.
func difference(before, after string) (gone, come []string) {
	was, is := textLines(before), textLines(after)
	for line := range was {
		if !is[line] {
			gone = append(gone, line)
		}
	}
	for line := range is {
		if !was[line] {
			come = append(come, line)
		}
	}
	slices.Sort(gone)
	slices.Sort(come)
	return gone, come
}

// missing returns the words of a list that another one has not.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// otherValue returns the words of a line that another one, which is the same otherwise, has not; nil if the lines
// differ in more than a value. A word in another form, as with a plural, is not lost.
func otherValue(a, b []string) []string {
	if len(a) != len(b) {
		return nil
	}
	var lost []string
	differ := 0
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		differ++
		if !sameWord(a[i], b[i]) {
			lost = append(lost, a[i])
		}
	}
	if differ > maxValues || differ == len(a) {
		return nil
	}
	return lost
}

// sameWord reports whether one word is another with an ending of one or two letters.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	end, ok := strings.CutPrefix(b, a)
	return ok && len(a) > 2 && len(end) <= 2 && strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") == ""
}

// Words returns the words and numbers of a text in lower case: "NewTimer(9s)" has new, timer, 9 and s.
func Words(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	var last rune
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsDigit(r) != unicode.IsDigit(last), unicode.IsUpper(r) && unicode.IsLower(last):
			end()
			word.WriteRune(unicode.ToLower(r))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	end()
	return out
}
