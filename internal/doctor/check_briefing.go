package doctor

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// checkBriefing reports whether anything would be injected into the next session here. It returns no row if that
// cannot be determined.
func (a *Checks) checkBriefing(ctx context.Context) []Check {
	if a.Profile() == "silent" { // has a row of its own
		return nil
	}
	r, err := daemon.Ask(ctx, a.Connection, api.Next, views.NextRequest{ProjectRef: a.ProjectRef()})
	if err != nil {
		return nil
	}
	return []Check{BriefingItem(r)}
}

// BriefingItem judges the next briefing.
func BriefingItem(r mem.Receipt) Check {
	switch {
	case r.Budget == 0:
		return note("briefing",
			fault.SwitchedOff.WithMessage("sessions start without a briefing").Because("hooks.session_start.token_budget is 0").
				FixedBy("remanence config set hooks.session_start.token_budget 1200"))
	case len(MissingItems(r)) > 0:
		return Bad("briefing", false, fault.Lacking.Because("%s", strings.Join(MissingItems(r), "; ")))
	case r.Text == "":
		return note("briefing",
			fault.SwitchedOff.WithMessage("nothing would be injected into the next session here").
				Because("nothing fit for it is remembered").FixedBy("remanence next"))
	}
	return Good("briefing", false, "%s for the next session here, %d tokens", ui.Plural(len(r.Items), "item", "items"),
		r.Tokens)
}

// hostCleanup is after how many days Claude Code deletes transcripts where its
// settings do not say, as its documentation has it.
const hostCleanup = 30

// checkCleanup looks how long the agent keeps its transcripts. It has no row
// where there is no agent.
func (a *Checks) checkCleanup() []Check {
	c, err := a.SetupConfig()
	if err != nil || len(setup.Detect(c)) == 0 {
		return nil
	}
	days, file := cleanupDays(settingsFiles(c))
	return []Check{cleanupItem(days, file)}
}

func cleanupItem(days int, file string) Check {
	switch {
	case file == "":
		return note("claude.cleanup",
			fault.Cleanup.Because("it does so after %d days unless cleanupPeriodDays says otherwise", hostCleanup))
	case days < hostCleanup:
		return Bad("claude.cleanup", false, fault.Cleanup.Because("cleanupPeriodDays is %d in %s", days,
			file).FixedBy("set cleanupPeriodDays to more in "+file))
	}
	return Good("claude.cleanup", false, "transcripts are kept for %d days", days)
}

// settingsFiles are the agent's, those that count more last.
func settingsFiles(c setup.Config) []string {
	files := []string{filepath.Join(c.AgentDir(), "settings.json")}
	if c.Project != "" {
		files = append(files, filepath.Join(c.Project, ".claude", "settings.json"),
			filepath.Join(c.Project, ".claude", "settings.local.json"))
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

// MissingItems lists required items that would not be injected, and why.
func MissingItems(r mem.Receipt) []string {
	why := map[string]string{
		"budget": "has no room", "limit": "has no room", "missing": "is not there", "unreadable": "cannot be read",
		"trust": "is not trusted enough to be injected", "disputed": "was reported as wrong by an agent",
	}
	var out []string
	for _, c := range r.LeftOut {
		if c.Required {
			id, _, _ := strings.Cut(c.ID, "@")
			if c.Title != "" && c.Title != id {
				id += " (" + ui.Clip(ui.OneLine(c.Title), 60) + ")"
			}
			out = append(out, ui.Safe(id)+" "+why[c.Gate])
		}
	}
	return out
}
