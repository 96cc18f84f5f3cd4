package rank

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// maxIndex bounds the words of one memory, in bytes.
const maxIndex = 16 << 10

// Index returns the words under which m can be found beside those its text
// shows: the parts of its identifiers and paths, the words of its files, tags
// and command, and pairs of the letters of unsegmented scripts. Any name in m
// is found by the Terms of that name.
func Index(m mem.Memory) string {
	x := indexer{seen: map[string]bool{}}
	x.text(m.Title, false)
	for _, list := range [][]string{m.Files, m.Tags, m.Concepts} {
		for _, s := range list {
			x.text(s, true)
		}
	}
	x.text(m.Command, true)
	for _, fact := range m.Facts {
		x.text(fact, false)
	}
	x.text(m.Body, false)
	return strings.TrimSuffix(x.out.String(), " ")
}

type indexer struct {
	out  strings.Builder
	seen map[string]bool
}

// text adds the names of s; of plain words only if words is set.
func (x *indexer) text(s string, words bool) {
	for name := range names(s) {
		if x.out.Len() > maxIndex {
			return
		}
		list := atoms(name)
		if words || len(list) > 1 || list[0].wide || len(camel(list[0].text)) > 1 {
			x.name(name, list)
		}
	}
}

// name adds the parts of one name, side by side.
func (x *indexer) name(name string, list []atom) {
	if x.seen["\x00"+name] {
		return
	}
	x.seen["\x00"+name] = true
	for _, a := range list {
		if a.wide {
			x.pairs(a.text)
			continue
		}
		parts := camel(a.text)
		if len(parts) > 1 {
			parts = slices.Insert(parts, 0, a.text)
		}
		for _, p := range parts {
			x.out.WriteString(strings.ToLower(p) + " ")
		}
	}
}

// pairs adds the pairs of a run, each once, and its Han characters, which may
// be asked for alone.
func (x *indexer) pairs(run string) {
	list := pairs(run)
	for _, r := range run {
		if unicode.Is(unicode.Han, r) {
			list = append(list, string(r))
		}
	}
	for _, p := range list {
		if !x.seen[p] {
			x.seen[p] = true
			x.out.WriteString(p + " ")
		}
	}
}
