package transcript_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/transcript"
)

// homeOfOpenCode is a home directory with the recorded database of OpenCode, to which statements are added.
func homeOfOpenCode(t *testing.T, statements ...string) string {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	f, err := os.Open(filepath.Join("testdata", "opencode-db.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Table, SQL string
			Row        map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.SQL != "" {
			do(l.SQL)
			continue
		}
		var names, marks []string
		var values []any
		for name, v := range l.Row {
			if data, ok := v.(map[string]any); ok {
				b, err := json.Marshal(data)
				if err != nil {
					t.Fatal(err)
				}
				v = string(b)
			}
			names, marks, values = append(names, "`"+name+"`"), append(marks, "?"), append(values, v)
		}
		do("INSERT INTO `"+l.Table+"` ("+strings.Join(names, ",")+") VALUES ("+strings.Join(marks, ",")+")", values...)
	}
	for _, s := range statements {
		do(s)
	}
	return home
}

// eventsOfOpenCode lists the sessions of OpenCode in a home directory, and reads the events of the first.
func eventsOfOpenCode(t *testing.T, home string) (files []mem.TranscriptFile, events []mem.Event) {
	t.Helper()
	files, err := transcript.List(filepath.Join(home, "none"), home)
	if err != nil || len(files) == 0 {
		t.Fatalf("listed %v, %v; want sessions", files, err)
	}
	p := transcript.Past{
		Redact: func(s string) string { return s }, JSON: func(b []byte) json.RawMessage { return b }, Unnumbered: true,
	}
	at := mem.TranscriptPosition{Session: files[0].Session}
	_, err = p.Read(t.Context(), files[0].Path, at, files[0].Ended.Add(time.Hour), func(e mem.Event) error {
		events = append(events, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, events
}

func TestASessionOfOpenCodeIsReadFromItsDatabase(t *testing.T) {
	files, events := eventsOfOpenCode(t, homeOfOpenCode(t))
	f := files[0]
	if len(files) != 1 || f.Agent != "opencode" || f.Session != "ses_df53218d1ffetiSBFaCGk3J1SU" ||
		f.Cwd != "/home/dev/project" || f.Bytes < 1000 || f.Began.Year() != 2026 || !f.Ended.After(f.Began) {
		t.Errorf("listed %+v", files)
	}
	var got []string
	for _, e := range events {
		got = append(got, strings.TrimSpace(string(e.Kind)+" "+e.Tool+e.Text))
		if e.PromptID == "" || e.At.Before(f.Began) || e.At.After(f.Ended) {
			t.Errorf("%s has turn %q and time %v", e.Kind, e.PromptID, e.At)
		}
		if e.Kind == mem.PostToolUseFailure && e.Tool == "Bash" && !strings.HasPrefix(e.Error, "Exit code 3\n") {
			t.Errorf("failed command says %q", e.Error)
		}
		if e.Tool == "Write" && !strings.Contains(string(e.Input), `"file_path":"/home/dev/project/note.txt"`) {
			t.Errorf("file was written with %s", e.Input)
		}
	}
	want := []string{
		"UserPromptSubmit please do the basic thing", "PostToolUse Bash", "PostToolUse Write", "PostToolUseFailure Bash",
		"PostToolUseFailure Read", "PostToolUse mcp__bench__echo", "Stop FINAL-ANSWER: all done.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	part, err := transcript.Tail(f.Path, 1000, func(s string) string { return s })
	if err != nil || len(part.Said) == 0 || part.Said[0].Text != "please do the basic thing" ||
		!strings.HasSuffix(part.Said[len(part.Said)-1].Text, "FINAL-ANSWER: all done.") {
		t.Errorf("said %+v, %v", part.Said, err)
	}
}

// Sessions of subagents, what plugins add to a message, what a compaction writes and parts that are no JSON are left
// out.
func TestWhatNobodySaidInOpenCodeIsLeftOut(t *testing.T) {
	of := "'ses_df53218d1ffetiSBFaCGk3J1SU', 1795477614930, 1795477614930, "
	home := homeOfOpenCode(t,
		`INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
			VALUES ('ses_child', 'p', 'ses_df53218d1ffetiSBFaCGk3J1SU', 's', '/home/dev/project', 't', '1', 1, 2)`,
		`INSERT INTO message VALUES ('msg_child', 'ses_child', 1795477614930, 1795477614930, '{"role":"user"}')`,
		`INSERT INTO part VALUES ('prt_child', 'msg_child', 'ses_child', 1, 1, '{"type":"text","text":"of a subagent"}')`,
		`INSERT INTO message VALUES ('msg_z1', `+of+`'{"role":"user"}')`,
		`INSERT INTO part VALUES ('prt_z1', 'msg_z1', `+of+`'{"type":"text","text":"injected","synthetic":true}')`,
		`INSERT INTO part VALUES ('prt_z2', 'msg_z1', `+of+`'{"type":"te')`,
		`INSERT INTO message VALUES ('msg_z2', `+of+`'{"role":"assistant","summary":true,"finish":"stop"}')`,
		`INSERT INTO part VALUES ('prt_z3', 'msg_z2', `+of+`'{"type":"text","text":"summary of a compaction"}')`,
	)
	files, events := eventsOfOpenCode(t, home)
	if len(files) != 1 || len(events) != 7 {
		t.Errorf("%d sessions and %d events, want 1 and 7: %+v", len(files), len(events), events)
	}
}

func TestADatabaseThatIsNotOpenCodesHasNoSessions(t *testing.T) {
	home := homeOfOpenCode(t, "DROP TABLE part")
	if files, err := transcript.List(filepath.Join(home, "none"), home); err != nil || len(files) != 0 {
		t.Errorf("listed %v, %v; want none", files, err)
	}
	file := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	if err := os.WriteFile(file, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if files, err := transcript.List(filepath.Join(home, "none"), home); err != nil || len(files) != 0 {
		t.Errorf("of a broken file: %v, %v; want none", files, err)
	}
}
