package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/digest"
	"remanence/internal/embed"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/setup"
	"remanence/internal/views"
)

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
		ui.TextOrNil(d.Provider), ui.TextOrNil(d.Model), d.Today.Tokens, d.Limit, d.Today.Failures, d.Waiting, d.GivenUp,
		ui.TextOrNil(cmp.Or(d.Error, d.Next)),
	}
}

func (l llmItem) sentence() string {
	name := *l.Provider
	if l.Model != nil {
		name = ui.OneLine(*l.Model)
	}
	s := fmt.Sprintf("%s · %s of %s today", name, chars.Thousands(l.TokensToday), ui.Tokens(l.DailyTokens))
	if l.Failures > 0 {
		s += " · " + ui.Plural(l.Failures, "failure", "failures")
	}
	if l.Waiting > 0 {
		s += " · " + ui.Plural(l.Waiting, "turn waits", "turns wait")
	}
	if l.GivenUp > 0 {
		s += fmt.Sprintf(" · %d given up", l.GivenUp)
	}
	if l.Error != nil {
		s += " · not now: " + ui.OneLine(*l.Error)
	}
	return s
}

// checkDigest looks at the model that digests, where one is set up. It is not asked:
// that costs.
func (a *Checks) checkDigest(ctx context.Context) []Check {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil || !cfg.ModelChoice().Enabled() {
		return nil
	}
	d, err := daemon.Ask(ctx, a.Connection, daemon.DigestStatus, digest.Request{})
	if err != nil {
		return []Check{Bad("digest", false, daemon.Explain(err))}
	}
	return DigestItems(d)
}

// DigestItems judges the language model that digests turns.
func DigestItems(d event.Digesting) []Check {
	spent := ui.SpentTokens(d.Today, d.Limit)
	switch {
	case d.Provider == "": // the daemon's configuration is another
		return nil
	case d.Error != "":
		return []Check{Bad("digest", false, fault.Model.Because("%s", d.Error))}
	case d.Limit <= d.Today.Tokens:
		c := Bad("digest", false, fault.TokenCap.Because("%s", spent))
		c.State = setup.Warn
		return []Check{c}
	}
	return []Check{Good("digest", false, "%s · %s · %s waiting", ui.OneLine(d.Model), spent,
		ui.WaitingTurns(d.Waiting, d.GivenUp))}
}

// checkEmbedding requests a vector if a server is configured.
func (a *Checks) checkEmbedding(ctx context.Context) []Check {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil || !cfg.EmbedChoice().Enabled() {
		return nil
	}
	t, err := daemon.Ask(ctx, a.Connection, daemon.TryEmbedding, api.Nothing{})
	if err != nil {
		return []Check{Bad("embedding", false, daemon.Explain(err))}
	}
	return embedItems(t)
}

func embedItems(t daemon.EmbedTrial) []Check {
	switch {
	case t.Provider == "": // the daemon's configuration is another
		return nil
	case t.Error != "":
		f := fault.Embedding.Because("%s", t.Error)
		if t.Provider == embed.Ollama && strings.Contains(t.Error, "404") {
			f = f.FixedBy("ollama pull " + t.Model)
		}
		return []Check{Bad("embedding", false, f)}
	}
	return []Check{Good("embedding", false, "%s answers with %d numbers in %.0f ms · %s of any project have vectors",
		ui.OneLine(t.Model), t.Dimensions, t.TookMS, ui.Plural(t.Vectors, "memory", "memories"))}
}

// embedItem is how it stands with the vectors.
type embedItem struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	URL      string  `json:"url"`
	Vectors  int     `json:"vectors"` // memories of any project that have one
	Error    *string `json:"error"`   // of the newest request
}

func embedItemOf(e *views.Embedding) *embedItem {
	if e == nil {
		return nil
	}
	return &embedItem{e.Provider, e.Model, e.URL, e.Vectors, ui.TextOrNil(e.Error)}
}

func (e embedItem) sentence() string {
	s := fmt.Sprintf("%s · %s of any project with vectors", ui.OneLine(e.Model),
		ui.Plural(e.Vectors, "memory", "memories"))
	if e.Error != nil {
		s += " · not now: " + ui.OneLine(*e.Error)
	}
	return s
}
