// Package worker runs the daemon: one process per user and data directory. It serves events
// and requests over a unix socket and, on request, over a loopback port. It also handles
// spooled events, runs the job queue, and exits when it is idle. What events and requests mean
// is passed in [Config]. Start reading at [Run].
package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/queue"
)

const (
	defaultIdle  = 30 * time.Minute
	defaultEvery = time.Second
	finishWithin = 2 * time.Second // for running requests at shutdown
)

// Store is the part of mem.Store that the daemon itself uses.
type Store interface {
	queue.Store
	Waiting(ctx context.Context) (mem.Waiting, error)
}

// Config configures the daemon. Fields whose comment does not mention nil or zero must be set.
type Config struct {
	Lock        *Lock       // held by the caller until the store is closed
	RuntimeFile string      // path; its directory is made if it is missing
	SocketDir   string      // preferred; empty or unusable means beside the runtime file
	Runtime     api.Runtime // other fields of the runtime file; socket, token, pid and start are added
	// HTTPPort is a loopback port for HTTP, for programs that cannot use a unix socket. 0
	// means none until a person opens the viewer.
	HTTPPort int
	Live     *api.Live    // streams changes to clients; nil means no streams
	Web      http.Handler // the viewer's pages; they contain no personal data. nil means none
	MCP      http.Handler // serves /mcp with the same authentication as routes; nil means none

	Store    Store         // may be nil if Do is nil
	Handler  mem.Handler   // answers events
	Bindings []api.Binding // further routes; event and drain are built in

	Spool Spool // nil means none
	// Replay stores a batch of spooled events without replies; nil means that Handler handles
	// them one by one.
	Replay func(ctx context.Context, events []mem.Event) error
	// GiveUp sets aside a spooled event that failed repeatedly while others succeeded. If it
	// returns an error the event stays spooled. nil means that all stay.
	GiveUp func(e mem.Event, cause error) error
	Do     func(ctx context.Context, j mem.Job) (mem.Batch, error) // runs a job; nil means no queue
	// Slow are kinds of jobs that may take minutes. The jobs of each kind run one after another in
	// a queue of their own.
	Slow []string

	// Metrics returns further metrics; may be nil.
	Metrics func(context.Context) ([]api.Metric, error)

	// Maintain does a small part of the deferred maintenance, in well under a second. It returns
	// the time until the next call; 0 means at the next check. It is called only when the
	// daemon was quiet for several checks. It may be nil.
	Maintain func(ctx context.Context) time.Duration

	// Background run beside the server and return when ctx ends.
	Background []func(ctx context.Context)

	// AfterBusy does what a busy period leaves to do, and frees caches. It is called once after
	// five seconds without a request, and after later jobs and calls of Maintain. It may be nil.
	AfterBusy func(ctx context.Context)

	// Idle returns the time without requests after which the daemon exits; nil or 0 means 30
	// minutes. The daemon does not exit while jobs or spooled events wait.
	Idle   func() time.Duration
	Every  time.Duration // between two checks; 0 means a second
	Binary string        // the daemon exits when this file is removed or replaced; empty means its own
	Watch  []string      // further files whose removal ends the daemon, because writes to them would be lost
	Log    *slog.Logger  // nil means no log
	// Ready is called when clients can connect; may be nil. tell changes the runtime file and
	// may be called repeatedly.
	Ready func(tell func(set func(*api.Runtime)))
}

// Run serves until ctx ends, or until one of these happens: SIGTERM, SIGINT, a request to the
// drain route, nothing happens for Idle, its binary, socket or data directory is removed, or
// the runtime file names another daemon. None of these is an error. When it returns, all
// requests and goroutines have ended and the socket is removed. The runtime file stays. Run
// sets the process's umask to 077.
func Run(ctx context.Context, cfg Config) error {
	w, err := prepare(cfg)
	if err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()
	return w.run(ctx)
}

type worker struct {
	cfg           Config
	listener      net.Listener
	server        *http.Server
	httpMu        sync.Mutex     // guards httpListeners and http while running
	httpListeners []net.Listener // on TCP; empty without a port
	http          *http.Server   // of httpListeners; nil if there are none
	logins        *api.Logins
	all           sync.WaitGroup // running goroutines
	queues        []*queue.Queue // none without Do
	drainer       *drainer
	watched       []watched
	started       time.Time

	answered requestStats
	stop     chan struct{} // closed to stop the daemon
	stopOnce sync.Once
	draining atomic.Bool

	tidyAt               time.Time    // next call of Maintain; used only by maintain, as are runtimeSeen and rested
	runtimeSeen          fs.FileInfo  // runtime file that was checked last; nil before the first check
	rested               int64        // value of last when memory was last freed
	restedJobs, seenJobs int64        // jobs done at that time, and at the check before
	active               atomic.Int64 // running requests
	last                 atomic.Int64 // Unix nanoseconds of the last request
	stale                atomic.Bool  // the backlog may have changed since it was counted
	depth                atomic.Int64 // jobs waiting
	oldest               atomic.Int64 // Unix seconds when the oldest was created; 0 if none waits

	runtimeMu sync.Mutex // serialises changes of the runtime file
	runtime   api.Runtime
}

