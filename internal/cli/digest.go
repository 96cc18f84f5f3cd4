package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/digest"
	"remanence/internal/fault"
	"remanence/internal/when"
)

func digestCommand(a *app) *cobra.Command {
	var q digest.Request
	var since string
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "what a model makes of your turns, and what it costs",
		Long: "Turns are digested by rule. If you set up a model (digest.provider), it then\n" +
			"writes notes in their place, within digest.daily_tokens a day. What the rules\n" +
			"made is kept, hidden, so that a better model can be used later.",
		Example: "  remanence digest\n  remanence digest --redo --since 2w --dry-run\n  remanence digest --redo --session " +
			"s_4d",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !q.Redo && (q.Session != "" || since != "" || q.DryRun) {
				return fault.Usage.WithMessage("--session, --since and --dry-run go with --redo").
					FixedBy("remanence digest --redo --dry-run")
			}
			if q.Session != "" && since != "" {
				return fault.Usage.WithMessage("--session and --since exclude each other").FixedBy("remanence digest --help")
			}
			if q.Since, err = when.Since(since, a.Sys.Now()); err != nil {
				return err
			}
			return runDigest(a, cmd, q)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&q.Redo, "redo", false,
		"have turns digested again by the model that is set up now (default: of the newest session here)")
	f.StringVar(&q.Session, "session", "", "of this session")
	f.StringVar(&since, "since", "", "of all sessions here, not older: 2w, 3d, yesterday, 2026-01-31")
	f.BoolVar(&q.DryRun, "dry-run", false, "only show how many turns, and what they may cost")
	return cmd
}

func runDigest(a *app, cmd *cobra.Command, q digest.Request) error {
	q.ProjectRef = a.ProjectRef()
	d, err := ask(cmd.Context(), a, daemon.DigestStatus, q)
	if err != nil {
		return a.noProject(err)
	}
	v := ui.DigestOf(d, q)
	switch {
	case q.Redo && d.Provider == "":
		return fault.NoModel
	case q.Redo && d.Turns == 0 && d.Error != "" && !d.Refused:
		return fault.NoModel.WithMessage("the configured model cannot be used").Because("%s",
			d.Error).FixedBy("remanence config list --origin", "remanence doctor")
	case q.Redo && d.Refused && !q.DryRun:
		return fault.TokenCap.Because("%s of %s are spent, and the first of %s may take more than is left",
			chars.Thousands(d.Today.Tokens), ui.Tokens(d.Limit), ui.Plural(d.Turns, "turn", "turns"))
	}
	return a.out.Show(v)
}
