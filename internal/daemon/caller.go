package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/worker"
)

// StartTimeout is how long a command waits for a daemon that it starts.
const StartTimeout = 10 * time.Second

// Connect returns a caller of the daemon, which is started if none runs, or with --no-daemon an engine in this
// process.
func Connect(ctx context.Context, a *Connection) (api.Caller, func(), error) {
	if a.NoDaemon {
		return inProcess(ctx, a)
	}
	whole := ctx
	ctx, stop := context.WithTimeout(whole, StartTimeout)
	defer stop()
	if rt, err := hookclient.ReadRuntime(a.Paths); err == nil {
		c := rt.Client(config.Version)
		h, err := a.health(ctx, c)
		switch {
		case over(whole) != nil:
			return nil, nil, over(whole)
		case errors.Is(err, context.DeadlineExceeded):
			return nil, nil, a.NoAnswer()
		case config.Older(rt.Build, config.BuildID()):
			_ = c.Drain(ctx) // a dead one needs no draining
		case err == nil && h.Status == api.OK:
			return c, func() {}, nil
		}
	}
	if err := over(whole); err != nil {
		return nil, nil, err
	}
	c, err := startAndWait(ctx, a)
	if o := over(whole); err != nil && o != nil { // the person's patience ended, not ours
		err = o
	}
	return c, func() {}, err
}

// over returns why ctx ended, nil if it did not. A connection with the deadline of ctx times out a moment before ctx.
func over(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// startAndWait starts the daemon of these paths and waits until it answers.
func startAndWait(ctx context.Context, a *Connection) (api.Client, error) {
	exe, err := os.Executable()
	if err != nil {
		return api.Client{}, fault.Daemon.Because("%s", err)
	}
	if err := writable(a.Paths); err != nil {
		return api.Client{}, unwritable(err)
	}
	begun := time.Now()
	if err := api.Start(hookclient.Program(exe, a.Paths, a.Sys.Getenv)); err != nil {
		return api.Client{}, fault.Daemon.Because("%s", err)
	}
	for notified := false; ; {
		c, err := waitBriefly(ctx, a)
		if err == nil {
			return c, nil
		}
		if !notified && time.Since(begun) > answerTimeout {
			notified = true
			a.notify("the daemon does not answer yet; waiting up to %s", StartTimeout)
		}
		// The trouble of an earlier attempt may be over; at the end it is the best explanation.
		if t := hookclient.ReadTrouble(a.Paths); t.Text != "" && (ctx.Err() != nil || newer(a.Paths.TroubleFile(), begun)) {
			return api.Client{}, t.Fault()
		}
		if ctx.Err() != nil {
			return api.Client{}, fault.Daemon.Because("it did not answer within %s", StartTimeout)
		}
	}
}

// unwritable returns the fault that keeps the daemon's files from being written, nil if there is none.
func unwritable(err error) fault.Fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.DiskFull.Because("%s", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fault.ReadOnly.Because("%s", err)
	}
	return fault.Store.WithMessage("nothing can be written").Because("%s", err).
		FixedBy("make room or the directory writable",
			"remanence doctor")
}

// writable tries to write where the daemon has to: a daemon that cannot would end silently.
func writable(p config.Paths) error {
	if err := p.MakeWork(); err != nil {
		return err
	}
	for _, dir := range []string{p.Data, filepath.Dir(p.Runtime())} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.CreateTemp(dir, ".try-*")
		if err != nil {
			return err
		}
		_, err = f.WriteString("x")
		if cerr := errors.Join(f.Close(), os.Remove(f.Name())); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clockGrain is how far a file's time may lie behind the clock.
const clockGrain = 20 * time.Millisecond

// newer reports whether a file was written after t.
func newer(file string, t time.Time) bool {
	info, err := os.Stat(file)
	return err == nil && info.ModTime().After(t.Add(-clockGrain))
}

func waitBriefly(ctx context.Context, a *Connection) (api.Client, error) {
	ctx, stop := context.WithTimeout(ctx, 250*time.Millisecond)
	defer stop()
	return api.Wait(ctx, a.Paths.Runtime(), config.Version, func(rt api.Runtime) bool {
		return hookclient.Serves(a.Paths, rt)
	})
}

// inProcess opens the store in this process. It fails while a daemon has it open.
func inProcess(ctx context.Context, a *Connection) (api.Caller, func(), error) {
	if err := a.Paths.MakeWork(); err != nil {
		return nil, nil, err
	}
	lock, err := worker.Acquire(a.Paths.Data, 0)
	if errors.Is(err, worker.ErrRunning) {
		return nil, nil, fault.Running.Because("--no-daemon needs the store for itself").FixedBy("remanence daemon stop",
			"leave --no-daemon out")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("take the lock: %w", err)
	}
	h, err := New(ctx, a.Sys, a.Paths, slog.New(slog.DiscardHandler), a.Extra)
	if err != nil {
		_ = lock.Release()
		return nil, nil, err
	}
	return api.Local(h.Bindings()), func() {
		_ = h.Store.Close()
		_ = lock.Release()
	}, nil
}
