package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
)

func daemonCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "daemon",
		SuggestFor: []string{"worker", "server", "serve", "start", "stop"},
		Short:      "the process that keeps the memory",
		Long:       "It starts by itself when it is needed and ends after a while without work.",
		Example:    "  remanence daemon restart\n  remanence daemon logs -f",
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return daemonShow(cmd.Context(), a, "shown") },
	}
	cmd.AddCommand(
		daemonRun(a),
		&cobra.Command{
			Use: "start", Short: "start it, if it does not run", Example: "  remanence daemon start", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error { return daemonStart(cmd.Context(), a, "started") },
		},
		&cobra.Command{
			Use: "stop", Short: "let it finish and end", Example: "  remanence daemon stop", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				was, err := a.StopDaemon(cmd.Context())
				if err != nil {
					return err
				}
				if !was {
					a.out.Say("It was not running.")
				}
				return daemonShow(cmd.Context(), a, "stopped")
			},
		},
		&cobra.Command{
			Use: "restart", Short: "stop it and start it again", Example: "  remanence daemon restart", Args: atMost(0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				if _, err := a.StopDaemon(cmd.Context()); err != nil {
					return err
				}
				return daemonStart(cmd.Context(), a, "restarted")
			},
		},
		&cobra.Command{
			Use: "retry", Short: "try again what it gave up", Args: atMost(0), Example: "  remanence daemon retry",
			Long: "A job that failed eight times is given up: doctor and status report it, the log has\n" +
				"the reason. Once the cause is gone this has all of them done, from their first attempt.",
			RunE: func(cmd *cobra.Command, _ []string) error {
				if err := a.hasDatabase(); err != nil && !daemon.Explain(err).Is(fault.OnServer) {
					return err
				}
				n, err := ask(cmd.Context(), a, daemon.ReviveJobs, api.Nothing{})
				if err != nil {
					return err
				}
				return a.out.Show(retryView(n))
			},
		},
		daemonLogs(a),
	)
	return cmd
}

// retryView shows it.
type retryView daemon.ReviveResponse

func (retryView) SchemaName() string { return "daemon_retry" }

func (v retryView) Print(p *ui.Printer) {
	if v.Jobs == 0 {
		p.Line("Nothing was given up.")
		return
	}
	p.Line("%s tried again: remanence status", ui.Plural(v.Jobs, "job is", "jobs are"))
}

func daemonRun(a *app) *cobra.Command {
	var background, ifInstalled bool
	cmd := &cobra.Command{
		Use: "run", Short: "be the daemon, in this terminal", Example: "  remanence daemon run", Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ifInstalled && a.Paths.Uninstalled(a.Sys.Getenv) {
				return nil
			}
			return daemon.Run(cmd.Context(), a.Sys, a.Paths, background, a.Extra)
		},
	}
	cmd.Flags().BoolVar(&background, "background", false, "be silent if another daemon runs")
	cmd.Flags().BoolVar(&ifInstalled, "if-welcome", false, "end at once if Remanence was uninstalled meanwhile")
	_ = cmd.Flags().MarkHidden("background")
	_ = cmd.Flags().MarkHidden("if-welcome")
	return cmd
}

func daemonStart(ctx context.Context, a *app, did string) error {
	if a.NoDaemon {
		return fault.Usage.WithMessage("--no-daemon and daemon start contradict each other").FixedBy("remanence daemon start")
	}
	if err := a.StartDaemon(ctx); err != nil {
		return err
	}
	return daemonShow(ctx, a, did)
}

func daemonShow(ctx context.Context, a *app, did string) error {
	v := daemonView{Did: did, State: "down", Log: a.Paths.Log()}
	if rt, h, err := a.Running(ctx); err == nil {
		v.State, v.PID, v.Since, v.Version, v.Socket = "up", &h.PID, ui.TimeOrNil(rt.Started), ui.TextOrNil(rt.Version),
			ui.TextOrNil(rt.Socket)
		v.HTTP = ui.TextOrNil(rt.HTTP)
	}
	return a.out.Show(v)
}

