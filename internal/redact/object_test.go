package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func object(t testing.TB, in string) Object {
	t.Helper()
	got, err := new(Redactor).Object(strings.NewReader(in))
	if err != nil {
		t.Fatalf("Object(%.200q): %v", in, err)
	}
	if !json.Valid(got.JSON) {
		t.Fatalf("Object(%.200q) is not JSON: %.200q", in, got.JSON)
	}
	return got
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// open is a pipe whose writer never closes it: reading beyond what was written fails the test.
type open struct {
	t *testing.T
	r io.Reader
}

func (o open) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	if err == io.EOF {
		o.t.Error("read beyond the object")
	}
	return n, err
}

func TestObjectStopsAfterTheFirstObject(t *testing.T) {
	const in = "\ufeff \r\n{\"a\": [1, {\"b\": \"}\\\"\"}], \"c\": null}"
	for name, r := range map[string]io.Reader{
		"open pipe":        open{t, strings.NewReader(in)},
		"byte by byte":     open{t, iotest.OneByteReader(strings.NewReader(in))},
		"another follows":  strings.NewReader(in + `{"d":2}`),
		"garbage follows":  strings.NewReader(in + "}]x"),
		"error comes late": io.MultiReader(strings.NewReader(in), iotest.ErrReader(errors.New("late"))),
	} {
		got, err := new(Redactor).Object(r)
		want := `{"a":[1,{"b":"}\""}],"c":null}`
		if err != nil || string(got.JSON) != want {
			t.Errorf("%s: %q, %v; want %q", name, got.JSON, err, want)
		}
		if size := int64(len(in) - len("\ufeff \r\n")); got.Size != size || got.Truncated {
			t.Errorf("%s: Size %d, Cut %v; want %d, false", name, got.Size, got.Truncated, size)
		}
	}
}

