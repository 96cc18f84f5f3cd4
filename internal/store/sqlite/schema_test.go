package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// firstSchemaRows are rows as the first version wrote them, in columns that every schema has.
const firstSchemaRows = `
INSERT INTO project (key, name, root, common, origin, branch, head, last_event)
	VALUES ('p_1', 'alpha', '/alpha', '/alpha/.git', '', 'main', '', 1000000000);
INSERT INTO project_common (common, key) VALUES ('/alpha/.git', 'p_1');
INSERT INTO project_root (root, key) VALUES ('/alpha', 'p_1');
INSERT INTO session (number, id, short, agent, project, project_name, root, cwd, first_prompt, prompts, status, source,
		model, entrypoint, parent, transcript, created, completed, end_reason, last_event, processing, last_notification,
		notifications, compactions, nudge, nudge_prompt, told_tokens)
	VALUES (1, 'one', 's_1', 'claude-code', 'p_1', 'alpha', '/alpha', '/alpha', 'add a limit', 1, 'initialized',
		'startup', '', '', '', '', 1000000000, 0, '', 2000000000, 0, '', 0, 0, '', 0, 40);
INSERT INTO told (session, mark) VALUES (1, 'm_1');
INSERT INTO turn (number, session, prompt_id, prompt, text, private, trust, at)
	VALUES (1, 1, 'q1', 1, 'add a limit', 0, 3, 1000000000);
INSERT INTO event (seq, id, key, session, prompt_id, kind, tool, tool_use_id, agent_id, agent_type, ok, exit_code,
		duration_ms, payload, created_at)
	VALUES (1, 'e_1', '', 1, 'q1', 'UserPromptSubmit', '', '', '', '', 1, NULL, 0,
		'{"id":"e_1","kind":"UserPromptSubmit","session":"one","text":"add a limit"}', 1000000000);
INSERT INTO memory (number, id, scope, project, session, kind, title, body, facts, concepts, tags, files, modified,
		tool, command, exit_code, event, summary, importance, confidence, trust, origin, agent, prompt_id, prompt, source,
		resolved, status, pinned, supersedes, branch, head, key, repeats, words, uses, last_used, created, updated, hidden)
	VALUES (1, 'm_1', 'project', 'p_1', 1, 'decision', 'The limiter is a token bucket', 'A token bucket, for bursts.', '',
		'', '["limits"]', '["gate/limit.go"]', '', '', '', 0, 'e_1', '', 0.8, 0.9, 3, '', 'claude-code', 'q1', 1, '{}', 0,
		'active', 0, '', 'main', '', 'h_1', 0, '', 2, 2000000000, 1000000000, 1000000000, 0);
INSERT INTO memory_fts (rowid, body, title, ident)
	VALUES (1, 'A token bucket, for bursts.', 'The limiter is a token bucket', 'limits' || char(10) || 'gate/limit.go');
INSERT INTO memory_file (memory, path, dir, ext) VALUES (1, 'gate/limit.go', 'gate/', '.go');
INSERT INTO memory_tag (memory, tag) VALUES (1, 'limits');
INSERT INTO checkpoint (number, id, session, project, at, trigger, doc)
	VALUES (1, 'c_1', 1, 'p_1', 1500000000, 'auto', '{"id":"c_1","session":"one","project":"p_1"}');
INSERT INTO receipt (number, id, session, project, at, outcome, tokens, doc)
	VALUES (1, 'r_1', 1, 'p_1', 1500000000, 'injected', 40,
		'{"id":"r_1","session":"one","project":"p_1","outcome":"injected","items":[{"id":"m_1"}]}');
INSERT INTO receipt_item (receipt, memory, told) VALUES (1, 'm_1', 1);
INSERT INTO job (number, id, kind, session, key, data, not_before, attempts, created, error, dead, leased)
	VALUES (1, 'j_1', 'digest', 1, '', '', 0, 0, 1000000000, '', 0, 0);
INSERT INTO pause (target, until, inject_only) VALUES ('all', 0, 0);
`

