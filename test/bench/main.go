// Command bench measures whole processes: what a person waits for when a hook
// runs, next to what any process costs on the machine. The cases take turns in
// one run, so that a busy moment falls on all of them. It builds the program,
// works in a scratch home, and leaves no worker behind. Needs unix.
//
//	go run ./test/bench -n 200
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
	"syscall"
	"time"
)

// options are the parameters of a run.
type options struct {
	runs      int  // of each case
	memories  int  // in the store that the worker answers from
	benchstat bool // print the single runs too
}

func main() {
	var o options
	flag.IntVar(&o.runs, "n", 200, "runs of each case")
	flag.IntVar(&o.memories, "memories", 1000, "memories in the store")
	flag.BoolVar(&o.benchstat, "benchstat", false, "print every run in the format of Go benchmarks too")
	flag.Parse()
	if o.runs < 1 || o.memories < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
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
	w, err := newWorld(ctx, dir, p, o.memories)
	if w != nil {
		defer func() { err = errors.Join(err, w.stop()) }()
	}
	if err != nil {
		return err
	}
	cases := w.cases()
	begun := time.Now()
	if err := takeTurns(ctx, p, cases, o.runs); err != nil {
		return err
	}
	report := table(o, cases, time.Since(begun))
	if o.benchstat {
		report += lines(cases)
	}
	if _, err := io.WriteString(out, report); err != nil {
		return err
	}
	return plausible(cases)
}

// takeTurns runs every case n times, in rounds with a new order each, after one
// round that does not count.
func takeTurns(ctx context.Context, p programs, cases []*bench, n int) error {
	for round := range n + 1 {
		for _, i := range rand.Perm(len(cases)) {
			c := cases[i]
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
