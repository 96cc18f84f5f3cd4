package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/internal/web"
	"remanence/internal/worker"
)

// openLog returns a logger into the log file, rotated at 5 MB.
func openLog(paths config.Paths, level slog.Leveler) (*slog.Logger, io.Closer) {
	if info, err := os.Lstat(paths.Log()); err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return slog.New(slog.DiscardHandler), io.NopCloser(nil)
	}
	out := &lumberjack.Logger{Filename: paths.Log(), MaxSize: 5, MaxBackups: 2}
	_ = os.MkdirAll(filepath.Dir(paths.Log()), 0o700)
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), out
}

// Run runs the daemon until it is stopped or idle. With background, another running daemon is not an error.
func Run(ctx context.Context, sys config.System, paths config.Paths, background bool, extra Extension) error {
	cfg, _ := config.LoadConfig(paths.Config, sys.Getenv) // a mistake there is shown by warnings
	var level slog.LevelVar
	level.Set(cfg.LogLevel())
	if err := paths.MakeWork(); err != nil && !background {
		return err
	}
	log, closer := openLog(paths, &level)
	defer closer.Close()
	if n := maxOpenFiles(); n > 0 && n < minOpenFiles {
		err := fault.Daemon.Because("it may have %d files open and needs %d", n, minOpenFiles).FixedBy("ulimit -n 1024")
		log.Error("worker cannot start", "error", err)
		return err
	}
	lock, err := takeLock(ctx, paths)
	if errors.Is(err, worker.ErrRunning) {
		if background {
			return nil
		}
		return fault.Running.Because("the lock %s is held", paths.Lock())
	}
	if err != nil {
		log.Error("worker cannot start", "error", err)
		return err
	}
	defer func() { _ = lock.Release() }()
	h, err := New(ctx, sys, paths, log, extra)
	if err != nil {
		log.Error("worker cannot start", "error", err)
		writeTrouble(paths, sys.Now(), err)
		return err
	}
	h.Config.OnChange = func(c config.Config) {
		level.Set(c.LogLevel())
		h.publishSpoolLimit(c.SpoolBytes())
		h.EmbedIfChanged(c)
	}
	level.Set(h.Config.Now().LogLevel()) // it may have changed since the start
	if err = h.serve(ctx, lock); err != nil {
		log.Error("worker failed", "error", err)
		if !errors.Is(err, mem.ErrCorrupt) {
			err = fault.Daemon.Because("%s", err)
		}
		writeTrouble(paths, sys.Now(), err)
	}
	if cerr := h.Store.Close(); err == nil {
		err = cerr
	}
	return err
}

// minOpenFiles is how many open files a daemon needs. With fewer it could hold its lock and accept no
// connection.
const minOpenFiles = 48

// takeLock waits for a daemon that is ending, but not for one that stays: a waiting process would start when
// that one is stopped on purpose.
func takeLock(ctx context.Context, paths config.Paths) (*worker.Lock, error) {
	for end := time.Now().Add(LockTimeout); ; time.Sleep(10 * time.Millisecond) {
		lock, err := worker.Acquire(paths.Data, 0)
		if !errors.Is(err, worker.ErrRunning) || takesEvents(ctx, paths) || time.Now().After(end) {
			return lock, err
		}
	}
}

// takesEvents reports whether the daemon of the runtime file accepts events.
func takesEvents(ctx context.Context, paths config.Paths) bool {
	rt, err := hookclient.ReadRuntime(paths)
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	h, err := rt.Client(config.Version).Health(ctx)
	return err == nil && h.Status == api.OK
}

// LockTimeout is how long a new daemon waits for the lock of one that was ordered to end.
const LockTimeout = 2 * time.Second

// gcPercent is how far the heap may grow between two collections: half of Go's default, because memory matters
// more than processor time here.
const gcPercent = 50

// reservedHeap is a part of the heap, in bytes, that is allocated and never touched, so it takes no memory of
// the machine. Usually less than 1 MB is in use; without it there would be a collection every few events.
const reservedHeap = 8 << 20

// collectLessOften makes garbage collection less frequent until the returned function is called.
func collectLessOften() (end func()) {
	before := debug.SetGCPercent(gcPercent)
	reserved := make([]byte, reservedHeap)
	return func() {
		runtime.KeepAlive(reserved)
		debug.SetGCPercent(before)
	}
}

// A backfill discards a hundred times as much as it keeps: a small heap may grow by garbageOfBackfill bytes between two
// collections, but not by more than mostPercent.
const (
	garbageOfBackfill = 16 << 20
	mostPercent       = 200
)

