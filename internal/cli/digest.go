package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/digest"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

// digesting asks whoever owns the database how it stands with the digest by a
// model, and has turns digested again.
var digesting = api.Route[digest.DigestRequest, event.Digesting]{Name: "digest"}

func (h *house) digest(ctx context.Context, ask digest.DigestRequest) (event.Digesting, error) {
	d, err := h.engine.Digest.Digesting(ctx, ask)
	if errors.Is(err, digest.ErrNoModel) { // what is the matter with it stands beside
		err = nil
	}
	return h.named(d), err
}

func (a *app) digestCommand() *cobra.Command {
	var q digest.DigestRequest
	var since string
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "what a model makes of your turns, and what it costs",
		Long: "Turns are digested by rule. If you set up a model (digest.provider), it then\n" +
			"writes notes in their place, within digest.daily_tokens a day. What the rules\n" +
			"made is kept, hidden, so that a better model can be asked one day.",
		Example: "  remanence digest\n  remanence digest --redo --since 2w --dry-run\n  remanence digest --redo --session s_4d",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !q.Redo && (q.Session != "" || since != "" || q.DryRun) {
				return faultUsage.about("--session, --since and --dry-run go with --redo").fixedBy("remanence digest --redo --dry-run")
			}
			if q.Session != "" && since != "" {
				return faultUsage.about("--session and --since exclude each other").fixedBy("remanence digest --help")
			}
			if since != "" {
				if q.Since, _, err = span(since, a.sys.Now()); err != nil {
					return err
				}
			}
			return a.digest(cmd, q)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&q.Redo, "redo", false, "have turns digested again by the model that is set up now (default: of the newest session here)")
	f.StringVar(&q.Session, "session", "", "of this session")
	f.StringVar(&since, "since", "", "of all sessions here, not older: 2w, 3d, yesterday, 2026-01-31")
	f.BoolVar(&q.DryRun, "dry-run", false, "only say how many turns, and what they may cost")
	return cmd
}

func (a *app) digest(cmd *cobra.Command, q digest.DigestRequest) error {
	q.Place = a.place()
	d, err := ask(cmd.Context(), a, digesting, q)
	if err != nil {
		return a.noProject(err)
	}
	v := digestOf(d, q)
	switch {
	case q.Redo && d.Provider == "":
		return faultNoModel
	case q.Redo && d.Turns == 0 && d.Error != "" && !d.Refused:
		return faultNoModel.about("the model that is set up cannot be asked").because("%s", d.Error).fixedBy("remanence config list --origin", "remanence doctor")
	case q.Redo && d.Refused && !q.DryRun:
		return faultCap.because("%s of %s are spent, and the first of %s may take more than is left",
			chars.Thousands(d.Today.Tokens), tokens(d.Limit), plural(d.Turns, "turn", "turns"))
	}
	return a.out.show(v)
}

// digestView is how it stands with the digest by a model.
type digestView struct {
	Provider *string      `json:"provider"` // null: by rule alone
	Model    *string      `json:"model"`
	URL      *string      `json:"url"` // null: a program
	Limit    int          `json:"daily_tokens"`
	Today    mem.Spending `json:"today"`
	Waiting  int          `json:"waiting"` // turns
	GivenUp  int          `json:"given_up"`
	PutOff   *string      `json:"put_off"` // why the first that waits was
	Error    *string      `json:"error"`   // what keeps the model from being asked, or its newest failure
	Redo     *redoItem    `json:"redo"`    // null: not asked for
}

type redoItem struct {
	Turns      int  `json:"turns"`
	MostTokens int  `json:"most_tokens"` // that they may take, by estimate
	DryRun     bool `json:"dry_run"`
}

func digestOf(d event.Digesting, q digest.DigestRequest) digestView {
	v := digestView{
		Provider: nullable(d.Provider), Model: nullable(d.Model), URL: nullable(d.URL), Limit: d.Limit, Today: d.Today,
		Waiting: d.Waiting, GivenUp: d.GivenUp, PutOff: nullable(d.Next), Error: nullable(d.Error),
	}
	if q.Redo {
		v.Redo = &redoItem{d.Turns, d.Tokens, q.DryRun}
	}
	return v
}

func (digestView) schema() string { return "digest" }

