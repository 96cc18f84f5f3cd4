package engine_test

import (
	"fmt"
	"testing"

	"remanence/internal/mem"
)

func TestManyWeightyFindingsDoNotDisplaceWhatThePersonSaid(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "In this project tests use the fake clock of internal/clock, never time.Sleep."),
		stop("p1", "Understood."))
	said := s.words("one")
	if len(said) != 1 || said[0].Trust != mem.TrustUser {
		t.Fatalf("kept:\n%s", titles(said))
	}
	var batch mem.Batch
	for i := range 100 {
		batch.Memories = append(batch.Memories, mem.Memory{
			Kind: mem.Gotcha, Scope: mem.ScopeProject, Project: said[0].Project, Status: mem.Active, Resolved: true,
			Trust: mem.TrustAssistant, Importance: 0.9, Session: fmt.Sprint("s", i), Created: said[0].Created,
			Title: fmt.Sprintf("The printer of desk %d stalls when lid %d is open", i, 7*i),
		})
	}
	if _, err := s.store.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	wants(t, "briefing", s.play(in("two", start("startup"))...).Context, "never time.Sleep", "The printer of desk")
}
