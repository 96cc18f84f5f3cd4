//go:build fire

// Package soak gives one worker a day of work in minutes and measures what it
// takes: memory, log, descriptors, threads. And it gives it a backlog at the
// start, and nothing at all.
package soak

import (
	"flag"
	"os"
	"testing"

	"remanence/test/world"
)

// Tests of what a worker takes of memory, or in its sleep, run side by side: each
// looks at a process of its own.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "3")
	os.Exit(world.Main(m))
}
