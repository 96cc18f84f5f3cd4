package recall

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

const (
	facetBase   = 200 // memories that are counted where no words are asked for
	maxFacet    = 12  // values of one facet
	maxSpans    = 24  // marked words of one text
	excerptSize = 220 // bytes, about
	excerptLead = 60  // bytes before the first marked word
)

// facets counts hits by what they can be narrowed down to.
func facets(hits []mem.Hit) map[string][]mem.Count {
	counts := map[string]map[string]int{}
	add := func(facet, value string) {
		if value == "" {
			return
		}
		if counts[facet] == nil {
			counts[facet] = map[string]int{}
		}
		counts[facet][value]++
	}
	for _, h := range hits {
		mm := h.Memory
		add("kind", string(mm.Kind))
		add("project", mm.Project)
		add("agent", mm.Source.Agent)
		add("branch", mm.Branch)
		add("trust", mm.Trust.String())
		add("status", string(mm.Status))
		dirs := map[string]bool{}
		for _, f := range mm.Files {
			dirs[path.Dir(f)] = true
		}
		for d := range dirs {
			add("dir", d)
		}
	}
	out := map[string][]mem.Count{}
	for facet, values := range counts {
		list := make([]mem.Count, 0, len(values))
		for v, n := range values {
			list = append(list, mem.Count{Value: v, N: n})
		}
		slices.SortStableFunc(list, func(a, b mem.Count) int {
			return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value))
		})
		out[facet] = list[:min(maxFacet, len(list))]
	}
	return out
}

// marks says where the words of a search stand in its hits.
func marks(terms []string, hits []mem.Hit) map[string]Marks {
	out := make(map[string]Marks, len(hits))
	for _, h := range hits {
		var m Marks
		m.Title = units(h.Memory.Title, rank.Spans(terms, h.Memory.Title, maxSpans))
		body := strings.TrimSpace(strings.TrimPrefix(h.Memory.Body, h.Memory.Title))
		if body == "" {
			body = strings.Join(h.Memory.Facts, " · ")
		}
		if spans := rank.Spans(terms, body, 1); len(spans) > 0 {
			m.Excerpt = excerptAt(body, spans[0][0])
		} else {
			m.Excerpt = excerptAt(body, 0)
		}
		m.In = units(m.Excerpt, rank.Spans(terms, m.Excerpt, maxSpans))
		out[h.Memory.ID] = m
	}
	return out
}

// excerptAt is what stands around a place of a text, in one line.
func excerptAt(s string, at int) string {
	from := max(0, at-excerptLead)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	if i := strings.IndexByte(s[from:], ' '); from > 0 && i >= 0 && from+i < at {
		from += i + 1
	}
	to := min(len(s), from+excerptSize)
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	text := chars.Line(s[from:to])
	if from > 0 {
		text = "… " + text
	}
	if to < len(s) {
		text += " …"
	}
	return text
}

// units turns offsets in bytes into offsets in UTF-16 units.
func units(s string, spans [][2]int) [][2]int {
	out := make([][2]int, 0, len(spans))
	at, n := 0, 0
	to := func(offset int) int {
		for at < offset {
			r, size := utf8.DecodeRuneInString(s[at:])
			at += size
			n++
			if r > 0xFFFF {
				n++
			}
		}
		return n
	}
	for _, sp := range spans {
		from := to(sp[0])
		out = append(out, [2]int{from, to(sp[1])})
	}
	return out
}
