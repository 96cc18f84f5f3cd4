package foreign_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/foreign"
	"remanence/internal/mem"
	_ "remanence/internal/store/sqlite" // the driver
)

// claudeMem are the tables of claude-mem 13 that hold what it learned, and others that it has.
const claudeMem = `
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT UNIQUE NOT NULL,
  memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude',
  user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT,
  completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active', worker_port INTEGER,
  prompt_counter INTEGER DEFAULT 0, custom_title TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,
  concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0,
  content_hash TEXT, agent_type TEXT, agent_id TEXT, merged_into_project TEXT, generated_by_model TEXT,
  metadata TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT,
  files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0,
  merged_into_project TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
CREATE TABLE pending_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER NOT NULL);
INSERT INTO schema_versions VALUES (1, 35, '2026-01-01');
INSERT INTO sdk_sessions VALUES
  (1, 'c-1', 'm-1', 'shop', 'claude', 'make the till', '2026-01-02T03:00:00Z', 1767322800000,
   '2026-01-02T04:00:00Z', 1767326400000, 'completed', 37777, 2, NULL),
  (2, 'c-2', 'm-2', 'depot', 'codex', NULL, '2026-01-03T03:00:00Z', 1767409200000, NULL, NULL, 'active', NULL, 0,
   NULL);
INSERT INTO user_prompts VALUES (1, 'c-1', 1, 'make the till', '2026-01-02T03:00:01Z', 1767322801000),
  (2, 'c-1', 2, 'and print a receipt', '2026-01-02T03:30:00Z', 1767324600000);
INSERT INTO observations VALUES
  (1, 'm-1', 'shop', NULL, 'decision', 'Prices are cents', 'as integers', '["one","two"]', 'Rounding is done once.',
   '["money"]', '["pay.go"]', '["till.go"]', 1, 900, 'h1', NULL, NULL, NULL, 'm', '{"branch":"main"}',
   '2026-01-02T03:10:00Z', 1767323400000),
  (2, 'm-2', 'depot', 'an old row has one text', 'discovery', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'h2',
   NULL, NULL, NULL, NULL, NULL, '2026-01-03T03:10:00Z', 1767409800000),
  (3, 'm-9', 'elsewhere', NULL, 'bugfix', 'The lock was taken twice', NULL, '[]', 'It is one lock now.', '[]', '[]',
   '[]', 1, 0, 'h3', NULL, NULL, NULL, NULL, NULL, '2026-01-04T03:10:00Z', 1767496200000);
INSERT INTO session_summaries VALUES (1, 'm-1', 'shop', 'make the till', NULL, 'cents are enough', 'the till', NULL,
  NULL, '["till.go"]', NULL, 1, 0, NULL, '2026-01-02T04:00:00Z', 1767326400000);
INSERT INTO pending_messages VALUES (1, 1);`

// engram are the tables of engram 1.
const engram = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT, summary TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL,
  type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tool_name TEXT, project TEXT,
  scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, normalized_hash TEXT,
  revision_count INTEGER NOT NULL DEFAULT 1,
  duplicate_count INTEGER NOT NULL DEFAULT 1, last_seen_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  deleted_at TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL,
  content TEXT NOT NULL, project TEXT, created_at TEXT NOT NULL);
CREATE TABLE sync_state (target_key TEXT PRIMARY KEY);
INSERT INTO sessions VALUES ('e-1', 'shop', '/home/x/shop', '2026-01-02 03:00:00', '2026-01-02 04:00:00',
  'The till is done.');
INSERT INTO observations VALUES
  (1, 's1', 'e-1', 'architecture', 'One lock a session', '**What**: one lock', NULL, 'shop', 'project',
   'architecture/locks', 'n', 2, 3, '2026-01-05 00:00:00', '2026-01-02 03:10:00', '2026-01-02 03:10:00', NULL),
  (2, 's2', 'e-1', 'preference', 'Tabs', 'tabs, not spaces', NULL, NULL, 'personal', NULL, 'n', 1, 1, NULL,
   '2026-01-02 03:11:00', '2026-01-02 03:11:00', NULL),
  (3, 's3', 'e-1', 'manual', 'Gone', 'deleted', NULL, 'shop', 'project', NULL, 'n', 1, 1, NULL, '2026-01-02 03:12:00',
   '2026-01-02 03:12:00', '2026-01-03 00:00:00');
