package main

import (
	"context"
	"fmt"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/store/sqlite"
	"remanence/test/corpus"
)

// fill writes n memories of the project into its database, spread over two
// years: a title, a body of 20 to 60 words, and a file for a third of them.
func (w *world) fill(ctx context.Context, n int) (err error) {
	p, err := project.Identify(w.project)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Path: w.warm.database()})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	const batch = 500
	text, now := corpus.NewWords(), time.Now()
	apart := 2 * 365 * 24 * time.Hour / time.Duration(max(n, 1)) // first: the product of both would not fit
	for first := 0; first < n; first += batch {
		b := mem.Batch{Project: &p}
		for i := first; i < min(first+batch, n); i++ {
			at := now.Add(-time.Duration(n-i) * apart)
			b.Memories = append(b.Memories, corpus.Memory(p, i, at, text))
			b.Links = append(b.Links, corpus.LinksOf(i, b.Memories[len(b.Memories)-1]))
		}
		if _, err := s.Apply(ctx, b); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}
