package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/capture"
	"remanence/internal/cli/ui"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/when"
)

func backfillCommand(a *app) *cobra.Command {
	var req capture.BackfillRequest
	var since string
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "read in the sessions from before; can be undone",
		Long: "Reads the transcripts that Claude Code left of its sessions, by the rules of\nlive capture: private " +
			"text and secrets are taken out, and all of it has its\nreal time. The last sessions come first. A session " +
			"that was captured live gets\nwhat it lacks; reading twice changes nothing.\n\nThe daemon does the work, and " +
			"continues after an interruption. The command shows\nits progress; Ctrl-C only ends that.",
		Example: "  remanence backfill --dry-run\n  remanence backfill --since 3mo --project api\n" +
			"  remanence backfill --undo",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if req.Limit < 0 {
				return fault.Usage.WithMessage("--limit takes a number above 0").FixedBy("remanence backfill --help")
			}
			if since != "" {
				from, _, err := when.Parse(since, a.Sys.Now())
				if err != nil {
					return err
				}
				req.Since = from
			}
			return a.runBackfill(cmd.Context(), req)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.DryRun, "dry-run", false, "only show how many sessions, of which time and size")
	f.StringVar(&since, "since", "", "only sessions that ended since: 2026-03-01, 3mo, 2w …")
	f.IntVar(&req.Limit, "limit", 0, "only so many sessions, the last ones")
	f.BoolVar(&req.Stop, "stop", false, "end a running backfill; what was read stays")
	f.BoolVar(&req.Undo, "undo", false, "hide the memories of all sessions that were read in")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "stop", "undo")
	return cmd
}

// requestBackfill sends a request about the transcripts of the agent. Without --project it is about all projects.
func (a *app) requestBackfill(ctx context.Context, req capture.BackfillRequest) (event.Backfill, error) {
	c, err := a.checks().SetupConfig()
	if err != nil {
		return event.Backfill{}, err
	}
	if a.NoDaemon && !req.DryRun && !req.Undo && !req.Stop {
		return event.Backfill{}, fault.Usage.WithMessage("backfill needs the daemon, which does the work").
			FixedBy("leave --no-daemon out")
	}
	req.Folder = filepath.Join(c.AgentDir(), "projects")
	if at := a.ProjectRef(); at.Project != "all" {
		req.Project = at.Project
		if at.Project == "" && a.Project != "" {
			req.Project = at.Dir
		}
	}
	got, err := ask(ctx, a, api.Backfill, req)
	return got, err
}

func (a *app) runBackfill(ctx context.Context, req capture.BackfillRequest) error {
	start := a.Sys.Now()
	got, err := a.requestBackfill(ctx, req)
	if err != nil {
		return err
	}
	v := ui.BackfillView{Backfill: got, DryRun: req.DryRun, Stopped: req.Stop, Undone: req.Undo}
	if v.Running && !req.DryRun {
		if v.Backfill, err = a.followBackfill(ctx, got); err != nil {
			return err
		}
	}
	v.Took = a.Sys.Now().Sub(start)
	return a.out.Show(v)
}

// Times between two requests for the progress, and between two lines about it.
const (
	backfillPoll = 300 * time.Millisecond
	backfillLine = 10 * time.Second
)

// followBackfill shows the progress until the backfill is over, or the person interrupts.
func (a *app) followBackfill(ctx context.Context, b event.Backfill) (event.Backfill, error) {
	screen := ui.IsTerminal(a.Sys.Stderr) && !a.flags.JSON && !a.flags.JSONLines && !a.flags.Quiet
	shown := a.Sys.Now()
	for b.Running {
		select {
		case <-ctx.Done():
			a.out.Say("\nIt goes on in the daemon. Stop it: remanence backfill --stop")
			return b, ctx.Err()
		case <-time.After(backfillPoll):
		}
		now, err := ask(ctx, a, api.Backfilling, api.Nothing{})
		if err != nil { // of a daemon that ended, say; the next request starts one
			a.Close()
			a.Caller, a.Close = nil, func() {}
			if now, err = ask(ctx, a, api.Backfilling, api.Nothing{}); err != nil {
				return b, err
			}
		}
		if now.Sessions == 0 { // stopped by another command
			b.Running = false
			break
		}
		b = now
		line := ui.BackfillView{Backfill: b}.Progress(a.Sys.Now())
		switch {
		case screen:
			fmt.Fprintf(a.Sys.Stderr, "\r%s\x1b[K", line)
		case a.flags.JSONLines && b.Running:
			if err := a.out.Show(ui.BackfillView{Backfill: b}); err != nil {
				return b, err
			}
		case a.Sys.Now().Sub(shown) >= backfillLine:
			shown = a.Sys.Now()
			a.out.Say("%s", line)
		}
	}
	if screen {
		fmt.Fprint(a.Sys.Stderr, "\r\x1b[K")
	}
	return b, nil
}

// offerBackfill reads in past sessions after an installation if the person wants that. wanted is nil if nothing was
// said: then a person at a terminal is asked.
func (a *app) offerBackfill(ctx context.Context, wanted *bool, yes bool) error {
	asks := wanted == nil && !yes && !a.flags.NoInput && !a.flags.JSON && ui.IsTerminal(a.Sys.Stdin)
	if wanted == nil && !asks || wanted != nil && !*wanted {
		return nil
	}
	if asks {
		found, err := a.requestBackfill(ctx, capture.BackfillRequest{DryRun: true})
		if err != nil || found.Sessions == found.Known {
			return err
		}
		answer, err := a.prompt("Found " + ui.BackfillView{Backfill: found}.Found(a.Sys.Now()) + ". Read them in now? [Y/n]")
		if err != nil || strings.HasPrefix(strings.ToLower(answer), "n") {
			return nil //nolint:nilerr // no answer is no consent, and the installation is done
		}
	}
	got, err := a.requestBackfill(ctx, capture.BackfillRequest{})
	if err == nil && !a.flags.JSON && !a.flags.JSONLines {
		err = a.out.Show(ui.BackfillView{Backfill: got})
	}
	return err
}