func (v digestView) human(p *printer) {
	if v.Provider == nil {
		p.line("turns are digested by rule; no model is set up")
		p.line("to set one up: remanence help digest, docs/digest.md")
		return
	}
	name := *v.Provider
	if v.Model != nil {
		name = oneLine(*v.Model) + " (" + name + ")"
	}
	if v.URL != nil {
		name += " at " + oneLine(*v.URL)
	}
	p.line("turns are digested by rule, then by %s", name)
	p.field("today", "%s", v.spent())
	p.field("waiting", "%s", v.waits())
	if v.Error != nil {
		p.field("not now", "%s", oneLine(*v.Error))
	} else if v.PutOff != nil {
		p.field("put off", "%s", oneLine(*v.PutOff))
	}
	if r := v.Redo; r != nil {
		what := plural(r.Turns, "turn is", "turns are")
		if r.DryRun {
			what = plural(r.Turns, "turn", "turns") + " would be"
		}
		p.line("%s digested again, for %s at most", what, tokens(r.MostTokens))
	}
}

func (v digestView) spent() string {
	return fmt.Sprintf("%s of %s · %s · %s", chars.Thousands(v.Today.Tokens), tokens(v.Limit),
		plural(v.Today.Calls, "question", "questions"), plural(v.Today.Failures, "failure", "failures"))
}

func (v digestView) waits() string {
	s := plural(v.Waiting, "turn", "turns")
	if v.GivenUp > 0 {
		s += fmt.Sprintf(" · %d given up: remanence digest --redo", v.GivenUp)
	}
	return s
}

func tokens(n int) string {
	if n == 1 {
		return "1 token"
	}
	return chars.Thousands(n) + " tokens"
}

// llmItem is how it stands with the digest by a model, in the overview.
type llmItem struct {
	Provider    *string `json:"provider"` // null: by rule alone
	Model       *string `json:"model"`
	TokensToday int     `json:"tokens_today"`
	DailyTokens int     `json:"daily_tokens"`
	Failures    int     `json:"failures_today"`
	Waiting     int     `json:"waiting"`
	GivenUp     int     `json:"given_up"`
	Error       *string `json:"error"`
}

func llmItemOf(d *event.Digesting) llmItem {
	if d == nil {
		return llmItem{}
	}
	return llmItem{
		nullable(d.Provider), nullable(d.Model), d.Today.Tokens, d.Limit, d.Today.Failures, d.Waiting, d.GivenUp,
		nullable(cmp.Or(d.Error, d.Next)),
	}
}

func (l llmItem) sentence() string {
	name := *l.Provider
	if l.Model != nil {
		name = oneLine(*l.Model)
	}
	s := fmt.Sprintf("%s · %s of %s today", name, chars.Thousands(l.TokensToday), tokens(l.DailyTokens))
	if l.Failures > 0 {
		s += " · " + plural(l.Failures, "failure", "failures")
	}
	if l.Waiting > 0 {
		s += " · " + plural(l.Waiting, "turn waits", "turns wait")
	}
	if l.GivenUp > 0 {
		s += fmt.Sprintf(" · %d given up", l.GivenUp)
	}
	if l.Error != nil {
		s += " · not now: " + oneLine(*l.Error)
	}
	return s
}

// checkDigest looks at the model that digests, where one is set up. It is not asked:
// that costs.
func (a *app) checkDigest(ctx context.Context) []checkItem {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil || !cfg.modelChoice().on() {
		return nil
	}
	d, err := ask(ctx, a, digesting, digest.DigestRequest{})
	if err != nil {
		return []checkItem{bad("digest", false, explain(nil, err))}
	}
	return digestItems(d)
}

func digestItems(d event.Digesting) []checkItem {
	v := digestOf(d, digest.DigestRequest{})
	switch {
	case d.Provider == "": // the daemon's configuration is another
		return nil
	case d.Error != "":
		return []checkItem{bad("digest", false, faultModel.because("%s", d.Error))}
	case d.Limit <= d.Today.Tokens:
		c := bad("digest", false, faultCap.because("%s", v.spent()))
		c.State = setup.Warn
		return []checkItem{c}
	}
	return []checkItem{good("digest", false, "%s · %s · %s waiting", oneLine(d.Model), v.spent(), v.waits())}
}
