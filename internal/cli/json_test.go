package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/demo"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/digest"
	"remanence/internal/doctor"
	"remanence/internal/eval"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/setup"
	"remanence/internal/views"
	"remanence/test/golden"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") { // started by a command under test
		os.Exit(Main(context.Background(), config.System{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout,
			Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Slack: time.Minute, Exit: os.Exit,
		}))
	}
	time.Local = time.UTC // sentences hold local times
	os.Exit(m.Run())
}

// views are one example of everything that --json shows.
func viewsByName() map[string]ui.View {
	at := time.Date(2026, 9, 12, 10, 14, 3, 0, time.FixedZone("", 7200))
	m := mem.Memory{
		ID: "m_7k2q", Scope: mem.ScopeProject, Project: "p_3f", Kind: mem.Decision, Title: "chose jittered backoff",
		Body: "chose jittered backoff\nover a fixed pause", Files: []string{"internal/net/retry.go"}, Trust: mem.TrustTool,
		Origin: mem.FromTool,
		Tool:   "Bash", Command: "go test ./net", Source: mem.Source{Agent: "claude-code", Session: "0b1c2d3e-4f", Prompt: 3},
		Status: mem.Active, Commit: "9f3c2a1b77", Branch: "main", Uses: 2, Created: at, Updated: at, LastUsed: at,
	}
	receipt := mem.Receipt{
		ID: "r_88c1", Session: "0b1c2d3e-4f", At: at, Trigger: "prompt", Query: "add retries", Outcome: mem.Injected,
		Candidates: 41, Floor: 0.45, Budget: 300, Tokens: 212, TookMS: 38, Text: "<remanence-context>…</remanence-context>",
		Items: []mem.InjectedItem{{
			ID: "m_7k2q", Rank: 1, Kind: mem.Decision, Title: "chose jittered backoff", Score: 0.83,
			Parts: map[string]float64{"fts": 0.7}, Tokens: 71, Section: "recall",
		}},
		LeftOut: []mem.LeftOutItem{{
			ID: "m_2aa1", Title: "old", Score: 0.44, Parts: map[string]float64{"fts": 0.4},
			Gate: "below_floor",
		}},
	}
	foreseen := receipt
	foreseen.Session = "next"
	hits := []mem.Hit{{Memory: m, Score: 0.83, Parts: map[string]float64{"fts": 0.7}}}
	o := views.StatusResponse{
		Project: mem.Project{Key: "p_3f", Name: "example/api", Branch: "main"},
		Stats:   mem.Stats{Memories: 412, Sessions: 37, Today: 2, Bytes: 1 << 20},
		Last:    &mem.Session{ID: "0b1c2d3e-4f", Short: "s_4d", LastEvent: at, InjectedTokens: 640}, LastInjection: &receipt,
		Pauses: []mem.Pause{{Target: "all", Until: at}},
		Review: &curate.ReviewCounts{Total: 4, Counts: map[string]int{"stale": 3, "low_trust": 1, "duplicate": 0}, At: at},
		Health: views.Health{Since: at, Hooks: 90, HookErrors: 1, HookP95MS: 6.5, QueueDepth: 2, OldestJobS: 3},
	}
	pid := 4121
	ran := doctor.DaemonView{State: "up", Since: ui.TimeOrNil(at), PID: &pid}
	scores := eval.Scores{
		Recall: map[string]float64{"1": 0.5, "5": 0.75, "10": 0.8, "50": 1},
		Any:    map[string]float64{"1": 0.5, "5": 0.75, "10": 0.8, "50": 1}, MRR: new(0.6), NDCG: new(0.7),
	}
	exam := eval.Result{
		Suite: "notes", Units: 40, Queries: 12, Skipped: 1, Without: []string{"grams"}, Scores: scores,
		ByCategory: map[string]eval.Scored{"fix": {Queries: 12, Scores: scores}},
		Sessions:   &eval.SessionScores{Queries: 12, Recall: scores.Recall, Any: scores.Any, NDCG: 0.8},
		Injections: &eval.Injections{Queries: 12, Any: 0.5, Relevant: 0.25},
		False: &eval.False{
			PromptCount: eval.PromptCount{Prompts: 100, Injected: 2, Share: 0.02},
			ByClass:     map[string]eval.PromptCount{"trivial": {Prompts: 50, Injected: 0, Share: 0}},
		},
		Latency: &eval.Latency{P50: 4.5, P95: 9}, IndexS: 1.5, DBBytes: 4096,
	}
	saved := mem.Checkpoint{
		ID: "c_2", Session: "0b1c2d3e-4f", Project: "p_3f", At: at, Trigger: continuity.TriggerSave, Note: "before the merge",
		State: mem.State{
			Request: "add retries", Status: "done", Open: []string{"the jitter"},
			Files: []string{"retry.go"},
		},
		Evidence: mem.Evidence{
			Files:    []string{"retry.go"},
			Commands: []mem.Outcome{{Command: "go test ./net", Exit: 1, Note: "FAIL"}}, Errors: []string{"FAIL"},
			Numbers: []string{"3 of 4"},
		},
		Recent: []mem.Quote{{Who: "user", Text: "add retries"}},
	}
	status := doctor.StatusOf(o, ran, doctor.HooksItem{State: setup.OK, What: "all hooks are registered"},
		doctor.CaptureItem{Dropped: 2, SpooledRecords: 1, SpooledBytes: 512, Private: 3})
	status.Vault = &doctor.VaultItem{Dir: "/home/dev/notes", Notes: 12, Trouble: 1}
	return map[string]ui.View{
		"status": status,
		"search": ui.SearchView{SearchResponse: recall.SearchResponse{
			Project: o.Project, Hits: hits, Searched: 412, TookMS: 4, Terms: []string{"retry", "backoff"}, At: at, Next: "1",
		}},
		"show": ui.MemoryList{Schema: "show", Memories: []mem.Memory{m}, Response: views.ShowResponse{
			Memories: []mem.Memory{m},
			Links:    map[string][]recall.LinkedMemory{"m_7k2q": {{ID: "m_2aa1", Kind: mem.LinkSupersedes}}},
		}},
		"mark": ui.MemoryList{Schema: "mark", Memories: []mem.Memory{m}, Response: curate.MarkResponse{
			Verb: "forget", Memories: []mem.Memory{m},
		}},
		"add": ui.MemoryList{Schema: "add", Memories: []mem.Memory{m}, Response: curate.AddResponse{
			Memory: m, Similar: &hits[0], Relation: "differs",
		}},
		"edit": ui.MemoryList{Schema: "edit", Memories: []mem.Memory{m}, Response: curate.EditResponse{Memory: m}},
		"merge": ui.MemoryList{Schema: "merge", Memories: []mem.Memory{m}, Response: curate.MergeResponse{
			Run:      "k_3",
			Memories: []mem.Memory{m},
		}},
		"resolve": ui.MemoryList{Schema: "resolve", Memories: []mem.Memory{m}, Response: curate.ResolveResponse{
			Rule: "stale", Action: "accept", Run: "k_3", Memories: []mem.Memory{m},
		}},
		"receipt": ui.ReceiptView{WhyResponse: views.WhyResponse{
			Receipt: receipt, Short: "s_4d", States: map[string]mem.Status{"m_7k2q": mem.Archived},
			Used: map[string]bool{"m_7k2q": true}, Weights: rank.Weights{
				Memories:   map[string]float64{"fts": 0.5, "stale": -0.15},
				Utterances: map[string]float64{"fts": 1},
			},
		}},
		"next": nextView{foreseen, false},
		"import": ui.ImportView{
			Kept: 3, Known: 1, LeftOut: map[string]int{"prompts": 2},
			Dropped:  []api.Dropped{{What: "field id", Why: "the memory gets a new id", Count: 4}},
			Projects: []ui.ImportedProject{{Name: "example/api", Memories: 4, Known: true}, {Name: "elsewhere", Memories: 2}},
			Undo:     []string{"remanence import --undo import-20260912-081403.000"},
		},
		"import_undone": ui.ImportUndoneView{ID: "import-20260912-081403.000", Verb: "forget", Memories: 3},
		"backfill": ui.BackfillView{Backfill: event.Backfill{
			Sessions: 214, Projects: 9, Bytes: 92_000_000, From: at, To: at, Known: 3, Running: true, Started: at, Done: 40,
			DoneBytes: 18_000_000, LeftOut: 1, NotRead: 1, Failed: []string{"s-1: read transcript: permission denied"},
		}},
		"export": ui.ExportView{File: "remanence.html", Format: "html", Projects: 2, Bytes: 4096},
		"stats": ui.StatsView{
			EconomyResponse: views.EconomyResponse{
				Project: o.Project, Since: at, Days: []views.EconomyDay{{
					Day: "2026-09-12", Tokens: map[string]int{"prompt": 212},
					Injected: 1,
				}}, Triggers: []string{"prompt"}, Agents: map[string]int{"claude-code": 212},
				Sessions: 1, Total: views.EconomyDay{Tokens: map[string]int{"prompt": 212}, Injected: 1}, Injected: 1,
				ToolsTokens: 904,
				Estimate:    views.Estimate{Formula: "items × reads"},
				Dead: []views.DeadItem{{
					ID: "m_7k2q", Kind: mem.Decision, Title: "chose jittered backoff", Injections: 5,
					Tokens: 355, Last: at,
				}},
			},
			By: "trigger", Unit: "tokens", Bars: []ui.StatsBar{{Name: "prompt", Value: 212}},
		},
		"effect": ui.EffectView{EffectResponse: views.EffectResponse{
			Project: o.Project, Since: at, Days: 90, Sessions: views.EffectSessions{Used: 31, Given: 40, None: 9},
			Measures: []views.EffectMeasure{{
				Name: views.EffectReads, What: "reads of a file that had been read before", Share: true,
				Used:    views.EffectGroup{Sessions: 30, Part: 40, Of: 100, Value: 0.4},
				Others:  views.EffectGroup{Sessions: 45, Part: 90, Of: 180, Value: 0.5},
				Verdict: views.EffectChance, Low: -0.2, High: 0.1,
			}},
			Method: []string{"Sessions are compared."}, Limits: []string{"It is no experiment."},
		}},
		"timeline": ui.TimelineView{TimelineResponse: views.TimelineResponse{
			Entries: []views.TimelineEntry{{ID: "m_7k2q", At: at, What: "decision", Title: "chose jittered backoff"}},
		}},
		"purge": ui.PurgeView{
			IDs: []string{"m_7k2q"}, Erased: ui.Erased{Memories: 1}, Memories: []ui.PurgeItem{},
			Mentions: []ui.Mentions{{Where: "prompts", Count: 2}},
			Copies:   []string{}, Unreached: []string{"exports"},
		},
		"redacted": ui.RedactedOf("my password is [secret:password:3fa2]",
			redact.Counts{Private: 1, Secrets: map[string]int{"password": 1}}),
		"rules": ui.RulesView{
			Total: 1, Kinds: []ui.RuleItem{{Kind: "github-pat", Marker: "[secret:github-pat:3fa2]"}},
			Skipped: []string{`rule 1 "x": bad`},
		},
		"scan": ui.ScanOf(mem.ScanResponse{
			Records: 9, WithSecrets: 1,
			Finds: []mem.Find{{Where: "memories", Kind: "password", Count: 2, IDs: []string{"m_1"}}},
		}),
		"eval": ui.EvalView{
			Result: exam,
			Gates:  []eval.Verdict{{Gate: eval.Gate{Name: "recall.10", Value: 0.7}, Got: exam.MRR, Met: false}},
		},
		"eval_compare": ui.EvalCompareView{
			Before: "a.json", After: "b.json", Same: true,
			Measures: []eval.Difference{{
				Name: "recall.10", Before: 0.7, After: 0.75, Change: 0.05, Interval: &eval.Interval{Low: 0.01, High: 0.09},
			}},
			Gates: []eval.Verdict{},
		},
		"digest": ui.DigestOf(event.Digesting{
			Provider: "anthropic", Model: "small", URL: "https://api.example.com", Limit: 50000,
			Today:   mem.Spending{Day: "2026-09-12", Tokens: 1240, Calls: 3, Failures: 1},
			Waiting: 2, GivenUp: 1, Next: "too much to do", Turns: 7, Tokens: 21000,
		}, digest.Request{Redo: true, DryRun: true}),
		"eval_report": ui.EvalReportView{Total: 1, Runs: []eval.Result{exam}},
		"pause":       pauseView{Did: "paused", Pauses: ui.PausesOf(o.Pauses)},
		"config": ui.ConfigView{
			File: "config.toml", Total: 1,
			Values: []config.Setting{{
				Key: "profile", Value: "lean", Default: "lean", Origin: "default",
				Doc: "how much is injected",
			}}, Warnings: []string{},
		},
		"setting": ui.SettingView{Setting: config.Setting{
			Key: "worker.idle_exit", Value: "30m", Default: "30m", Origin: "default",
			Doc: "idle",
		}},
		"path":     ui.PathView{File: "config.toml"},
		"validate": ui.ValidateView{OK: true, File: "config.toml", Problems: []string{}},
		"demo": demo.Report{
			Dir: "/tmp/remanence-demo-1", ReadTokens: 900, InjectedTokens: 40, Memories: []mem.Memory{m},
			Steps: []demo.Step{{
				Session: 2, Event: "SessionStart", Detail: "startup", TookMS: 9.5, Redacted: []string{},
				Injected: receipt.Text, Tokens: 40,
			}},
		},
		"daemon_logs": daemonLogView{File: "remanence.log", Lines: []logLine{
			{At: &at, Level: "info", Text: "worker started", More: "version=1"},
		}},
		"daemon": daemonView{Did: "started", State: "up", PID: &pid, Since: ui.TimeOrNil(at), Log: "remanence.log"},
		"statusline": ui.StatusLineView{
			StatusLineResponse: views.StatusLineResponse{Memories: 12, Items: 3, Tokens: 640, Review: 1}, State: ui.LineOn,
		},
		"open":    openView{URL: "http://127.0.0.1:4242/search#code=0f", Until: ui.TimeOrNil(at)},
		"man":     manView{Dir: "/h/man1", Files: []string{"remanence.1"}},
		"upgrade": upgradeView{"0.1.0", "/usr/bin/remanence", "deb", "sudo apt-get install ./remanence_amd64.deb"},
		"version": versionView{
			"0.1.0", true, ui.TextOrNil("1a2b3c4d"), ui.TextOrNil("2026-11-25T12:00:00Z"), false, "0.1.0+abc.1",
			"go1.26", "linux", "amd64", 8, 1,
		},
		"install": installView{
			Found: agentsOf(setup.Agents{{ID: "claude-code", Name: "Claude Code", Dir: "/h/.claude"}}),
			Scope: "user", Hooks: "lean", File: "/h/.claude/settings.json", Events: []string{"Stop"}, Changes: true, Added: 1,
			Warnings: []doctor.Check{},
		},
		"install_agents": agentsView{Agents: []agentPlan{{
			ID: "codex", Name: "Codex CLI", Events: []string{"Stop"}, Server: true, Trusted: true,
			Files:   []fileItem{{"/h/.codex/hooks.json", true, true, false, false}},
			Records: []string{"/r/i_01.json"}, Notes: []string{},
		}}},
		"uninstall": uninstallView{
			Steps: []stepItem{{
				"claude-code", "/h/.claude/settings.json", "restore", 1, []string{"i_01"}, false, true, false, false,
			}},
			Purged: []string{},
		},
		"doctor": doctor.Report{Checks: []doctor.Check{
			doctor.Bad("modes", true, fault.Modes.Because("0755")),
			doctor.Good("disk", false, "1 GB free"),
		}, Summary: doctor.Summary{OK: 1, Fail: 1}, Fixed: []string{}},
		"db_info": ui.DBInfoView{
			Path: "/h/remanence.db", Schema: 1, SQLite: "3.53.4", Journal: "wal", Bytes: 4096,
			Parts:    []mem.Part{{Name: mem.PartMemories, Bytes: 4096, Count: 1}},
			Memories: 1, Copies: []ui.CopyItem{{
				File: "/h/remanence.db.backup-daily", Kind: "backup", Made: ui.TimeOrNil(at), Bytes: 4096,
			}},
			LastBackup: ui.TimeOrNil(at),
		},
		"db_check": ui.DBCheckView{
			OK: true, Path: "/h/remanence.db", Schema: 1, Damage: []string{}, Index: []string{},
			Spoilt: []string{}, Unseen: []string{"rows"},
		},
		"db_backup": ui.DBBackupView{File: "/h/monday.db", Bytes: 4096, Schema: 1},
		"db_restore": ui.DBRestoreView{
			Path:  "/h/remanence.db",
			Aside: ui.TextOrNil("/h/remanence.db.aside-20260912T081403Z"), Rows: map[string]int{"memory": 3}, Gaps: 1,
		},
		"db_vacuum":    ui.DBVacuumView{Before: 8192, After: 4096, Freed: 4096},
		"db_reindex":   dbReindexView{Memories: 3},
		"daemon_retry": retryView{Jobs: 2},
		"db_migrate":   ui.DBMigrateView{From: 1, To: 2, Steps: []string{"0002_more"}},
		"checkpoint": ui.CheckpointView{Checkpoints: continuity.Checkpoints{
			Project: o.Project, Checkpoints: []mem.Checkpoint{saved}, Shorts: map[string]string{saved.Session: "s_4d"},
		}},
		"checkpoints": ui.CheckpointsView{Checkpoints: continuity.Checkpoints{
			Project: o.Project, Checkpoints: []mem.Checkpoint{{ID: "c_2", At: at, Trigger: "session-end"}},
		}},
		"checkpoint_save": ui.SavedView{SaveResponse: continuity.SaveResponse{
			Checkpoint: saved, Short: "s_4d", Archived: mem.TranscriptImport{Found: true, Utterances: 3}, Indexed: 2,
			Recovered: 1, Problems: []string{"archive: the disk is full"},
		}, Indexing: true},
		"checkpoint_resume": ui.ResumeView{ResumeResponse: continuity.ResumeResponse{
			Checkpoint: saved, Project: o.Project, Session: *o.Last, Text: "# Where the work stands",
		}},
		"checkpoint_diff": ui.DiffView{DiffResponse: continuity.DiffResponse{
			From: mem.Checkpoint{ID: "c_1", At: at}, To: saved,
			Changes: []continuity.CheckpointChange{{What: "files", Removed: true, Text: "retry.go"}},
		}},
		"checkpoint_log": loggedView{filesync.LogResponse{Memory: &m, Text: "## 2026-09-12 — retries"}},
		"drift": findingsView{curate.FindingsResponse{
			Session: "s_4d", Examined: 4,
			Findings: []curate.Finding{{Rule: "undeclared", Text: "retry.go was changed", Files: []string{"retry.go"}}},
		}, "drift"},
		"consolidation": ui.ConsolidationView{ConsolidateResponse: curate.ConsolidateResponse{
			Memories: []mem.Memory{m},
			Runs: []mem.Run{{
				ID: "k_3", Kind: mem.FullRun, Project: "p_3f", At: at, Examined: 412,
				Changes: []mem.Step{{
					Rule: mem.RuleArchive, Memory: "m_7k2q", Reason: "strength 0.031: 30 days old, never used",
					Was: curate.MutableOf(m), Became: mem.Lifecycle{Status: mem.Archived},
				}},
			}},
		}},
		"review": ui.ReviewView{ReviewResponse: curate.ReviewResponse{
			Examined: 412, Counts: map[string]int{"stale": 1},
			Items: []curate.ReviewItem{{
				Rule: "stale", Text: "never used, 40 days old", Accept: "it is archived", Actions: []string{"accept", "reject"},
				Memories: []mem.Memory{m},
			}},
		}},
		"resolved": ui.ResolvedView{ResolveResponse: curate.ResolveResponse{
			Rule: "stale", Action: "accept", Decided: 412, Left: 1, Run: "k_3", Memories: []mem.Memory{m},
		}},
		"lint": findingsView{curate.FindingsResponse{
			Examined: 4,
			Findings: []curate.Finding{{
				Rule: "unused", Text: "not needed once", IDs: []string{"m_7k2q"}, Fix: "remanence forget m_7k2q",
			}},
		}, "lint"},

		"fault": ui.FaultView{
			Code: "REM-D004", Exit: 4, Message: "cannot reach the daemon", About: "…", Fix: []string{"remanence daemon restart"},
		},
	}
}

