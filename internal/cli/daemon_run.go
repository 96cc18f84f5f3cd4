package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
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

func (h *house) serve(ctx context.Context, lock *worker.Lock) error {
	cfg := h.config.now()
	pauses, err := h.store.Paused(ctx, h.sys.Now())
	if sqlite.Damaged(err) {
		err = errors.Join(sound(ctx, h.store, h.log), err)
	}
	if err != nil {
		return err
	}
	ctx, h.end = context.WithCancelCause(ctx)
	defer h.end(nil)
	err = worker.Run(ctx, worker.Config{
		Watch: []string{h.paths.Database()},
		Lock:  lock, RuntimeFile: h.paths.Runtime(), SocketDir: h.paths.Run, HTTPPort: value[int](cfg, "worker.http_port"),
		Runtime: api.Runtime{
			Data: h.paths.Data, Version: Version, Build: buildID(), Paused: pauses,
			SpoolBytes: cfg.spoolBytes(), Rules: cfg.ownRules(),
		},
		Store: h.store, Handler: wary{h.meter, h}, Bindings: h.judgedRoutes(),
		Spool: h.spool, Replay: h.replay, GiveUp: h.giveUp, Do: h.work, Tidy: h.wait, Rest: h.rest,
		Idle: func() time.Duration { return value[time.Duration](h.config.now(), "worker.idle_exit") }, Log: h.log,
		Ready: func(rt api.Runtime) {
			clearTrouble(h.paths)
			h.mu.Lock()
			h.runtime = rt
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
func (h *house) giveUp(e mem.Event, cause error) error {
	if sqlite.AtFault(cause) {
		return cause
	}
	h.log.Error("event given up", "kind", e.Kind, "id", e.ID, "error", cause)
	h.spool.Count("defect")
	return nil
}