// collectByGarbage makes garbage collection of a small heap less frequent until the returned function is called.
func collectByGarbage() (end func()) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetGCPercent(gcPercent)
	live := max(1<<20, m.NextGC*100/uint64(100+max(0, before)))                           //nolint:gosec // not below 0
	debug.SetGCPercent(max(gcPercent, int(min(garbageOfBackfill*100/live, mostPercent)))) //nolint:gosec // small
	return func() { debug.SetGCPercent(before) }
}

func (h *Daemon) serve(ctx context.Context, lock *worker.Lock) error {
	defer collectLessOften()()
	h.servingSince = h.Sys.Now()
	cfg := h.Config.Now()
	pauses, err := h.Store.Paused(ctx, h.Sys.Now())
	if h.file != nil && sqlite.Damaged(err) {
		err = errors.Join(checkSound(ctx, h.file, h.log), err)
	}
	if err != nil {
		return err
	}
	if err := h.Store.EndLeases(ctx); err != nil { // a busy one runs out by itself
		h.log.Warn("jobs of a killed daemon wait for the end of their leases", "error", err)
	}
	before, _ := hookclient.ReadRuntime(h.Paths) // zero if there was none
	ctx, h.stop = context.WithCancelCause(ctx)
	defer h.stop(nil)
	err = worker.Run(ctx, worker.Config{
		Watch: watchedFiles(h), Web: web.Handler(), MCP: h.MCPHandler(),
		Lock: lock, RuntimeFile: h.Paths.Runtime(), SocketDir: h.Paths.Run,
		HTTPPort: config.Get[int](cfg, "worker.http_port"),
		Runtime: api.Runtime{
			Data: h.Paths.Data, Version: config.Version, Build: config.BuildID(), Paused: pauses,
			SpoolBytes: cfg.SpoolBytes(), Rules: cfg.OwnRules(),
			HTTPPort: before.HTTPPort, Login: before.Login,
		},
		Store: publishing(h), Live: h.live, Metrics: h.Metrics, Handler: damageHandler{h.Meter, h},
		Bindings: h.CheckedRoutes(),
		Spool:    h.spool, Replay: h.replay, GiveUp: h.giveUp, Do: h.Work, Slow: slowJobs(),
		Maintain: h.maintain,
		Background: []func(context.Context){
			onceIndexed(h.indexed, func(ctx context.Context) { // a calibration makes two hundred searches
				h.Engine.Recall.Floors.Run(ctx, func(err error) { h.log.Warn("relevance is not calibrated", "error", err) })
			}),
			func(ctx context.Context) {
				h.indexed.Run(ctx, func(err error) { h.log.Error("searching without index", "error", h.checkDamage(err)) })
			},
			h.team.Run,
			func(ctx context.Context) {
				if h.others != nil {
					h.others.Listen(ctx)
				}
			},
			func(ctx context.Context) {
				if h.others != nil {
					h.others.Send(ctx)
				}
			},
		},
		AfterBusy: h.afterBusy,
		Idle:      func() time.Duration { return config.Get[time.Duration](h.Config.Now(), "worker.idle_exit") }, Log: h.log,
		Ready: func(update func(func(*api.Runtime))) {
			clearTrouble(h.Paths)
			hookclient.ClearHolds(h.Paths)
			h.mu.Lock()
			h.setRuntime = update
			h.mu.Unlock()
			h.EmbedAll(ctx)
		},
	})
	if damage := context.Cause(ctx); errors.Is(damage, mem.ErrCorrupt) {
		return damage
	}
	return err
}

// onceIndexed returns a function that waits until the index is built, or could not be, and then calls do.
func onceIndexed(s *index.Store, do func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		select {
		case <-s.Tried():
			do(ctx)
		case <-ctx.Done():
		}
	}
}

// watchedFiles are the files without which writes would be lost.
func watchedFiles(h *Daemon) []string {
	if h.file == nil {
		return nil
	}
	return []string{h.Paths.Database()}
}

// giveUp drops a spooled event that cannot be stored while others can: that is a defect, and the event must
// not block later ones. While the store itself fails, events stay.
func (h *Daemon) giveUp(_ mem.Event, cause error) error {
	if atFault(cause) {
		return cause
	}
	h.spool.Count("defect")
	return nil
}

// MCPHandler serves the Model Context Protocol; nil if nothing does.
func (h *Daemon) MCPHandler() http.Handler {
	if h.extra.MCP == nil {
		return nil
	}
	return h.extra.MCP(h)
}
