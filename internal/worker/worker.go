// Package worker is the daemon: one process a user that answers events and
// questions over a unix socket, and on request over a port of this machine,
// takes in what was spooled, works off the queue, and ends by itself when
// nobody needs it. It owns these goroutines. What
// events and questions mean is bound from outside.
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
	finishWithin = 2 * time.Second // for requests that are running at the end
)

// Store is what the worker itself needs of a store; see mem.Store.
type Store interface {
	queue.Store
	mem.Waiter
}

// Config says what the worker does. Everything without a stated zero is needed.
type Config struct {
	Lock        *Lock       // held by the caller until the store is closed
	RuntimeFile string      // path; its directory is made if it is missing
	SocketDir   string      // preferred; empty or unusable means beside the runtime file
	Runtime     api.Runtime // what the runtime file says besides socket, token, pid and start
	// HTTPPort is the port of a second door: HTTP on this machine's loopback
	// addresses, for tools that cannot speak to a socket. 0 means none, until a
	// person wants to look at it in a browser.
	HTTPPort int
	Live     *api.Live    // what changes, for who looks on; nil means nobody can
	Web      http.Handler // the pages for a browser; they hold nothing of the person's. nil means none
	MCP      http.Handler // what agents ask at /mcp, let in as callers of a route are; nil means nothing

	Store    Store         // nil is allowed without Do
	Handler  mem.Handler   // answers events
	Bindings []api.Binding // the other routes; event and drain are the worker's own

	Spool Spool // nil means none
	// Replay keeps a batch of spooled events without answering them; nil means
	// that Handler takes them one by one.
	Replay func(ctx context.Context, events []mem.Event) error
	// GiveUp puts aside a spooled event that failed again and again while
	// others passed; on an error it stays spooled. nil means all stay.
	GiveUp func(e mem.Event, cause error) error
	Do     func(ctx context.Context, j mem.Job) (mem.Batch, error) // does a job; nil means no queue runs
	// Slow are kinds of jobs that may take minutes. They are done one after the
	// other, beside the others, if Store is a mem.Lanes.
	Slow []string

	// Metrics, if set, are figures of the owner's for those who watch the worker.
	Metrics func(context.Context) ([]api.Metric, error)

	// Tidy, if set, does a little of what can wait, in well under a second, and
	// says after how long it wants to be called again; 0 means at the next look.
	// It is called only while nothing else has happened for some looks.
	Tidy func(ctx context.Context) time.Duration

	// Rest, if set, gives back memory that only makes things faster. It is called
	// once after five seconds without any request, and after each job and each
	// Tidy that comes later.
	Rest func(ctx context.Context)

	// Idle is the silence after which it ends, asked at every look around; nil
	// or 0 means 30 min. It never ends with jobs or spooled events waiting.
	Idle   func() time.Duration
	Every  time.Duration // between two looks around; 0 means a second
	Binary string        // ends when this file is gone or replaced; empty means its own
	Watch  []string      // files that it ends without, too: what is written to a deleted one is lost
	Log    *slog.Logger  // nil means no log
	// Ready, if set, is called once the worker can be reached. tell changes the
	// runtime file, as often as there is something to change.
	Ready func(tell func(set func(*api.Runtime)))
}

// Run serves until ctx ends, the process is asked to by SIGTERM, SIGINT or the
// drain route, nothing has happened for Idle, its binary, socket or data
// directory is gone, or the runtime file does not lead to it; all these are no
// errors. When it returns, every request
// has ended, the socket is removed and no goroutine of it is left. The runtime
// file stays. The process's umask is 077 from here on.
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
	cfg      Config
	listener net.Listener
	server   *http.Server
	opening  sync.Mutex     // guards the next two once it runs
	doors    []net.Listener // on TCP; none without a port
	http     *http.Server   // of doors; nil without them
	logins   *api.Logins
	all      sync.WaitGroup // its goroutines
	queues   []*queue.Queue // none without Do
	drainer  *drainer
	watched  []watched
	started  time.Time

	answered answered
	stop     chan struct{} // closed when it shall end
	stopOnce sync.Once
	draining atomic.Bool

	tidyAt               time.Time    // not before then; of the one that looks around, as are told and rested
	told                 fs.FileInfo  // runtime file that was found to lead here; nil before the first look
	rested               int64        // value of last when it last gave memory back
	restedJobs, seenJobs int64        // jobs done then, and at the look before
	active               atomic.Int64 // requests being answered
	last                 atomic.Int64 // Unix nanoseconds of the last one
	stale                atomic.Bool  // the backlog may have changed since it was counted
	depth                atomic.Int64 // jobs waiting
	oldest               atomic.Int64 // Unix seconds when the oldest was made; 0 with none

	telling sync.Mutex // holds who changes the runtime file
	runtime api.Runtime
}

// prepare makes everything ready and tells where it is.
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
		closeAll(append(w.doors, l))
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

// publish builds the parts that need the socket and writes the runtime file.
func (w *worker) publish(socket string) error {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	w.runtime = w.cfg.Runtime
	w.runtime.Socket, w.runtime.Token = socket, hex.EncodeToString(token)
	w.runtime.PID, w.runtime.Started = os.Getpid(), w.started.UTC()
	w.runtime.Protocol = api.Protocol
	w.logins = &api.Logins{
		Cookie: "remanence_" + instance(w.cfg.Lock.data), Now: time.Now,
		Told: func(k api.Key) { w.tell(func(rt *api.Runtime) { rt.Login = k }) },
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

// tell changes the runtime file.
func (w *worker) tell(set func(*api.Runtime)) {
	w.telling.Lock()
	defer w.telling.Unlock()
	set(&w.runtime)
	if err := w.runtime.Write(w.cfg.RuntimeFile); err != nil {
		w.cfg.Log.Error("write runtime file", "error", err)
	}
}

// run starts the goroutines, waits for the end and for all of them.
func (w *worker) run(ctx context.Context) error {
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	looking, stopLooking := context.WithCancel(within)
	defer stopLooking()
	var served error
	w.opening.Lock() // whoever asks for the door at once waits until this is through
	w.all.Go(func() {
		if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
			served = err
			w.end("socket failed")
		}
	})
	for _, l := range w.doors {
		w.all.Go(func() { w.serveHTTP(l) })
	}
	w.cfg.Log.Info("worker started", "socket", w.runtime.Socket, "http", w.runtime.HTTP, "version", w.runtime.Version)
	w.opening.Unlock()
	w.all.Go(func() { w.lookAround(looking) })
	for _, q := range w.queues {
		w.all.Go(func() {
			select { // whoever had the worker started comes first
			case <-within.Done():
			case <-time.After(firstJob):
			}
			q.Run(within)
		})
	}
	if w.cfg.Ready != nil {
		w.cfg.Ready(w.tell)
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

// end makes run end. The first reason counts.
func (w *worker) end(reason string) {
	w.stopOnce.Do(func() {
		w.draining.Store(true)
		w.cfg.Log.Info("worker ends", "reason", reason)
		close(w.stop)
	})
}

// finish takes no more requests and waits for those that are running, for
// hooks' first: at the port strangers may hold connections as long as they like.
func (w *worker) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), finishWithin)
	defer cancel()
	if w.cfg.Live != nil {
		w.cfg.Live.End() // streams would go on for ever
	}
	w.opening.Lock() // nobody opens it any more
	door := w.http
	w.opening.Unlock()
	for _, s := range []*http.Server{w.server, door} {
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
