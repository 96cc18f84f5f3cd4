package redact

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"remanence/internal/redact/secrets"
	"remanence/test/canary"
)

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

// leaks fails if a line of a key is in text: a rule may leave the ends of a line.
func leaks(t *testing.T, name, text string, lines []string) {
	t.Helper()
	for _, l := range lines {
		if len(l) >= 16 && !strings.HasPrefix(l, "-----") && strings.Contains(text, l[4:len(l)-4]) {
			t.Errorf("%s: a line of the key is left: %.400q", name, text)
			return
		}
	}
}

// patch returns an event of Claude Code about an edit: a string for each line.
func patch(t testing.TB, lines []string) string {
	t.Helper()
	hunk := make([]string, len(lines))
	for i, l := range lines {
		hunk[i] = "+" + l
	}
	b, err := json.Marshal(map[string]any{
		"tool_name": "Edit",
		"tool_response": map[string]any{
			"filePath":        "/p/key.txt",
			"structuredPatch": []any{map[string]any{"oldStart": 1, "lines": append([]string{" one", "-two"}, hunk...)}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestKeyInLinesOfAnArrayIsRedacted(t *testing.T) {
	key := canary.Key(seeded(2))
	blocks := make([]any, len(key))
	for i, l := range key {
		blocks[i] = map[string]any{"type": "text", "text": l}
	}
	mcp, err := json.Marshal(map[string]any{"tool_response": blocks, "session_id": "s"})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"patch":        patch(t, key),
		"without ends": patch(t, key[2:5]),
		"mcp":          string(mcp),
		"paths": `{"filenames":[` + quoted(key[0]) + `,` + quoted(key[1]) + `,` + quoted(key[2]) + `,` +
			quoted(key[3]) + `]}`,
		"nested": `{"a":[[[` + quoted(key[0]) + `],[` + quoted(key[1]) + `,` + quoted(key[2]) + `]],` + quoted(key[3]) + `]}`,
	} {
		shown := key
		if name == "nested" || name == "paths" {
			shown = key[:4]
		}
		got := object(t, in)
		leaks(t, name, string(got.JSON), shown)
		if got.Counts.Secrets["private-key"] == 0 {
			t.Errorf("%s: counts %v, want a private key", name, got.Counts)
		}
		out, c, err := new(Redactor).ScrubJSON([]byte(in))
		if err != nil || c.Secrets["private-key"] == 0 {
			t.Errorf("%s: scan finds %v, %v", name, c, err)
		}
		leaks(t, name+" scan", string(out), shown)
		if again := new(Redactor).JSON(out); string(again) != string(out) {
			t.Errorf("%s: %q becomes %q", name, out, again)
		}
	}
}

func TestLabelAndValueOnLinesOfAnArray(t *testing.T) {
	for _, in := range []string{
		`{"lines":["+password:","+  Winter.sunshine99"]}`, `{"argv":["deploy","--password","Winter.sunshine99"]}`,
		`{"content":[{"type":"text","text":"Password:"},{"type":"text","text":"Winter.sunshine99"}]}`,
	} {
		if got := object(t, in); strings.Contains(string(got.JSON), "Winter.sunshine99") {
			t.Errorf("%s became %s", in, got.JSON)
		}
	}
}

// Searching the lines of an array as one text changes no line without a secret.
func TestLinesOfAnArrayKeepTheirPlaces(t *testing.T) {
	key := canary.Key(seeded(3))
	in := patch(t, append([]string{"first <b>", ""}, append(key, "last \"quoted\"")...))
	var got struct {
		Response struct {
			Patch []struct {
				Start int      `json:"oldStart"`
				Lines []string `json:"lines"`
			} `json:"structuredPatch"`
		} `json:"tool_response"`
	}
	if err := json.Unmarshal(object(t, in).JSON, &got); err != nil {
		t.Fatal(err)
	}
	lines := got.Response.Patch[0].Lines
	if len(lines) != len(key)+5 || lines[0] != " one" || lines[2] != "+first <b>" || lines[3] != "+" ||
		lines[len(lines)-1] != `+last "quoted"` {
		t.Errorf("lines are %q", lines)
	}
}

// The limits hold although markers may be longer than secrets.
func TestJoinedLinesStayWithinTheBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"lines":["x"`)
	for b.Len() < 2*MaxObject {
		b.WriteString(`,"password:","hunter2!"`)
	}
	b.WriteString(`],"session_id":"s1"}`)
	got := object(t, b.String())
	if len(got.JSON) > MaxObject || strings.Contains(string(got.JSON), "hunter2!") ||
		!strings.Contains(string(got.JSON), `"session_id":"s1"`) {
		t.Errorf("%d bytes, cut %v: %.200s", len(got.JSON), got.Truncated, got.JSON)
	}
}

// A secret costs what the lines that it spans cost, however many there are beside them.
func TestASecretIsLookedForInTheLinesItSpansAlone(t *testing.T) {
	var group []*arrayLine
	for range 10_000 {
		group = append(group, &arrayLine{text: "password: hunter2"})
	}
	text := join(group)
	for _, at := range []int{0, 1, 4711, 9998} {
		l := group[at]
		for _, span := range []struct{ from, to, lines int }{
			{l.start, l.start + len(l.text), 1}, {l.start + 3, l.start + len(l.text) + 4, 2},
		} {
			got := spanned(group, secrets.Span{From: span.from, To: span.to})
			if len(got) != span.lines || got[0] != l || secretOf(group, secrets.Span{From: span.from, To: span.to}) !=
				strings.ReplaceAll(text[span.from:span.to], "\n", "") {
				t.Errorf("from line %d: %d lines, want %d", at, len(got), span.lines)
			}
		}
	}
}

func TestSecretInAPathOrAnIDIsRedacted(t *testing.T) {
	line := canary.Key(seeded(4))
	for _, s := range []string{
		"/home/dev/password: Winter.sunshine99/src", "/home/dev/db_password=Winter.sunshine99", "/home/dev/" + line[0] +
			line[1] + line[2],
		"password=Winter.sunshine99", "C:\\work\\--password Winter.sunshine99",
	} {
		got := string(object(t, `{"cwd":`+quoted(s)+`,"session_id":`+quoted(s)+`}`).JSON)
		if strings.Contains(got, "unshine99") || strings.Contains(got, line[1][8:]) {
			t.Errorf("%q became %s", s, got)
		}
	}
	for _, s := range []string{
		"/home/dev/My Projects/pass notes.txt", "/srv/a=b/token.go", "C:/Users/dev/secrets/token.txt", "/p/key: value.md",
	} {
		if got := string(object(t, `{"cwd":`+quoted(s)+`}`).JSON); got != `{"cwd":`+quoted(s)+`}` {
			t.Errorf("%q became %s", s, got)
		}
	}
}