// receiptView is the view of a receipt alone.
func receiptView(r mem.Receipt) ui.ReceiptView {
	return ui.ReceiptView{WhyResponse: views.WhyResponse{Receipt: r}}
}

func TestJSONShapesStayAsTheyAre(t *testing.T) {
	for name, v := range viewsByName() {
		got, err := ui.WithSchema(v)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"schema":"remanence.` + name + `/v1",`; !bytes.HasPrefix(got, []byte(want)) {
			t.Errorf("got %.60s, want it to begin with %s", got, want)
		}
		asRecorded(t, name, got)
	}
}

func TestErrorsAsJSONStayAsTheyAre(t *testing.T) {
	p, _ := testPrinter(80)
	p.Flags.JSON = true
	if code := p.Fail(fault.Unreachable.Because("no answer")); code != fault.ExitNoSetup {
		t.Errorf("got exit %d, want %d", code, fault.ExitNoSetup)
	}
	asRecorded(t, "error", []byte(strings.TrimSpace(p.Err.(*strings.Builder).String())))
}

// asRecorded compares with a file, which holds the same indented.
func asRecorded(t *testing.T, name string, got []byte) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%s: %v in %s", name, err, got)
	}
	pretty.WriteByte('\n')
	golden.Compare(t, filepath.Join("testdata", "json", name+".json"), pretty.Bytes())
}

func TestListsAreOneItemALineOnRequest(t *testing.T) {
	for name, v := range viewsByName() {
		l, ok := v.(ui.Lister)
		if !ok {
			continue
		}
		p, out := testPrinter(80)
		p.Flags.JSONLines = true
		if err := p.Show(v); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(out.String(), "\n"), len(l.List()); got != want ||
			strings.Contains(out.String(), `"schema"`) {
			t.Errorf("%s: got %d lines, want %d without a schema: %s", name, got, want, out)
		}
	}
}

// What a memory says must not reach a terminal as it is, in any command.
func TestHostileTextOfAMemoryStaysText(t *testing.T) {
	evil := "\x1b]0;title\a\u202etxt"
	m := mem.Memory{
		ID: "m_1", Kind: mem.Fact, Title: evil, Body: evil, Facts: []string{evil}, Files: []string{evil},
		Tags: []string{evil}, Branch: evil, Tool: evil,
	}
	now := time.Now()
	shown := ui.MemoryList{Memories: []mem.Memory{m}, Did: "shown", Now: now}
	raw := shown
	raw.Raw = true
	for name, v := range map[string]ui.View{
		"show": shown, "show --raw": raw, "forget": ui.MemoryList{Memories: []mem.Memory{m}, Did: "forgotten"},
		"search": ui.SearchView{SearchResponse: recall.SearchResponse{
			Project: mem.Project{Key: "p", Name: evil}, Hits: []mem.Hit{{Memory: m}},
		}, Query: evil},
		"empty": ui.SearchView{
			SearchResponse: recall.SearchResponse{Project: mem.Project{Key: "p", Name: evil}}, Query: evil,
		},
		"why":  receiptView(mem.Receipt{ID: "r_1", Query: evil, Items: []mem.InjectedItem{{ID: "m_1", Title: evil}}}),
		"next": nextView{mem.Receipt{ID: "r_1", Text: evil}, false},
		"stats": ui.StatsView{
			EconomyResponse: views.EconomyResponse{
				Project: mem.Project{Name: evil},
				Dead:    []views.DeadItem{{ID: "m_1", Title: evil}},
			},
			By: "trigger", Bars: []ui.StatsBar{{Name: evil, Value: 3}},
		},
		"timeline": ui.TimelineView{TimelineResponse: views.TimelineResponse{
			Entries: []views.TimelineEntry{{ID: "m_1", Title: evil}},
		}, Typed: evil},
		"status": doctor.StatusOf(views.StatusResponse{Project: mem.Project{Key: "p", Name: evil, Branch: evil}},
			doctor.DaemonView{}, doctor.HooksItem{What: evil}, doctor.CaptureItem{}),
		"pause":  pauseView{Pauses: []ui.PauseItem{{Target: evil}}},
		"config": ui.ConfigView{Values: []config.Setting{{Key: "a", Value: evil}}, Warnings: []string{evil}},
		"eval": ui.EvalView{Result: eval.Result{
			Suite: evil, ByCategory: map[string]eval.Scored{evil: {}},
			False: &eval.False{ByClass: map[string]eval.PromptCount{evil: {}}},
		}, Gates: []eval.Verdict{{Gate: eval.Gate{Name: evil}}}},
		"eval compare": ui.EvalCompareView{Measures: []eval.Difference{{Name: evil}}},
		"eval report":  ui.EvalReportView{Total: 1, Runs: []eval.Result{{Suite: evil}}},
	} {
		p, out := testPrinter(100)
		v.Print(p)
		if strings.ContainsAny(out.String(), "\x1b\a\u202e") {
			t.Errorf("%s: got %q", name, out)
		}
	}
}
