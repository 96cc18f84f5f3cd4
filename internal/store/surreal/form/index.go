//go:build surreal || backends

package form

import (
	"iter"
	"strings"

	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// SetIndex sets the fields of a memory that are made of its texts. words is the field that the server indexes.
func SetIndex(fields map[string]any, words string, x stored.WordIndex) {
	fields[words], fields["places"] = strings.Join(x.Words, " "), strings.Join(x.Places, " ")
	fields["length"] = x.Length
}

// Words yields the words of a memory with their places. words is the field of SetIndex.
func Words(r surql.Row, words string) iter.Seq2[string, string] {
	return func(yield func(stem, places string) bool) {
		places := strings.Split(r.Text("places"), " ")
		for i, stem := range strings.Split(r.Text(words), " ") {
			if i >= len(places) || !yield(stem, places[i]) {
				return
			}
		}
	}
}
