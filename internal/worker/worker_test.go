//go:build unix

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/worker"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "be-a-worker" {
		os.Exit(beAWorker(os.Args[2]))
	}
	goleak.VerifyTestMain(m)
}

func TestEventIsAnsweredOverTheSocket(t *testing.T) {
	w := start(t, worker.Config{Handler: handler(func(e mem.Event) (mem.Reply, error) {
		return mem.Reply{Context: "for " + e.Session}, nil
	})})
	got, err := w.client(t).Handle(t.Context(), mem.Event{ID: "e_1", Session: "s1"})
	if err != nil || got.Context != "for s1" {
		t.Errorf("got %+v, %v, want the handler's reply", got, err)
	}
}

func TestPlacesArePrivate(t *testing.T) {
	w := start(t, worker.Config{})
	socket := w.client(t).Socket
	for path, want := range map[string]fs.FileMode{
		w.data:                               fs.ModeDir | 0o700,
		filepath.Dir(socket):                 fs.ModeDir | 0o700,
		socket:                               fs.ModeSocket | 0o600,
		w.runtime:                            0o600,
		filepath.Join(w.data, "worker.lock"): 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	if r, err := api.ReadRuntime(w.runtime); err != nil || len(r.Token) != 64 || r.PID != os.Getpid() ||
		r.Protocol != api.Protocol {
		t.Errorf("runtime file = %+v, %v", r, err)
	}
}

func TestEndRemovesTheSocketAndKeepsTheRuntimeFile(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *running){
		"context": func(_ *testing.T, w *running) { w.cancel() },
		"SIGTERM": func(*testing.T, *running) { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) },
		"drain": func(t *testing.T, w *running) {
			if err := w.client(t).Drain(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"socket gone":    func(t *testing.T, w *running) { remove(t, w.client(t).Socket) },
		"binary gone":    func(t *testing.T, w *running) { remove(t, w.binary) },
		"binary changed": func(t *testing.T, w *running) { replace(t, w.binary) },
		"data gone":      func(t *testing.T, w *running) { remove(t, w.data) },
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, worker.Config{Runtime: api.Runtime{Paused: []mem.Pause{{Target: "all"}}}})
			c := w.client(t)
			end(t, w)
			w.wait(t)
			if _, err := os.Lstat(c.Socket); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("socket: %v, want it gone", err)
			}
			if r, err := api.ReadRuntime(w.runtime); err != nil || len(r.Paused) != 1 {
				t.Errorf("runtime file = %+v, %v, want its pause kept", r, err)
			}
			if _, err := c.Health(t.Context()); !errors.Is(err, api.ErrUnreachable) {
				t.Errorf("asked after the end: %v, want ErrUnreachable", err)
			}
		})
	}
}

// Hooks would put every event into the spool for as long as such a worker holds the lock.
func TestAWorkerThatNoClientCanFindEnds(t *testing.T) {
	other := api.Runtime{Socket: "/elsewhere", Token: "another"}
	for name, lose := range map[string]func(*testing.T, string){
		"gone":                 remove,
		"garbage":              func(t *testing.T, file string) { overwrite(t, file, "not one of ours") },
		"names another worker": func(t *testing.T, file string) { publish(t, file, other) },
		"names another socket": func(t *testing.T, file string) {
			rt, err := api.ReadRuntime(file)
			if err != nil {
				t.Fatal(err)
			}
			rt.Socket = "/elsewhere"
			publish(t, file, rt)
		},
		"left by a killed one": func(t *testing.T, file string) {
			rt, err := api.ReadRuntime(file)
			if err != nil {
				t.Fatal(err)
			}
			rt.Token = "of before"
			publish(t, file, rt)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, worker.Config{})
			_ = w.client(t)
			lose(t, w.runtime)
			w.wait(t)
		})
	}
}

func TestAWorkerThatCanBeFoundStays(t *testing.T) {
	for name, touch := range map[string]func(t *testing.T, file string){
		"written anew": func(t *testing.T, file string) {
			rt, err := api.ReadRuntime(file)
			if err != nil {
				t.Fatal(err)
			}
			rt.Paused = []mem.Pause{{Target: "all"}}
			publish(t, file, rt)
		},
		"of another data directory": func(t *testing.T,
			file string,
		) {
			publish(t, file, api.Runtime{Data: "/other", Token: "its own"})
		},
		"a link in its place": func(t *testing.T, file string) {
			if err := errors.Join(os.Symlink("/nonexistent", file+".new"), os.Rename(file+".new", file)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, worker.Config{})
			c := w.client(t)
			touch(t, w.runtime)
			time.Sleep(30 * time.Millisecond) // many looks
			if _, err := c.Health(t.Context()); err != nil {
				t.Errorf("asked afterwards: %v, want an answer", err)
			}
		})
	}
}

