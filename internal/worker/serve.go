package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
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
	mux := api.Mux(api.Config{
		Bindings: slices.Concat([]api.Binding{api.On(api.Event, w.event), api.On(api.Drain, w.drain)}, w.cfg.Bindings),
		Health:   w.health,
		Observe:  w.observe,
	})
	srv := &http.Server{
		Handler:           api.Guard(api.Door{Hosts: hosts, Token: w.runtime.Token}, w.counted(mux)),
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

// counted notes that something happens, so that the worker does not idle out.
func (w *worker) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.active.Add(1)
		defer w.active.Add(-1)
		next.ServeHTTP(rw, r)
		if r.Method != http.MethodGet {
			w.last.Store(time.Now().UnixNano())
			w.stale.Store(true)
		}
	})
}

// event answers an event. What was spooled before it goes first; if its client
// leaves meanwhile, the client has spooled it too.
func (w *worker) event(ctx context.Context, e mem.Event) (mem.Reply, error) {
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
	if w.queue != nil {
		w.queue.Wake()
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

// observe logs what went wrong. What callers did wrong is theirs to tell.
func (w *worker) observe(name string, took time.Duration, err error) {
	level := slog.LevelDebug
	var refusal *api.Error
	if err != nil && !errors.As(err, &refusal) && !errors.Is(err, context.Canceled) && !errors.Is(err, mem.ErrNotFound) {
		level = slog.LevelWarn
	}
	w.cfg.Log.Log(context.Background(), level, "answered", "route", name, "took", took, "error", err)
}
