package transcript_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"remanence/internal/transcript"
)

func TestRecordedSessions(t *testing.T) {
	tests := []struct {
		file string
		said []string
		fill int
	}{
		{
			"basic-print",
			[]string{"user: please do the basic thing", "assistant: I will look.", "assistant: All done."},
			15620,
		},
		{"main-with-background-subagent", []string{
			"user: the user prompt text", "assistant: Looking.", "assistant: Finished main.",
			"assistant: Finished main after stop-context.", "assistant: third",
		}, 1050},
		{"compact-then-clear.session1", []string{
			"user: first prompt", "assistant: Answer after tool.", "user: after compact", "assistant: Answer three.",
		}, 1050},
		{"auto-compaction", []string{"user: first prompt", "assistant: end"}, 9050},
		{"tui-resume", []string{
			"user: hello three", "assistant: TUI answer one UNIQ1.", "user: after resume", "assistant: TUI answer two UNIQ2.",
		}, 175700},
		{"subagent-agent-a988c051f26d30663", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			path := filepath.Join("testdata", tt.file+".jsonl")
			got, err := transcript.Read(path, 0, same)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(said(got), tt.said) {
				t.Errorf("said\n%q, want\n%q", said(got), tt.said)
			}
			if got.Bad != 0 || got.More {
				t.Errorf("bad %d, more %t, want 0, false", got.Bad, got.More)
			}
			if fill, err := transcript.Fill(path); err != nil || fill.Tokens != tt.fill {
				t.Errorf("fill %d, %v, want %d", fill.Tokens, err, tt.fill)
			}
			if info, _ := os.Stat(path); got.Next != info.Size() {
				t.Errorf("watermark = %d, want %d", got.Next, info.Size())
			}
		})
	}
}

func TestReadingInPiecesSaysTheSame(t *testing.T) {
	whole, err := os.ReadFile("testdata/compact-then-clear.session1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	var got []string
	var mark int64
	for end := 0; end < len(whole); {
		end = min(len(whole), end+1777) // lines arrive torn
		if err := os.WriteFile(path, whole[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := transcript.Read(path, mark, same)
		if err != nil || p.Bad != 0 {
			t.Fatalf("at %d: %+v, %v", mark, p, err)
		}
		got, mark = append(got, said(p)...), p.Next
	}
	all, err := transcript.Read("testdata/compact-then-clear.session1.jsonl", 0, same)
	if err != nil || !slices.Equal(got, said(all)) {
		t.Errorf("in pieces %q, whole %q, %v", got, said(all), err)
	}
}

func TestOnlyWordsOfPersonAndAssistantAreTaken(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"typed", `{"type":"user","message":{"content":"hi"}}`, "user: hi"},
		{"blocks", `{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{}},` +
			`{"type":"text","text":"b"}]}}`, "user: a\nb"},
		{"null result", `{"type":"user","toolUseResult":null,"message":{"content":"hi"}}`, "user: hi"},
		{"reminder inside", `{"type":"user","message":{"content":"a<system-reminder>x</system-reminder> b"}}`, "user: a b"},
		{"reminder first", `{"type":"user","message":{"content":[{"type":"text",` +
			`"text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"b"}]}}`, "user: b"},
		{"open reminder", `{"type":"user","message":{"content":"a <system-reminder>x"}}`, "user: a"},
		{"only a reminder", `{"type":"user","message":{"content":"<system-reminder>x</system-reminder>"}}`, ""},
		{"tool result", `{"type":"user","toolUseResult":{"a":1},"message":{"content":"x"}}`, ""},
		{"tool result block", `{"type":"user","message":{"content":[{"type":"tool_result","content":"x"},{"type":"text",` +
			`"text":"y"}]}}`, ""},
		{"meta", `{"type":"user","isMeta":true,"message":{"content":"x"}}`, ""},
		{"summary", `{"type":"user","isCompactSummary":true,"message":{"content":"x"}}`, ""},
		{"task", `{"type":"user","turnOrigin":"task_notification","message":{"content":"x"}}`, ""},
		{"sidechain", `{"type":"user","isSidechain":true,"message":{"content":"x"}}`, ""},
		{"local command", `{"type":"user","message":{"content":"<local-command-stdout>x"}}`, ""},
		{"command", `{"type":"user","message":{"content":"<command-name>/x</command-name>"}}`, ""},
		{"command after reminder", `{"type":"user",` +
			`"message":{"content":"<system-reminder>r</system-reminder>\n<command-name>/x"}}`, ""},
		{"hook feedback", `{"type":"user","message":{"content":"Stop hook feedback: x"}}`, ""},
		{"interrupted", `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, ""},

		{"answer", `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"ok"}]}}`, "assistant: ok"},
		{
			"thinking", `{"type":"assistant","message":{"id":"m","content":[{"type":"thinking","thinking":"x","text":"x"}]}}`,
			"",
		},
		{"tool use", `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","input":{"text":"x"}}]}}`, ""},
		{"subagent's answer", `{"type":"assistant","isSidechain":true,"message":{"id":"m","content":[{"type":"text",` +
			`"text":"x"}]}}`, ""},
		{
			"error made up by the client",
			`{"type":"assistant","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}`,
			"",
		},

		{"copy of a message", `{"type":"api-request-blob","message":{"role":"user","content":"x"}}`, ""},
		{"our own hook", `{"type":"attachment","attachment":{"type":"hook_additional_context","content":["x"]}}`, ""},
		{"unknown type", `{"type":"new-thing","message":7}`, ""},
		{"blank", ` `, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := readText(t, tt.line+"\n")
			if got := strings.Join(said(p), "|"); got != tt.want || p.Bad != 0 {
				t.Errorf("got %q with %d bad lines, want %q", got, p.Bad, tt.want)
			}
		})
	}
}

