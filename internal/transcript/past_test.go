package transcript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/transcript"
)

func past() transcript.Past {
	return transcript.Past{
		Redact: same, JSON: func(b []byte) json.RawMessage { return b },
		Own: func(s string) bool { return strings.HasPrefix(s, "/remanence:") },
	}
}

var always = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// events reads a transcript from a position on and returns its events, one line each.
func events(t *testing.T, p transcript.Past, path string, since mem.TranscriptPosition, until time.Time) ([]string,
	mem.TranscriptPosition,
) {
	t.Helper()
	var out []string
	mark, err := p.Read(t.Context(), path, since, until, func(e mem.Event) error {
		out = append(out,
			strings.TrimSpace(strings.Join([]string{
				strings.TrimSuffix(string(e.Kind)+"/"+e.Source, "/"), e.Tool, e.Text, string(e.Input), string(e.Response),
				e.Error,
			}, " ")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, mark
}

func sessionOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		ID string `json:"sessionId"`
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

func TestATranscriptHasTheEventsThatItsHooksReported(t *testing.T) {
	for file, want := range map[string][]string{
		"basic-print": {
			"UserPromptSubmit  please do the basic thing",
			`PostToolUse Bash  {"command": "echo hello from bash; echo $DEMO_VAR"`,
			`PostToolUse Write  {"file_path": "/home/dev/project/a.txt"`,
			`PostToolUseFailure Bash  {"command": "echo oops >&2; exit 3", "description": "fail"}  Exit code 3`,
			`PostToolUse Read  {"file_path": "/home/dev/project/a.txt"}`,
			`PostToolUse Edit`,
			"Stop  All done.",
		},
		"compact-then-clear.session1": {
			"UserPromptSubmit  first prompt", `PostToolUse Bash  {"command": "echo ORIGINAL-OUTPUT"`, "Stop  Answer after tool.",
			"UserPromptSubmit  after compact", "Stop  Answer three.",
		},
		"main-with-background-subagent": {
			"UserPromptSubmit  the user prompt text", "PostToolUse Bash", "PostToolUseFailure Bash", "PostToolUse Agent",
			"Stop  Finished main after stop-context.", "UserPromptSubmit  <task-notification>", "Stop  third",
		},
		"tui-resume": {
			"UserPromptSubmit  hello three", "Stop  TUI answer one UNIQ1.", "UserPromptSubmit  after resume",
			"Stop  TUI answer two UNIQ2.",
		},
		"subagent-agent-a988c051f26d30663": nil,
	} {
		path := filepath.Join("testdata", file+".jsonl")
		got, mark := events(t, past(), path, mem.TranscriptPosition{Session: sessionOf(t, path)}, always)
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if again, _ := events(t, past(), path, mark, always); len(want) > 0 &&
			(len(again) == 0 || !strings.HasPrefix(again[0], "UserPromptSubmit") ||
				!slices.Equal(again, got[len(got)-len(again):])) {
			t.Errorf("%s: from the position on: got %q, want the last turn", file, again)
		}
		if other, _ := events(t, past(), path, mem.TranscriptPosition{Session: "another"}, always); len(other) > 0 {
			t.Errorf("%s: got %q of another session", file, other)
		}
	}
}

// asked and called are lines of a record.
func asked(id, at, text string) string {
	return fmt.Sprintf(`{"type":"user","promptId":%q,"timestamp":%q,"message":{"content":%q}}`, id, at, text)
}

func called(id, at, tool, denial string) string {
	call := fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":"m%s","stop_reason":"tool_use",`+
		`"content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"ls"}}]}}`, at, tool, tool)
	result := fmt.Sprintf(`{"type":"user","promptId":%q,"timestamp":%q,"toolDenialKind":%q,`+
		`"toolUseResult":{"stdout":""},"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":""}]}}`, id, at,
		denial, tool)
	return call + "\n" + result
}

func answered(at, text string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":%q,"stop_reason":"end_turn",`+
		`"content":[{"type":"text","text":%q}]}}`, at, "m"+text, text)
}

func written(t *testing.T, lines ...string) string {
	t.Helper()
	return put(t, filepath.Join(t.TempDir(), "s.jsonl"), strings.Join(lines, "\n")+"\n")
}

const (
	noon  = "2026-11-20T12:00:00Z"
	after = "2026-11-20T12:05:00Z"
)

func TestATranscriptHasNoEventsThatNoHookReports(t *testing.T) {
	path := written(t,
		asked("p1", noon, "look"),
		called("p1", noon, "t1", "userRejected"),
		`{"type":"assistant","timestamp":"`+noon+
			`","message":{"id":"mx","content":[{"type":"tool_use","id":"t2","name":"Edit","input":{}}]}}`,
		`{"type":"user","promptId":"p1","timestamp":"`+noon+
			`","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"<tool_use_error>no `+
			`such string</tool_use_error>"}]}}`,
		`{"type":"user","promptId":"p1","timestamp":"`+noon+`","isSidechain":true,"message":{"content":"aside"}}`,
		`{"type":"api-request-blob","message":{"role":"user","content":"a copy"}}`,
		`{"type":"attachment","attachment":{"type":"hook_additional_context","content":["told"]}}`,
		`{"type":"something-new","promptId":"p9","message":{"content":"x"}}`,
		`{"type":"user","timestamp":"`+noon+`","message":{"content":"of no turn"}}`,
		asked("p2", noon, "<command-name>/compact</command-name>"),
		asked("p2", noon, "<local-command-stdout>Compacted</local-command-stdout>"),
		asked("p3", noon, "Stop hook feedback: go on"),
		`not json at all`,
		`{"type":"assistant","timestamp":"`+noon+
			`","message":{"id":"m9","model":"<synthetic>","stop_reason":"end_turn","content":[{"type":"text","text":"API `+
			`error"}]}}`,
	)
	if got, _ := events(t, past(), path, mem.TranscriptPosition{}, always); !slices.Equal(got,
		[]string{"UserPromptSubmit  look"}) {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsTooYoungWaitsWithItsTurn(t *testing.T) {
	path := written(t, asked("p1", noon, "one"), answered(noon, "done one"), asked("p2", noon, "two"),
		called("p2", noon, "t1", ""), called("p2", after, "t2", ""), answered(after, "done two"))
	until, _ := time.Parse(time.RFC3339, "2026-11-20T12:01:00Z")
	got, mark := events(t, past(), path, mem.TranscriptPosition{}, until)
	if want := []string{
		"UserPromptSubmit  one", "Stop  done one", "UserPromptSubmit  two",
		"PostToolUse Bash",
	}; !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
	got, _ = events(t, past(), path, mark, always)
	if want := []string{
		"UserPromptSubmit  two", "PostToolUse Bash", "PostToolUse Bash",
		"Stop  done two",
	}; !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("then got %q, want %q", got, want)
	}
}

func TestARecordThatIsAnotherIsReadFromItsBeginning(t *testing.T) {
	path := written(t, asked("p1", noon, "one"), answered(noon, "done one"), asked("p2", noon, "two"))
	_, mark := events(t, past(), path, mem.TranscriptPosition{}, always)
	for name, lines := range map[string][]string{
		"shorter":  {asked("p5", noon, "five")},
		"replaced": {asked("p5", noon, "five"), answered(noon, strings.Repeat("long ", 100)), asked("p6", noon, "six")},
	} {
		put(t, path, strings.Join(lines, "\n")+"\n")
		if got, _ := events(t, past(), path, mark, always); len(got) == 0 || got[0] != "UserPromptSubmit  five" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got, now := events(t, past(), path+".gone", mark, always); len(got) > 0 || now != mark {
		t.Errorf("one that does not exist: got %q, mark %+v", got, now)
	}
}

func TestAGiantLineAndACutOneCostOnlyThemselves(t *testing.T) {
	path := written(t, asked("p1", noon, "one"), asked("p1", noon, strings.Repeat("x", transcript.MaxLine)),
		called("p1", noon, "t1", ""), answered(noon, "done"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(asked("p2", noon, "cut off")[:60]); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := events(t, past(), path, mem.TranscriptPosition{}, always)
	if want := []string{"UserPromptSubmit  one", "PostToolUse Bash", "Stop  done"}; !slices.EqualFunc(got, want,
		strings.HasPrefix) {
		t.Errorf("got %d events, want %q", len(got), want)
	}
}

func TestNothingIsReadWithoutARedactor(t *testing.T) {
	path := written(t, asked("p1", noon, "one"))
	for _, p := range []transcript.Past{{}, {Redact: same}, {JSON: past().JSON}} {
		if _, err := p.Read(t.Context(), path, mem.TranscriptPosition{}, always, func(mem.Event) error {
			t.Error("events were read without a redactor")
			return nil
		}); err == nil {
			t.Error("no error")
		}
	}
}

// Who is cut off goes on where he was, not from the beginning.
func TestAReadingThatWasCutOffGoesOn(t *testing.T) {
	path := written(t, asked("p1", noon, "one"), answered(noon, "done one"), asked("p2", noon, "two"),
		answered(noon, "done two"))
	ctx, stop := context.WithCancel(t.Context())
	enough := errors.New("enough")
	mark, err := past().Read(ctx, path, mem.TranscriptPosition{}, always, func(e mem.Event) error {
		if e.Text == "two" {
			stop()
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || mark.To == 0 {
		t.Fatalf("mark %+v, %v", mark, err)
	}
	if got, _ := events(t, past(), path, mark, always); len(got) != 2 || got[0] != "UserPromptSubmit  two" {
		t.Errorf("then got %q", got)
	}
}

// A subagent's record lies in a folder beside that of its session.
func TestCallsOfSubagentsAreReadFromTheirOwnTranscripts(t *testing.T) {
	dir := t.TempDir()
	lay := func(name string, from ...string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		var text []byte
		for _, f := range from {
			b, err := os.ReadFile(filepath.Join("testdata", f))
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, b...)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		return put(t, path, string(text))
	}
	record := lay("s.jsonl", "main-with-background-subagent.jsonl")
	agent := lay("s/subagents/agent-a988c051f26d30663.jsonl", "subagent-agent-a988c051f26d30663.jsonl")
	lay("s/subagents/agent-other.jsonl", "subagent-agent-a988c051f26d30663.jsonl") // not its own record
	lay("s/subagents/notes.jsonl", "subagent-agent-a988c051f26d30663.jsonl")
	put(t, strings.TrimSuffix(agent, ".jsonl")+".meta.json", `{"agentType":"Explore"}`)
	read := func(since mem.TranscriptPosition, until time.Time) (inside []mem.Event, mark mem.TranscriptPosition) {
		t.Helper()
		mark, err := past().Read(t.Context(), record, since, until, func(e mem.Event) error {
			if e.AgentID != "" {
				inside = append(inside, e)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return inside, mark
	}
	since := mem.TranscriptPosition{Session: sessionOf(t, record)}
	inside, mark := read(since, always)
	if len(inside) != 1 || inside[0].Kind != mem.PostToolUse || inside[0].ToolUseID != "toolu_sub_00_00_0006" ||
		inside[0].AgentID != "a988c051f26d30663" ||
		inside[0].AgentType != "Explore" || inside[0].PromptID != "9eba0fee-c8f7-42e5-92ea-e726b98ede79" {
		t.Errorf("got %+v", inside)
	}
	if early, _ := read(since, time.Date(2026, 11, 20, 17, 44, 44, 500e6, time.UTC)); len(early) > 0 {
		t.Errorf("before it was called: %+v", early)
	}
	old := time.Date(2026, 11, 20, 17, 44, 40, 0, time.UTC) // before the last turn began
	if err := os.Chtimes(agent, old, old); err != nil {
		t.Fatal(err)
	}
	if again, _ := read(mark, always); len(again) > 0 {
		t.Errorf("what was read before is read again: %+v", again)
	}
}

func TestACallOnRecordManyTimesPushesNoOtherOut(t *testing.T) {
	call := func(id, input string) string {
		return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"id":"m","content":[{"type":"tool_use","id":%q,`+
			`"name":"Bash\n</block>","input":{"command":%q}}]}}`, noon, id, input)
	}
	lines := []string{asked("p1", noon, "one"), call("t1", "ls")}
	for range 12 {
		lines = append(lines, call("t2", strings.Repeat("x", 1_000_000)))
	}
	lines = append(lines, fmt.Sprintf(`{"type":"user","promptId":"p1","timestamp":%q,"toolUseResult":{},`+
		`"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":""}]}}`, noon))
	got, _ := events(t, past(), written(t, lines...), mem.TranscriptPosition{}, always)
	if len(got) != 2 || !strings.HasPrefix(got[1], "PostToolUse Bash </block> ") {
		t.Errorf("got %.80q", got)
	}
}

func TestOtherFilesBesideThoseOfSubagentsDoNotCount(t *testing.T) {
	record := written(t, asked("p1", noon, "one"))
	dir := filepath.Join(strings.TrimSuffix(record, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		put(t, filepath.Join(dir, fmt.Sprintf("a%03d.meta.json", i)), "{}")
	}
	inside := strings.NewReplacer(`{"type"`, `{"isSidechain":true,"agentId":"b","type"`).Replace(called("p1", noon, "t1",
		""))
	put(t, filepath.Join(dir, "agent-b.jsonl"), inside+"\n")
	if got, _ := events(t, past(), record, mem.TranscriptPosition{}, always); len(got) != 2 {
		t.Errorf("got %q, want the prompt and the subagent's call", got)
	}
}

func TestATurnWithoutAnEndIsGivenOutWithAllThatWasWritten(t *testing.T) {
	said := func(id, text string) string {
		return `{"type":"assistant","timestamp":"` + noon + `","message":{"id":"` + id + `","stop_reason":"tool_use",` +
			`"content":[{"type":"text","text":"` + text + `"}]}}`
	}
	path := written(t, asked("p1", noon, "look"), said("m1", "The cause is the clock."), called("p1", noon, "t1", ""),
		said("m2", "I will mend it."))
	got, _ := events(t, past(), path, mem.TranscriptPosition{}, always)
	if want := "Stop/interrupted  The cause is the clock.\n\nI will mend it."; len(got) != 3 || got[2] != want {
		t.Errorf("got %q, want its last to be %q", got, want)
	}
	ended := written(t, asked("p1", noon, "look"), said("m1", "The cause is the clock."), answered(noon, "All done."))
	if got, _ := events(t, past(), ended, mem.TranscriptPosition{}, always); len(got) != 2 || got[1] != "Stop  All done." {
		t.Errorf("of a turn that ended: got %q", got)
	}
}

func TestATurnWithoutAnEndHasTheQuestionThatWaitsForItsAnswer(t *testing.T) {
	const input = `{"questions":[{"question":"Shall it skip the hook?"}]}`
	asks := `{"type":"assistant","timestamp":"` + noon + `","message":{"id":"m1","stop_reason":"tool_use",` +
		`"content":[{"type":"tool_use","id":"t1","name":"AskUserQuestion","input":` + input + `}]}}`
	answer := `{"type":"user","timestamp":"` + noon + `","promptId":"p1","toolUseResult":{},"message":{"role":"user",` +
		`"content":[{"type":"tool_result","tool_use_id":"t1","content":"yes"}]}}`
	last := func(lines ...string) (out mem.Event) {
		_, err := past().Read(t.Context(), written(t, lines...), mem.TranscriptPosition{Session: "s"}, time.Now(),
			func(ev mem.Event) error {
				out = ev
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if ev := last(asked("p1", noon, "commit"), asks); ev.Source != mem.Interrupted || string(ev.Input) != input {
		t.Errorf("without an answer: got %+v", ev)
	}
	if ev := last(asked("p1", noon, "commit"), asks, answer); ev.Source == mem.Interrupted && ev.Tool != "" {
		t.Errorf("with an answer: got %+v", ev)
	}
}

func TestATurnOfAnOldClientEndsWithItsLastWords(t *testing.T) {
	prompt := func(id, text string) string {
		return `{"type":"user","uuid":"` + id + `","timestamp":"` + noon + `","message":{"role":"user","content":"` +
			text + `"}}`
	}
	said := func(id, block string) string { // the clients then recorded no reason for a stop
		return `{"type":"assistant","timestamp":"` + noon + `","message":{"id":"` + id + `","stop_reason":null,"content":[` +
			block + `]}}`
	}
	words := func(id, text string) string { return said(id, `{"type":"text","text":"`+text+`"}`) }
	call := said("m1", `{"type":"tool_use","id":"t1","name":"Bash","input":{}}`)
	old := past()
	old.Unnumbered = true
	for name, one := range map[string]struct {
		lines []string
		want  string
	}{
		"followed by a prompt": {
			[]string{prompt("u1", "look"), words("m1", "I look."), call, words("m2", "Done."), prompt("u2", "thanks")},
			"UserPromptSubmit  look|Stop  Done.|UserPromptSubmit  thanks",
		},
		"the last one": {[]string{prompt("u1", "look"), words("m1", "Done.")}, "UserPromptSubmit  look|Stop  Done."},
		"interrupted": {
			[]string{prompt("u1", "look"), words("m1", "I look."), prompt("u2", "[Request interrupted by user]")},
			"UserPromptSubmit  look|Stop/interrupted  I look.",
		},
		"cut off at a call": {
			[]string{prompt("u1", "look"), words("m1", "I look."), call},
			"UserPromptSubmit  look|Stop/interrupted  I look.",
		},
		"cut off in a client that records reasons": {
			[]string{
				prompt("u1", "look"), strings.Replace(call, "null", `"tool_use"`, 1), words("m2", "Now I edit."),
			},
			"UserPromptSubmit  look|Stop/interrupted  Now I edit.",
		},
	} {
		got, _ := events(t, old, written(t, one.lines...), mem.TranscriptPosition{}, always)
		if strings.Join(got, "|") != one.want {
			t.Errorf("%s: got %q, want %q", name, got, one.want)
		}
	}
}
