// Command year plays a year of a developer's work through the engine, with a
// clock of its own, and measures every few sessions how memory stands: how large
// it is, how much of it is stale or stored twice, and whether what was learned is
// injected again when a prompt asks for it. It does so twice, with consolidation and
// without, and draws both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	sessions := flag.Int("sessions", 320, "sessions of the year")
	every := flag.Int("every", 20, "sessions between two looks")
	seed := flag.Uint64("seed", 1, "of all that is random")
	out := flag.String("out", "", "file of the picture; none if empty")
	dir := flag.String("dir", "", "where the databases are made; a temporary directory if empty")
	flag.Parse()
	if err := run(context.Background(), *sessions, *every, *seed, *out, *dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sessions, every int, seed uint64, out, dir string) error {
	tmp, err := os.MkdirTemp(dir, "remanence-year-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var years [2][]look
	for i, consolidates := range []bool{true, false} {
		begun := time.Now()
		w, err := newWorld(ctx, filepath.Join(tmp, fmt.Sprint(i), "remanence.db"), seed, sessions, consolidates)
		if err != nil {
			return err
		}
		years[i], err = w.year(ctx, sessions, every)
		if err == nil {
			err = w.store.Close()
		}
		if err != nil {
			return fmt.Errorf("a year (consolidation %v): %w", consolidates, err)
		}
		fmt.Fprintf(os.Stderr, "consolidation %v: %d sessions, %d events in %s\n", consolidates, sessions, w.events,
			time.Since(begun).Round(time.Second))
	}
	table(os.Stdout, years[0], years[1])
	if out == "" {
		return nil
	}
	return os.WriteFile(out, picture(years[0], years[1]), 0o644) //nolint:gosec // a picture for everybody
}
