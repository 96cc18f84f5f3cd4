//go:build unix

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/worker"
)

const exitRunning = 3

// beAWorker is a process that wants to be the worker of home.
func beAWorker(home string) int {
	lock, err := worker.Acquire(filepath.Join(home, "data"), 0)
	if errors.Is(err, worker.ErrRunning) {
		return exitRunning
	}
	if err != nil {
		return 1
	}
	defer func() { _ = lock.Release() }()
	err = worker.Run(context.Background(), worker.Config{
		Lock:        lock,
		RuntimeFile: filepath.Join(home, "run", "runtime.json"),
		Handler:     handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
	})
	if err != nil {
		return 1
	}
	return 0
}

func TestStampedeOfProcessesMakesOneWorker(t *testing.T) {
	const many = 12
	home := shortDir(t)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exits := make(chan int, many)
	for range many {
		cmd := exec.Command(binary, "be-a-worker", home)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { _ = cmd.Wait(); exits <- cmd.ProcessState.ExitCode() }()
	}
	for range many - 1 {
		if code := <-exits; code != exitRunning {
			t.Errorf("exit status %d, want %d", code, exitRunning)
		}
	}
	c := clientOf(t, filepath.Join(home, "run", "runtime.json"))
	if err := c.Drain(t.Context()); err != nil {
		t.Errorf("drain: %v", err)
	}
	if code := <-exits; code != 0 {
		t.Errorf("the worker's exit status is %d, want 0", code)
	}
}

func TestStampedeOfAcquirersGivesOneLock(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	locks := make(chan *worker.Lock, 50)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if l, err := worker.Acquire(data, 0); err == nil {
				locks <- l
			} else if !errors.Is(err, worker.ErrRunning) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(locks)
	if len(locks) != 1 {
		t.Errorf("%d locks, want 1", len(locks))
	}
	for l := range locks {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
}

func TestSuccessorWaitsForTheLock(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := acquire(t, data)
	go func() {
		time.Sleep(30 * time.Millisecond)
		_ = first.Release()
	}()
	second, err := worker.Acquire(data, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

func TestBurstOfClientsIsAnsweredWhole(t *testing.T) {
	w := start(t, worker.Config{Handler: handler(func(e mem.Event) (mem.Reply, error) {
		return mem.Reply{Context: e.ID}, nil
	})})
	c := w.client(t)
	var all sync.WaitGroup
	for i := range 3 * worker.MaxConnections {
		all.Go(func() {
			id := fmt.Sprint("e", i)
			if got, err := c.Handle(context.Background(), mem.Event{ID: id}); err != nil || got.Context != id {
				t.Errorf("%s: got %+v, %v", id, got, err)
			}
		})
	}
	all.Wait()
}

func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	w := start(t, worker.Config{})
	c := w.client(t)
	var held []net.Conn
	for range worker.MaxConnections {
		conn, err := net.Dial("unix", c.Socket)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Health(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with all places taken: got %v, want DeadlineExceeded", err)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	if _, err := c.Health(t.Context()); err != nil {
		t.Errorf("with places free again: %v", err)
	}
}

func TestSilentConnectionsLoseTheirPlace(t *testing.T) {
	w := start(t, worker.Config{})
	c := w.client(t)
	for range worker.MaxConnections {
		conn, err := net.Dial("unix", c.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("GET / HT"))
	}
	if _, err := c.Health(t.Context()); err != nil {
		t.Errorf("got %v, want an answer once the silent ones are cut", err)
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	w := start(t, worker.Config{})
	c := w.client(t)
	conn, err := net.Dial("unix", c.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: remanence\r\nX: %s\r\n\r\n", strings.Repeat("x", 32<<10))
	answer := make([]byte, 64)
	n, _ := conn.Read(answer)
	if !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 431") {
		t.Errorf("got %q, want status 431", answer[:n])
	}
}

func TestStrangerOnTheSocketNeedsTheToken(t *testing.T) {
	w := start(t, worker.Config{})
	c := w.client(t)
	c.Token = "guessed"
	var e *api.Error
	if _, err := c.Handle(t.Context(), mem.Event{}); !errors.As(err, &e) || e.Status != 401 {
		t.Errorf("got %v, want status 401", err)
	}
}

func clientOf(t *testing.T, runtime string) api.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	c, err := api.Wait(ctx, runtime, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnEventWithoutAnIDIsTheCallersMistake(t *testing.T) {
	var l log
	w := start(t, worker.Config{Handler: handler(l.handle)})
	if _, err := w.client(t).Handle(t.Context(), mem.Event{Kind: mem.Stop}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("got %v, want %v", err, api.ErrInvalid)
	}
	if got := l.seen(); len(got) > 0 {
		t.Errorf("handled %v", got)
	}
}
