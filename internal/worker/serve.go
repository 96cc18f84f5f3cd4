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

// Limits of the server. Clients are on this machine and send one request per connection.
const (
	headerWithin = 2 * time.Second
	bodyWithin   = 10 * time.Second
	idleWithin   = 30 * time.Second
	maxHeader    = 16 << 10 // bytes
	headerSlack  = 4 << 10  // bytes that net/http allows on top
)

// newServer serves the routes to requests for one of hosts that carry the token. A connection
// carries one request, so nothing after it is taken for another one.
func (w *worker) newServer(hosts ...string) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	srv := &http.Server{
		Handler: api.Guard(api.Access{Hosts: hosts, Token: w.runtime.Token, Logins: w.logins, Public: w.public},
			w.routes()),
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

// routes returns the handler of all routes. An open stream does not count as a running
// request.
func (w *worker) routes() http.Handler {
	mux := api.Mux(api.Config{
		Bindings: slices.Concat([]api.Binding{
			api.On(api.Event, w.event), api.On(api.Drain, w.drain),
			api.On(api.Open, w.openBrowser),
		}, w.cfg.Bindings),
		Health:  w.health,
		Metrics: w.metrics,
		Observe: w.observe,
	})
	work := w.countRequest(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
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

// public reports whether a request is allowed without authentication: the viewer's pages,
// which are the same for everyone, and login.
func (w *worker) public(r *http.Request) bool {
	return r.RequestURI == api.LoginPath && r.Method == http.MethodPost || w.cfg.Web != nil && api.IsPage(r)
}

// countRequest records activity, so that the daemon does not become idle.
func (w *worker) countRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.active.Add(1)
		defer w.active.Add(-1)
		growStack(0)
		next.ServeHTTP(rw, r)
		if r.Method != http.MethodGet {
			w.last.Store(time.Now().UnixNano())
			w.stale.Store(true)
		}
	})
}

// growStack grows the goroutine's stack at once to the size that a request needs. Otherwise
// the stack grows in four steps and is copied at each.
//
//go:noinline
func growStack(at int) byte {
	var room [20 << 10]byte
	return room[at]
}

// event handles an event, after the events that were spooled before it. If the client
// disconnects meanwhile, it has spooled the event too.
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

// drain replies at once; the daemon stops after the reply is sent.
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

// observe logs failed requests, except errors of the caller and requests whose caller
// disconnected.
func (w *worker) observe(name string, took time.Duration, err error) {
	level := slog.LevelDebug
	w.answered.count(name, took, outcome(err))
	left := errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
	if outcome(err) == "failed" && !left {
		level = slog.LevelWarn
	}
	w.cfg.Log.Log(context.Background(), level, "answered", "route", name, "took", took, "error", err)
}

// isCallerError reports whether the caller caused the error.
func isCallerError(err error) bool {
	return errors.Is(err, api.ErrInvalid) || errors.Is(err, api.ErrUnknownRoute) || errors.Is(err, mem.ErrNotFound)
}
