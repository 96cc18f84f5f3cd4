package hookclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/mem"
)

// startOnce is how long one attempt to start a worker keeps later hooks from
// starting another.
const startOnce = time.Second

// start starts a daemon, unless another hook is doing so or has just done so. A kernel lock decides it,
// because a hook may be ended at any time and must not block others.
func (r *client) start() error {
	done, ok := r.lockStart()
	if !ok {
		return nil
	}
	defer done()
	if r.inForce(r.startStamp(), startOnce) && !r.hasRun() {
		return nil
	}
	return r.startWorker()
}

// takeOver stops a daemon of an older build, if it still runs, and starts ours. The stamp is set first, so
// that no hook of the older build restarts its own.
func (r *client) takeOver(ctx context.Context, old api.Client) error {
	if _, err := old.Health(ctx); noWorker(err) {
		return r.start()
	}
	done, ok := r.lockStart()
	if !ok {
		return nil
	}
	defer done()
	touch(r.startStamp())
	if err := old.Drain(ctx); err != nil && !noWorker(err) {
		return err
	}
	return r.startWorker()
}

func (r *client) startWorker() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	begun := r.sys.Now()
	worker := Program(exe, r.paths, r.sys.Getenv)
	worker.Args = append(worker.Args, "--if-welcome")
	err = api.Start(worker)
	touch(r.startStamp()) // after a failure too: the next would fail alike
	_ = os.Chtimes(r.startStamp(), begun, begun)
	return err
}

// lockStart makes this hook the only one that starts a daemon, until done is called. It does not wait for the
// lock.
func (r *client) lockStart() (done func(), ok bool) {
	dir := filepath.Dir(r.paths.Runtime())
	if r.paths.Uninstalled(r.sys.Getenv) || makeSubdir(dir) != nil {
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

// startWaiter waits for a start under way, which the end of the hook would cut off. The event is stored by
// then.
type startWaiter struct {
	next mem.Handler
	at   *client
}

// startPatience is how long a hook may have run, in all, and still wait for a start.
const startPatience = 200 * time.Millisecond

// Handle implements mem.Handler.
func (p startWaiter) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	end := time.Now().Add(startPatience - time.Duration(e.SpentUS)*time.Microsecond)
	r, err := p.next.Handle(ctx, e)
	for p.at.starting.Load() && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
	}
	return r, err
}

// hasRun reports whether the daemon of the attempt that left the stamp has been up.
func (r *client) hasRun() bool {
	info, err := os.Stat(r.startStamp())
	return err == nil && r.rt.Started.After(info.ModTime())
}

// startStamp is the stamp file of the newest attempt to start a daemon.
func (r *client) startStamp() string { return filepath.Join(filepath.Dir(r.paths.Runtime()), "start") }

// Environ is the environment a worker is started with: named variables only.
// The hook sees the person's keys and tokens, the worker only those that are named
// in more.
func Environ(getenv func(string) string, more ...string) []string {
	var out []string
	for _, name := range []string{
		"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
		"LOCALAPPDATA", "USERPROFILE", "SystemRoot", "TEMP", "TMP",
	} {
		if v := getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	for _, name := range more {
		if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
			out = append(out, name+"="+v)
		}
	}
	for _, o := range config.Options() {
		for _, name := range append(o.Env, config.EnvName(o.Key)) {
			if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
				out = append(out, name+"="+v)
			}
		}
	}
	return out
}

// ReadRuntime reads the runtime file. One that was written by the worker of another
// data directory counts as none: fs.ErrNotExist.
func ReadRuntime(p config.Paths) (api.Runtime, error) {
	rt, err := api.ReadRuntime(p.Runtime())
	if err != nil {
		return api.Runtime{}, err
	}
	if !Serves(p, rt) {
		return api.Runtime{}, fmt.Errorf("the worker of %s serves %s: %w", p.Runtime(), rt.Data, fs.ErrNotExist)
	}
	return rt, nil
}

// Serves reports whether a daemon serves these paths' data directory. One that does not name its directory is
// of an old build, which is replaced anyway.
func Serves(p config.Paths, rt api.Runtime) bool {
	return rt.Data == "" || config.SameDir(rt.Data, p.Data)
}

// Program is the daemon of these paths as a process.
func Program(exe string, p config.Paths, getenv func(string) string) api.Program {
	cfg, _ := config.LoadConfig(p.Config, getenv) // a mistake there is shown by the daemon
	env := append(Environ(getenv, cfg.OutsideNames()...), "REMANENCE_DATA_DIR="+p.Data, "REMANENCE_CONFIG="+p.Config)
	return api.Program{Binary: exe, Args: []string{"daemon", "run", "--background"}, Env: env}
}

// TokenOutdated reports whether a daemon listens that has not yet written its token: the runtime file still
// holds that of the former one.
func TokenOutdated(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Status == http.StatusUnauthorized
}
