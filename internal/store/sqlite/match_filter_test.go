package sqlite

import (
	"fmt"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// If the best matches are all of another project, the others are filtered too.
func TestAMatchAfterManyFilteredOnesIsFound(t *testing.T) {
	s := openStore(t)
	var b mem.Batch
	b.Memories = append(b.Memories, mem.Memory{
		Scope: mem.ScopeProject, Project: "p_one", Kind: mem.Fact, Title: "lighthouse" + strings.Repeat(" and other words",
			40), Index: "lighthouse",
	})
	for i := range heads[0] + heads[1] + 50 {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p_many", Kind: mem.Fact,
			Title: fmt.Sprint("lighthouse ", i), Index: "lighthouse",
		})
	}
	apply(t, s, b)
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"lighthouse"}, Project: "p_one", Limit: 10})
	if err != nil || len(hits) != 1 {
		t.Errorf("got %d hits, %v, want the one of this project", len(hits), err)
	}
}
