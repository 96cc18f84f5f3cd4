package redact

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"remanence/internal/redact/jsonstream"
	"remanence/test/canary"
	"remanence/test/tier"
)

// In any spelling, and however the text around it is split, quoted and nested, no word of a private span is left.
func TestNoDisguiseBringsPrivateTextThrough(t *testing.T) {
	r := tier.Rand(t)
	redactor := &Redactor{Key: []byte("k")}
	for range tier.Runs(20_000, 1_000_000) {
		raw := payload(t, r)
		got, err := redactor.Object(&chunks{raw, 1 + r.IntN(5000)})
		if err != nil {
			t.Fatalf("Object(%.2000q): %v", raw, err)
		}
		again := redactor.JSON(got.JSON)
		for _, out := range [][]byte{got.JSON, again, redactor.JSON(raw)} {
			if bytes.Contains(out, []byte(canary.Word)) {
				t.Fatalf("%.3000q\nbecame %.2000q", raw, out)
			}
		}
		text := canary.Private(r).Text
		for _, out := range []string{redactor.Text(text), redactor.Prompt(text)} {
			if strings.Contains(out, canary.Word) {
				t.Fatalf("%.3000q\nbecame %.2000q", text, out)
			}
		}
		if left, _ := redactor.Scrub(text); strings.Contains(left, canary.Word) &&
			!strings.Contains(text, "system-reminder") {
			t.Fatalf("Scrub: %.3000q\nbecame %.2000q", text, left)
		}
	}
}

// carriers are fields of texts, and some of ids and paths: those are recognised by their form, which a part of a text
// may have.
var carriers = [...]string{
	"prompt", "tool_input", "tool_response", "last_assistant_message", "error", "prompt_id", "resolvedModel", "tool_name",
	"id", "file_path", "filenames", "workspace_roots",
}

// payload returns an event with a private span somewhere in it, sometimes in a long text.
func payload(t *testing.T, r *rand.Rand) []byte {
	v := canary.Value(r)
	if s, ok := v.(string); ok && r.IntN(100) == 0 {
		v = long(r, s)
	}
	field := carriers[r.IntN(len(carriers))]
	raw, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": "/a/b", "hook_event_name": "PostToolUse", field: v,
		"z": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// long puts the span near one of the positions where a long text is cut.
func long(r *rand.Rand, s string) string {
	size := []int{MaxString + 3000, streamAt + 5000, 400_000}[r.IntN(3)]
	filler := strings.Repeat("some words and\n", size/15+1)
	places := around(size, 0)
	at := places[r.IntN(len(places))] + r.IntN(2*len(s)+1) - len(s)
	at = min(max(at, 0), size)
	return filler[:at] + s + filler[at:size]
}

func TestASpanOverSeveralFieldsIsPrivate(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"x<private>y","b":"SECRET","c":"z</private>w","d":"after"}`: `{"a":"","b":"","c":"","d":"after"}`,
		`{"b":"SECRET</private>","n":1,"a":"<private>y","d":"after"}`:     `{"b":"","n":1,"a":"","d":"after"}`,
		`{"a":"<private>x","cwd":"/a/b","session_id":"s1","c":"y</private>"}`: `{"a":"","cwd":"/a/b",` +
			`"session_id":"s1","c":""}`,
		`{"a":["x<private>","SECRET"],"b":"SECRET</private>","c":"d"}`: `{"a":["x",""],"b":"","c":"d"}`,
		`{"a":[{"t":"x<pri"},{"t":"vate>SECRET"},{"t":"S</private>y"}],"c":"d"}`: `{"a":[{"t":"x<pri"},{"t":""},` +
			`{"t":"y"}],"c":"d"}`,
		`{"a":"x<private>SECRET","b":"kept"}`:                                    `{"a":"x","b":"kept"}`,
		`{"a":"x</private>y","b":"kept"}`:                                        `{"a":"xy","b":"kept"}`,
		`{"a":"x</private>y<private>z","b":"kept"}`:                              `{"a":"xy","b":"kept"}`,
		`{"a":["x</private>y","<private>z"],"b":"kept"}`:                         `{"a":["",""],"b":"kept"}`,
		`{"prompt_id":["x<","private",">","SECRET","&am","p",";lt;/private>y"]}`: `{"prompt_id":["x<","","","","","","y"]}`,
		`{"filenames":["/x <pri","vate",">","/SECRET","</private>y"],"b":"kept"}`: `{"filenames":["/x ` +
			`<pri","","","","y"],"b":"kept"}`,
		`{"a":"<private>","filenames":["/SECRET"],"b":"</private>"}`: `{"a":"","filenames":[""],"b":""}`,
		`{"filenames":["/a b","C:\\x\\u1","R&D/lt"],"b":"kept"}`: `{"filenames":["/a b","C:\\x\\u1","R&D/lt"],` +
			`"b":"kept"}`,
	} {
		if got := object(t, in); string(got.JSON) != want {
			t.Errorf("Object(%s)\n got %s\nwant %s", in, got.JSON, want)
		}
	}
}

func TestScrubKeepsInjectedBlocks(t *testing.T) {
	in := "<remanence-context>\n- use " + pat + " <private>x</private>\n</remanence-context>"
	want := "<remanence-context>\n- use [secret:github-pat] \n</remanence-context>"
	got, c := new(Redactor).Scrub(in)
	if got != want || c.Private != 1 || c.Injected != 0 || c.Secrets["github-pat"] != 1 {
		t.Errorf("Scrub = %q, %+v; want %q", got, c, want)
	}
	doc, c, err := new(Redactor).ScrubJSON([]byte(`{"text":` + quoted(in) + `}`))
	if err != nil || string(doc) != `{"text":`+quotedPlain(want)+`}` || c.Private != 1 {
		t.Errorf("ScrubJSON = %s, %+v, %v", doc, c, err)
	}
}

func quotedPlain(s string) string { return string(jsonstream.AppendQuoted(nil, s)) }
