package cli

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/worker"
)

// A daemon on its way out takes connections that it never answers.
func TestADaemonThatEndsWhileItIsAskedToIsStopped(t *testing.T) {
	p := newMachine(t)
	lock, err := worker.Acquire(p.Paths.Data, 0)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "r") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	rt := api.Runtime{Data: p.Paths.Data, Socket: filepath.Join(dir, "s"), Token: "x", Started: time.Now()}
	if err := os.MkdirAll(filepath.Dir(p.Paths.Runtime()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := rt.Write(p.Paths.Runtime()); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 3 {
			if c, err := l.Accept(); err == nil {
				_ = c.Close() // unread: the other side is reset
			}
		}
		_ = l.Close()
		_ = lock.Release()
	}()
	if _, err := p.StopDaemon(t.Context()); err != nil {
		t.Errorf("got %v, want it stopped", err)
	}
}

func TestNoNumberOfLinesEndsTheProgram(t *testing.T) {
	p := newMachine(t)
	if err := config.ReplaceFile(p.Paths.Log(), []byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[string]int{"-1": fault.ExitUsage, "0": 0, "1": 0, "3": 0} {
		sys := p.Sys
		sys.Args = []string{"daemon", "logs", "-n", n}
		if got := execute(t.Context(), sys); got != want {
			t.Errorf("-n %s: got exit status %d, want %d", n, got, want)
		}
	}
}