INSERT INTO user_prompts VALUES (1, 'p1', 'e-1', 'make the till', 'shop', '2026-01-02 03:00:05');
INSERT INTO sync_state VALUES ('cloud');`

// readDatabase reads a database that statements make.
func readDatabase(t *testing.T, statements string) api.ExportedMemories {
	t.Helper()
	file := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := foreign.Read(t.Context(), file, f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestADatabaseOfClaudeMemIsReadWithItsSessionsAndPrompts(t *testing.T) {
	got := readDatabase(t, claudeMem)
	wantTexts(t, got.Memories, "decision: Prices are cents | Rounding is done once.\n\nas integers",
		"discovery:  | an old row has one text", "bugfix: The lock was taken twice | It is one lock now.", "summary: ")
	m := got.Memories[0]
	if m.Project != "shop" || m.Session != "c-1" || !slices.Equal(m.Facts, []string{"one", "two"}) ||
		!slices.Equal(m.Concepts, []string{"money"}) || !slices.Equal(m.Files, []string{"pay.go"}) ||
		!slices.Equal(m.Modified, []string{"till.go"}) || !m.Created.Equal(time.Date(2026, 1, 2, 3, 10, 0, 0, time.UTC)) {
		t.Errorf("got %+v", m)
	}
	if s := got.Memories[3]; s.Summary == nil || s.Summary.Learned != "cents are enough" || s.Session != "c-1" {
		t.Errorf("got %+v", s)
	}
	if p := got.Memories[2]; p.Project != "elsewhere" || p.Session != "" {
		t.Errorf("of a session without a row: %+v", p)
	}
	if len(got.Sessions) != 2 || len(got.Sessions[0].Prompts) != 2 {
		t.Fatalf("got %+v", got.Sessions)
	}
	one, two := got.Sessions[0], got.Sessions[1]
	if one.ID != "c-1" || one.Project != "shop" || one.Agent != "" || two.Agent != "codex" ||
		!one.Began.Equal(time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)) || one.Ended.Sub(one.Began) != time.Hour ||
		one.Prompts[0].Text != "make the till" || one.Prompts[1].At.Sub(one.Began) != 30*time.Minute {
		t.Errorf("got %+v", got.Sessions)
	}
	var dropped []string
	for _, d := range got.Dropped() {
		dropped = append(dropped, d.What)
	}
	for _, want := range []string{"rows of pending_messages", "field metadata.branch", "field discovery_tokens"} {
		if !slices.Contains(dropped, want) {
			t.Errorf("%s is not named: %q", want, dropped)
		}
	}
}

func TestADatabaseOfEngramIsRead(t *testing.T) {
	got := readDatabase(t, engram)
	wantTexts(t, got.Memories, "summary:  | The till is done.", "architecture: One lock a session | **What**: one lock",
		"preference: Tabs | tabs, not spaces")
	lock, tabs := got.Memories[1], got.Memories[2]
	if lock.Project != "shop" || lock.Session != "e-1" || !slices.Equal(lock.Concepts, []string{"architecture/locks"}) ||
		lock.Created.Year() != 2026 || tabs.Scope != mem.ScopeUser || tabs.Project != "" {
		t.Errorf("got %+v, %+v", lock, tabs)
	}
	if !slices.Equal(got.Dirs["shop"], []string{"/home/x/shop"}) || len(got.Sessions) != 1 ||
		len(got.Sessions[0].Prompts) != 1 {
		t.Errorf("got %v, %+v", got.Dirs, got.Sessions)
	}
}

func TestABrokenDatabaseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "half.db")
	if err := os.WriteFile(file, []byte("SQLite format 3\x00"+strings.Repeat("x", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := foreign.Read(t.Context(), file, f); err == nil {
		t.Errorf("read as %+v", got)
	}
}
