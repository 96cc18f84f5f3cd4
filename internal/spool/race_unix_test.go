//go:build unix

package spool_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/spool"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("SPOOL_TEST_DIR"); dir != "" {
		if scene := os.Getenv("SPOOL_TEST_SCENE"); scene != "" {
			playScene(scene, dir)
		} else {
			appendFrom(dir, os.Getenv("SPOOL_TEST_NAME"))
		}
		return
	}
	os.Exit(m.Run())
}

const (
	writers   = 4   // processes, each with as many goroutines
	perWriter = 250 // events of each goroutine
)

// appendFrom is what one appending process of the tests does.
func appendFrom(dir, name string) {
	var wg sync.WaitGroup
	for g := range writers {
		wg.Go(func() {
			for i := range perWriter {
				// As in a hook, every event has a Spool of its own.
				s := spool.Open(spool.Config{Dir: dir})
				if _, err := s.Handle(context.Background(), prompt(fmt.Sprint(name, ".", g), i)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		})
	}
	wg.Wait()
}

func TestAppendingAndDrainingProcessesLoseAndDoubleNothing(t *testing.T) {
	dir := t.TempDir()
	var running sync.WaitGroup
	for p := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SPOOL_TEST_DIR="+dir, "SPOOL_TEST_NAME="+strconv.Itoa(p))
		running.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("appending process: %v: %s", err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()

	last := map[string]int{} // of each session, the number that came last
	total := 0
	keep := func(_ context.Context, events []mem.Event) error {
		for _, e := range events {
			session, n := e.Session, int(e.At.Sub(noon).Seconds())
			if want := last[session] + 1; n+1 != want {
				t.Errorf("session %s: got event %d, want %d", session, n, want-1)
			}
			last[session] = n + 1
			total++
		}
		return nil
	}
	s := spool.Open(spool.Config{Dir: dir})
	for finished := false; !finished; {
		select {
		case <-done:
			finished = true
		default:
		}
		if _, err := s.Drain(t.Context(), 0, keep); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < 100 && !s.Empty(); i++ {
		if _, err := s.Drain(t.Context(), 0, keep); err != nil {
			t.Fatal(err)
		}
	}
	if want := writers * writers * perWriter; total != want || !s.Empty() {
		t.Errorf("got %d events, empty %t; want %d, true", total, s.Empty(), want)
	}
	if c := spool.Counters(dir); len(c) != 0 {
		t.Errorf("counted %v", c)
	}
}
