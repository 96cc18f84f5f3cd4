//go:build fire

package privacy

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/store/sqlite"
	"remanence/test/canary"
	"remanence/test/tier"
	"remanence/test/world"
)

// Words that stand in the secrets of this file and must be found nowhere.
const (
	keyWord   = "QzCanaryKey7"
	tokenWord = "QzCanaryTok8"
	passWord  = "qzmoonlight"
)

// keyLines are the lines of a key with keyWord in each long one.
func keyLines(r *rand.Rand) []string {
	lines := canary.Key(r)
	for i, l := range lines {
		if len(l) == 64 {
			lines[i] = l[:24] + keyWord + l[24+len(keyWord):]
		}
	}
	return lines
}

// secrets are the values that are put into each field, by family.
func secrets(r *rand.Rand) map[string]any {
	key := keyLines(r)
	lines, blocks := make([]any, len(key)), make([]any, len(key))
	for i, l := range key {
		lines[i], blocks[i] = "+"+l, map[string]any{"type": "text", "text": l}
	}
	return map[string]any{
		"key":      strings.Join(key, "\n"),
		"body":     strings.Join(key[2:5], "\n"),
		"diff":     "+" + strings.Join(key[2:5], "\n+"),
		"token":    "ghp_" + tokenWord + "aB3dE5gH7jK9mN1pQ3sT5uV7",
		"password": "password: Winter." + passWord + "4711",
		"flag":     "deploy --password Winter." + passWord + "4711",
		"lines":    lines,
		"blocks":   blocks,
	}
}

// inside puts a text in the middle of what stood in the field.
func inside(payload []byte, at leaf, text string) string {
	var v any
	_ = json.Unmarshal(payload, &v) // it was marshalled
	for _, step := range at {
		switch n := v.(type) {
		case map[string]any:
			v = n[step.(string)]
		case []any:
			v = n[step.(int)]
		}
	}
	was, _ := v.(string)
	return was + "\n" + text + "\n" + was
}

