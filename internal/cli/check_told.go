package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// checkBriefing looks whether the next session here would be told anything. It
// has no row where that cannot be known.
func (a *app) checkBriefing(ctx context.Context) []checkItem {
	if a.profile() == "silent" { // has a row of its own
		return nil
	}
	r, err := ask(ctx, a, api.Next, views.NextRequest{Place: a.place()})
	if err != nil {
		return nil
	}
	return []checkItem{briefingItem(r)}
}

func briefingItem(r mem.Receipt) checkItem {
	switch {
	case r.Budget == 0:
		return note("briefing", faultOff.about("sessions start without a briefing").because("hooks.session_start.token_budget is 0").
			fixedBy("remanence config set hooks.session_start.token_budget 1200"))
	case len(lackingOf(r)) > 0:
		return bad("briefing", false, faultLacking.because("%s", strings.Join(lackingOf(r), "; ")))
	case r.Text == "":
		return note("briefing", faultOff.about("the next session here would be told nothing").because("nothing fit for it is remembered").fixedBy("remanence next"))
	}
	return good("briefing", false, "%s for the next session here, %d tokens", plural(len(r.Items), "item", "items"), r.Tokens)
}

// hostCleanup is after how many days Claude Code deletes transcripts where its
// settings do not say, as its documentation has it.
const hostCleanup = 30

// checkCleanup looks how long the agent keeps its transcripts. It has no row
// where there is no agent.
func (a *app) checkCleanup() []checkItem {
	c, err := a.setupConfig()
	if err != nil || len(setup.Detect(c)) == 0 {
		return nil
	}
	days, file := cleanupDays(settingsFiles(c))
	return []checkItem{cleanupItem(days, file)}
}

func cleanupItem(days int, file string) checkItem {
	switch {
	case file == "":
		return note("claude.cleanup", faultCleanup.because("it does so after %d days unless cleanupPeriodDays says otherwise", hostCleanup))
	case days < hostCleanup:
		return bad("claude.cleanup", false, faultCleanup.because("cleanupPeriodDays is %d in %s", days, file).fixedBy("set cleanupPeriodDays to more in "+file))
	}
	return good("claude.cleanup", false, "transcripts are kept for %d days", days)
}

// settingsFiles are the agent's, those that count more last.
func settingsFiles(c setup.Config) []string {
	files := []string{filepath.Join(c.AgentDir(), "settings.json")}
	if c.Project != "" {
		files = append(files, filepath.Join(c.Project, ".claude", "settings.json"), filepath.Join(c.Project, ".claude", "settings.local.json"))
	}
	return append(files, c.Managed)
}

// cleanupDays is what the last of the files says, and which one that is; file is
// empty if none does. One that cannot be read says nothing.
func cleanupDays(files []string) (days int, file string) {
	for _, f := range files {
		var s struct {
			Days *float64 `json:"cleanupPeriodDays"`
		}
		if b, err := readHostFile(f); err == nil && json.Unmarshal(b, &s) == nil && s.Days != nil {
			days, file = int(*s.Days), f
		}
	}
	return days, file
}
