package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"remanence/internal/api"
)

// lookAround does, again and again, what no request causes: it takes in the
// spool, counts the backlog, and finds out when it is time to end.
func (w *worker) lookAround(ctx context.Context) {
	tick := time.NewTicker(w.cfg.Every)
	defer tick.Stop()
	for n := 1; ; n++ {
		w.look(ctx, n)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *worker) look(ctx context.Context, n int) {
	defer func() {
		if p := recover(); p != nil {
			w.cfg.Log.Error("look around", "panic", p)
		}
	}()
	for _, x := range w.watched {
		if x.gone() {
			w.end(x.path + " is gone or replaced")
			return
		}
	}
	if w.lost() {
		w.end("the runtime file does not lead to it any more")
		return
	}
	passed := w.drainer.passed.Load()
	if err := w.drainer.workOff(ctx, w.cfg.Every); err != nil && ctx.Err() == nil {
		w.cfg.Log.Warn("spool not drained", "error", err)
	}
	if w.drainer.passed.Load() != passed { // jobs may have come of it
		w.stale.Store(true)
	}
	w.count(ctx, n)
	w.tidy(ctx)
	w.rest(ctx)
	if w.idle() {
		w.end("idle")
	}
}

// lost reports whether nobody can find this worker: its runtime file is gone,
// cannot be read, or leads elsewhere for the same data, where nobody is while
// this one has the lock. Whoever comes next then starts one that can
// be found. What is no file at all stays in the way of that one too.
func (w *worker) lost() bool {
	info, err := os.Lstat(w.cfg.RuntimeFile)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if w.told != nil && os.SameFile(w.told, info) && w.told.ModTime().Equal(info.ModTime()) {
		return false
	}
	w.told = info
	rt, err := api.ReadRuntime(w.cfg.RuntimeFile)
	if err != nil {
		return info.Mode().IsRegular()
	}
	return rt.Data == w.runtime.Data && (rt.Token != w.runtime.Token || rt.Socket != w.runtime.Socket)
}

// countEvery is how many looks lie between two counts: counting reads much.
const countEvery = 5

// count counts the jobs that wait, if something may have changed them: every
// few looks, and before the worker ends for want of work. Those for later are
// the next worker's, if it is not there any more.
func (w *worker) count(ctx context.Context, n int) {
	if n%countEvery != 0 && time.Since(time.Unix(0, w.last.Load())) < w.patience() {
		return
	}
	if (!w.stale.Swap(false) && w.depth.Load() == 0) || w.cfg.Store == nil {
		return
	}
	s, err := w.cfg.Store.Waiting(ctx)
	if err != nil {
		w.stale.Store(true)
		w.cfg.Log.Warn("count jobs", "error", err)
		return
	}
	w.depth.Store(int64(s.Jobs - s.LaterJobs))
	w.oldest.Store(0)
	if !s.OldestJob.IsZero() {
		w.oldest.Store(s.OldestJob.Unix())
	}
}

// calm is how many looks without a request make it quiet enough for what can
// wait, and for giving memory back.
const calm = 5

// tidy has a little done of what can wait, when it is due and nobody is kept waiting.
func (w *worker) tidy(ctx context.Context) {
	quiet := time.Since(time.Unix(0, w.last.Load()))
	if w.cfg.Tidy == nil || quiet < calm*w.cfg.Every || w.active.Load() > 0 || time.Now().Before(w.tidyAt) {
		return
	}
	if w.cfg.Spool != nil && !w.cfg.Spool.Empty() {
		return
	}
	w.tidyAt = time.Now().Add(w.cfg.Tidy(ctx))
	w.restedJobs = -1 // what it read stays in memory as well
}

// jobsDone is how many jobs were tried: they leave garbage as requests do.
func (w *worker) jobsDone() (n int64) {
	for _, q := range w.queues {
		c := q.Counters()
		n += c.Done + c.Failed
	}
	return n
}

// rest gives memory back once it is quiet: while a long order is carried out, what
// comes meanwhile waits with all that it brought.
func (w *worker) rest(ctx context.Context) {
	last, jobs := w.last.Load(), w.jobsDone()
	steady := jobs == w.seenJobs && w.active.Load() == 0
	w.seenJobs = jobs
	if !steady || w.rested == last && w.restedJobs == jobs || time.Since(time.Unix(0, last)) < calm*w.cfg.Every {
		return
	}
	w.rested, w.restedJobs = last, jobs
	if w.cfg.Rest != nil {
		w.cfg.Rest(ctx)
	}
	debug.FreeOSMemory()
}

// idle reports whether nothing happens, nothing has for long, nothing waits, and nobody looks on.
func (w *worker) idle() bool {
	quiet := time.Since(time.Unix(0, w.last.Load()))
	if quiet < w.patience() || w.active.Load() > 0 || w.depth.Load() > 0 || w.stale.Load() {
		return false
	}
	if w.cfg.Live != nil && w.cfg.Live.Streams() > 0 {
		return false
	}
	return w.cfg.Spool == nil || w.cfg.Spool.Empty()
}

// patience is how long it stays without anything to do.
func (w *worker) patience() time.Duration {
	if w.cfg.Idle != nil {
		if d := w.cfg.Idle(); d > 0 {
			return d
		}
	}
	return defaultIdle
}

// watched is a file whose end is the worker's end.
type watched struct {
	path string
	was  fs.FileInfo
}

// watch remembers the files that are there.
func watch(paths ...string) []watched {
	var all []watched
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			all = append(all, watched{p, info})
		}
	}
	return all
}

// gone reports whether the file is missing or another one. An error that does
// not say so proves nothing.
func (x watched) gone() bool {
	info, err := os.Stat(x.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(x.was, info)
}