// prepare opens the socket and writes the runtime file.
func prepare(cfg Config) (*worker, error) {
	if cfg.Lock == nil {
		return nil, errors.New("no lock is held")
	}
	w := &worker{cfg: withDefaults(cfg), stop: make(chan struct{}), started: time.Now()}
	w.last.Store(w.started.UnixNano())
	w.stale.Store(true)
	closeUmask()
	home := filepath.Dir(cfg.RuntimeFile)
	if _, err := privateDir(home); err != nil {
		return nil, err
	}
	l, socket, err := listen(cfg.Lock.data, []string{cfg.SocketDir, home}, w.cfg.Log)
	if err != nil {
		return nil, err
	}
	w.listener = guard(l, make(chan struct{}, MaxConnections), api.OwnPeer, w.cfg.Log)
	if err := w.publish(socket); err != nil {
		closeAll(append(w.httpListeners, l))
		return nil, err
	}
	return w, nil
}

func withDefaults(cfg Config) Config {
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Binary == "" {
		cfg.Binary, _ = os.Executable()
	}
	return cfg
}

// publish builds the parts that need the socket path, and writes the runtime file.
func (w *worker) publish(socket string) error {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	w.runtime = w.cfg.Runtime
	w.runtime.Socket, w.runtime.Token = socket, hex.EncodeToString(token)
	w.runtime.PID, w.runtime.Started = os.Getpid(), w.started.UTC()
	w.runtime.Protocol = api.Protocol
	w.logins = &api.Logins{
		Cookie: "remanence_" + instance(w.cfg.Lock.data), Now: time.Now,
		OnChange: func(k api.Key) { w.updateRuntime(func(rt *api.Runtime) { rt.Login = k }) },
	}
	w.logins.Use(w.runtime.Login)

	w.watched = watch(append([]string{w.cfg.Binary, socket, w.cfg.Lock.data}, w.cfg.Watch...)...)
	w.drainer = &drainer{
		spool: w.cfg.Spool, replay: w.cfg.Replay, giveUp: w.cfg.GiveUp, log: w.cfg.Log,
		handle: func(ctx context.Context, e mem.Event) error {
			_, err := w.cfg.Handler.Handle(ctx, e)
			return err
		},
		turn: make(chan struct{}, 1), fails: map[string]int{},
	}
	if w.cfg.Do != nil {
		w.queues = w.lanes()
	}
	w.server = w.newServer(api.SocketHost)
	w.openHTTP()
	return w.runtime.Write(w.cfg.RuntimeFile)
}

// updateRuntime changes the runtime file.
func (w *worker) updateRuntime(set func(*api.Runtime)) {
	w.runtimeMu.Lock()
	defer w.runtimeMu.Unlock()
	set(&w.runtime)
	if err := w.runtime.Write(w.cfg.RuntimeFile); err != nil {
		w.cfg.Log.Error("write runtime file", "error", err)
	}
}

// run starts the goroutines, and waits until the daemon is stopped and all of them have ended.
func (w *worker) run(ctx context.Context) error {
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	looking, stopLooking := context.WithCancel(within)
	defer stopLooking()
	var served error
	w.httpMu.Lock() // requests to open the viewer wait until startup is done
	w.all.Go(func() {
		if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
			served = err
			w.end("socket failed")
		}
	})
	for _, l := range w.httpListeners {
		w.all.Go(func() { w.serveHTTP(l) })
	}
	w.cfg.Log.Info("worker started", "socket", w.runtime.Socket, "http", w.runtime.HTTP, "version", w.runtime.Version)
	w.httpMu.Unlock()
	w.all.Go(func() { w.maintain(looking) })
	for _, q := range w.queues {
		w.all.Go(func() {
			select { // the client that started the daemon comes first
			case <-within.Done():
			case <-time.After(startDelay):
			}
			q.Run(within)
		})
	}
	for _, run := range w.cfg.Background {
		w.all.Go(func() { run(looking) })
	}
	if w.cfg.Ready != nil {
		w.cfg.Ready(w.updateRuntime)
	}
	select {
	case <-ctx.Done():
		w.end("asked by the system")
	case <-w.stop:
	}
	stopLooking()
	w.finish()
	cancel()
	w.all.Wait()
	w.cfg.Log.Info("worker ended")
	return served
}

// end makes run return. Only the first reason is logged.
func (w *worker) end(reason string) {
	w.stopOnce.Do(func() {
		w.draining.Store(true)
		w.cfg.Log.Info("worker ends", "reason", reason)
		close(w.stop)
	})
}

// finish stops accepting requests and waits for the running ones, first those on the socket:
// clients of the port may hold connections for long.
func (w *worker) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), finishWithin)
	defer cancel()
	if w.cfg.Live != nil {
		w.cfg.Live.End() // streams would not end by themselves
	}
	w.httpMu.Lock() // keeps it from being opened again
	listener := w.http
	w.httpMu.Unlock()
	for _, s := range []*http.Server{w.server, listener} {
		if s == nil {
			continue
		}
		if err := s.Shutdown(ctx); err != nil {
			w.cfg.Log.Warn("requests cut off", "error", err)
			_ = s.Close()
		}
	}
	dropTempDir(w.runtime.Socket)
}
