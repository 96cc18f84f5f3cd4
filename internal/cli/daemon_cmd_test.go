package cli

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
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

func TestTheLogIsJSONToo(t *testing.T) {
	p := newMachine(t)
	log := "time=2026-11-26T18:24:48Z level=WARN msg=\"was \\\"late\\\"\" ms=3\nno line of ours\n"
	if err := config.ReplaceFile(p.Paths.Log(), []byte(log)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--json"}, 0, `"level":"warn","text":"was \"late\"","more":"ms=3"},{"at":null,"level":""`},
		{[]string{"--jsonl", "-n", "1"}, 0, `{"at":null,"level":"","text":"no line of ours","more":""}` + "\n"},
		{[]string{"--json", "-f"}, fault.ExitUsage, ""},
	} {
		sys, out := p.Sys, strings.Builder{}
		sys.Args, sys.Stdout = append([]string{"daemon", "logs"}, tc.args...), &out
		got := execute(t.Context(), sys)
		if got != tc.status || !strings.Contains(out.String(), tc.want) {
			t.Errorf("%v: got exit status %d and %s", tc.args, got, out.String())
		}
		for l := range strings.Lines(out.String()) {
			if !json.Valid([]byte(l)) {
				t.Errorf("%v: no JSON: %s", tc.args, l)
			}
		}
	}
}
