package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// filled is a home whose store has rows of every table of an export.
func filled(t *testing.T) home {
	t.Helper()
	h := newHome(t)
	project := realTemp(t)
	t.Chdir(project)
	d, way := housedAt(t, h.env["HOME"])
	learn(t, d.Engine, time.Now(), project, "0b1c2d3e-4f50-4a61-8b72-93a4b5c6d7e8")
	at := mem.ProjectRef{Dir: project}
	add := func(req curate.AddRequest) string {
		t.Helper()
		req.ProjectRef = at
		got, err := api.Add.Call(t.Context(), way, req)
		if err != nil {
			t.Fatal(err)
		}
		return got.ID
	}
	old := add(curate.AddRequest{Text: "hosts.yaml lists 3 hosts", Kind: mem.Fact, Files: []string{"hosts.yaml"}})
	add(curate.AddRequest{Text: "hosts.yaml lists 5 hosts", Kind: mem.Fact, Supersedes: old, Aliases: []string{"servers"}})
	hidden := add(curate.AddRequest{Text: "値段は整数のセントで保存する", Kind: mem.Convention, Tags: []string{"money"}})
	for verb, id := range map[string]string{"forget": hidden, "pin": old} {
		if _, err := api.Mark.Call(t.Context(), way, curate.MarkRequest{
			ProjectRef: at, Verb: verb, IDs: []string{id},
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := api.Feedback.Call(t.Context(), way, curate.FeedbackRequest{
		IDs: []string{old}, Verdict: curate.Useful,
	}); err != nil {
		t.Fatal(err)
	}
	list, err := d.Store.List(t.Context(), mem.Query{IDs: []string{old}, Hidden: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Apply(t.Context(), mem.Batch{Links: []mem.MemoryLinks{{
		Memory: old, Updated: list[0].Updated,
		Links:    []mem.Link{{From: old, To: hidden, Kind: mem.LinkRelatedTo, Confidence: 0.5}},
		Entities: []mem.NamedEntity{{Kind: mem.EntityFile, Name: "hosts.yaml", Confidence: 1}},
	}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.Consolidate.Call(t.Context(), way, curate.ConsolidateRequest{ProjectRef: at}); err != nil {
		t.Fatal(err)
	}
	if err := d.Store.Close(); err != nil {
		t.Fatal(err)
	}
	return h
}

// exported is the export of a home's store.
func (h home) exported(args ...string) string {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "all.jsonl")
	args = append([]string{"export", "--format", "jsonl", "-o", file, "--no-daemon"}, args...)
	if _, stderr, code := h.run(args...); code != 0 {
		h.t.Fatalf("%v: exit %d\n%s", args, code, stderr)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// imports takes over an export.
func (h home) imports(text string) (stdout, stderr string, code int) {
	h.t.Helper()
	file := filepath.Join(h.t.TempDir(), "all.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return h.run("import", file, "--no-daemon")
}

func TestAnExportTakenOverByAnEmptyStoreIsTheSame(t *testing.T) {
	was := filled(t)
	text := was.exported()
	for _, table := range []string{
		"project", "session", "turn", "event", "memory", "checkpoint", "receipt", "relation", "entity", "mention", "run",
		"change",
	} {
		if !strings.Contains(text, `{"table":"`+table+`"`) {
			t.Errorf("the export has no row of %s", table)
		}
	}
	now := newHome(t)
	if out, stderr, code := now.imports(text); code != 0 || !strings.HasPrefix(out, "Taken over: ") {
		t.Fatalf("exit %d\n%s%s", code, out, stderr)
	}
	sameLines(t, now.exported(), text)
	if _, stderr, code := now.imports(text); code != 0 {
		t.Fatalf("again: exit %d\n%s", code, stderr)
	}
	sameLines(t, now.exported(), text)
	find := func(h home) string {
		out, _, _ := h.run("search", "hosts", "--project", "all", "--ids", "--no-daemon")
		return out
	}
	if a, b := find(was), find(now); a != b || a == "" {
		t.Errorf("a search finds\n%s\nand found\n%s", b, a)
	}
}

// sameLines compares two exports line by line.
func sameLines(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%d lines, want %d", len(a), len(b))
	}
}

func TestAnExportIsAddedToWhatIsThere(t *testing.T) {
	was := filled(t)
	text := was.exported()
	now := newHome(t)
	if _, stderr, code := now.run("add", "we deploy on Fridays", "--no-daemon", "--project", "."); code != 0 {
		t.Fatal(stderr)
	}
	if _, stderr, code := now.imports(text); code != 0 {
		t.Fatal(stderr)
	}
	out, _, _ := now.run("show", "m_1", "--no-daemon")
	if !strings.Contains(out, "we deploy on Fridays") {
		t.Errorf("m_1 is not what it was:\n%s", out)
	}
	ids, _, _ := now.run("search", "hosts", "--project", "all", "--hidden", "--jsonl", "--no-daemon")
	byTitle := map[string]mem.Memory{}
	for line := range strings.Lines(ids) {
		var m mem.Memory
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		byTitle[m.Title] = m
	}
	if a, b := byTitle["hosts.yaml lists 5 hosts"].Supersedes, byTitle["hosts.yaml lists 3 hosts"].ID; a != b || a == "" {
		t.Errorf("the newer statement supersedes %q, want %q", a, b)
	}
	all := now.exported()
	if a, b := strings.Count(all, `{"table":"memory"`), strings.Count(text, `{"table":"memory"`); a != b+1 {
		t.Errorf("%d memories, want %d and the one", a, b)
	}
	if _, _, code := now.imports(text); code != 0 || len(now.exported()) != len(all) {
		t.Error("taking it over twice changed something")
	}
}

func TestAPartOfAFileIsNotTakenOver(t *testing.T) {
	text := filled(t).exported()
	lines := strings.SplitAfter(text, "\n")
	broken := strings.Join(lines[:len(lines)/2], "")
	for name, c := range map[string]struct{ text, want string }{
		"half a file":     {broken, "the last line is missing"},
		"a broken line":   {strings.Replace(text, `"table":"memory"`, `"table":`, 1), "is not JSON"},
		"a newer version": {strings.Replace(text, `"version":1`, `"version":99`, 1), "newer version"},
		"another table":   {strings.Replace(text, `"table":"memory"`, `"table":"sqlite_master"`, 1), "no table of an export"},
		"two files":       {text + text, "something follows the last line"},
		"no version":      {strings.Replace(text, `"version":1`, `"version":0`, 1), "not an export"},
		"a wrong count":   {strings.Replace(text, `{"rows":`, `{"rows":1`, 1), "counts"},
		"a wrong type":    {strings.Replace(text, `"importance":0`, `"importance":"x`, 1), "nothing was changed"},
	} {
		now := newHome(t)
		if _, stderr, code := now.run("add", "we deploy on Fridays", "--no-daemon", "--project", "."); code != 0 {
			t.Fatal(stderr)
		}
		before := now.exported()
		if _, stderr, code := now.imports(c.text); code == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d\n%s", name, code, stderr)
		}
		if now.exported() != before {
			t.Errorf("%s: something was taken over", name)
		}
	}
}

func TestAnExportHidesPathsAndSelects(t *testing.T) {
	h := filled(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if text := h.exported("--redact-paths"); strings.Contains(text, dir) || strings.Contains(text, h.env["HOME"]) {
		t.Error("a directory is in the export")
	}
	if text := h.exported("--since", "now"); strings.Contains(text, `{"table":"memory"`) {
		t.Error("memories of before are in the export")
	}
	if text := h.exported("--project", dir); !strings.Contains(text, `{"table":"memory"`) {
		t.Error("the project's memories are not in its export")
	}
	if _, stderr, code := h.run("export", "--format", "jsonl", "--project", "ferry", "--no-daemon"); code == 0 {
		t.Errorf("another project: exit 0\n%s", stderr)
	}
}

func TestAnImportIsRedacted(t *testing.T) {
	text := filled(t).exported()
	secret := "ghp_" + strings.Repeat("x7Qm", 9)
	now := newHome(t)
	text = strings.ReplaceAll(text, "hosts.yaml lists 5 hosts", "hosts.yaml has the token "+secret)
	_, stderr, code := now.imports(text)
	if code != 0 {
		t.Fatal(stderr)
	}
	b, err := os.ReadFile(filepath.Join(now.env["HOME"], ".local/share/remanence/remanence.db"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(secret)) || strings.Contains(now.exported(), secret) {
		t.Error("a secret was taken over")
	}
}

func TestTheSchemaOfAnExportNamesItsTables(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "export.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "export.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(filled(t).exported()) {
		var row struct{ Table string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Table != "" && !bytes.Contains(b, []byte(`"`+row.Table+`"`)) {
			t.Errorf("the schema has no table %s", row.Table)
		}
		if row.Table != "" && !bytes.Contains(page, []byte("`"+row.Table+"`")) {
			t.Errorf("docs/export.md has no table %s", row.Table)
		}
	}
}
