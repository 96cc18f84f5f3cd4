package foreign_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/foreign"
	"remanence/internal/mem"
)

// lay writes a file below a directory.
func lay(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, name, text string) api.ExportedMemories {
	t.Helper()
	got, err := foreign.Read(t.Context(), name, bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func readFolder(t *testing.T, dir string) api.ExportedMemories {
	t.Helper()
	got, err := foreign.Read(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// texts are the kinds, titles and bodies of memories.
func texts(ms []mem.Memory) (out []string) {
	for _, m := range ms {
		out = append(out, strings.TrimSuffix(string(m.Kind)+": "+m.Title+" | "+m.Body, " | "))
	}
	return out
}

func wantTexts(t *testing.T, got []mem.Memory, want ...string) {
	t.Helper()
	if all := texts(got); !slices.Equal(all, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(all, "\n  "), strings.Join(want, "\n  "))
	}
}

const surrealDump = `-- ------------------------------
-- OPTION
-- ------------------------------

OPTION IMPORT;

-- TABLE: memory
DEFINE TABLE memory TYPE ANY SCHEMALESS PERMISSIONS NONE;
DEFINE FIELD scope ON memory TYPE string ASSERT $value IN ['session; or', 'project'];
DEFINE FUNCTION fn::touch($id: record) { UPDATE $id SET seen = time::now(); RETURN "{"; };

-- TABLE DATA: memory
INSERT [ { content: 'Prices are integers in cents; it\'s a rule: {always}', created_at: d'2026-03-04T05:06:07Z',
  id: memory:0f3k2, importance: 0.8f, metadata: { file_path: '/home/x/shop/pay.go', tool: NONE }, project: 'shop',
  resolved: true, scope: 'project', session_id: 's-1', tags: ['decision', 'auto-captured'] },
  { content: 'Command failed (exit 2): make \u{2014} missing file', id: memory:⟨a-b⟩, metadata: { command: 'make',
  exit_code: 2 }, project: 'shop', scope: 'session', tags: ['command-outcome'], took: 1h30m } ];
INSERT [ { content: 'cut', id: memory:u'018f', tags: ['compaction-snapshot'] } ];
INSERT RELATION [ { id: relates:1, in: memory:0f3k2, out: memory:⟨a-b⟩ } ];
UPDATE memory:old CONTENT { content: "The batch times out", id: memory:old, tags: ["todo"], resolved: false };
INSERT [ { id: entity:go, name: 'go' } ];
`

func TestADumpOfTheSurrealDBPluginIsRead(t *testing.T) {
	got := readText(t, "dump.surql", surrealDump)
	wantTexts(t, got.Memories, "decision:  | Prices are integers in cents; it's a rule: {always}",
		":  | Command failed (exit 2): make — missing file", "todo:  | The batch times out")
	m := got.Memories[0]
	if m.Project != "shop" || !m.Created.Equal(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) ||
		!slices.Equal(m.Files, []string{"/home/x/shop/pay.go"}) || got.Memories[1].Command != "make" {
		t.Errorf("got %+v", got.Memories)
	}
	var dropped []string
	for _, d := range got.Dropped() {
		dropped = append(dropped, d.What)
	}
	for _, want := range []string{"rows of entity", "rows of relates", "record of a compaction"} {
		if !slices.Contains(dropped, want) {
			t.Errorf("not named: %s; only %q", want, dropped)
		}
	}
	rows := readText(t, "rows.json", `[{"status":"OK","time":"1ms","result":[{"id":"memory:1","content":"one"},`+
		`{"id":"memory:2","content":"two"}]},{"status":"OK","result":[{"content":"three"}]}]`)
	wantTexts(t, rows.Memories, ":  | one", ":  | two", ":  | three")
	for name, bad := range map[string]string{
		"a text without an end":  `INSERT [ { content: 'one } ];`,
		"an object without end":  `INSERT [ { content: 'one'`,
		"a key without a value":  `INSERT [ { content } ];`,
		"a function in a row":    `INSERT [ { at: (1 + 2) } ];`,
		"values that are nested": "INSERT " + strings.Repeat("[", 100),
		"ids that are nested":    "CREATE " + strings.Repeat("a:", 100) + "a;",
	} {
		if got, err := foreign.Read(t.Context(), "x.surql", strings.NewReader(bad)); err == nil {
			t.Errorf("%s: read as %q", name, texts(got.Memories))
		} else if !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzSurrealQL(f *testing.F) {
	f.Add(surrealDump)
	f.Add("INSERT INTO x {a:`b`:1}")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = foreign.Read(t.Context(), "x.surql", strings.NewReader(text)) // ends, without a panic
	})
}

const brewing = `---
title: Coffee Brewing
type: note
tags: [coffee, brewing]
permalink: coffee-brewing
created: 2025-03-04
---

# Coffee Brewing

We brew in the kitchen.

## Observations
- [method] Pour over gives more clarity #taste
- [decision] Use the burr grinder (measured twice)
- [ ] buy beans
- [x] clean the pot

## Relations
- relates_to [[Coffee Beans]]
- is part of [[Kitchen]] (upstairs)
- The [[Grinder]] is never cleaned with water: the burrs rust
`

func TestNotesOfBasicMemoryAreRead(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, "kitchen/Coffee Brewing.md", brewing)
	lay(t, dir, "plain.md", "Only text.\n\n## Ovens\nThe left one is hot.\n\n## Empty\n")
	lay(t, dir, ".obsidian/x.md", "hidden")
	lay(t, dir, "CLAUDE.md", "- always be brief")
	lay(t, dir, "big.md", strings.Repeat("a", 2<<20))
	lay(t, dir, "bytes.md", "\xff\xfe")
	got := readFolder(t, dir)
	wantTexts(t, got.Memories,
		"howto:  | Pour over gives more clarity #taste", "decision:  | Use the burr grinder (measured twice)",
		"fact: Coffee Brewing | We brew in the kitchen.",
		"fact: Coffee Brewing: Observations | - [ ] buy beans\n- [x] clean the pot",
		"fact: Coffee Brewing: Relations | - The [[Grinder]] is never cleaned with water: the burrs rust",
		"fact: plain | Only text.", "fact: plain: Ovens | The left one is hot.")
	m := got.Memories[0]
	if !slices.Equal(m.Tags, []string{"coffee", "brewing", "taste"}) || m.Created.Year() != 2025 ||
		!slices.Equal(m.Concepts, []string{"Coffee Brewing", "Coffee Beans", "Kitchen", "Grinder"}) {
		t.Errorf("got %+v", m)
	}
	if n := len(got.Dropped()); n != 3 {
		t.Errorf("got %d that are left out, want 3: %+v", n, got.Dropped())
	}
	if one := readText(t, "Coffee Brewing.md", brewing); len(one.Memories) != 5 {
		t.Errorf("one note alone: %q", texts(one.Memories))
	}
}

func TestClaudeCodesOwnMemoryIsOfTheProjectOfItsFolder(t *testing.T) {
	base := t.TempDir()
	repo := filepath.Join(base, "my.repos", "web-shop")
	if err := os.MkdirAll(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	dashed := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(repo)
	projects := filepath.Join(base, ".claude", "projects")
	lay(t, projects, dashed+"/memory/MEMORY.md", "- [Tabs](tabs.md) — tabs only\n\n## Notes\nThe till closes at six.\n")
	lay(t, projects, dashed+"/memory/tabs.md", "---\nname: tabs\ndescription: Tabs, not spaces\nmetadata:\n  "+
		"type: feedback\n---\nBecause of gofmt.\n")
	lay(t, projects, "-gone-away-api/memory/MEMORY.md", "The API has two versions.")
	got := readFolder(t, filepath.Join(base, ".claude"))
	wantTexts(t, got.Memories, "fact: MEMORY | The API has two versions.", "fact: MEMORY: Notes | The till closes at six.",
		"convention: Tabs, not spaces | Because of gofmt.")
	if p := got.Memories[0].Project; p != "api" {
		t.Errorf("of a directory that is gone: project %q", p)
	}
	if m := got.Memories[2]; m.Project != "web-shop" || !slices.Equal(got.Dirs["web-shop"], []string{repo}) {
		t.Errorf("project %q in %v", m.Project, got.Dirs)
	}
}

func TestASingleNoteIsReadLikeThoseOfAFolder(t *testing.T) {
	base := filepath.Join(t.TempDir(), "projects")
	lay(t, base, ".claude/projects/-gone-away-api/memory/v2.md", "The API has two versions.")
	file := filepath.Join(base, ".claude/projects/-gone-away-api/memory/v2.md")
	changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if err := os.Chtimes(file, changed, changed); err != nil {
		t.Fatal(err)
	}
	for _, got := range []api.ExportedMemories{
		readText(t, file, "The API has two versions."), readFolder(t, filepath.Join(base, ".claude")),
	} {
		if m := got.Memories[0]; m.Project != "api" || !m.Created.Equal(changed) {
			t.Errorf("got project %q, time %s", m.Project, m.Created)
		}
	}
	for name, text := range map[string]string{"too long": strings.Repeat("a", 2<<20), "no text": "\xff\xfe"} {
		if got, err := foreign.Read(t.Context(), "x.md", strings.NewReader(text)); err == nil {
			t.Errorf("%s: read as %d memories", name, len(got.Memories))
		}
	}
}

func TestAVaultIsReadWithoutItsPages(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, "IDENTITY.md", "I am careful.")
	lay(t, dir, "MEMORY.md", "- [x](memory/cents.md)")
	lay(t, dir, "memory/cents.md", "---\ndescription: Money is integer cents\ntype: decision\nprojects: [shop]\n---\n"+
		"Rounded once.\n")
	lay(t, dir, "memory/tabs.md", "---\ndescription: Tabs\ntype: preference\n---\n")
	lay(t, dir, "memory/old.md", "---\ndescription: Old\nstatus: forgotten\n---\n")
	got := readFolder(t, dir)
	wantTexts(t, got.Memories, "decision: Money is integer cents | Rounded once.", "preference: Tabs")
	if a, b := got.Memories[0], got.Memories[1]; a.Project != "shop" || a.Scope != "" || b.Scope != mem.ScopeUser {
		t.Errorf("got %+v", got.Memories)
	}
}

func TestStateFilesAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	lay(t, dir, ".mind/STATE.md", "# State\n\n## Current Phase\nBuilding the till\n\n## Blockers\n- no printer\n")
	lay(t, dir, ".mind/DECISIONS.md", "# Decisions\n\n## 2026-01-02: Cents\nMoney is stored as integer cents.\n")
	for _, at := range []string{dir, filepath.Join(dir, ".mind")} {
		got := readFolder(t, at)
		all := strings.Join(texts(got.Memories), "\n")
		if !strings.Contains(all, "integer cents") || !strings.Contains(all, "no printer") ||
			got.Memories[0].Project != "shop" || !slices.Equal(got.Dirs["shop"], []string{dir}) {
			t.Errorf("of %s: %s, %v", at, all, got.Dirs)
		}
	}
}
