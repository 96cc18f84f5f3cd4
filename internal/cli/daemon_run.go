package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"remanence/internal/api"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/internal/web"
	"remanence/internal/worker"
)

// openLog returns a logger into the log file, rotated at 5 MB.
func openLog(paths Paths, level slog.Leveler) (*slog.Logger, io.Closer) {
	if info, err := os.Lstat(paths.Log()); err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return slog.New(slog.DiscardHandler), io.NopCloser(nil)
	}
	out := &lumberjack.Logger{Filename: paths.Log(), MaxSize: 5, MaxBackups: 2}
	_ = os.MkdirAll(filepath.Dir(paths.Log()), 0o700)
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), out
}

// logLevel is the configured one.
func (c Config) logLevel() slog.Level {
	var l slog.Level
	if l.UnmarshalText([]byte(value[string](c, "log.level"))) != nil {
		return slog.LevelInfo
	}
	return l
}

// spoolBytes is the configured cap of the spool.
func (c Config) spoolBytes() int64 { return int64(value[int](c, "spool.max_bytes")) }

// runWorker is the daemon. Background says that nobody looks: another worker
// that runs already is then no error.
func runWorker(ctx context.Context, sys System, paths Paths, background bool) error {
	cfg, _ := LoadConfig(paths.Config, sys.Getenv) // a mistake there is shown by warnings
	var level slog.LevelVar
	level.Set(cfg.logLevel())
	if err := paths.settle(); err != nil && !background {
		return err
	}
	log, closer := openLog(paths, &level)
	defer closer.Close()
	if n := openFiles(); n > 0 && n < leastFiles {
		err := faultDaemon.because("it may have %d files open and needs %d", n, leastFiles).fixedBy("ulimit -n 1024")
		log.Error("worker cannot start", "error", err)
		return err
	}
	lock, err := takeLock(ctx, paths)
	if errors.Is(err, worker.ErrRunning) {
		if background {
			return nil
		}
		return faultRunning.because("the lock %s is held", paths.Lock())
	}
	if err != nil {
		log.Error("worker cannot start", "error", err)
		return err
	}
	defer func() { _ = lock.Release() }()
	h, err := build(ctx, sys, paths, log)
	if err != nil {
		log.Error("worker cannot start", "error", err)
		writeTrouble(paths, sys.Now(), err)
		return err
	}
	h.config.changed = func(c Config) {
		level.Set(c.logLevel())
		h.tellCap(c.spoolBytes())
		h.embedAgain(c)
	}
	level.Set(h.config.now().logLevel()) // it may have changed since the start
	if err = h.serve(ctx, lock); err != nil {
		log.Error("worker failed", "error", err)
		if !errors.Is(err, mem.ErrCorrupt) {
			err = faultDaemon.because("%s", err)
		}
		writeTrouble(paths, sys.Now(), err)
	}
	if cerr := h.store.Close(); err == nil {
		err = cerr
	}
	return err
}

// leastFiles is how many open files a daemon needs: one that has fewer can keep
// its lock and take no caller.
const leastFiles = 48

// takeLock waits for a worker that is on its way out, but not beside one that
// stays: whoever waited there would begin just when that one is stopped.
func takeLock(ctx context.Context, paths Paths) (*worker.Lock, error) {
	for end := time.Now().Add(drainWait); ; time.Sleep(10 * time.Millisecond) {
		lock, err := worker.Acquire(paths.Data, 0)
		if !errors.Is(err, worker.ErrRunning) || serves(ctx, paths) || time.Now().After(end) {
			return lock, err
		}
	}
}

// serves reports whether the worker of the runtime file takes events.
func serves(ctx context.Context, paths Paths) bool {
	rt, err := paths.worker()
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	h, err := rt.Client(Version).Health(ctx)
	return err == nil && h.Status == api.OK
}

// drainWait is how long a new worker waits for the lock of one that was asked to leave.
const drainWait = 2 * time.Second

// gcPercent is by how much the worker's heap may grow between two collections:
// half of what Go takes by itself, since its memory is in the person's way longer
// than its processor time.
const gcPercent = 50

// heldBack is how much of the heap, in bytes, is reserved and never touched, so
// it is no memory of the machine. What is in use is less than 1 MB mostly: half
// of that once more would be a collection every few events.
const heldBack = 8 << 20

// collectSeldom sets how often memory is collected, until the end is called.
func collectSeldom() (end func()) {
	before := debug.SetGCPercent(gcPercent)
	reserved := make([]byte, heldBack)
	return func() {
		runtime.KeepAlive(reserved)
		debug.SetGCPercent(before)
	}
}

func (h *house) serve(ctx context.Context, lock *worker.Lock) error {
	defer collectSeldom()()
	h.serving = h.sys.Now()
	cfg := h.config.now()
	pauses, err := h.store.Paused(ctx, h.sys.Now())
	if sqlite.Damaged(err) {
		err = errors.Join(sound(ctx, h.store, h.log), err)
	}
	if err != nil {
		return err
	}
	if err := h.store.EndLeases(ctx); err != nil { // a busy one runs out by itself
		h.log.Warn("jobs of a killed daemon wait for the end of their leases", "error", err)
	}
	before, _ := h.paths.worker() // zero if there was none
	ctx, h.end = context.WithCancelCause(ctx)
	defer h.end(nil)
	err = worker.Run(ctx, worker.Config{
		Watch: []string{h.paths.Database()}, Web: web.Handler(), MCP: h.mcp(),
		Lock: lock, RuntimeFile: h.paths.Runtime(), SocketDir: h.paths.Run, HTTPPort: value[int](cfg, "worker.http_port"),
		Runtime: api.Runtime{
			Data: h.paths.Data, Version: Version, Build: buildID(), Paused: pauses,
			SpoolBytes: cfg.spoolBytes(), Rules: cfg.ownRules(),
			HTTPPort: before.HTTPPort, Login: before.Login,
		},
		Store: watched{h.store, h.live}, Live: h.live, Metrics: h.metrics, Handler: wary{h.meter, h}, Bindings: h.judgedRoutes(),
		Spool: h.spool, Replay: h.replay, GiveUp: h.giveUp, Do: h.work, Slow: []string{event.JobRefine}, Tidy: h.wait, Rest: h.rest,
		Idle: func() time.Duration { return value[time.Duration](h.config.now(), "worker.idle_exit") }, Log: h.log,
		Ready: func(tell func(func(*api.Runtime))) {
			clearTrouble(h.paths)
			forgetWaits(h.paths)
			h.mu.Lock()
			h.retell = tell
			h.mu.Unlock()
			h.embedAll(ctx)
		},
	})
	if damage := context.Cause(ctx); errors.Is(damage, mem.ErrCorrupt) {
		return damage
	}
	return err
}

// giveUp drops a spooled event that cannot be kept while others can: it is a
// defect of ours, and the event must not hold up what comes after it. While it
// is the store that fails, events stay.
func (h *house) giveUp(_ mem.Event, cause error) error {
	if sqlite.AtFault(cause) {
		return cause
	}
	h.spool.Count("defect")
	return nil
}
