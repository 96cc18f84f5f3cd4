package cli

import (
	"context"
	"io"
	"slices"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// What the viewer asks of the house itself.
var (
	checkup  = api.Route[checkupAsk, checkupView]{Name: "health", Get: "health"}
	readLog  = api.Route[logAsk, logView]{Name: "log", Get: "log"}
	settings = api.Route[api.Nothing, settingsView]{Name: "config", Get: "config"}

	changeSetting = api.Route[settingAsk, settingsView]{Name: "config_set"}
	trySetting    = api.Route[settingAsk, mem.Receipt]{Name: "config_try", Get: "config_try"}
	tryPrivacy    = api.Route[textAsk, redactedView]{Name: "privacy_test"} // keeps nothing; a text may be long
)

// checkupAsk asks for a check-up.
type checkupAsk struct {
	Deep bool `json:"deep,omitempty"` // read all of the store too, which takes seconds where it is large
}

// checkupView is how the house does.
type checkupView struct {
	doctorView
	Deep      bool                 `json:"deep"` // all of the store was read
	Version   string               `json:"version"`
	Build     string               `json:"build"`
	Since     time.Time            `json:"since"` // the daemon runs
	At        time.Time            `json:"at"`    // of the check-up
	Overview  views.StatusResponse `json:"overview"`
	Latencies []float64            `json:"latencies_ms"` // of the newest hooks, oldest first
}

// checkupFor is how long a check-up counts: every page that is open asks for one.
const checkupFor = 10 * time.Second

// app is the command line of this house, for a caller over the wire: it prints
// nothing, asks nobody, and is in no project: the daemon's directory is nobody's.
func (h *house) app() *app {
	sys := h.sys
	sys.Stdout, sys.Stderr, sys.Stdin = io.Discard, io.Discard, nil
	a := &app{sys: sys, paths: h.paths, close: func() {}, flags: flags{noInput: true, noPager: true, project: "all"}}
	a.out = newPrinter(sys, a.flags)
	return a
}

// checkup runs the checks of doctor, as a program beside the daemon would. What
// reads all of the store is done for who asks for it.
func (h *house) checkup(ctx context.Context, ask checkupAsk) (checkupView, error) {
	h.checking.Lock()
	defer h.checking.Unlock()
	now := h.sys.Now()
	if h.checked == nil || now.Sub(h.checked.At) > checkupFor || ask.Deep && !h.checked.Deep {
		a := h.app()
		a.brief = !ask.Deep
		checks := a.examine(ctx)
		a.close()
		if err := ctx.Err(); err != nil {
			return checkupView{}, err
		}
		h.checked = &checkupView{doctorView: tally(checks, []string{}), Deep: ask.Deep, Version: Version, Build: buildID(), Since: h.since, At: now}
	}
	v := *h.checked
	var err error
	if v.Overview, err = h.status(ctx, mem.Place{}); err != nil {
		return checkupView{}, err
	}
	v.Latencies = h.meter.series()
	return v, nil
}

// series are the newest hooks' times in milliseconds, oldest first.
func (m *meter) series() []float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(m.newest))
	seen := slices.Clone(m.newest[:min(m.count, n)])
	if m.count > n {
		seen = slices.Concat(m.newest[m.count%n:], m.newest[:m.count%n])
	}
	out := make([]float64, 0, len(seen))
	for _, d := range seen {
		out = append(out, millis(d))
	}
	return out
}

// textAsk is a text to try something on.
type textAsk struct {
	Text string `json:"text"`
}

// testPrivacy shows what would be kept of a text, by a door of its own: the
// house's counts what it takes out.
func (h *house) testPrivacy(_ context.Context, ask textAsk) (redactedView, error) {
	d := h.app().lookingDoor()
	kept := d.Prompt(ask.Text)
	return redactedOf(kept, d.Counts()), nil
}