func TestBlocksOfOneMessageAreOneUtterance(t *testing.T) {
	answer := func(id, text string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[{"type":"text","text":%q}]}}`+"\n", id, text)
	}
	result := `{"type":"user","toolUseResult":{},"message":{"content":[{"type":"tool_result"}]}}` + "\n"
	p := readText(t, answer("m1", "one")+result+answer("m1", "two")+answer("m2", "three"))
	if got, want := said(p), []string{"assistant: one\ntwo", "assistant: three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A message that comes in very many records is put together once, not anew with each.
func TestAMessageOfManyRecordsCostsWhatItIsLong(t *testing.T) {
	const line = `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"x"}]}}` + "\n"
	text := strings.Repeat(line, 30_000)
	path := write(t, text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := transcript.Read(path, 0, same)
	runtime.ReadMemStats(&after)
	if err != nil || len(p.Said) != 1 || len(last(p)) != 59_999 {
		t.Fatalf("%d utterances, the last of %d bytes, %v", len(p.Said), len(last(p)), err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(100*len(text)) {
		t.Errorf("%d bytes of memory for a record of %d", used, len(text))
	}
}

func TestBadLinesAreCountedAndPassedOver(t *testing.T) {
	const good = `{"type":"user","message":{"content":"hi"}}` + "\n"
	long := `{"type":"user","message":{"content":"` + strings.Repeat("x", transcript.MaxLine) + `"}}` + "\n"
	for name, bad := range map[string]string{
		"torn": `{"type":"user","mess` + "\n", "list": "[]\n", "no type": "{}\n", "noise": "\x00\xff\n",
		"no message": `{"type":"user"}` + "\n", "too long": long,
	} {
		p := readText(t, good+bad+good)
		if len(p.Said) != 2 || p.Bad != 1 || p.Next != int64(2*len(good)+len(bad)) {
			t.Errorf("%s: %d utterances, %d bad, next %d, want 2, 1, %d", name, len(p.Said), p.Bad, p.Next, 2*len(good)+len(bad))
		}
	}
}

func TestLineOfFullLengthIsTaken(t *testing.T) {
	const frame = `{"type":"user","message":{"content":""}}` + "\n"
	text := strings.Repeat("x", transcript.MaxLine-len(frame))
	if p := readText(t, strings.Replace(frame, `""`, `"`+text+`"`, 1)); last(p) != text || p.Bad != 0 {
		t.Errorf("got %d characters and %d bad, want %d and 0", len(last(p)), p.Bad, len(text))
	}
}

func TestHugeRecordIsReadInBoundedParts(t *testing.T) {
	line := `{"type":"user","message":{"content":"hi"},"pad":"` + strings.Repeat("x", 900<<10) + `"}` + "\n"
	path := filepath.Join(t.TempDir(), "t.jsonl")
	const lines = 80
	put(t, path, strings.Repeat(line, lines))
	var mark int64
	total, calls := 0, 0
	for more := true; more; calls++ {
		p, err := transcript.Read(path, mark, same)
		if err != nil || p.Next-mark > transcript.MaxRead+transcript.MaxLine {
			t.Fatalf("%d bytes at once, %v", p.Next-mark, err)
		}
		total, mark, more = total+len(p.Said), p.Next, p.More
	}
	if total != lines || calls < 2 {
		t.Errorf("%d utterances in %d calls, want %d in at least 2", total, calls, lines)
	}
}

func TestEveryTextIsRedacted(t *testing.T) {
	redact := func(s string) string {
		if strings.Contains(s, "secret") {
			return ""
		}
		return strings.ToUpper(s)
	}
	path := write(t, `{"type":"user","message":{"content":"hi"}}`+"\n"+
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"ok"}]}}`+"\n"+
		`{"type":"user","message":{"content":"my secret"}}`+"\n")
	p, err := transcript.Read(path, 0, redact)
	if want := []string{"user: HI", "assistant: OK"}; err != nil || !slices.Equal(said(p), want) {
		t.Errorf("got %q, %v, want %q", said(p), err, want)
	}
	if _, err := transcript.Read(path, 0, nil); err == nil {
		t.Error("without a redactor: got nil, want an error")
	}
	if _, err := transcript.Tail(path, 1, nil); err == nil {
		t.Error("tail without a redactor: got nil, want an error")
	}
}

func TestTailReadsTheNewestLines(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `{"type":"user","message":{"content":"%d"},"pad":"%s"}`+"\n", i, strings.Repeat("x", 5000))
	}
	path := write(t, b.String()+`{"type":"user","mess`)
	for _, n := range []int{0, 1, 3, 49, 50, 51, 1000} {
		p, err := transcript.Tail(path, n, same)
		if want := min(n, 50); err != nil || len(p.Said) != want {
			t.Errorf("Tail(%d): %d utterances, %v, want %d", n, len(p.Said), err, want)
		}
		if n > 0 && (last(p) != "49" || p.Bad != 0) {
			t.Errorf("Tail(%d): last %q, bad %d, want 49, 0", n, last(p), p.Bad)
		}
	}
}

