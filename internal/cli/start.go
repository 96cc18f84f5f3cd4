package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// startOnce is how long one attempt to start a worker keeps later hooks from
// starting another.
const startOnce = time.Second

// start starts a worker, unless another hook is doing so or has just done so.
// A kernel lock says who is doing so: a hook's time may be up at any point, and
// one that ends before it has started a worker must not keep others from it.
func (r *reach) start() error {
	done, ok := r.alone()
	if !ok {
		return nil
	}
	defer done()
	if r.binds(r.started(), startOnce) && !r.cameAndWent() {
		return nil
	}
	return r.startWorker()
}

// takeOver has an older worker leave, if it is still there, and starts ours in
// its place. The stamp comes first: meanwhile no hook of the older build shall
// bring its own back.
func (r *reach) takeOver(ctx context.Context, old api.Client) error {
	if _, err := old.Health(ctx); noWorker(err) {
		return r.start()
	}
	done, ok := r.alone()
	if !ok {
		return nil
	}
	defer done()
	touch(r.started())
	if err := old.Drain(ctx); err != nil && !noWorker(err) {
		return err
	}
	return r.startWorker()
}

func (r *reach) startWorker() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	begun := r.sys.Now()
	worker := program(exe, r.paths, r.sys.Getenv)
	worker.Args = append(worker.Args, "--if-welcome")
	err = api.Start(worker)
	touch(r.started()) // after a failure too: the next would fail alike
	_ = os.Chtimes(r.started(), begun, begun)
	return err
}

// alone makes this hook the only one that starts a worker, until done is
// called. It is not waited for.
func (r *reach) alone() (done func(), ok bool) {
	dir := filepath.Dir(r.paths.Runtime())
	if r.paths.gone(r.sys.Getenv) || makeIn(dir) != nil {
		return nil, false
	}
	l := flock.New(filepath.Join(dir, "start.lock"), flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); err != nil || !ok {
		_ = l.Close()
		return nil, false
	}
	r.starting.Store(true)
	return func() {
		_ = l.Close()
		r.starting.Store(false)
	}, true
}

// patient lets a start that is under way be finished: the end of the hook would
// cut it off. Within, the event is kept already.
type patient struct {
	next mem.Handler
	at   *reach
}

// patience is how long a hook may have run, in all, and still wait for a start.
const patience = 200 * time.Millisecond

// Handle implements mem.Handler.
func (p patient) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	end := time.Now().Add(patience - time.Duration(e.SpentUS)*time.Microsecond)
	r, err := p.next.Handle(ctx, e)
	for p.at.starting.Load() && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
	}
	return r, err
}

// cameAndWent reports whether the worker of the attempt that left the stamp has
// been up: a later one is not coming by itself.
func (r *reach) cameAndWent() bool {
	info, err := os.Stat(r.started())
	return err == nil && r.rt.Started.After(info.ModTime())
}

// started is the stamp of the newest attempt to start a worker.
func (r *reach) started() string { return filepath.Join(filepath.Dir(r.paths.Runtime()), "start") }
