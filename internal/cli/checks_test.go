package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

func TestChecksOfWhatTheDaemonTells(t *testing.T) {
	now := time.Date(2026, 3, 15, 14, 30, 0, 0, time.UTC)
	installed := []setup.Record{{When: now.Add(-48 * time.Hour)}}
	health := func(h views.Health) views.StatusResponse { return views.StatusResponse{Health: h} }
	for _, tc := range []struct {
		name  string
		item  checkItem
		state string
		code  string
	}{
		{"no work", checkQueue(views.StatusResponse{}), setup.OK, ""},
		{"young work", checkQueue(health(views.Health{QueueDepth: 3, OldestJobS: 30})), setup.OK, ""},
		{"old work", checkQueue(health(views.Health{QueueDepth: 3, OldestJobS: 3600})), setup.Fail, "REM-D005"},
		{"work given up", checkQueue(health(views.Health{DeadJobs: 1})), setup.Warn, "REM-D005"},
		{"quick hooks", checkHooks(health(views.Health{Hooks: 9, HookP95MS: 12})), setup.OK, ""},
		{"slow hooks", checkHooks(health(views.Health{Hooks: 9, HookP95MS: 400})), setup.Warn, "REM-H010"},
		{"hooks without an answer", checkHooks(health(views.Health{Hooks: 9, HookErrors: 1})), setup.Warn, "REM-H014"},
		{"never installed", checkFiring(nil, views.StatusResponse{}, now), setup.OK, ""},
		{"silent hooks", checkFiring(installed, views.StatusResponse{}, now), setup.Warn, "REM-H016"},
		{"a server alone", checkFiring([]setup.Record{{When: now.Add(-48 * time.Hour), Server: true}}, views.StatusResponse{}, now), setup.OK, ""},
		{"hooks that report", checkFiring(installed, views.StatusResponse{Stats: mem.Stats{Events: 1}}, now), setup.OK, ""},
		{"dated in the past", checkClock(views.StatusResponse{Stats: mem.Stats{LastEvent: now.Add(-time.Hour)}}, now), setup.OK, ""},
		{"dated in the future", checkClock(views.StatusResponse{Stats: mem.Stats{LastEvent: now.Add(time.Hour)}}, now), setup.Warn, "REM-S008"},
		{"a sound store", storeItem(storeHealth{Schema: 1}, nil), setup.OK, ""},
		{"a damaged store", storeItem(storeHealth{}, mem.ErrCorrupt), setup.Fail, "REM-S002"},
		{"a newer store", storeItem(storeHealth{}, mem.ErrNewer), setup.Fail, "REM-S003"},
		{"a locked store", storeItem(storeHealth{}, mem.ErrLocked), setup.Fail, "REM-S001"},
		{"no tags", tagItem(nil), setup.OK, ""},
		{"tags", tagItem([]string{"m_1"}), setup.Warn, "REM-S012"},
		{"a briefing", briefingItem(mem.Receipt{Budget: 1200, Text: "x"}), setup.OK, ""},
		{"no briefings", briefingItem(mem.Receipt{}), setup.Info, "REM-H013"},
		{"an empty briefing", briefingItem(mem.Receipt{Budget: 1200}), setup.Info, "REM-H013"},
		{"transcripts kept for a year", cleanupItem(365, "settings.json"), setup.OK, ""},
		{"transcripts kept for a week", cleanupItem(7, "settings.json"), setup.Warn, "REM-H011"},
		{"transcripts kept as the agent likes", cleanupItem(0, ""), setup.Info, "REM-H011"},
	} {
		if tc.item.State != tc.state || deref(tc.item.Code) != tc.code {
			t.Errorf("%s: got %s %s, want %s %s", tc.name, tc.item.State, deref(tc.item.Code), tc.state, tc.code)
		}
		if tc.code != "" && (tc.item.Why == nil || len(tc.item.Fix) == 0) {
			t.Errorf("%s: got no cause or no fix: %+v", tc.name, tc.item)
		}
	}
}

// late is a daemon whose answer is not there in time.
type late struct{}

func (late) Call(context.Context, string, any, any) error {
	return fmt.Errorf("read: %w", context.DeadlineExceeded)
}

func TestALargeStoreIsNotADaemonInTrouble(t *testing.T) {
	p := newMachine(t)
	p.caller = late{}
	if got := p.checkSecrets(t.Context()); got.State != setup.Info || got.Code != nil {
		t.Errorf("got %+v, want the word that it was not looked at", got)
	}
}

func TestLongOutputGoesThroughThePagerAndShortDoesNot(t *testing.T) {
	long := configView{Values: make([]setting, 30)}
	for _, tc := range []struct {
		name   string
		v      view
		height int
		pager  string
		paged  bool
	}{
		{"long", long, 10, "sed s/^/|/", true},
		{"short", long, 50, "sed s/^/|/", false},
		{"no terminal", long, 0, "sed s/^/|/", false},
		{"switched off", long, 10, "", false},
		{"pager is missing", long, 10, "no-such-pager", false},
	} {
		p, out := testPrinter(100)
		p.height, p.pager = tc.height, tc.pager
		if err := p.show(tc.v); err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(out.String(), "|"); got != tc.paged || strings.Count(out.String(), "\n") != 30 {
			t.Errorf("%s: paged %v, want %v; %d lines, want 30", tc.name, got, tc.paged, strings.Count(out.String(), "\n"))
		}
	}
}

func TestASizeReadsAsInTheViewer(t *testing.T) {
	for n, want := range map[int64]string{0: "0 KB", 1: "1 KB", 2_900_000: "2.9 MB", 70_400_000: "70 MB", 70_400_000_000: "70.4 GB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d bytes: got %q, want %q", n, got, want)
		}
	}
}
