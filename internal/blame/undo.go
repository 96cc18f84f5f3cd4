package blame

import (
	"slices"
	"strings"
	"unicode"
)

// Undone is a line of an earlier edit that a new one takes back.
type Undone struct {
	Was   string   // the line that the earlier edit wrote
	Is    string   // what the new edit puts in its place
	Back  bool     // Is is the line that the earlier edit had replaced; else it has another value in place of Was's
	Words []string // words that the earlier edit brought or removed and that are lost or back now; lower case
}

// maxValues is the number of words in which a line with another value may differ.
const maxValues = 2

// Undoing returns the lines of an earlier edit that a new edit takes back: a line that it wrote gives way to the line
// that it had replaced, or to the same line with another value. A line that moves, or gives way to something new, is
// not taken back. The old text of a new edit has to be known.
func Undoing(now, then Edit) (out []Undone) {
	gone, come := difference(now.Old, now.New)
	replaced, wrote := difference(then.Old, then.New)
	for _, was := range wrote {
		if !slices.Contains(gone, was) {
			continue
		}
		if is, ok := nearest(was, common(replaced, come)); ok {
			words := append(missing(Words(was), Words(is)), missing(Words(is), Words(was))...)
			out = append(out, Undone{Was: was, Is: is, Back: true, Words: words})
			continue
		}
		is, ok := nearest(was, come)
		if lost := otherValue(was, is); ok && len(lost) > 0 {
			out = append(out, Undone{Was: was, Is: is, Words: lost})
		}
	}
	return out
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

func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// missing returns the words of a list that another one has not.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// nearest returns the line that has most words of another one.
func nearest(line string, lines []string) (string, bool) {
	best, most := "", -1
	for _, l := range lines {
		if n := len(common(Words(line), Words(l))); n > most {
			best, most = l, n
		}
	}
	return best, most >= 0
}

// otherValue returns the words of a line that another one, which is the same otherwise, has not; nil if the lines
// differ in more than a value.
func otherValue(was, is string) []string {
	a, b := Words(was), Words(is)
	if len(a) != len(b) {
		return nil
	}
	var lost []string
	for i := range a {
		if a[i] != b[i] {
			lost = append(lost, a[i])
		}
	}
	if len(lost) > maxValues || len(lost) == len(a) {
		return nil
	}
	return lost
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
