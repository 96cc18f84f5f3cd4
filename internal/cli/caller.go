package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"remanence/internal/api"
	"remanence/internal/worker"
)

// startWithin is how long a command waits for a worker it starts.
const startWithin = 10 * time.Second

// connect returns the way to the worker, which is started if none runs, or
// with --no-daemon an engine in this process.
func connect(ctx context.Context, a *app) (api.Caller, func(), error) {
	if a.flags.noDaemon {
		return inProcess(ctx, a)
	}
	ctx, stop := context.WithTimeout(ctx, startWithin)
	defer stop()
	if rt, err := api.ReadRuntime(a.paths.Runtime()); err == nil {
		c := rt.Client(Version)
		switch {
		case older(rt.Build, buildID()):
			_ = c.Drain(ctx) // a dead one needs no draining
		default:
			if h, err := c.Health(ctx); err == nil && h.Status == api.OK {
				return c, func() {}, nil
			}
		}
	}
	c, err := startAndWait(ctx, a)
	return c, func() {}, err
}

// startAndWait starts the worker of these paths and waits until it answers.
func startAndWait(ctx context.Context, a *app) (api.Client, error) {
	exe, err := os.Executable()
	if err != nil {
		return api.Client{}, faultDaemon.because("%s", err)
	}
	p := program(exe, a.sys.Getenv)
	p.Env = append(p.Env, "REMANENCE_DATA_DIR="+a.paths.Data, "REMANENCE_CONFIG="+a.paths.Config)
	begun := time.Now()
	if err := api.Start(p); err != nil {
		return api.Client{}, faultDaemon.because("%s", err)
	}
	for {
		c, err := waitABit(ctx, a)
		if err == nil {
			return c, nil
		}
		// Trouble of an earlier attempt may be over; at the end it is all there is to say.
		if t := readTrouble(a.paths); t != "" && (ctx.Err() != nil || newer(a.paths.trouble(), begun)) {
			return api.Client{}, faultDaemon.because("%s", t).fixedBy("remanence doctor", "remanence daemon run")
		}
		if ctx.Err() != nil {
			return api.Client{}, faultDaemon.because("it did not answer within %s", startWithin)
		}
	}
}

// clockGrain is how far a file's time may lie behind the clock.
const clockGrain = 20 * time.Millisecond

// newer reports whether a file was written after t.
func newer(file string, t time.Time) bool {
	info, err := os.Stat(file)
	return err == nil && info.ModTime().After(t.Add(-clockGrain))
}

func waitABit(ctx context.Context, a *app) (api.Client, error) {
	ctx, stop := context.WithTimeout(ctx, 250*time.Millisecond)
	defer stop()
	return api.Wait(ctx, a.paths.Runtime(), Version)
}

// program is the worker as a process of its own.
func program(exe string, getenv func(string) string) api.Program {
	return api.Program{Binary: exe, Args: []string{"daemon", "run", "--background"}, Env: environ(getenv)}
}

// inProcess opens the store here. It is refused while a worker has it.
func inProcess(ctx context.Context, a *app) (api.Caller, func(), error) {
	lock, err := worker.Acquire(a.paths.Data, 0)
	if errors.Is(err, worker.ErrRunning) {
		return nil, nil, faultRunning.because("--no-daemon needs the store for itself").fixedBy("remanence daemon stop", "leave --no-daemon out")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("take the lock: %w", err)
	}
	h, err := build(ctx, a.sys, a.paths, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		_ = lock.Release()
		return nil, nil, err
	}
	return api.Local(h.bindings()), func() {
		_ = h.store.Close()
		_ = lock.Release()
	}, nil
}
