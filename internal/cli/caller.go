package cli

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
	whole := ctx
	ctx, stop := context.WithTimeout(whole, startWithin)
	defer stop()
	if rt, err := a.paths.worker(); err == nil {
		c := rt.Client(Version)
		h, err := a.health(ctx, c)
		switch {
		case whole.Err() != nil:
			return nil, nil, whole.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return nil, nil, a.unanswered()
		case older(rt.Build, buildID()):
			_ = c.Drain(ctx) // a dead one needs no draining
		case err == nil && h.Status == api.OK:
			return c, func() {}, nil
		}
	}
	if err := whole.Err(); err != nil {
		return nil, nil, err
	}
	c, err := startAndWait(ctx, a)
	if whole.Err() != nil { // the person's patience ended, not ours
		err = whole.Err()
	}
	return c, func() {}, err
}

// worker reads the runtime file. One that was written by the worker of another
// data directory counts as none: fs.ErrNotExist.
func (p Paths) worker() (api.Runtime, error) {
	rt, err := api.ReadRuntime(p.Runtime())
	if err != nil {
		return api.Runtime{}, err
	}
	if !p.served(rt) {
		return api.Runtime{}, fmt.Errorf("the worker of %s serves %s: %w", p.Runtime(), rt.Data, fs.ErrNotExist)
	}
	return rt, nil
}

// served reports whether a worker serves these paths' data directory. One that
// does not say which it serves is from before they were told apart; its build
// makes it leave.
func (p Paths) served(rt api.Runtime) bool { return rt.Data == "" || sameDir(rt.Data, p.Data) }

// startAndWait starts the worker of these paths and waits until it answers.
func startAndWait(ctx context.Context, a *app) (api.Client, error) {
	exe, err := os.Executable()
	if err != nil {
		return api.Client{}, faultDaemon.because("%s", err)
	}
	if err := writable(a.paths); err != nil {
		return api.Client{}, unwritable(err)
	}
	begun := time.Now()
	if err := api.Start(program(exe, a.paths, a.sys.Getenv)); err != nil {
		return api.Client{}, faultDaemon.because("%s", err)
	}
	for said := false; ; {
		c, err := waitABit(ctx, a)
		if err == nil {
			return c, nil
		}
		if !said && time.Since(begun) > answerWithin {
			said = true
			a.out.say("the daemon does not answer yet; waiting up to %s", startWithin)
		}
		// Trouble of an earlier attempt may be over; at the end it is all there is to say.
		if t := readTrouble(a.paths); t.Text != "" && (ctx.Err() != nil || newer(a.paths.trouble(), begun)) {
			return api.Client{}, t.fault()
		}
		if ctx.Err() != nil {
			return api.Client{}, faultDaemon.because("it did not answer within %s", startWithin)
		}
	}
}

// unwritable is what keeps files from being written where the daemon has to.
func unwritable(err error) Fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return faultFull.because("%s", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return faultReadOnly.because("%s", err)
	}
	return faultStore.about("nothing can be written").because("%s", err).fixedBy("make room or the directory writable", "remanence doctor")
}

// writable tries to write where the daemon has to: one that cannot would end
// without a word.
func writable(p Paths) error {
	if err := p.settle(); err != nil {
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

func waitABit(ctx context.Context, a *app) (api.Client, error) {
	ctx, stop := context.WithTimeout(ctx, 250*time.Millisecond)
	defer stop()
	return api.Wait(ctx, a.paths.Runtime(), Version, a.paths.served)
}

// program is the worker of these paths as a process of its own.
func program(exe string, p Paths, getenv func(string) string) api.Program {
	cfg, _ := LoadConfig(p.Config, getenv) // a mistake there is shown by the daemon
	env := append(environ(getenv, cfg.outsideNames()...), "REMANENCE_DATA_DIR="+p.Data, "REMANENCE_CONFIG="+p.Config)
	return api.Program{Binary: exe, Args: []string{"daemon", "run", "--background"}, Env: env}
}

// inProcess opens the store here. It is refused while a worker has it.
func inProcess(ctx context.Context, a *app) (api.Caller, func(), error) {
	if err := a.paths.settle(); err != nil {
		return nil, nil, err
	}
	lock, err := worker.Acquire(a.paths.Data, 0)
	if errors.Is(err, worker.ErrRunning) {
		return nil, nil, faultRunning.because("--no-daemon needs the store for itself").fixedBy("remanence daemon stop", "leave --no-daemon out")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("take the lock: %w", err)
	}
	h, err := build(ctx, a.sys, a.paths, slog.New(slog.DiscardHandler))
	if err != nil {
		_ = lock.Release()
		return nil, nil, err
	}
	return api.Local(h.bindings()), func() {
		_ = h.store.Close()
		_ = lock.Release()
	}, nil
}