func TestInvalidObjectIsAnError(t *testing.T) {
	for _, in := range []string{
		"", " ", "\xef\xbb", "\ufeff", "null", "[1]", `"a"`, "x{}", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`,
		`{"a" 1}`, `{a:1}`, `{"a":tru}`, `{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`, `{"a":"\q"}`, `{"a":"\u12"}`,
		`{"a":"x`, `{"a":[1}`, `{"a":[1,]}`, `{]`, "{\"a\":\"\\", `{"a":{"b":1}`,
	} {
		if got, err := new(Redactor).Object(strings.NewReader(in)); !errors.Is(err, ErrNoObject) || got.JSON != nil {
			t.Errorf("Object(%q) = %q, %v; want ErrNoObject", in, got.JSON, err)
		}
	}
	if _, err := new(Redactor).Object(stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v, want io.ErrNoProgress", err)
	}
	closed := errors.New("closed")
	if _, err := new(Redactor).Object(iotest.ErrReader(closed)); !errors.Is(err, closed) || !errors.Is(err, ErrNoObject) {
		t.Errorf("a broken reader: %v, want both errors", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestUnusualJSONIsAccepted(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"a":2}`: `{"a":1,"a":2}`,
		`{"a":1e400,"b":-0.10E+2,"c":9007199254740993}`: `{"a":1e400,"b":-0.10E+2,"c":9007199254740993}`,
		`{"a":"\ud83d\ude00 \ud800 \udc00\ud800x"}`:     `{"a":"😀 � ��x"}`,
		`{"a":"\ud800\n\ud800\ud83d\ude00"}`:            `{"a":"�\n�😀"}`,
		"{\"a\":\"\xff\xc3\"}":                          `{"a":"��"}`,
		"{\"a\":\"\x00\t\\u0000\"}":                     `{"a":"\u0000\t\u0000"}`,
		"{\r\n\"a\"\r\n:\r\n[\r\n]\r\n}":                `{"a":[]}`,
		`{"":"\/\b\f","b":{}}`:                          `{"":"/\u0008\u000c","b":{}}`,
	} {
		if got := object(t, in); string(got.JSON) != want {
			t.Errorf("Object(%q) = %q, want %q", in, got.JSON, want)
		}
	}
}

func TestDeepValuesBecomeNull(t *testing.T) {
	for _, depth := range []int{300, 10_001, 1 << 19} {
		in := `{"a":` + strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) + `,"session_id":"s1"}`
		got := object(t, in)
		if want := strings.Repeat("[", maxDepth-1) + "null" +
			strings.Repeat("]", maxDepth-1); !strings.Contains(string(got.JSON), want) || !got.Truncated {
			t.Errorf("depth %d: %.600q", depth, got.JSON)
		}
		if !strings.HasSuffix(string(got.JSON), `"session_id":"s1"}`) {
			t.Errorf("depth %d: the next member is lost", depth)
		}
	}
	in := `{"a":` + strings.Repeat(`{"b":`, 400) + "1" + strings.Repeat("}", 400) + "}"
	if got := object(t, in); !strings.Contains(string(got.JSON), `{"b":null}`) {
		t.Errorf("deep objects: %.200q", got.JSON)
	}
	if _, err := new(Redactor).Object(strings.NewReader(`{"a":` + strings.Repeat("[", maxLevels+maxDepth+
		1))); !errors.Is(err,
		ErrNoObject) {
		t.Errorf("endless depth: %v, want ErrNoObject", err)
	}
}

// Recorded payloads of the client contain no secret; no id and no path may change.
func TestRecordedPayloadsPassUnchanged(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("payloads: %v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, raw); err != nil {
			t.Fatal(err)
		}
		got, err := new(Redactor).Object(bytes.NewReader(raw))
		if err != nil || !bytes.Equal(got.JSON, want.Bytes()) || got.Counts.any() {
			t.Errorf("%s: %s (%+v, %v)", file, got.JSON, got.Counts, err)
		}
		if got := new(Redactor).JSON(raw); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: JSON gives %s", file, got)
		}
	}
}

func TestIDsAndPathsAreRecognisedByForm(t *testing.T) {
	kept := `{"session_id":"a=b:c","cwd":"/home/my pass words/x","tool_input":{"file_path":"C:\\Users\\a ` +
		`b\\token=abcdefgh12345678.txt"},` +
		`"transcript_path":"~/a.jsonl","tool_response":{"filenames":["/a/api_key=0123456789abcdef","b/c.go"]},` +
		`"tool_use_id":"toolu_01"}`
	if got := object(t, kept); string(got.JSON) != kept {
		t.Errorf("ids and paths:\n got %s\nwant %s", got.JSON, kept)
	}
	for _, in := range []string{
		`{"session_id":"password=hunter22"}`, `{"cwd":"/home/my password is hunter2/x"}`,
		`{"session_id":"my password is hunter2"}`, `{"cwd":"my password is hunter2"}`, `{"session_id":"` + pat + `"}`,
		`{"cwd":"/home/` + pat + `/x"}`,
		`{"cwd":"/home/<private>hunter2</private>"}`, `{"cwd":"/home/＜private＞hunter2"}`,
		`{"tool_input":{"file_path":"https://u:hunter2@h/x"}}`,
		`{"session_id":"` + strings.Repeat("a", maxID) + ` password=hunter2"}`, "{\"cwd\":\"/a\\npassword=hunter2\"}",
	} {
		got := string(object(t, in).JSON)
		if strings.Contains(got, "hunter2") || strings.Contains(got, pat) {
			t.Errorf("Object(%s) = %s", in, got)
		}
	}
}

func TestValueOfSecretKeyIsRedacted(t *testing.T) {
	in := `{"env":{"DB_PASSWORD":"hunter2","github":"` + pat +
		`","tokens":12,"token_type":"bearer1234","apiKeys":["a1b2c3d4e5f6"]},"headers":{"Authorization":"Basic ` +
		`dXNlcjpwYXNz","Set-Cookie":"sid=0123456789abcdef; Path=/"},"registry":{"auth":"dXNlcjpwYXNz"},"` + pat + `":1}`
	want := `{"env":{"DB_PASSWORD":"[secret:password]","github":"[secret:github-pat]","tokens":12,` +
		`"token_type":"bearer1234","apiKeys":["[secret:token]"]},` +
		`"headers":{"Authorization":"Basic [secret:authorization]","Set-Cookie":"sid=[secret:cookie]; ` +
		`Path=/"},"registry":{"auth":"[secret:token]"},"[secret:github-pat]":1}`
	if got := new(Redactor).JSON([]byte(in)); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLongValueOfSecretKeyIsRedacted(t *testing.T) {
	value := strings.Repeat("q7Zx9Lm2Kd4Wp8Vt", 12_500)
	got := object(t, `{"in":{"api_token":`+quoted(value)+`,"seen":"yes"}}`)
	if s := string(got.JSON); strings.Contains(s, "Zx9Lm2") || !strings.Contains(s, `"seen":"yes"`) || !got.Truncated {
		t.Errorf("cut %v, %d bytes: %.200s", got.Truncated, len(s), s)
	}
}

// A part of a split text may look like an id or a path.
func TestTagSplitOverArrayStringsIsFound(t *testing.T) {
	for _, key := range []string{"resolvedModel", "session_id", "toolUseId", "file_path", "cwd", "lines"} {
		in := `{"tool_response":{"` + key + `":["a <private>b<pri","vate"," x>c</private> hunter2"]}}`
		o, err := new(Redactor).Object(strings.NewReader(in))
		if err != nil || strings.Contains(string(o.JSON), "hunter2") {
			t.Errorf("%s: got %s, %v, want nothing of the span", key, o.JSON, err)
		}
	}
}

// Files may be arrays of lines: a private span may cover several of them.
func TestAPrivateSpanMayCoverStringsOfAnArray(t *testing.T) {
	in := `{"lines":["a<private>x","hunter","y</private>b","c"],"next":["d"],"s":"e"}`
	want := `{"lines":["a","","b","c"],"next":["d"],"s":"e"}`
	if got := object(t, in); string(got.JSON) != want {
		t.Errorf("got %s, want %s", got.JSON, want)
	}
}

func TestJSONKeepsShapeAndOrder(t *testing.T) {
	for in, want := range map[string]string{
		` {"b":1.0,"a":[true,null,"x"]} `: `{"b":1.0,"a":[true,null,"x"]}`,
		`[1,"` + pat + `"]`:               `[1,"[secret:github-pat]"]`,
		`"<private>x"`:                    `""`,
		`12`:                              `12`,
		`true`:                            `true`,
		``:                                `{}`,
		`{"a":1} x`:                       `{}`,
		`{"a":`:                           `{}`,
		`nope`:                            `{}`,
	} {
		if got := new(Redactor).JSON([]byte(in)); string(got) != want {
			t.Errorf("JSON(%q) = %q, want %q", in, got, want)
		}
	}
	long := quoted(strings.Repeat("word ", 100_000))
	if got := new(Redactor).JSON([]byte(long)); string(got) != long {
		t.Errorf("JSON cuts a string of %d bytes to %d", len(long), len(got))
	}
}

func TestLongStringsKeepTheirEnds(t *testing.T) {
	for _, size := range []int{MaxString + 1, streamAt - 1, streamAt, streamAt + 1, 200_000, 3_000_000} {
		text := strings.ToValidUTF8(strings.Repeat("é line\n", size/8+1)[:size], "?")
		got := object(t, `{"s":`+quoted(text)+`,"session_id":"s1"}`)
		var m map[string]string
		if err := json.Unmarshal(got.JSON, &m); err != nil {
			t.Fatal(err)
		}
		s := m["s"]
		if len(s) > MaxString || len(s) < MaxString-64 || !got.Truncated || !utf8.ValidString(s) {
			t.Errorf("%d bytes: kept %d, cut %v", size, len(s), got.Truncated)
		}
		if !strings.HasPrefix(s, text[:keepHead-1]) || !strings.HasSuffix(s, text[len(text)-keepTail+2:][1:]) ||
			!strings.Contains(s, "\n[cut: ") {
			t.Errorf("%d bytes: not its ends are kept", size)
		}
		if m["session_id"] != "s1" {
			t.Errorf("%d bytes: the next id is lost", size)
		}
		again, err := new(Redactor).Object(bytes.NewReader(got.JSON))
		if err != nil || !bytes.Equal(again.JSON, got.JSON) || again.Truncated {
			t.Errorf("%d bytes: the second time changes it (cut %v, %v)", size, again.Truncated, err)
		}
	}
	if text := quoted(strings.Repeat("x ", MaxString/2)); object(t, `{"s":`+text+`}`).Truncated {
		t.Errorf("a string of MaxString bytes is cut")
	}
}

func TestAnObjectIsBoundedAndItsIDsAreKept(t *testing.T) {
	many := strings.Repeat(`"word word",`, 200_000) + `"w"`
	big := quoted(strings.Repeat("word ", 18_000))
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, `"key%d":"some value of this member",`, i)
	}
	members := b.String()
	for name, body := range map[string]string{
		"many strings":     `"a":[` + many + `]`,
		"big strings":      `"a":[` + strings.Repeat(big+",", 40) + `1]`,
		"many big members": strings.Repeat(`"a":`+big+",", 40) + `"z":1`,
		"many members":     `"a":{` + members + `"z":1}`,
		"control bytes":    `"a":[` + strings.Repeat(quoted(strings.Repeat("\x01", 90_000))+",", 9) + `1]`,
		"long number":      `"a":` + strings.Repeat("1", 2_000_000),
		"long key":         `"a":{"` + strings.Repeat("k", 2_000_000) + `":"v"}`,
		"empty arrays":     `"a":[` + strings.Repeat("[],", 500_000) + `[]]`,
		"long path":        `"cwd":"/` + strings.Repeat("d/", 1_000_000) + `"`,
	} {
		in := `{` + body + `,"session_id":"s1","hook_event_name":"Stop","cwd":"/home/dev"}`
		got := object(t, in)
		if len(got.JSON) > MaxObject || !got.Truncated || got.Size != int64(len(in)) {
			t.Errorf("%s: %d bytes, cut %v, Size %d; want at most %d, true, %d", name, len(got.JSON), got.Truncated, got.Size,
				MaxObject, len(in))
		}
		if want := `"session_id":"s1","hook_event_name":"Stop","cwd":"/home/dev"}`; !strings.HasSuffix(string(got.JSON),
			want) {
			t.Errorf("%s: ends %q, want %q", name, got.JSON[max(0, len(got.JSON)-100):], want)
		}
	}
	flood := object(t, `{`+strings.ReplaceAll(members, "some", strings.Repeat("some ", 20))+`"z":1}`)
	if len(flood.JSON) > MaxObject {
		t.Errorf("a flood of members: %d bytes", len(flood.JSON))
	}
}