// columns lists the columns of a database in which one of the words stands, as their values are read.
func columns(t *testing.T, file string, words ...string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var places [][2]string
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = ` +
		`'table' AND c.name <> ''`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p [2]string
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	if err := rows.Err(); err != nil || len(places) < 100 {
		t.Fatalf("%d columns, %v", len(places), err)
	}
	var found []string
	for _, p := range places {
		for _, w := range words {
			var n int
			var one sql.NullString
			query := fmt.Sprintf(`SELECT count(*), max(substr(CAST(%q AS TEXT), 1, 400)) FROM %q WHERE instr(lower(CAST(%q `+
				`AS TEXT)), ?) > 0`, p[1], p[0], p[1])
			if err := db.QueryRow(query, strings.ToLower(w)).Scan(&n, &one); err != nil {
				continue // a table of the full-text index that cannot be read so
			}
			if n > 0 {
				found = append(found, fmt.Sprintf("%s.%s: %s in %d rows: %q", p[0], p[1], w, n, one.String))
			}
		}
	}
	return found
}

// A secret of each family, in place of and inside every text of every recorded event, is in no column and no file.
func TestNoSecretIsKeptFromAnyField(t *testing.T) {
	r := tier.Rand(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "remanence.db")
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	c := newChain(t, st)
	all, n := fields(t, world.NewPerson(t)), 0
	for i, f := range all {
		for family, value := range secrets(r) {
			n++
			c.say(planted(t, f.payload, f.at, value), n)
			if text, ok := value.(string); ok && (tier.IsLong() || (i+len(family))%3 == 0) {
				n++
				c.say(planted(t, f.payload, f.at, inside(f.payload, f.at, text)), n)
			}
		}
	}
	if c.kept < n/2 {
		t.Errorf("%d of %d payloads were kept: this proves little", c.kept, n)
	}
	for _, f := range columns(t, file, keyWord, tokenWord, passWord) {
		t.Error(f)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range remains(t, dir, keyWord, tokenWord, passWord) {
		t.Errorf("left in %s", f)
	}
	for _, e := range c.events { // what a spool would get
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{keyWord, tokenWord, passWord} {
			if at := strings.Index(string(b), w); at >= 0 {
				t.Errorf("%s left the hook: %s", e.Kind, b[max(0, at-200):min(len(b), at+200)])
			}
		}
	}
	t.Logf("%d payloads, %d kept", n, c.kept)
}

// Secrets around the events: the branch, the directory, the record of the client; into spool, store, archive and log.
func TestNoSecretIsKeptFromMetadata(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	values := secrets(r)
	branch := "fix-" + values["token"].(string)
	head := filepath.Join(p.Project, ".git", "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/"+branch+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tape := filepath.Join(p.Home, "tape.jsonl")
	t.Cleanup(func() { _ = os.Remove(tape) })
	said := map[string]any{"transcript_path": tape, "session_id": "seen", "prompt": "the till sends receipts by snailmail"}
	patch := map[string]any{
		"filePath": filepath.Join(p.Project, "a.txt"), "newString": values["key"],
		"structuredPatch": []any{map[string]any{"lines": values["lines"]}},
	}
	p.Hook(p.Payload("UserPromptSubmit", said)) // spooled
	p.StartWorker()
	p.Hook(p.Payload("PostToolUse.Edit", map[string]any{
		"session_id": "seen", "tool_response": patch,
		"tool_input": map[string]any{"file_path": "a.txt", "old_string": "", "new_string": values["key"]},
	}))
	for _, text := range []string{
		values["key"].(string), values["body"].(string), values["password"].(string),
		values["token"].(string),
	} {
		p.Hook(p.Payload("UserPromptSubmit", map[string]any{
			"session_id": "seen", "transcript_path": tape,
			"prompt": "remember this: " + text,
		}))
		p.Hook(p.Payload("PostToolUseFailure", map[string]any{
			"session_id": "seen", "error": "Exit code 1\n" + text,
			"tool_use_id": fmt.Sprint("t", len(text)),
		}))
		p.Hook(p.Payload("Stop", map[string]any{
			"session_id": "seen", "transcript_path": tape,
			"last_assistant_message": "I decided to use " + text,
		}))
	}
	other := p.Project + "-" + values["token"].(string)
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := p.HookCommand(p.Payload("SessionStart.startup", map[string]any{"cwd": other, "session_id": "moved"}))
	cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+other)
	p.Await(cmd)
	none(t, p, keyWord, tokenWord, passWord)
	p.StopWorker()
	none(t, p, keyWord, tokenWord, passWord)
	for _, f := range columns(t, filepath.Join(p.Data(), "remanence.db"), keyWord, tokenWord, passWord) {
		t.Error(f)
	}
}

// What an older version wrote in clear is found by scan and doctor, and is gone after the fix.
func TestScanRedactsStoredText(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	values := secrets(r)
	p.StartWorker()
	p.Hook(p.Payload("UserPromptSubmit", map[string]any{
		"prompt":     "the till sends receipts by snailmail",
		"session_id": "seen",
	}))
	p.Run("add", "the till sends receipts by snailmail")
	p.StopWorker()
	file := filepath.Join(p.Data(), "remanence.db")
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(map[string]any{
		"tool":     "Edit",
		"response": map[string]any{"structuredPatch": []any{map[string]any{"lines": values["lines"]}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for query, arg := range map[string]any{
		"UPDATE event SET payload = ?":  string(payload),
		"UPDATE memory SET branch = ?":  "fix-" + values["token"].(string),
		"UPDATE project SET branch = ?": "fix-" + values["token"].(string),
		"UPDATE memory SET title = ?, body = 'x'": "Command failed: " + strings.ReplaceAll(values["body"].(string), "\n",
			" "),
		"UPDATE turn SET text = ?": values["flag"],
	} {
		if _, err := db.Exec(query, arg); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	words := []string{keyWord, tokenWord, passWord}
	scan := func(args ...string) string {
		// its status says what was found
		out, _ := p.Command(append([]string{"privacy", "scan"}, args...)...).CombinedOutput()
		return string(out)
	}
	before := scan()
	for _, want := range []string{"events", "memories", "projects", "prompts", "private-key", "github-pat", "password"} {
		if !strings.Contains(before, want) {
			t.Errorf("scan names no %s:\n%s", want, before)
		}
	}
	doctor := func() string {
		out, _ := p.Command("doctor").CombinedOutput()
		return string(out)
	}
	if got := doctor(); !strings.Contains(got, "private-key in events") {
		t.Errorf("doctor does not find it:\n%s", got)
	}
	fixed := scan("--fix", "--yes")
	if !strings.Contains(fixed, "Taken out for good, in ") {
		t.Errorf("fix says:\n%s", fixed)
	}
	if after := scan(); !strings.Contains(after, "No secret and no private span") {
		t.Errorf("afterwards scan says:\n%s", after)
	}
	if got := doctor(); strings.Contains(got, "private-key in") {
		t.Errorf("afterwards doctor says:\n%s", got)
	}
	p.StopWorker()
	for _, f := range append(columns(t, file, words...), remains(t, p.Home, words...)...) {
		t.Errorf("left in %s", f)
	}
}
