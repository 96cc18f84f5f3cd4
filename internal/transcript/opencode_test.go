package transcript_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home)
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

// A database with a log is read while OpenCode has it open, and nothing is left beside one that is closed.
func TestReadingOpenCodesDatabaseChangesNothing(t *testing.T) {
	home := homeOfOpenCode(t, "PRAGMA journal_mode=WAL")
	dir := filepath.Join(home, ".local", "share", "opencode")
	names := func() (out []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	if got := names(); !slices.Equal(got, []string{"opencode.db"}) {
		t.Fatalf("closed, there are %v", got)
	}
	if files, _ := eventsOfOpenCode(t, home); len(files) != 1 {
		t.Errorf("listed %v", files)
	}
	if got := names(); !slices.Equal(got, []string{"opencode.db"}) {
		t.Errorf("reading left %v", got)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE session SET directory = '/home/dev/other'"); err != nil {
		t.Fatal(err)
	}
	if files, _ := eventsOfOpenCode(t, home); len(files) != 1 || files[0].Cwd != "/home/dev/other" {
		t.Errorf("while it is open: listed %v, want what is in the log", files)
	}
}

// A part that is too long for a line is left out; of a session that is too long the beginning is read.
func TestASessionOfOpenCodeIsReadUpToABound(t *testing.T) {
	const row = "'ses_df53218d1ffetiSBFaCGk3J1SU', 1795477614930, 1795477614930, "
	text := func(n int) string {
		return `'{"type":"text","text":"' || printf('%.*c', ` + strconv.Itoa(n) + `, 'x') || '"}'`
	}
	home := homeOfOpenCode(t,
		"INSERT INTO message VALUES ('msg_zz', "+row+`'{"role":"assistant","finish":"stop"}')`,
		"INSERT INTO part VALUES ('prt_zz', 'msg_zz', "+row+text(transcript.MaxLine)+")",
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 70)
			INSERT INTO part SELECT 'prt_zz' || i, 'msg_zz', `+row+text(transcript.MaxLine-1000)+` FROM n`,
	)
	files, events := eventsOfOpenCode(t, home)
	last := events[len(events)-1]
	if len(files) != 1 || last.Kind != mem.Stop || len(last.Text) > transcript.MaxRead {
		t.Errorf("%d sessions; %s with %d bytes", len(files), last.Kind, len(last.Text))
	}
	part, err := transcript.Tail(files[0].Path, 1000, func(s string) string { return s })
	if err != nil || part.Bad != 0 || part.Next > transcript.MaxRead+transcript.MaxLine {
		t.Errorf("%d bytes with %d bad lines, %v", part.Next, part.Bad, err)
	}
}

func TestADatabaseThatIsNotOpenCodesHasNoSessions(t *testing.T) {
	home := homeOfOpenCode(t, "DROP TABLE part")
	if files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home); err != nil || len(files) != 0 {
		t.Errorf("listed %v, %v; want none", files, err)
	}
	file := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	if err := os.WriteFile(file, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home); err != nil || len(files) != 0 {
		t.Errorf("of a broken file: %v, %v; want none", files, err)
	}
}