func publish(t *testing.T, file string, rt api.Runtime) {
	t.Helper()
	if err := rt.Write(file); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunningRequestIsFinishedBeforeTheEnd(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	w := start(t, worker.Config{Handler: handler(func(mem.Event) (mem.Reply, error) {
		close(entered)
		<-leave
		return mem.Reply{Notice: "done"}, nil
	})})
	c := w.client(t)
	answered := make(chan error, 1)
	go func() {
		reply, err := c.Handle(context.Background(), mem.Event{ID: "e_1"})
		if reply.Notice != "done" {
			err = errors.Join(err, fmt.Errorf("reply %+v", reply))
		}
		answered <- err
	}()
	<-entered
	w.cancel()
	close(leave)
	if err := <-answered; err != nil {
		t.Errorf("got %v, want the answer", err)
	}
	w.wait(t)
}

func TestPanicOfTheHandlerIsOneFailedEvent(t *testing.T) {
	w := start(t, worker.Config{Handler: handler(func(e mem.Event) (mem.Reply, error) {
		if e.Session == "bad" {
			panic("no")
		}
		return mem.Reply{}, nil
	})})
	c := w.client(t)
	if _, err := c.Handle(t.Context(), mem.Event{ID: "e_1", Session: "bad"}); err == nil {
		t.Error("got nil, want an error")
	}
	if _, err := c.Handle(t.Context(), mem.Event{ID: "e_2", Session: "good"}); err != nil {
		t.Errorf("next event: %v", err)
	}
}

func TestIdleWorkerEnds(t *testing.T) {
	w := start(t, worker.Config{Idle: lasting(20 * time.Millisecond), Every: time.Millisecond, Store: &store{}})
	w.wait(t)
}

func TestPatienceMayChangeWhileItRuns(t *testing.T) {
	var idle atomic.Int64
	idle.Store(int64(time.Hour))
	asked := make(chan struct{}, 1)
	w := start(t, worker.Config{Every: time.Millisecond, Store: &store{}, Idle: func() time.Duration {
		select {
		case asked <- struct{}{}:
		default:
		}
		return time.Duration(idle.Load())
	}})
	<-asked
	idle.Store(int64(time.Millisecond))
	w.wait(t)
}

func TestWorkerWithWorkWaitingDoesNotIdleOut(t *testing.T) {
	jobs, spooled := &store{}, &spool{}
	for name, cfg := range map[string]worker.Config{
		"jobs":  {Store: jobs},
		"spool": {Spool: spooled, Handler: handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, mem.ErrLocked })},
	} {
		t.Run(name, func(t *testing.T) {
			jobs.waiting.Store(1)
			spooled.add("e1")
			cfg.Idle, cfg.Every = lasting(time.Millisecond), time.Millisecond
			w := start(t, cfg)
			select {
			case err := <-w.done:
				t.Fatalf("ended with %v while work waits", err)
			case <-time.After(60 * time.Millisecond):
			}
			jobs.waiting.Store(0)
			spooled.clear()
			w.wait(t)
		})
	}
}

func TestHealthReportsTheBacklog(t *testing.T) {
	s := &store{}
	s.waiting.Store(3)
	w := start(t, worker.Config{Store: s, Every: time.Millisecond, Runtime: api.Runtime{Version: "1.2", Build: "b"}})
	c := w.client(t)
	await(t, func() bool {
		h, err := c.Health(t.Context())
		return err == nil && h.QueueDepth == 3 && h.OldestJobSeconds > 50 && h.Version == "1.2" && h.Build == "b" &&
			h.PID == os.Getpid()
	})
}

func TestJobsAreDoneWhileItRuns(t *testing.T) {
	s := &store{}
	s.waiting.Store(2)
	w := start(t, worker.Config{Store: s, Do: func(context.Context, mem.Job) (mem.Batch, error) {
		return mem.Batch{}, nil
	}})
	await(t, func() bool { return s.waiting.Load() == 0 })
	w.cancel()
	w.wait(t)
}

func TestStaleSocketIsReplaced(t *testing.T) {
	first := start(t, worker.Config{})
	socket := first.client(t).Socket
	first.cancel()
	first.wait(t)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as a killed worker leaves it
	_ = l.Close()

	second := startIn(t, first.home, worker.Config{})
	if c := second.client(t); c.Socket != socket {
		t.Errorf("socket = %s, want %s", c.Socket, socket)
	}
}

