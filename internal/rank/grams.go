package rank

import "iter"

// gramLength is the length of a gram, in bytes, with a mark at either end of its word.
const gramLength = 4

// Grams yields the pieces of four bytes of a word, with a mark at either end, each as one number. As numbers they are
// found in a map sooner than as texts.
func Grams(word string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		g := uint32('_')
		for i := range len(word) + 1 {
			c := byte('_')
			if i < len(word) {
				c = word[i]
			}
			g = g<<8 | uint32(c)
			if i >= gramLength-2 && !yield(g) {
				return
			}
		}
	}
}
