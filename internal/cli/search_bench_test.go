package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/engine"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/views"
	"remanence/test/corpus"
)

// benchSizes are the stores to search in, in memories; REMANENCE_SIZES names others.
func benchSizes(b *testing.B) []int {
	list := os.Getenv("REMANENCE_SIZES")
	if list == "" {
		list = "1000,10000,40000,100000"
	}
	var sizes []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("REMANENCE_SIZES: %v", err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// BenchmarkSearch is a search as a person, a prompt or a tool makes it: by the
// words of an everyday question, and by a paragraph of 700 characters, also among
// the older half of the memories only. It
// reports the median and the 95th percentile, and what filling the store took.
func BenchmarkSearch(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, filled := filledEngine(b, n)
			words := corpus.NewWords()
			half := time.Now().Add(-time.Duration(n/2) * time.Minute)
			for _, c := range []struct {
				name string
				ask  func() mem.Query
			}{
				{"everyday", func() mem.Query { return mem.Query{Text: corpus.Question(n)} }},
				{"paragraph", func() mem.Query { return mem.Query{Text: corpus.Paragraph(n, 700, words)} }},
				{"paragraph-before", func() mem.Query { return mem.Query{Text: corpus.Paragraph(n, 700, words), Before: half} }},
			} {
				b.Run(c.name, func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						ask := recall.SearchRequest{Query: c.ask()}
						begun := time.Now()
						found, err := e.Recall.Search(b.Context(), ask)
						took = append(took, time.Since(begun))
						if err != nil || len(found.Hits) == 0 {
							b.Fatalf("found %d, %v", len(found.Hits), err)
						}
					}
					slices.Sort(took)
					b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
					b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
					b.ReportMetric(float64(n)/filled.Seconds(), "filled/s")
				})
			}
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// filledEngine is an engine over a store of n memories of one project.
func filledEngine(b *testing.B, n int) (*engine.Engine, time.Duration) {
	b.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Config{Path: filepath.Join(b.TempDir(), "bench.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	p := mem.Project{Key: "p_shop", Name: "shop"}
	words, begun := corpus.NewWords(), time.Now()
	for first := 0; first < n; first += 500 {
		batch := mem.Batch{Project: &p}
		for i := first; i < min(first+500, n); i++ {
			batch.Memories = append(batch.Memories, corpus.Memory(p, i, begun.Add(-time.Duration(n-i)*time.Minute), words))
		}
		if _, err := s.Apply(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	filled := time.Since(begun)
	cfg, err := config.LoadConfig(filepath.Join(b.TempDir(), "config.toml"), func(string) string { return "" })
	if err != nil {
		b.Fatal(err)
	}
	indexed := index.NewStore(s)
	if err := indexed.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
	return engine.New(engine.Config{
		Store: indexed, Redactor: &redact.Redactor{}, Now: time.Now, Project: project.Identify, Rel: project.Rel,
		Settings: cfg.Settings,
	}), filled
}

// BenchmarkPrompt is what a prompt waits for in the worker, but for keeping it.
func BenchmarkPrompt(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, _ := filledEngine(b, n)
			for b.Loop() {
				r, err := e.Next(b.Context(), views.NextRequest{
					ProjectRef: mem.ProjectRef{Project: "p_shop"},
					Prompt:     corpus.Question(n),
				})
				if err != nil || r.Outcome != mem.Injected {
					b.Fatalf("%s, %v", r.Outcome, err)
				}
			}
		})
	}
}
