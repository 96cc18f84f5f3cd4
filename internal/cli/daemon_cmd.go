package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"remanence/internal/api"
)

func (a *app) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "daemon",
		SuggestFor: []string{"worker", "server", "serve", "start", "stop"},
		Short:      "the process that keeps the memory",
		Long:       "It starts by itself when it is needed and ends after a while without work.",
		Example:    "  remanence daemon restart\n  remanence daemon logs -f",
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.daemonShow(cmd.Context(), "shown") },
	}
	cmd.AddCommand(
		a.daemonRun(),
		&cobra.Command{
			Use: "start", Short: "start it, if it does not run", Example: "  remanence daemon start", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error { return a.daemonStart(cmd.Context(), "started") },
		},
		&cobra.Command{
			Use: "stop", Short: "let it finish and end", Example: "  remanence daemon stop", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				was, err := a.stopDaemon(cmd.Context())
				if err != nil {
					return err
				}
				if !was {
					a.out.say("It was not running.")
				}
				return a.daemonShow(cmd.Context(), "stopped")
			},
		},
		&cobra.Command{
			Use: "restart", Short: "stop it and start it again", Example: "  remanence daemon restart", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				if _, err := a.stopDaemon(cmd.Context()); err != nil {
					return err
				}
				return a.daemonStart(cmd.Context(), "restarted")
			},
		},
		&cobra.Command{
			Use: "retry", Short: "try again what it gave up", Args: atMost(0), Example: "  remanence daemon retry",
			Long: "A job that failed eight times is given up: doctor and status say so, the log says\nwhy. Once the cause is gone this has all of them done, from their first attempt.",
			RunE: func(cmd *cobra.Command, _ []string) error {
				if err := a.hasDatabase(); err != nil {
					return err
				}
				n, err := ask(cmd.Context(), a, reviveJobs, api.Nothing{})
				if err != nil {
					return err
				}
				return a.out.show(retryView(n))
			},
		},
		a.daemonLogs(),
	)
	return cmd
}

// revived says how many jobs are tried again.
type revived struct {
	Jobs int `json:"jobs"`
}

// reviveJobs has the jobs that were given up tried again.
var reviveJobs = api.Route[api.Nothing, revived]{Name: "retry"}

func (h *house) revive(ctx context.Context, _ api.Nothing) (revived, error) {
	n, err := h.store.Revive(ctx)
	return revived{n}, err
}

// retryView shows it.
type retryView revived

func (retryView) schema() string { return "daemon_retry" }

func (v retryView) human(p *printer) {
	if v.Jobs == 0 {
		p.line("Nothing was given up.")
		return
	}
	p.line("%s tried again: remanence status", plural(v.Jobs, "job is", "jobs are"))
}

func (a *app) daemonRun() *cobra.Command {
	var background, ifWelcome bool
	cmd := &cobra.Command{
		Use: "run", Short: "be the daemon, in this terminal", Example: "  remanence daemon run", Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ifWelcome && a.paths.gone(a.sys.Getenv) {
				return nil
			}
			return runWorker(cmd.Context(), a.sys, a.paths, background)
		},
	}
	cmd.Flags().BoolVar(&background, "background", false, "nobody looks: be silent if another one runs")
	cmd.Flags().BoolVar(&ifWelcome, "if-welcome", false, "end at once if Remanence was uninstalled meanwhile")
	_ = cmd.Flags().MarkHidden("background")
	_ = cmd.Flags().MarkHidden("if-welcome")
	return cmd
}

func (a *app) daemonStart(ctx context.Context, did string) error {
	if a.flags.noDaemon {
		return faultUsage.about("--no-daemon and daemon start contradict each other").fixedBy("remanence daemon start")
	}
	if err := a.startDaemon(ctx); err != nil {
		return err
	}
	return a.daemonShow(ctx, did)
}

func (a *app) daemonShow(ctx context.Context, did string) error {
	v := daemonView{Did: did, State: "down", Log: a.paths.Log()}
	if rt, h, err := a.running(ctx); err == nil {
		v.State, v.PID, v.Since, v.Version, v.Socket = "up", &h.PID, moment(rt.Started), nullable(rt.Version), nullable(rt.Socket)
		v.HTTP = nullable(rt.HTTP)
	}
	return a.out.show(v)
}

// stopWithin is how long a daemon that was asked to end may take.
const stopWithin = 15 * time.Second

