package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"remanence/internal/api"
	"remanence/internal/queue"
)

// maintain repeats the work that no request causes: it handles spooled events, counts the
// backlog, and checks whether the daemon should exit.
func (w *worker) maintain(ctx context.Context) {
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
	if w.unreachable() {
		w.end("the runtime file does not lead to it any more")
		return
	}
	passed := w.drainer.passed.Load()
	if err := w.drainer.workOff(ctx, w.cfg.Every); err != nil && ctx.Err() == nil {
		w.cfg.Log.Warn("spool not drained", "error", err)
	}
	if w.drainer.passed.Load() != passed { // the spooled events may have added jobs
		w.stale.Store(true)
	}
	w.count(ctx, n)
	w.tidy(ctx)
	w.rest(ctx)
	if w.idle() {
		w.end("idle")
	}
}

// unreachable reports whether clients can no longer find this daemon: its runtime file is
// missing, unreadable, or names another socket or token for the same data directory. That
// cannot be right while this daemon has the lock; the next client then starts a new one. A
// runtime path that is not a regular file would also block the new one, so it does not count.
func (w *worker) unreachable() bool {
	info, err := os.Lstat(w.cfg.RuntimeFile)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if w.runtimeSeen != nil && os.SameFile(w.runtimeSeen, info) && w.runtimeSeen.ModTime().Equal(info.ModTime()) {
		return false
	}
	w.runtimeSeen = info
	rt, err := api.ReadRuntime(w.cfg.RuntimeFile)
	if err != nil {
		return info.Mode().IsRegular()
	}
	return rt.Data == w.runtime.Data && (rt.Token != w.runtime.Token || rt.Socket != w.runtime.Socket)
}

// countEvery is the number of checks between two counts of waiting jobs, because counting is
// expensive.
const countEvery = 5

// count counts the waiting jobs if they may have changed: every countEvery checks, and before
// an idle exit. Jobs that are due later do not keep the daemon running.
func (w *worker) count(ctx context.Context, n int) {
	if n%countEvery != 0 && time.Since(time.Unix(0, w.last.Load())) < w.idleTimeout() {
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

// quietLooks is the number of checks without a request after which Maintain and AfterBusy may run.
const quietLooks = 5

// tidy calls Maintain if it is due and no request is waiting.
func (w *worker) tidy(ctx context.Context) {
	quiet := time.Since(time.Unix(0, w.last.Load()))
	if w.cfg.Maintain == nil || quiet < quietLooks*w.cfg.Every || w.active.Load() > 0 || time.Now().Before(w.tidyAt) {
		return
	}
	if w.cfg.Spool != nil && !w.cfg.Spool.Empty() {
		return
	}
	w.tidyAt = time.Now().Add(w.cfg.Maintain(ctx))
	w.restedJobs = -1 // memory that it used should be freed too
}

// jobsDone returns the number of job attempts; they leave garbage as requests do.
func (w *worker) jobsDone() (n int64) {
	for _, q := range w.queues {
		c := q.Counters()
		n += c.Done + c.Failed
	}
	return n
}

// working reports whether a job is being run.
func (w *worker) working() bool { return slices.ContainsFunc(w.queues, (*queue.Queue).Running) }

// rest frees memory when the daemon is quiet. It does not run while requests are waiting, or during a job.
func (w *worker) rest(ctx context.Context) {
	last, jobs := w.last.Load(), w.jobsDone()
	steady := jobs == w.seenJobs && w.active.Load() == 0 && !w.working()
	w.seenJobs = jobs
	if !steady || w.rested == last && w.restedJobs == jobs || time.Since(time.Unix(0, last)) < quietLooks*w.cfg.Every {
		return
	}
	w.rested, w.restedJobs = last, jobs
	if w.cfg.AfterBusy != nil {
		w.cfg.AfterBusy(ctx)
	}
	runtime.GC() // what sync.Pool keeps is freed by the second collection
	debug.FreeOSMemory()
}

// idle reports whether the daemon may exit: no request for idleTimeout, none running, no job
// or event waiting, and no open stream.
func (w *worker) idle() bool {
	quiet := time.Since(time.Unix(0, w.last.Load()))
	if quiet < w.idleTimeout() || w.active.Load() > 0 || w.depth.Load() > 0 || w.stale.Load() {
		return false
	}
	if w.cfg.Live != nil && w.cfg.Live.Streams() > 0 {
		return false
	}
	return w.cfg.Spool == nil || w.cfg.Spool.Empty()
}

// idleTimeout returns Config.Idle or its default.
func (w *worker) idleTimeout() time.Duration {
	if w.cfg.Idle != nil {
		if d := w.cfg.Idle(); d > 0 {
			return d
		}
	}
	return defaultIdle
}

// watched is a file whose removal ends the daemon.
type watched struct {
	path string
	was  fs.FileInfo
}

// watch records the files that exist.
func watch(paths ...string) []watched {
	var all []watched
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			all = append(all, watched{p, info})
		}
	}
	return all
}

// gone reports whether the file is missing or replaced. Other errors do not count.
func (x watched) gone() bool {
	info, err := os.Stat(x.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(x.was, info)
}
