package engine_test

import (
	"testing"

	"remanence/internal/curate"
	"remanence/internal/mem"
)

// Other words for a statement find it, and are redacted like it.
func TestAMemoryIsFoundByItsAliases(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.remember(curate.AddRequest{
		Text: "A second capture of one order is refused by its idempotency key", Agent: "one", Origin: mem.FromMCP,
		Aliases: []string{"double payment", "chargeback", "double payment", "token ghp_0123456789abcdefghijABCDEFGHIJ456789"},
	})
	got := s.play(in("two", prompt("q1", "what do we do about a chargeback?"))...).Context
	wants(t, "prompt with the words of an alias", got, "idempotency key")
	for _, mm := range must(s.store.List(t.Context(), mem.Query{Text: "x", Limit: 100, Within: "*"})) {
		if len(mm.Concepts) == 3 && mm.Concepts[0] == "double payment" {
			wantsNot(t, "aliases", mm.Concepts[2], "ghp_0123")
			return
		}
	}
	t.Error("the aliases are not kept, once each")
}
