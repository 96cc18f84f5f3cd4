package daemon

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/engine"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/store/sqlite"
	"remanence/internal/transcript"
	"remanence/internal/views"
)

const (
	// answerWithin is how long a daemon may take to answer a health check, which needs no
	// database, before the person is notified.
	answerTimeout = time.Second
	// readWithin bounds what is read of the database of a daemon that does not answer.
	readTimeout = 2 * time.Second
	// lockedWithin is how long such a read waits for a lock.
	lockTimeout = 100 * time.Millisecond
)

// health requests the daemon's health. If that takes long, the person is notified.
func (a *Connection) health(ctx context.Context, c api.Client) (api.Health, error) {
	soon, stop := context.WithTimeout(ctx, answerTimeout)
	h, err := c.Health(soon)
	stop()
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return h, err
	}
	a.notify("the daemon does not answer yet; waiting up to %s", StartTimeout)
	return c.Health(ctx)
}

// NoAnswer returns the fault of a daemon that runs and does not answer.
func (a *Connection) NoAnswer() fault.Fault {
	f := fault.Unreachable.Because("the daemon does not answer").FixedBy("remanence doctor --fix", "remanence daemon logs")
	if held := Lockers(a.Paths.Lock()); len(held) > 0 {
		f = f.Because("process %d holds the lock and does not answer", held[0].PID)
	}
	return f
}

// Unresponsive reports whether a daemon runs that does not answer within a second.
func (a *Connection) Unresponsive(ctx context.Context) bool {
	if a.NoDaemon {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	for {
		rt, err := hookclient.ReadRuntime(a.Paths)
		if err == nil {
			_, err = rt.Client(config.Version).Health(ctx)
		}
		switch {
		case err == nil:
			return false
		case ctx.Err() != nil:
			return true
		case errors.Is(err, context.DeadlineExceeded):
			return true
		case !a.Locked():
			return false
		}
		select { // one that starts or ends
		case <-ctx.Done():
			return true
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// StatusFromFiles reads a project's status from the database beside a daemon that does not answer. What cannot
// be read is left out.
func (a *Connection) StatusFromFiles(ctx context.Context, at mem.ProjectRef) views.StatusResponse {
	ctx, stop := context.WithTimeout(ctx, readTimeout)
	defer stop()
	none := views.StatusResponse{}
	if at.Project == "" {
		none.Project, _ = project.Identify(at.Dir) // as all projects, where it is none
	}
	if OnServer(a.Paths, a.Sys.Getenv) { // it may be what does not answer
		return none
	}
	st, err := sqlite.OpenForReading(ctx, a.Paths.Database(), lockTimeout)
	if err != nil {
		return none
	}
	defer st.Close()
	settings := newLiveConfig(a.Paths.Config, a.Sys.Getenv, slog.New(slog.DiscardHandler)).settings
	e := engine.New(engine.Config{
		Store: st, Now: a.Sys.Now, Settings: settings, ReadContextUsage: transcript.Fill,
		Project: project.Identify, Moved: project.Moved, Rel: project.Rel,
	})
	o, err := e.Views.Status(ctx, at)
	if err != nil {
		return none
	}
	return o
}
