package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

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
		Long: "Reads the transcripts that Claude Code, Codex, Gemini, Copilot and Qwen left of\ntheir sessions, by the " +
			"rules of live capture: private text and secrets are\ntaken out, and all of it has its real time. The last " +
			"sessions come first.\nSessions that were captured live or may still be open are left out; reading\ntwice " +
			"changes nothing.\n\n" +
			"The daemon does the work, and continues after an interruption. The command shows\n" +
			"its progress; Ctrl-C only ends that.",
		Example: "  remanence backfill --dry-run\n  remanence backfill --since 3mo --project api\n" +
			"  remanence backfill --undo",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if req.Limit < 0 {
				return fault.Usage.WithMessage("--limit takes a number, 0 means all").FixedBy("remanence backfill --help")
			}
			var err error
			if req.Since, err = when.Since(since, a.Sys.Now()); err != nil {
				return err
			}
			return a.runBackfill(cmd.Context(), req)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.DryRun, "dry-run", false, "only show how many sessions, of which time and size")
	f.StringVar(&since, "since", "", "only sessions that ended since: 2026-03-01, 3mo, 2w …")
	f.IntVar(&req.Limit, "limit", 0, "only the last so many sessions that were not read in before")
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
	req.Folder, req.Home, req.Agent = filepath.Join(c.AgentDir(), "projects"), c.Home, a.agent()
	if a.Project != "" && a.Project != "all" {
		at := a.ProjectRef()
		req.Project = cmp.Or(at.Project, at.Dir)
	}
	return ask(ctx, a, api.Backfill, req)
}

func (a *app) runBackfill(ctx context.Context, req capture.BackfillRequest) error {
	start := a.Sys.Now()
	got, err := a.requestBackfill(ctx, req)
	if err != nil {
		return err
	}
	v := ui.BackfillView{Backfill: got, DryRun: req.DryRun, Stopped: req.Stop, Undone: req.Undo}
	if v.Already {
		a.out.Say("A backfill is running already; what you ask for is not queued. Stop it: remanence backfill --stop")
	}
	if v.Running && !req.DryRun {
		progress := ui.BackfillProgress{Printer: a.out, Shown: start}
		v.Backfill, err = a.FollowBackfill(ctx, got, progress.Show)
		progress.End(v.Running)
		if err != nil {
			return err
		}
	}
	v.Took = a.Sys.Now().Sub(start)
	return a.out.Show(v)
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
		if err != nil || !slices.Contains([]string{"", "y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
			a.out.Say("Later: remanence backfill")
			return nil //nolint:nilerr // no answer is no consent, and the installation is done
		}
	}
	got, err := a.requestBackfill(ctx, capture.BackfillRequest{})
	if err == nil && !a.flags.JSON && !a.flags.JSONLines {
		err = a.out.Show(ui.BackfillView{Backfill: got})
	}
	return err
}