// A link could lead to somebody else's socket, a file be somebody's work.
func TestWhatIsInTheWayOfTheSocketIsKeptAndTheSocketMoves(t *testing.T) {
	for name, place := range map[string]func(path string) error{
		"file":      func(p string) error { return os.WriteFile(p, []byte("mine"), 0o600) },
		"directory": func(p string) error { return os.Mkdir(p, 0o700) },
		"link":      func(p string) error { return os.Symlink("/nonexistent", p) },
		"pipe":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", shortDir(t))
			first := start(t, worker.Config{})
			socket := first.client(t).Socket
			first.cancel()
			first.wait(t)
			if err := place(socket); err != nil {
				t.Fatal(err)
			}
			was, err := os.Lstat(socket)
			if err != nil {
				t.Fatal(err)
			}
			second := startIn(t, first.home, worker.Config{})
			if c := second.client(t); c.Socket == socket || api.CheckDir(filepath.Dir(c.Socket)) != nil {
				t.Errorf("socket = %s, want it elsewhere, in a private directory", c.Socket)
			}
			if is, err := os.Lstat(socket); err != nil || !os.SameFile(was, is) {
				t.Errorf("%s in the way: %v, want it kept", name, err)
			}
		})
	}
}

func TestSocketMovesWhenItsPathIsTooLong(t *testing.T) {
	temp := shortDir(t)
	t.Setenv("TMPDIR", temp)
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	w := startIn(t, long, worker.Config{})
	c := w.client(t)
	if !strings.HasPrefix(c.Socket, temp) {
		t.Errorf("socket = %s, want it below %s", c.Socket, temp)
	}
	if err := api.CheckDir(filepath.Dir(c.Socket)); err != nil {
		t.Error(err)
	}
}

func TestForeignTemporaryDirectoryIsRefused(t *testing.T) {
	temp, victim := shortDir(t), shortDir(t)
	t.Setenv("TMPDIR", temp)
	if err := os.Symlink(victim, filepath.Join(temp, fmt.Sprint("remanence-", os.Getuid()))); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	lock := acquire(t, filepath.Join(home, "data"))
	err := worker.Run(t.Context(), worker.Config{Lock: lock, RuntimeFile: filepath.Join(home, "run", "runtime.json")})
	if left, _ := os.ReadDir(victim); err == nil || len(left) != 0 {
		t.Errorf("got %v and files %v, want an error and none", err, left)
	}
}

func TestLoneSocketDirectoryServesTwoDataDirectories(t *testing.T) {
	shared := shortDir(t)
	a := start(t, worker.Config{SocketDir: shared})
	b := start(t, worker.Config{SocketDir: shared})
	for _, w := range []*running{a, b} {
		if _, err := w.client(t).Health(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// running is a worker in this process.
type running struct {
	home, data, runtime, binary string
	cancel                      context.CancelFunc
	done                        chan error
	ended                       atomic.Bool
}

func start(t *testing.T, cfg worker.Config) *running {
	t.Helper()
	return startIn(t, shortDir(t), cfg)
}

func startIn(t *testing.T, home string, cfg worker.Config) *running {
	t.Helper()
	w := &running{
		home: home, data: filepath.Join(home, "data"), runtime: filepath.Join(home, "run", "runtime.json"),
		binary: filepath.Join(t.TempDir(), "remanence"), done: make(chan error, 1),
	}
	if err := os.WriteFile(w.binary, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	cfg.Lock, cfg.RuntimeFile, cfg.Binary = acquire(t, w.data), w.runtime, w.binary
	if cfg.Every == 0 {
		cfg.Every = 2 * time.Millisecond
	}
	if cfg.Handler == nil {
		cfg.Handler = handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil })
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	go func() { w.done <- errors.Join(worker.Run(ctx, cfg), cfg.Lock.Release()) }()
	t.Cleanup(func() { cancel(); w.wait(t) })
	return w
}

func (w *running) client(t *testing.T) api.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	c, err := api.Wait(ctx, w.runtime, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wait waits for the end, which must be in peace.
func (w *running) wait(t *testing.T) {
	t.Helper()
	if w.ended.Swap(true) {
		return
	}
	select {
	case err := <-w.done:
		if err != nil {
			t.Errorf("worker ended with %v", err)
		}
	case <-time.After(atMost):
		t.Fatal("worker does not end")
	}
}

func acquire(t *testing.T, data string) *worker.Lock {
	t.Helper()
	// an earlier worker of the test may be on its way out
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		l, err := worker.Acquire(data, 0)
		if err == nil {
			t.Cleanup(func() { _ = l.Release() })
			return l
		}
		if !errors.Is(err, worker.ErrRunning) {
			t.Fatal(err)
		}
	}
	t.Fatal("lock is never free")
	return nil
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func replace(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path+".new", nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// atMost is how long a test waits for what has to come, on a machine that may
// have other things to do. It is no promise of the worker's.
const atMost = time.Minute

func await(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("it never comes true")
}
