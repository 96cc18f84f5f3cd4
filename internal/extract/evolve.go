package extract

import (
	"cmp"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// ClaimOf is the text by which a memory is compared with others.
func ClaimOf(m mem.Memory) string { return cmp.Or(m.Body, m.Title) }

// CompareMemories judges what two memories say. Titles of their own may differ, but not
// say the contrary.
func CompareMemories(a, b mem.Memory) lang.Judgement {
	j := lang.Compare(ClaimOf(a), ClaimOf(b))
	if j.Agrees() && a.Body != "" && b.Body != "" {
		if titles := lang.Compare(a.Title, b.Title); titles.Relation == lang.Opposite {
			return titles
		}
	}
	return j
}
