//go:build unix

package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
)

func TestACommandWaitsForADaemonNoLongerThanItMay(t *testing.T) {
	dir, err := os.MkdirTemp("", "rem") // short: a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	getenv := environment(map[string]string{"HOME": dir})
	p, err := config.FindPaths(getenv, "")
	if err == nil {
		err = os.MkdirAll(p.Run, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(p.Run, "s")) // nothing answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	rt := api.Runtime{Data: p.Data, Socket: l.Addr().String(), Token: "t", Build: config.BuildID()}
	if err := rt.Write(p.Runtime()); err != nil {
		t.Fatal(err)
	}
	c := &Connection{Sys: config.System{Getenv: getenv, Now: time.Now}, Paths: p}
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, _, err := Connect(short, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of its time", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := Connect(stopped, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}