type daemonView struct {
	Did     string     `json:"did"`
	State   string     `json:"state"` // up or down
	PID     *int       `json:"pid"`
	Since   *time.Time `json:"since"`
	Version *string    `json:"version"`
	Socket  *string    `json:"socket"`
	HTTP    *string    `json:"http"` // host and port of the TCP listener; null: none
	Log     string     `json:"log"`
}

func (daemonView) SchemaName() string { return "daemon" }

func (v daemonView) Print(p *ui.Printer) {
	if v.State != "up" {
		p.Line("daemon down; it starts by itself when it is needed")
		return
	}
	since := ""
	if v.Since != nil {
		since = ", up " + ui.Ago(p.Now().Sub(*v.Since))
	}
	p.Line("daemon up: process %d, version %s%s", *v.PID, *v.Version, since)
}

func daemonLogs(a *app) *cobra.Command {
	var follow bool
	var n int
	cmd := &cobra.Command{
		Use: "logs", Short: "what the daemon and the hooks wrote into the log",
		Example: "  remanence daemon logs\n  remanence daemon logs -f",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 0 {
				return fault.Input.WithMessage("-n has to be 0 or more")
			}
			if a.flags.JSON && follow {
				return fault.Usage.WithMessage("a log that goes on is no single JSON value").
					FixedBy("remanence daemon logs -f --jsonl")
			}
			if a.flags.JSON || a.flags.JSONLines && !follow {
				return showLog(a, n)
			}
			read, err := printTail(a, n)
			if err != nil || !follow {
				return err
			}
			return followLog(cmd.Context(), a, read)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as it grows, until interrupted")
	cmd.Flags().IntVarP(&n, "lines", "n", 50, "so many of the last lines")
	return cmd
}

// showLog shows the last n lines of the log as JSON, redacted.
func showLog(a *app, n int) error {
	v := daemonLogView{File: a.Paths.Log(), Lines: []logLine{}}
	lines, _, err := config.LastLines(v.File, n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w", err)
	}
	redactor := a.readOnlyRedactor()
	for _, l := range lines {
		if s := string(bytes.TrimRight(l, "\r\n")); s != "" {
			v.Lines = append(v.Lines, logLineOf(s, redactor))
		}
	}
	return a.out.Show(v)
}

// daemonLogView is the end of the log, oldest line first.
type daemonLogView struct {
	File  string    `json:"file"`
	Lines []logLine `json:"lines"`
}

func (daemonLogView) SchemaName() string { return "daemon_logs" }

func (v daemonLogView) List() []any { return ui.Items(v.Lines) }

func (v daemonLogView) Print(p *ui.Printer) {
	for _, l := range v.Lines {
		p.Line("%s", ui.Safe(l.Text))
	}
}

// printTail prints the last n lines of the log and returns how far it has read.
func printTail(a *app, n int) (int64, error) {
	lines, end, err := config.LastLines(a.Paths.Log(), n)
	if errors.Is(err, fs.ErrNotExist) {
		a.out.Say("The log is empty.")
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	for _, l := range lines {
		printLogLine(a, l)
	}
	return end, nil
}

func printLogLine(a *app, l []byte) {
	s := string(bytes.TrimRight(l, "\r\n"))
	switch {
	case s == "":
	case a.flags.JSONLines:
		if b, err := ui.Encode(logLineOf(s, a.readOnlyRedactor())); err == nil { // a line always has a JSON form
			_ = a.out.Write(string(b) + "\n") // noted in Failed
		}
	default:
		a.out.Line("%s", ui.Safe(s))
	}
}

// followLog prints what is appended to the log. A new file in its place is read from its start.
func followLog(ctx context.Context, a *app, read int64) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(300 * time.Millisecond):
		}
		info, err := os.Stat(a.Paths.Log())
		if err != nil {
			continue
		}
		if info.Size() < read {
			read = 0
		}
		if info.Size() == read {
			continue
		}
		b, err := readRange(a.Paths.Log(), read, info.Size())
		if err != nil {
			continue
		}
		whole := bytes.LastIndexByte(b, '\n') + 1
		for l := range bytes.Lines(b[:whole]) {
			printLogLine(a, l)
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