// stopDaemon lets the daemon finish and waits until it has let go of the
// database. It reports whether there was one.
func (a *app) stopDaemon(ctx context.Context) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, stopWithin)
	defer stop()
	was := false
	for {
		rt, err := a.paths.worker()
		if err == nil {
			err = rt.Client(Version).Drain(ctx)
			was = was || err == nil
		}
		switch {
		case err != nil && !errors.Is(err, api.ErrUnreachable) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, api.ErrGone) && !notYetTold(err):
			return was, fmt.Errorf("stop the daemon: %w", err)
		case !a.locked():
			return was, nil
		}
		// It closes the database, or has not told yet where it listens.
		select {
		case <-ctx.Done():
			return was, faultStale.because("it does not end: the lock %s is held (process %d, as the runtime file has it)", a.paths.Lock(), rt.PID).
				fixedBy("end that process", "remanence daemon logs")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// notYetTold reports whether a daemon listens that has not yet written its token
// into the runtime file, which still holds the one of before.
func notYetTold(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Status == http.StatusUnauthorized
}

// locked reports whether a process holds the daemon's lock. Whoever asks while
// a daemon starts may make it wait a moment.
func (a *app) locked() bool {
	if _, err := os.Stat(a.paths.Lock()); err != nil {
		return false
	}
	l := flock.New(a.paths.Lock(), flock.SetFlag(os.O_RDWR))
	free, err := l.TryLock()
	_ = l.Close()
	return err == nil && !free
}

type daemonView struct {
	Did     string     `json:"did"`
	State   string     `json:"state"` // up or down
	PID     *int       `json:"pid"`
	Since   *time.Time `json:"since"`
	Version *string    `json:"version"`
	Socket  *string    `json:"socket"`
	HTTP    *string    `json:"http"` // host and port of the door on TCP; null: none
	Log     string     `json:"log"`
}

func (daemonView) schema() string { return "daemon" }

func (v daemonView) human(p *printer) {
	if v.State != "up" {
		p.line("daemon down; it starts by itself when it is needed")
		return
	}
	since := ""
	if v.Since != nil {
		since = ", up " + ago(p.now().Sub(*v.Since))
	}
	p.line("daemon up: process %d, version %s%s", *v.PID, *v.Version, since)
}

func (a *app) daemonLogs() *cobra.Command {
	var follow bool
	var n int
	cmd := &cobra.Command{
		Use: "logs", Short: "what the daemon and the hooks wrote into the log",
		Example: "  remanence daemon logs\n  remanence daemon logs -f",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 0 {
				return faultInput.about("-n has to be 0 or more")
			}
			read, err := a.tail(n)
			if err != nil || !follow {
				return err
			}
			return a.follow(cmd.Context(), read)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as it grows, until interrupted")
	cmd.Flags().IntVarP(&n, "lines", "n", 50, "so many of the last lines")
	return cmd
}

// logTail bounds how much of the log's end is looked at, in bytes.
const logTail = 256 << 10

// tail prints the last n lines of the log and returns how far it has read.
func (a *app) tail(n int) (int64, error) {
	lines, end, err := lastLines(a.paths.Log(), n)
	if errors.Is(err, fs.ErrNotExist) {
		a.out.say("The log is empty.")
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	for _, l := range lines {
		a.logLine(l)
	}
	return end, nil
}

// lastLines returns the last n lines of the end of a file, with their ends, and
// where it ends.
func lastLines(file string, n int) ([][]byte, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	from := max(0, end-logTail)
	b, err := io.ReadAll(io.NewSectionReader(f, from, end-from))
	if err != nil {
		return nil, 0, err
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	if from > 0 {
		lines = lines[1:] // cut in the middle
	}
	return lines[max(0, len(lines)-n):], end, nil
}

func (a *app) logLine(l []byte) {
	if s := string(bytes.TrimRight(l, "\r\n")); s != "" {
		a.out.line("%s", safe(s))
	}
}

// follow prints what is appended to the log. A new file in its place is read from its start.
func (a *app) follow(ctx context.Context, read int64) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(300 * time.Millisecond):
		}
		info, err := os.Stat(a.paths.Log())
		if err != nil {
			continue
		}
		if info.Size() < read {
			read = 0
		}
		if info.Size() == read {
			continue
		}
		b, err := readRange(a.paths.Log(), read, info.Size())
		if err != nil {
			continue
		}
		whole := bytes.LastIndexByte(b, '\n') + 1
		for l := range bytes.Lines(b[:whole]) {
			a.logLine(l)
		}
		read += int64(whole)
	}
}

func readRange(file string, from, to int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, from, to-from))
}
