// Command bench measures whole processes: what a person waits for when a hook
// runs, next to what any process costs on the machine, and what the worker
// behind it takes, with stores of several sizes. The cases of one size take
// turns in one run, so that a busy time affects all of them. It builds the
// program, works in a scratch home, and leaves no worker behind. Needs unix.
//
//	go run ./test/bench -n 200 -memories 1000,10000,100000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// options are the parameters of a run.
type options struct {
	runs      int    // of each case
	memories  []int  // in the store that the worker answers from
	benchstat string // file for the single runs, "" for none
}

func main() {
	var o options
	flag.IntVar(&o.runs, "n", 200, "runs of each case")
	sizes := flag.String("memories", "1000",
		"memories in the store; several numbers are several stores, one after the other")
	flag.StringVar(&o.benchstat, "benchstat", "", "write every run to this file, in the format of Go benchmarks")
	flag.Parse()
	var err error
	if o.memories, err = numbers(*sizes); err != nil || o.runs < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// numbers reads numbers above zero between commas.
func numbers(list string) ([]int, error) {
	var out []int
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of memories", word)
		}
		out = append(out, n)
	}
	return out, nil
}

func run(ctx context.Context, o options, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "remanence-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	p, err := buildAll(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.noneLeft()) }()
	if _, err := io.WriteString(out, heading(o, p)); err != nil {
		return err
	}
	var single strings.Builder
	var grown []growth
	for _, n := range o.memories {
		g, cases, err := size(ctx, filepath.Join(dir, strconv.Itoa(n)), p, o.runs, n)
		if err != nil {
			return fmt.Errorf("%d memories: %w", n, err)
		}
		if _, err := io.WriteString(out, table(n, cases)); err != nil {
			return err
		}
		single.WriteString(lines(n, cases))
		grown = append(grown, g)
	}
	if _, err := io.WriteString(out, workers(grown)); err != nil || o.benchstat == "" {
		return err
	}
	return os.WriteFile(o.benchstat, []byte(single.String()), 0o600)
}

// size measures all with a store of n memories.
func size(ctx context.Context, dir string, p programs, runs, n int) (g growth, cases []*bench, err error) {
	w, err := newWorld(ctx, dir, p, n)
	if w != nil {
		defer func() { err = errors.Join(err, w.stop()) }()
	}
	if err != nil {
		return g, nil, err
	}
	if g, err = w.begin(ctx, n); err != nil {
		return g, nil, err
	}
	cases = w.cases()
	if err := takeTurns(ctx, p, cases, runs); err != nil {
		return g, nil, err
	}
	if err := plausible(cases); err != nil {
		return g, nil, err
	}
	return g, cases, w.load(ctx, &g)
}

// takeTurns runs every case n times, in rounds with a new order each, after one
// round that does not count. A case that is measured less often comes up less often.
func takeTurns(ctx context.Context, p programs, cases []*bench, n int) error {
	for round := range n + 1 {
		for _, i := range rand.Perm(len(cases)) {
			c := cases[i]
			if round > 0 && c.every > 0 && round%c.every != 0 {
				continue
			}
			s, did, err := c.once(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				c.add(s, did)
			}
		}
	}
	return nil
}

// plausible refuses a table in which a row is not about what its name says.
func plausible(cases []*bench) error {
	for _, c := range cases {
		if c.missed*10 > len(c.samples) {
			return fmt.Errorf("%s: %d of %d runs did something else", c.name, c.missed, len(c.samples))
		}
	}
	return nil
}
