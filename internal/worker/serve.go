package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// Limits of the server. Clients are on this machine and send one request a
// connection.
const (
	headerWithin = 2 * time.Second
	bodyWithin   = 10 * time.Second
	idleWithin   = 30 * time.Second
	maxHeader    = 16 << 10 // bytes
	headerSlack  = 4 << 10  // that net/http adds to what it is told
)

// newServer serves the routes to whoever asks for one of hosts and has the
// token. A connection carries one request: nothing hidden behind its end is
// taken for another.
func (w *worker) newServer(hosts ...string) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	srv := &http.Server{
		Handler:           api.Guard(api.Door{Hosts: hosts, Token: w.runtime.Token, Logins: w.logins, Public: w.public}, w.routes()),
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       bodyWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader - headerSlack,
		Protocols:         protocols,
		ErrorLog:          slog.NewLogLogger(w.cfg.Log.Handler(), slog.LevelWarn),
		// "OPTIONS *" would be answered before the guard.
		DisableGeneralOptionsHandler: true,
	}
	srv.SetKeepAlivesEnabled(false)
	return srv
}

// routes are all that is answered. Who looks on at a stream is no work that
// others would have to wait for.
func (w *worker) routes() http.Handler {
	mux := api.Mux(api.Config{
		Bindings: slices.Concat([]api.Binding{api.On(api.Event, w.event), api.On(api.Drain, w.drain), api.On(api.Open, w.open)}, w.cfg.Bindings),
		Health:   w.health,
		Metrics:  w.metrics,
		Observe:  w.observe,
	})
	work := w.counted(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case api.IsLogin(r):
			w.logins.ServeHTTP(rw, r)
		case w.cfg.Web != nil && api.IsPage(r):
			w.cfg.Web.ServeHTTP(rw, r)
		case w.cfg.MCP != nil && r.URL.Path == "/mcp":
			w.cfg.MCP.ServeHTTP(rw, r)
		default:
			mux.ServeHTTP(rw, r)
		}
	}))
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.cfg.Live != nil && api.IsStream(r) {
			w.cfg.Live.ServeHTTP(rw, r)
			return
		}
		work.ServeHTTP(rw, r)
	})
}

// public reports whether whoever is let in by no proof yet may ask: for the
// pages, which are the same for everybody, and to log in.
func (w *worker) public(r *http.Request) bool {
	return r.RequestURI == api.LoginPath && r.Method == http.MethodPost || w.cfg.Web != nil && api.IsPage(r)
}

// counted notes that something happens, so that the worker does not idle out.
func (w *worker) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.active.Add(1)
		defer w.active.Add(-1)
		deepen(0)
		next.ServeHTTP(rw, r)
		if r.Method != http.MethodGet {
			w.last.Store(time.Now().UnixNano())
			w.stale.Store(true)
		}
	})
}

// deepen has the stack of a connection grow to what an answer takes, down in the
// database. By itself it does so in four steps, and all that is on it moves each time.
//
//go:noinline
func deepen(at int) byte {
	var room [20 << 10]byte
	return room[at]
}

// event answers an event. What was spooled before it goes first; if its client
// leaves meanwhile, the client has spooled it too.
func (w *worker) event(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if e.ID == "" {
		return mem.Reply{}, fmt.Errorf("%w: an event needs an id, so that it is kept once", api.ErrInvalid)
	}
	if err := w.drainer.drain(ctx); err != nil {
		if ctx.Err() != nil {
			return mem.Reply{}, ctx.Err()
		}
		w.cfg.Log.Warn("spool not drained", "error", err)
	}
	reply, err := w.cfg.Handler.Handle(ctx, e)
	if err != nil {
		return mem.Reply{}, err
	}
	w.drainer.passed.Add(1)
	for _, q := range w.queues {
		q.Wake()
	}
	w.cfg.Log.Debug("event", "kind", e.Kind, "tool", e.Tool, "session", e.Session)
	return reply, nil
}

// drain answers at once; the end comes when the answer is on its way.
func (w *worker) drain(context.Context, api.Nothing) (api.Nothing, error) {
	w.end("asked to drain")
	return api.Nothing{}, nil
}

func (w *worker) health() api.Health {
	h := api.Health{
		Status:     api.OK,
		Version:    w.runtime.Version,
		Build:      w.runtime.Build,
		PID:        os.Getpid(),
		Uptime:     time.Since(w.started).Seconds(),
		QueueDepth: int(w.depth.Load()),
	}
	if w.draining.Load() {
		h.Status = api.Draining
	}
	if since := w.oldest.Load(); since != 0 {
		h.OldestJobSeconds = max(0, time.Since(time.Unix(since, 0)).Seconds())
	}
	return h
}

// observe logs what went wrong. What callers did wrong is theirs to tell, and
// that one left before its answer is no fault.
func (w *worker) observe(name string, took time.Duration, err error) {
	level := slog.LevelDebug
	w.answered.count(name, took, outcome(err))
	left := errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
	if outcome(err) == "failed" && !left {
		level = slog.LevelWarn
	}
	w.cfg.Log.Log(context.Background(), level, "answered", "route", name, "took", took, "error", err)
}

// theirs reports whether an error is a caller's.
func theirs(err error) bool {
	return errors.Is(err, api.ErrInvalid) || errors.Is(err, api.ErrUnknownRoute) || errors.Is(err, mem.ErrNotFound)
}