func TestADatabaseOfEachSchemaIsOpenedAndUsed(t *testing.T) {
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= len(steps); n++ {
		t.Run(fmt.Sprint("schema ", n), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "old.db")
			db := raw(t, path)
			for _, step := range steps[:n] {
				run(t, db, step)
			}
			run(t, db, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, n))
			run(t, db, firstSchemaRows)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, path)
			defer closeStore(t, s)
			readsOldRows(t, s)
			usesOldDatabase(t, s)
			if a, err := s.Audit(t.Context(), true); err != nil || !a.OK() || a.Schema != len(steps) {
				t.Errorf("audit: %+v, %v, want nothing, and schema %d", a, err, len(steps))
			}
		})
	}
}

func readsOldRows(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	hits, err := s.Match(ctx, mem.Query{Terms: []string{"bucket"}, Project: "p_1"})
	if err != nil || len(hits) != 1 || hits[0].ID != "m_1" || hits[0].Session != "one" || hits[0].Uses != 2 {
		t.Errorf("search: %+v, %v, want m_1", hits, err)
	}
	ms, err := s.List(ctx, mem.Query{File: "gate/limit.go", Tags: []string{"limits"}})
	if err != nil || len(ms) != 1 {
		t.Errorf("%d memories of the file, %v, want 1", len(ms), err)
	}
	session, err := s.Session(ctx, "s_1")
	if err != nil || session.FirstPrompt != "add a limit" || !session.Injected["m_1"] {
		t.Errorf("session: %+v, %v", session, err)
	}
	turns, err := s.Turns(ctx, "one", 0)
	if err != nil || len(turns) != 1 || turns[0].Text != "add a limit" {
		t.Errorf("turns: %+v, %v", turns, err)
	}
	events, err := s.Events(ctx, mem.EventQuery{Session: "one"})
	if err != nil || len(events) != 1 || events[0].Text != "add a limit" {
		t.Errorf("events: %+v, %v", events, err)
	}
	checkpoints, err := s.Checkpoints(ctx, mem.CheckpointQuery{Session: "one"})
	if err != nil || len(checkpoints) != 1 {
		t.Errorf("%d checkpoints, %v, want 1", len(checkpoints), err)
	}
	receipts, err := s.Receipts(ctx, mem.ReceiptQuery{Memory: "m_1"})
	if err != nil || len(receipts) != 1 {
		t.Errorf("%d receipts, %v, want 1", len(receipts), err)
	}
	if pauses, err := s.Paused(ctx, storetest.Clock()); err != nil || len(pauses) != 1 {
		t.Errorf("%d pauses, %v, want 1", len(pauses), err)
	}
	if jobs, err := s.Jobs(ctx, "digest", 10); err != nil || len(jobs) != 1 {
		t.Errorf("%d jobs, %v, want 1", len(jobs), err)
	}
}

func usesOldDatabase(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	event := &mem.Event{ID: "e_2", Kind: mem.Stop, Session: "one", PromptID: "q1", At: storetest.Clock()}
	got := apply(t, s, mem.Batch{Event: event, Memories: []mem.Memory{
		{Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Fact, Title: "The bucket refills each second"},
		{Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Utterance, Title: "how big is the bucket?"},
	}, Edits: []mem.Edit{{ID: "m_1", Pinned: new(true)}}})
	if got[0].Seq != 2 || len(got[0].IDs) != 2 || got[0].IDs[0] != "m_2" {
		t.Errorf("applied: %+v, want event 2 and memory m_2", got[0])
	}
	for kind, want := range map[mem.Kind]int{mem.Utterance: 1, mem.Decision: 1, mem.Fact: 1} {
		hits, err := s.Match(ctx, mem.Query{Terms: []string{"bucket"}, Kinds: []mem.Kind{kind}})
		if err != nil || len(hits) != want {
			t.Errorf("%d hits of kind %s, %v, want %d", len(hits), kind, err, want)
		}
	}
	again := apply(t, s, mem.Batch{Event: &mem.Event{ID: "e_1", Kind: mem.UserPromptSubmit, Session: "one"}})
	if !again[0].Duplicate || again[0].Seq != 1 {
		t.Errorf("an event that was stored: %+v, want a duplicate of 1", again[0])
	}
	if done, err := s.Purge(ctx, "m_1"); err != nil || done.Memories != 1 {
		t.Errorf("purge: %+v, %v, want one memory", done, err)
	}
	if hits, err := s.Match(ctx, mem.Query{Terms: []string{"bursts"}}); err != nil || len(hits) != 0 {
		t.Errorf("%d hits of the purged memory, %v", len(hits), err)
	}
}