func TestTailReadsTheNewestLinesHoweverMuchTheySay(t *testing.T) {
	var b strings.Builder
	for i := range 4 {
		fmt.Fprintf(&b, `{"type":"user","message":{"content":"%d%s"}}`+"\n", i, strings.Repeat("x", transcript.MaxWords/2))
	}
	p, err := transcript.Tail(write(t, b.String()), 4, same)
	if err != nil || !strings.HasPrefix(last(p), "3") {
		t.Errorf("got %.5q, %v, want the newest", last(p), err)
	}
}

func TestTailOfAHugeLineIsBounded(t *testing.T) {
	path := write(t, strings.Repeat("x", transcript.MaxTail+10)+"\n"+`{"type":"user","message":{"content":"hi"}}`+"\n")
	p, err := transcript.Tail(path, 5, same)
	if err != nil || last(p) != "hi" || p.Bad != 0 {
		t.Errorf("got %q, bad %d, %v, want hi alone", last(p), p.Bad, err)
	}
}

func TestShrunkRecordIsReadFromItsStart(t *testing.T) {
	path := write(t, `{"type":"user","message":{"content":"hi"}}`+"\n")
	for _, from := range []int64{-5, 1 << 40} {
		if p, err := transcript.Read(path, from, same); err != nil || last(p) != "hi" {
			t.Errorf("from %d: %+v, %v, want it read from 0", from, p, err)
		}
	}
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	target := write(t, "{}\n")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		if p, err := transcript.Read(path, 0, same); err == nil {
			t.Errorf("%s: got %+v, want an error", path, p)
		}
	}
	if _, err := transcript.Tail(filepath.Join(dir, "none"), 5, same); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: got %v, want ErrNotExist", err)
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"type":"user","message":{"content":"hi"}}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"a"}]}}`,
		`{"type":"user","message":{"content":"<system-reminder>"}}`, `{"type":"user","message":null}`, "\n\n",
		`{"type":"system","subtype":"compact_boundary"}`,
	} {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "t.jsonl")
	f.Fuzz(func(t *testing.T, text string) {
		put(t, path, text+"\n")
		p, err := transcript.Read(path, 0, same)
		if err != nil || p.Next != int64(len(text)+1) {
			t.Fatalf("next %d, %v, want %d", p.Next, err, len(text)+1)
		}
		for _, u := range p.Said {
			if u.Text == "" || strings.Contains(u.Text, "<system-reminder>") && !strings.Contains(text, `\u`) &&
				strings.Count(text, "system-reminder") == 1 {
				t.Errorf("utterance %+v of %q", u, text)
			}
		}
	})
}

func same(s string) string { return s }

func said(p transcript.Part) []string {
	var out []string
	for _, u := range p.Said {
		out = append(out, u.Who+": "+u.Text)
	}
	return out
}

// last is the text of the last thing said.
func last(p transcript.Part) string {
	if len(p.Said) == 0 {
		return ""
	}
	return p.Said[len(p.Said)-1].Text
}

func readText(t *testing.T, text string) transcript.Part {
	t.Helper()
	p, err := transcript.Read(write(t, text), 0, same)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func put(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t *testing.T, text string) string {
	t.Helper()
	return put(t, filepath.Join(t.TempDir(), "t.jsonl"), text)
}

func TestAPrivateTurnsAnswersAreNotRead(t *testing.T) {
	lines := []string{
		`{"type":"assistant","message":{"id":"m0","content":[{"type":"text","text":"answer to a prompt before"}]}}`,
		`{"type":"user","turnOrigin":"human","message":{"content":"open question"}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"open answer"}]}}`,
		`{"type":"user","turnOrigin":"human","message":{"content":"PRIVATE"}}`,
		`{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"the salary is 91,234"}]}}`,
		`{"type":"user","turnOrigin":"human","message":{"content":"another question"}}`,
	}
	file := written(t, lines...)
	redact := func(s string) string { return strings.ReplaceAll(s, "PRIVATE", "") }
	said := func(p transcript.Part, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, u := range p.Said {
			out = append(out, u.Text)
		}
		return out
	}
	if got, want := said(transcript.Tail(file, 100, redact)), []string{
		"answer to a prompt before", "open question",
		"open answer", "another question",
	}; !slices.Equal(got, want) {
		t.Errorf("all of it: got %q, want %q", got, want)
	}
	if got, want := said(transcript.Tail(file, 2, redact)), []string{"another question"}; !slices.Equal(got, want) {
		t.Errorf("an answer whose prompt is out of view: got %q, want %q", got, want)
	}
}
