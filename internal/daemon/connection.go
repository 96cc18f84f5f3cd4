package daemon

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
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/project"
	"remanence/internal/worker"
)

// Connection is a command's connection to the daemon. The first request finds or starts the daemon; with
// NoDaemon it opens the store in this process.
type Connection struct {
	Sys      config.System
	Paths    config.Paths
	NoDaemon bool
	// the project that commands are about: an id, a name, a directory or all; empty is that of the directory
	Project string
	Timeout time.Duration // of one request; 0 means none
	Extra   Extension     // of a daemon in this process
	// Caller is created by the first request and closed by close, which is never nil.
	Caller api.Caller
	Close  func()
	Notify func(format string, args ...any) // shows a line to the person; nil does nothing
	// Connected, if set, is called once after the connection was made.
	Connected func(context.Context)
}

// Extension is what the caller of Run adds to a daemon.
type Extension struct {
	Bindings func(*Daemon) []api.Binding // more routes; nil adds none
	MCP      func(*Daemon) http.Handler  // serves the Model Context Protocol; nil serves none
}

// notify shows the person something that cannot wait for the response.
func (a *Connection) notify(format string, args ...any) {
	if a.Notify != nil {
		a.Notify(format, args...)
	}
}

// Ask sends a request to the daemon of a connection.
func Ask[Req, Rep any](ctx context.Context, c *Connection, r api.Route[Req, Rep], req Req) (Rep, error) {
	if c.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, c.Timeout)
		defer stop()
	}
	if c.Caller == nil {
		caller, closed, err := Connect(ctx, c)
		if err != nil {
			var none Rep
			return none, err
		}
		c.Caller, c.Close = caller, closed
		if c.Connected != nil {
			c.Connected(ctx)
		}
	}
	return r.Call(ctx, c.Caller, req)
}

// ProjectRef returns the project that the command is about: that of the working directory unless a flag names
// another.
func (a *Connection) ProjectRef() mem.ProjectRef {
	if strings.ContainsAny(a.Project, `./\`) {
		if dir, err := filepath.Abs(a.Project); err == nil && config.IsDir(dir) {
			return mem.ProjectRef{Dir: dir}
		}
	}
	dir := a.Sys.Getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir, _ = os.Getwd()
	}
	return mem.ProjectRef{Project: a.Project, Dir: dir}
}

// SettleTime is how long a starting or ending daemon may hold its lock without answering.
const SettleTime = 2 * time.Second

// Answers reports whether a daemon answers, at once.
func (a *Connection) Answers(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, SettleTime/2)
	defer stop()
	_, _, err := a.Running(ctx)
	return err == nil
}

// Same reports whether two processes are the same one.
func (p Process) Same(q Process) bool { return p.PID == q.PID }

// Restart stops the daemon and starts it again.
func (a *Connection) Restart(ctx context.Context) error {
	if _, err := a.StopDaemon(ctx); err != nil {
		return err
	}
	return a.StartDaemon(ctx)
}

// StartDaemon starts the daemon if none runs.
func (a *Connection) StartDaemon(ctx context.Context) error {
	_, closed, err := Connect(ctx, a)
	if err == nil {
		closed()
	}
	return err
}

// ReviveResponse counts the jobs that are retried.
type ReviveResponse struct {
	Jobs int `json:"jobs"`
}

// ReviveJobs is the route that retries the jobs that were given up.
var ReviveJobs = api.Route[api.Nothing, ReviveResponse]{
	Name: "retry", Summary: "Run given-up jobs again",
}

func (h *Daemon) revive(ctx context.Context, _ api.Nothing) (ReviveResponse, error) {
	n, err := h.Store.RetryDeadJobs(ctx)
	return ReviveResponse{n}, err
}

// StopTimeout is how long a daemon may take to end after a request.
const StopTimeout = 15 * time.Second

// StopDaemon lets the daemon finish and waits until it has closed the database. It reports whether one ran.
func (a *Connection) StopDaemon(ctx context.Context) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, StopTimeout)
	defer stop()
	was := false
	for {
		rt, err := hookclient.ReadRuntime(a.Paths)
		if err == nil {
			err = rt.Client(config.Version).Drain(ctx)
			was = was || err == nil
		}
		switch {
		case err != nil && !errors.Is(err, api.ErrUnreachable) && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, api.ErrGone) && !hookclient.TokenOutdated(err):
			return was, fmt.Errorf("stop the daemon: %w", err)
		case !a.Locked():
			return was, nil
		}
		// It closes the database, or has not published its address yet.
		select {
		case <-ctx.Done():
			return was,
				fault.Unreachable.Because("it does not end: the lock %s is held (process %d, as the runtime file has it)",
					a.Paths.Lock(), rt.PID).
					FixedBy("end that process", "remanence daemon logs")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// StopForRemoval stops the daemon and removes the socket that a killed one left in the temporary directory. Sockets
// elsewhere are among the paths' own files. It reports whether a daemon ran. None may start meanwhile.
func (a *Connection) StopForRemoval(ctx context.Context) (bool, error) {
	was, err := a.StopDaemon(ctx)
	if err != nil {
		return was, err
	}
	return was, worker.RemoveTempSocket(a.Paths.Data)
}

// Locked reports whether a process holds the daemon's lock. The check takes the lock itself for an instant,
// which may delay a starting daemon.
func (a *Connection) Locked() bool {
	if _, err := os.Stat(a.Paths.Lock()); err != nil {
		return false
	}
	l := flock.New(a.Paths.Lock(), flock.SetFlag(os.O_RDWR))
	free, err := l.TryLock()
	_ = l.Close()
	return err == nil && !free
}

// Files returns the state files for a command of the person.
func (a *Connection) Files() (*mind.Files, error) {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil, err
	}
	book := &TrustList{Paths: a.Paths}
	return mind.New(mind.Config{
		Trusted: book.Trusts, Main: project.MainCheckout, Now: a.Sys.Now, Limits: cfg.MindLimits,
	}), nil
}

// ReadUninstalled keeps a read-only command from starting a daemon where Remanence is uninstalled. It then
// opens existing data in this process, and reports whether there is none.
func (a *Connection) ReadUninstalled(ctx context.Context) (nothing bool) {
	if !a.Paths.Uninstalled(a.Sys.Getenv) || a.Answers(ctx) {
		return false
	}
	if !config.Exists(a.Paths.Database()) && !OnServer(a.Paths, a.Sys.Getenv) {
		return true
	}
	a.NoDaemon = true
	return false
}

// Running returns the daemon that answers now.
func (a *Connection) Running(ctx context.Context) (api.Runtime, api.Health, error) {
	rt, err := hookclient.ReadRuntime(a.Paths)
	if err != nil {
		return rt, api.Health{}, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	h, err := rt.Client(config.Version).Health(ctx)
	return rt, h, err
}
