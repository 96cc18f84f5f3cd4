package rank

import (
	"cmp"
	"slices"

	"remanence/internal/mem"
)

// Distil puts what was learned in a turn before the summary of that turn, where
// both are among the hits: the summary is found by the words of what was asked,
// and what was learned is the answer. It comes in the order of its scores, since
// how unlike the summary it is counts for nothing then. Else the order stays. The
// input is left alone.
func Distil(hits []mem.Hit) []mem.Hit {
	out := make([]mem.Hit, 0, len(hits))
	rest := slices.Clone(hits)
	for len(rest) > 0 {
		first := rest[0]
		rest = rest[1:]
		if first.Memory.Kind == mem.Summary && first.Memory.Source.PromptID != "" {
			from := len(out)
			rest = slices.DeleteFunc(rest, func(h mem.Hit) bool {
				same := sameTurn(h.Memory, first.Memory) && h.Memory.Kind != mem.Summary
				if same {
					out = append(out, h)
				}
				return same
			})
			slices.SortStableFunc(out[from:], func(a, b mem.Hit) int { return cmp.Compare(b.Score, a.Score) })
		}
		out = append(out, first)
	}
	return out
}

func sameTurn(a, b mem.Memory) bool {
	return a.Session == b.Session && a.Source.PromptID == b.Source.PromptID
}
