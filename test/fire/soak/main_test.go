//go:build fire

// Package soak gives one worker a day of work in minutes and measures what it
// takes: memory, log, descriptors, threads. And it gives it a backlog at the
// start, and nothing at all.
package soak

import (
	"os"
	"testing"

	"remanence/test/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }
