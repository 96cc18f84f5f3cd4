package cli

import (
	"fmt"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/engine"
	"remanence/internal/event"
)

// repeated keeps statements of which most are said twice, once with more detail.
func repeated(b *testing.B, e *engine.Engine) {
	b.Helper()
	for i := range 200 {
		text := fmt.Sprintf("module%d retries uploads with jittered backoff before part%d of the batch gives up", i, i)
		for _, said := range []string{text, text + " for good"} {
			if _, err := e.Curate.Add(b.Context(), curate.AddRequest{Text: said, Agent: event.UnknownAgent}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkConsolidate is a round over all of a project that changes nothing.
func BenchmarkConsolidate(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, _ := filledEngine(b, n)
			repeated(b, e)
			for b.Loop() {
				if _, err := e.Curate.Consolidate(b.Context(), curate.ConsolidateRequest{DryRun: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRemember asks for a statement that is known with less detail.
func BenchmarkRemember(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, _ := filledEngine(b, n)
			repeated(b, e)
			for i := 0; b.Loop(); i++ {
				k := i % 200
				text := fmt.Sprintf("module%d retries uploads with jittered backoff before part%d of the batch gives up for "+
					"good today", k, k)
				got, err := e.Curate.Add(b.Context(), curate.AddRequest{Text: text, Agent: event.UnknownAgent, IfNew: true})
				if err != nil || got.Similar == nil || got.ID != "" {
					b.Fatalf("got %+v, %v", got, err)
				}
			}
		})
	}
}
