package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/engine"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/views"
	"remanence/test/corpus"
)

// BenchmarkPages is what the slowest pages of the viewer ask for, over sessions with injections and uses: Files, both
// halves of Usage, and Review. The first review of a process examines each text; later ones only new texts.
func BenchmarkPages(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, again := workedEngine(b, n)
			for _, page := range []struct {
				name string
				read func(context.Context) error
			}{
				{"files", func(ctx context.Context) error {
					_, err := e.Views.Files(ctx, views.FilesRequest{Limit: 100})
					return err
				}},
				{"usage", func(ctx context.Context) error {
					_, err := e.Views.Economy(ctx, views.EconomyRequest{})
					return err
				}},
				{"effect", func(ctx context.Context) error {
					_, err := e.Views.Effect(ctx, views.EffectRequest{Days: 30})
					return err
				}},
				{"review", func(ctx context.Context) error {
					_, err := e.Curate.Review(ctx, curate.ReviewRequest{Limit: 15})
					return err
				}},
				{"review-first", func(ctx context.Context) error {
					_, err := again().Curate.Review(ctx, curate.ReviewRequest{Limit: 15})
					return err
				}},
			} {
				b.Run(page.name, func(b *testing.B) {
					for b.Loop() {
						if err := page.read(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// workedEngine is an engine over a store of n memories of one project, which were learned in sessions, and a function
// that makes another one over the same store.
func workedEngine(b *testing.B, n int) (*engine.Engine, func() *engine.Engine) {
	b.Helper()
	s, err := sqlite.Open(b.Context(), sqlite.Config{Path: filepath.Join(b.TempDir(), "bench.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err := corpus.Fill(b.Context(), s.Apply, corpus.Work{
		Projects: []mem.Project{{Key: "p_shop", Name: "shop"}}, Memories: n, PerSession: 50, Days: 730,
	}); err != nil {
		b.Fatal(err)
	}
	cfg, err := config.LoadConfig(filepath.Join(b.TempDir(), "config.toml"), func(string) string { return "" })
	if err != nil {
		b.Fatal(err)
	}
	indexed := index.NewStore(s)
	another := func() *engine.Engine {
		return engine.New(engine.Config{
			Store: indexed, Redactor: &redact.Redactor{}, Now: time.Now, Project: project.Identify, Rel: project.Rel,
			Settings: cfg.Settings,
		})
	}
	return another(), another
}
