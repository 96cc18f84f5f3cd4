package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// growth is what the worker takes with a store of one size.
type growth struct {
	memories int
	database int64         // bytes
	cold     time.Duration // from the worker's start to its first answer, median
	idle     int64         // bytes resident after a session's start and some prompts
	peak     int64         // bytes resident at most, after the load
	parallel time.Duration // 50 hooks at once, until the last has ended, median
	rate     float64       // acknowledged events a second with 16 clients
	p50, p99 time.Duration // of an acknowledgement with 4 clients
}

const (
	coldStarts = 5
	rounds     = 5  // of parallel hooks
	atOnce     = 50 // hooks
	loadFor    = 3 * time.Second
)

// begin starts the worker some times over, and leaves the last one running with
// one session behind it.
func (w *world) begin(ctx context.Context, memories int) (growth, error) {
	g := growth{memories: memories}
	info, err := os.Stat(w.warm.database())
	if err != nil {
		return g, err
	}
	g.database = info.Size()
	var took []time.Duration
	for i := range coldStarts {
		if i > 0 {
			if err := w.stop(); err != nil {
				return g, err
			}
		}
		d, err := w.startWorker(ctx)
		if err != nil {
			return g, err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	g.cold = quantile(took, 50)
	if err := w.forgetSome(); err != nil {
		return g, err
	}
	for _, make := range []func() (call, error){w.sessionStart, w.prompt, w.prompt, w.prompt} {
		c, err := make()
		if err != nil {
			return g, err
		}
		if _, err := w.run(ctx, c); err != nil {
			return g, err
		}
	}
	time.Sleep(2 * time.Second) // what the start left behind is given back
	g.idle, err = w.resident("VmRSS")
	return g, err
}

// startWorker starts the worker and waits for its first answer.
func (w *world) startWorker(ctx context.Context) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, startWithin)
	defer stop()
	cmd := exec.Command(w.remanence, "daemon", "run")
	cmd.Env, cmd.Dir = w.warm.environ(), w.project
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { _ = cmd.Wait() }() // ends with the worker, which stop ends
	for {
		rt, err := api.ReadRuntime(w.warm.runtime())
		if err == nil && rt.PID == cmd.Process.Pid {
			if _, err = rt.Client("").Health(ctx); err == nil {
				return time.Since(begun), nil
			}
		}
		if ctx.Err() != nil {
			return 0, fmt.Errorf("the worker does not answer: %w", err)
		}
		time.Sleep(500 * time.Microsecond)
	}
}

// resident is a figure of the worker's memory from /proc, in bytes.
func (w *world) resident(field string) (int64, error) {
	rt, err := api.ReadRuntime(w.warm.runtime())
	if err != nil {
		return 0, err
	}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(rt.PID), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc", field)
}

// load measures many at once: hooks, and clients without a process each.
func (w *world) load(ctx context.Context, g *growth) (err error) {
	var took []time.Duration
	for range rounds {
		d, err := w.crowd(ctx)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	g.parallel = quantile(took, 50)
	all, err := w.clients(ctx, 16)
	if err != nil {
		return err
	}
	g.rate = float64(len(all)) / loadFor.Seconds()
	if all, err = w.clients(ctx, 4); err != nil {
		return err
	}
	g.p50, g.p99 = quantile(all, 50), quantile(all, 99)
	g.peak, err = w.resident("VmHWM")
	return err
}

// crowd starts captures at once and waits for the last.
func (w *world) crowd(ctx context.Context) (time.Duration, error) {
	var cmds []*exec.Cmd
	for range atOnce {
		c, err := w.capture(w.warm)
		if err != nil {
			return 0, err
		}
		in, err := filled(c.stdin)
		if err != nil {
			return 0, err
		}
		defer in.Close()
		cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
		cmd.Env, cmd.Dir, cmd.Stdin = c.env, c.dir, in
		cmds = append(cmds, cmd)
	}
	begun := time.Now()
	for _, cmd := range cmds {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			return 0, err
		}
	}
	return time.Since(begun), nil
}

// clients sends events from n clients for a while, and returns how long each
// acknowledgement took, sorted.
func (w *world) clients(ctx context.Context, n int) ([]time.Duration, error) {
	rt, err := api.ReadRuntime(w.warm.runtime())
	if err != nil {
		return nil, err
	}
	end := time.Now().Add(loadFor)
	took, errs := make([][]time.Duration, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c, session := rt.Client(""), uuid()
			for time.Now().Before(end) && errs[i] == nil {
				begun := time.Now()
				_, errs[i] = c.Handle(ctx, mem.Event{
					ID: rand.Text(), Kind: mem.PostToolUse, Agent: "claude-code", Session: session, PromptID: session,
					Root: w.project, Cwd: w.project, At: begun, Tool: "Bash", ToolUseID: rand.Text(),
					Input:    []byte(`{"command":"go test ./internal/till"}`),
					Response: []byte(`{"stdout":"ok  till/internal/till  0.213s","stderr":""}`),
				})
				took[i] = append(took[i], time.Since(begun))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
