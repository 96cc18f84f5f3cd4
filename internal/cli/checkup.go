package cli

import (
	"context"
	"io"
	"sync"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// Requests of the viewer to the daemon's own program.
var (
	checkup = api.Route[checkupAsk, checkupView]{
		Name: "health", Get: "health", Summary: "Read the checks of doctor",
	}
	readLog = api.Route[logAsk, logView]{
		Name: "log", Get: "log", Summary: "Read the end of the log",
	}
	settings = api.Route[api.Nothing, settingsView]{
		Name: "config", Get: "config", Summary: "List the settings",
	}

	changeSetting = api.Route[settingAsk, settingsView]{
		Name: "config_set", Summary: "Change a setting",
	}
	trySetting = api.Route[settingAsk, mem.Receipt]{
		Name: "config_try", Get: "config_try", Summary: "Preview what a setting would change",
	}
	// keeps nothing; a text may be long
	tryPrivacy = api.Route[textAsk, ui.RedactedView]{
		Name: "privacy_test", Summary: "Show what would be stored of a text",
	}
)

// checkupAsk requests a check of the installation.
type checkupAsk struct {
	Deep  bool `json:"deep,omitempty"`  // read all of the store too, which takes seconds where it is large
	Again bool `json:"again,omitempty"` // check anew, also what was checked a moment ago
}

// checkupView is the result of the checks.
type checkupView struct {
	doctor.Report
	Deep      bool                 `json:"deep"` // all of the store was read
	Version   string               `json:"version"`
	Build     string               `json:"build"`
	Since     time.Time            `json:"since"` // the daemon runs
	At        time.Time            `json:"at"`    // of the check-up
	Overview  views.StatusResponse `json:"overview"`
	Latencies []float64            `json:"latencies_ms"` // of the newest hooks, oldest first
}

// programPages handles requests of the viewer that only the command line can answer.
type programPages struct {
	*daemon.Daemon

	checking sync.Mutex   // held for a check-up; guards the next
	checked  *checkupView // the newest
}

// pagesOf are the routes of the viewer's pages.
func pagesOf(h *daemon.Daemon) []api.Binding {
	p := &programPages{Daemon: h}
	return []api.Binding{
		api.On(checkup, p.checkup), api.On(readLog, p.logPage), api.On(settings, p.settings), api.On(changeSetting, p.set),
		api.On(trySetting, p.try), api.On(tryPrivacy, p.testPrivacy),
	}
}

// checkupFor is how long a result is reused: every open page requests one.
const checkupFor = 10 * time.Second

// app is a command line for a caller over the wire: it prints nothing, asks no questions and is in no project.
func (h *programPages) app() *app {
	sys := h.Sys
	sys.Stdout, sys.Stderr, sys.Stdin = io.Discard, io.Discard, nil
	a := &app{
		Connection: &daemon.Connection{Sys: sys, Paths: h.Paths, Close: func() {}, Project: "all"},
		flags:      ui.Flags{NoInput: true, NoPager: true},
	}
	a.out = ui.NewPrinter(sys, a.flags)
	return a
}

// checkup runs the checks of doctor, as a program beside the daemon would. What
// reads all of the store is done for who asks for it.
func (h *programPages) checkup(ctx context.Context, ask checkupAsk) (checkupView, error) {
	h.checking.Lock()
	defer h.checking.Unlock()
	now := h.Sys.Now()
	if ask.Again || h.checked == nil || now.Sub(h.checked.At) > checkupFor || ask.Deep && !h.checked.Deep {
		a := h.app()
		c := a.checks()
		c.Brief = !ask.Deep
		found := c.Examine(ctx)
		a.Close()
		if err := ctx.Err(); err != nil {
			return checkupView{}, err
		}
		h.checked = &checkupView{
			Report: doctor.Tally(found, []string{}), Deep: ask.Deep, Version: config.Version,
			Build: config.BuildID(), Since: h.Since, At: now,
		}
	}
	v := *h.checked
	var err error
	if v.Overview, err = h.Status(ctx, mem.ProjectRef{}); err != nil {
		return checkupView{}, err
	}
	v.Latencies = h.Meter.Series()
	return v, nil
}

// textAsk is a text to try something on.
type textAsk struct {
	Text string `json:"text"`
}

// testPrivacy shows what redaction would leave of a text, with a redactor of its own: the daemon's counts what
// it removes.
func (h *programPages) testPrivacy(_ context.Context, ask textAsk) (ui.RedactedView, error) {
	d := h.app().readOnlyRedactor()
	kept := d.Prompt(ask.Text)
	return ui.RedactedOf(kept, d.Counts()), nil
}
