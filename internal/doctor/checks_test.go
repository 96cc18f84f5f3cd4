package doctor

import (
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/store/stored"
	"remanence/internal/views"
)

// An event that was stored after its hook stopped waiting is neither an error nor unmentioned.
func TestEventsThatWereStoredLateAreNamed(t *testing.T) {
	h := views.Health{Since: time.Now(), Hooks: 9, HookTimeouts: 2, HookP95MS: 12}
	if c := CheckHooks(views.StatusResponse{Health: h}); c.What != "9 events answered, 2 stored late, p95 12 ms" {
		t.Error(c.What)
	}
	if s := (HooksItem{What: "all"}).measured(h).sentence(); s != "all · p95 12 ms · 0 errors, 2 stored late" {
		t.Error(s)
	}
}

func TestChecksOfTheDaemonsStatus(t *testing.T) {
	now := time.Date(2026, 3, 15, 14, 30, 0, 0, time.UTC)
	installed := []setup.Record{{When: now.Add(-48 * time.Hour)}}
	health := func(h views.Health) views.StatusResponse { return views.StatusResponse{Health: h} }
	for _, tc := range []struct {
		name  string
		item  Check
		state string
		code  string
	}{
		{"no work", CheckQueue(views.StatusResponse{}), setup.OK, ""},
		{"young work", CheckQueue(health(views.Health{QueueDepth: 3, OldestJobS: 30})), setup.OK, ""},
		{"old work", CheckQueue(health(views.Health{QueueDepth: 3, OldestJobS: 3600})), setup.Fail, "REM-D005"},
		{"work given up", CheckQueue(health(views.Health{DeadJobs: 1})), setup.Warn, "REM-D005"},
		{"quick hooks", CheckHooks(health(views.Health{Hooks: 9, HookP95MS: 12})), setup.OK, ""},
		{"slow hooks", CheckHooks(health(views.Health{Hooks: 9, HookP95MS: 400})), setup.Warn, "REM-H010"},
		{"hooks that stopped waiting", CheckHooks(health(views.Health{Hooks: 9, HookTimeouts: 2})), setup.OK, ""},
		{"hooks without an answer", CheckHooks(health(views.Health{Hooks: 9, HookErrors: 1})), setup.Warn, "REM-H014"},
		{"never installed", CheckFiring(nil, views.StatusResponse{}, now), setup.OK, ""},
		{"silent hooks", CheckFiring(installed, views.StatusResponse{}, now), setup.Warn, "REM-H016"},
		{"a server alone", CheckFiring([]setup.Record{{When: now.Add(-48 * time.Hour), Server: true}}, views.StatusResponse{},
			now), setup.OK, ""},
		{"hooks that report", CheckFiring(installed, views.StatusResponse{Stats: mem.Stats{Events: 1}}, now), setup.OK, ""},
		{
			"dated in the past", checkClock(views.StatusResponse{Stats: mem.Stats{LastEvent: now.Add(-time.Hour)}}, now),
			setup.OK, "",
		},
		{
			"dated in the future", checkClock(views.StatusResponse{Stats: mem.Stats{LastEvent: now.Add(time.Hour)}}, now),
			setup.Warn, "REM-S008",
		},
		{"a sound store", StoreItem(daemon.StoreHealth{Schema: 1}, nil), setup.OK, ""},
		{"a damaged store", StoreItem(daemon.StoreHealth{}, mem.ErrCorrupt), setup.Fail, "REM-S002"},
		{"a newer store", StoreItem(daemon.StoreHealth{}, mem.ErrNewer), setup.Fail, "REM-S003"},
		{"a locked store", StoreItem(daemon.StoreHealth{}, mem.ErrLocked), setup.Fail, "REM-S001"},
		{"a server that is away", StoreItem(daemon.StoreHealth{}, mem.ErrAway), setup.Fail, "REM-S020"},
		{"a server", ServerItems(stored.Server{Durable: true, Local: true})[0], setup.OK, ""},
		{"a server without fsync", ServerItems(stored.Server{Local: true})[1], setup.Warn, "REM-S022"},
		{"an open connection", ServerItems(stored.Server{Durable: true})[1], setup.Warn, "REM-S022"},
		{
			"a slow server", ServerItems(stored.Server{Durable: true, Local: true, Latency: time.Second})[1], setup.Warn,
			"REM-S022",
		},
		{
			"a server with another clock", ServerItems(stored.Server{Durable: true, Local: true, Ahead: -time.Hour})[1],
			setup.Warn, "REM-S022",
		},
		{
			"a role without rights", ServerItems(stored.Server{Durable: true, Local: true, ReadOnly: true})[1], setup.Warn,
			"REM-S022",
		},
		{
			"a role that is no owner", ServerItems(stored.Server{Durable: true, Local: true, CannotMigrate: true})[1],
			setup.Warn, "REM-S022",
		},
		{
			"vectors in an index", vectorItems(stored.VectorSearch{Vectors: 50_000, Usable: true, Indexed: true})[0],
			setup.OK, "",
		},
		{"vectors before their index", vectorItems(stored.VectorSearch{Vectors: 50_000, Usable: true})[0], setup.OK, ""},
		{"few vectors without pgvector", vectorItems(stored.VectorSearch{Vectors: 100})[0], setup.OK, ""},
		{"many vectors without pgvector", vectorItems(stored.VectorSearch{Vectors: 50_000})[0], setup.Warn, "REM-S022"},
		{"no tags", tagItem(nil), setup.OK, ""},
		{"tags", tagItem([]string{"m_1"}), setup.Warn, "REM-S012"},
		{"a briefing", BriefingItem(mem.Receipt{Budget: 1200, Text: "x"}), setup.OK, ""},
		{"no briefings", BriefingItem(mem.Receipt{}), setup.Info, "REM-H013"},
		{"an empty briefing", BriefingItem(mem.Receipt{Budget: 1200}), setup.Info, "REM-H013"},
		{"transcripts kept for a year", cleanupItem(365, "settings.json"), setup.OK, ""},
		{"transcripts kept for a week", cleanupItem(7, "settings.json"), setup.Warn, "REM-H011"},
		{"transcripts kept as the agent likes", cleanupItem(0, ""), setup.Info, "REM-H011"},
	} {
		if tc.item.State != tc.state || ui.Deref(tc.item.Code) != tc.code {
			t.Errorf("%s: got %s %s, want %s %s", tc.name, tc.item.State, ui.Deref(tc.item.Code), tc.state, tc.code)
		}
		if tc.code != "" && (tc.item.Why == nil || len(tc.item.Fix) == 0) {
			t.Errorf("%s: got no cause or no fix: %+v", tc.name, tc.item)
		}
	}
}
