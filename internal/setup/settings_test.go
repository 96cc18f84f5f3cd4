package setup

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/golden"
)

const binary = "/opt/remanence/bin/remanence"

func entries(t testing.TB, p Profile, binary string) []Entry {
	t.Helper()
	list, err := Entries(p, binary)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// layouts are settings without hooks of ours, as people and programs leave them.
func layouts() map[string]string {
	return map[string]string{
		"nothing":      "",
		"blanks":       " \r\n\t",
		"empty-object": "{}",
		"empty-line":   "{\n}\n",
		"no-hooks":     "{\n  \"model\": \"opus\",\n  \"big\": 9007199254740993, \"one\": 1.0\n}\n",
		"tabs-no-eof":  "{\n\t\"model\": \"opus\"\n}",
		"crlf-bom":     "\xef\xbb\xbf{\r\n    \"env\": {\"A\": \"<b>&\"}\r\n}\r\n",
		"minified":     `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
		"empty-hooks":  "{\n  \"hooks\": {}\n}\n",
		"empty-event":  "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"Setup\": [\n    ]\n  }\n}\n",
		"others-hooks": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        " +
			"\"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"lint.sh\"\n          " +
			"}\n        ]\n      }\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
		"doubled-keys": "{\n  \"hooks\": {\"Stop\": []},\n  \"hooks\": {\"Stop\": [], \"Stop\": []}\n}\n",
		"escaped-key":  "{\n  \"ho\\u006fks\": { \"St\\u006fp\": [ ] }\n}\n",
		"strange-inside": "{\n  \"hooks\": {\"Stop\": [1, null, \"x\", {\"hooks\": 7}, {\"hooks\": [null, {\"command\": " +
			"3}]}]}\n}\n",
		"one-line-spaced": `{ "model": "opus", "hooks": { } }`,
	}
}

func TestMergeLooksLikeTheFileItEdits(t *testing.T) {
	for name, src := range layouts() {
		t.Run(name, func(t *testing.T) {
			got, err := Merge([]byte(src), entries(t, Lean, binary)[:6])
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join("testdata", name+".json"), got)
		})
	}
}

func TestUnmergeGivesBackEveryByte(t *testing.T) {
	for name, src := range layouts() {
		for _, p := range []Profile{Lean, Full} {
			t.Run(name+"/"+string(p), func(t *testing.T) {
				merged, err := Merge([]byte(src), entries(t, p, binary))
				if err != nil {
					t.Fatal(err)
				}
				got, err := Unmerge(merged, Ours)
				if err != nil || string(got) != src {
					t.Errorf("got %q, %v\nwant %q", got, err, src)
				}
			})
		}
	}
}

func TestMergingTwiceChangesNothingMore(t *testing.T) {
	for name, src := range layouts() {
		once, err := Merge([]byte(src), entries(t, Full, binary))
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Merge(once, entries(t, Full, binary))
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s: second merge gave %v\n%s\nwant\n%s", name, err, twice, once)
		}
	}
}

func TestANewBinaryRewritesOnlyItsPath(t *testing.T) {
	const moved = "/usr/local/bin/remanence"
	for name, src := range layouts() {
		before, err := Merge([]byte(src), entries(t, Lean, binary))
		if err != nil {
			t.Fatal(err)
		}
		after, err := Merge(before, entries(t, Lean, moved))
		want := bytes.ReplaceAll(before, []byte(binary), []byte(moved))
		if err != nil || !bytes.Equal(after, want) {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, err, after, want)
		}
	}
}

func TestChangingTheProfileThereAndBackLeavesNoTrace(t *testing.T) {
	for name, src := range layouts() {
		lean, err := Merge([]byte(src), entries(t, Lean, binary))
		if err != nil {
			t.Fatal(err)
		}
		full, err := Merge(lean, entries(t, Full, binary))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Merge(full, entries(t, Lean, binary))
		if err != nil || !bytes.Equal(again, lean) {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, err, again, lean)
		}
	}
}

func TestOldEntriesAreReplacedWhereTheyStand(t *testing.T) {
	src := `{"hooks": {
  "Stop": [
    {"hooks": [
      {"type": "command", "command": "say done"},
      {"type": "command", "command": "\"/old place/remanence\" hook claude-code stop", "timeout": 60}
    ]},
    {"hooks": [{"type": "command", "command": "/older/remanence", "args": ["hook", "claude-code"]}]}
  ],
  "PreToolUse": [{"matcher": "Gone", "hooks": [{"type": "command", "command": "C:\\x\\remanence.exe", "args": ` +
		`["hook", "claude-code"]}]}]
}}`
	want := `{"hooks": {
  "Stop": [
    {"hooks": [
      {"type": "command", "command": "say done"},
      {"type": "command", "command": "\"/opt/remanence/bin/remanence\" hook claude-code", "timeout": 5}
    ]}
  ]
}}`
	stop := entries(t, Lean, binary)[5:6]
	got, err := Merge([]byte(src), stop)
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestEntriesLaidOutAnewByAnotherProgramAreLeftAlone(t *testing.T) {
	src := []byte(`{"hooks":{"Stop":[{"matcher":"*","hooks":[{
		"timeout": 5,
		"command": "\"\/opt/remanence/bin/remanence\" hook\u0020claude-code",
		"type": "command"}]}]}}`)
	got, err := Merge(src, entries(t, Lean, binary)[5:6])
	if err != nil || !bytes.Equal(got, src) {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, src)
	}
}

func TestWhatIsNotAsWrittenIsWrittenAnew(t *testing.T) {
	stop := entries(t, Lean, binary)[5:6]
	want := `{"hooks":{"Stop":[{"hooks":[` + style{colon: ":"}.handler(stop[0]) + `]}]}}`
	cases := map[string]string{
		"one field more":  strings.Replace(want, `"timeout"`, `"async":true,"timeout"`, 1),
		"one field less":  strings.Replace(want, `,"timeout":5`, ``, 1),
		"another timeout": strings.Replace(want, `5}`, `5.0}`, 1),
		"without quotes":  `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + binary + ` hook claude-code"}]}]}}`,
		"with args": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + binary +
			`","args":["hook","claude-code"],"timeout":5}]}]}}`,
		"doubled": strings.Replace(want, `}]}]`,
			`}]},{"hooks":[{"type":"command","command":"remanence","args":["hook","claude-code"]}]}]`, 1),
		"hidden":       strings.Replace(want, `{"hooks":`, want[:len(want)-1]+`,"hooks":`, 1),
		"hidden event": strings.Replace(want, `"Stop"`, want[len(`{"hooks":{`):len(want)-2]+`,"Stop"`, 1),
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Merge([]byte(src), stop)
			if err != nil || string(got) != want {
				t.Errorf("merge %s\ngot  %s, %v\nwant %s", src, got, err, want)
			}
		})
	}
}

func TestAHookThatADoubledKeyHidesDoesNotCount(t *testing.T) {
	ours := style{colon: ":"}.group(entries(t, Lean, binary)[5])
	src := `{"hooks":{"Stop":[` + ours + `]},"hooks":{"Stop":[1]}}`
	want := `{"hooks":{"Stop":[1,` + ours + `]}}`
	got, err := Merge([]byte(src), entries(t, Lean, binary)[5:6])
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestUnmergeTakesOursFromAmongOthers(t *testing.T) {
	const ours = `{"type":"command","command":"/x/remanence","args":["hook","claude-code"],"timeout":5}`
	cases := map[string]struct{ src, want string }{
		"first of a group": {
			`{"hooks":{"Stop":[{"hooks":[` + ours + `, {"a":1}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"a":1}]}]}}`,
		},
		"middle of a group": {
			`{"hooks":{"Stop":[{"hooks":[1, ` + ours + `, 2 ]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[1, 2 ]}]}}`,
		},
		"last of a group": {`{"hooks":{"Stop":[{"hooks":[1, ` + ours + ` ]}]}}`, `{"hooks":{"Stop":[{"hooks":[1 ]}]}}`},
		"one group of two": {
			`{"hooks":{"Stop":[{"hooks":[` + ours + `]},{"hooks":[1]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[1]}]}}`,
		},
		"one event of two": {`{"hooks":{"Stop":[{"hooks":[` + ours + `]}],"Setup":[]}}`, `{"hooks":{"Setup":[]}}`},
		"all there is":     {`{"a":1,"hooks":{"Stop":[{"hooks":[` + ours + `,` + ours + `]}]},"b":2}`, `{"a":1,"b":2}`},
		"a hidden double":  {`{"hooks":{"Stop":[{"hooks":[` + ours + `]}]},"hooks":{"Setup":[]}}`, `{"hooks":{"Setup":[]}}`},
		"beside odd shapes": {
			`{"hooks":{"Setup":5,"Stop":[{"hooks":[` + ours + `]}]},"hooks":null}`,
			`{"hooks":{"Setup":5},"hooks":null}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Unmerge([]byte(c.src), Ours)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	cases := map[string]struct {
		src  string
		want error
	}{
		"comment":          {"{\n  // mine\n}", ErrNotJSON},
		"trailing comma":   {`{"a": 1,}`, ErrNotJSON},
		"cut off":          {`{"hooks": {`, ErrNotJSON},
		"two values":       {`{} {}`, ErrNotJSON},
		"UTF-16":           {"\xff\xfe{\x00}\x00", ErrNotJSON},
		"too deep":         {strings.Repeat("[", 10001) + strings.Repeat("]", 10001), ErrNotJSON},
		"an array":         {`[]`, ErrShape},
		"a number":         {`7`, ErrShape},
		"hooks null":       {`{"hooks": null}`, ErrShape},
		"hooks an array":   {`{"hooks": []}`, ErrShape},
		"event an object":  {`{"hooks": {"Stop": {}}}`, ErrShape},
		"unknown event":    {`{"hooks": {"Later": "x"}}`, ErrShape},
		"one of two hooks": {`{"hooks": 1, "hooks": {}}`, ErrShape},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Merge([]byte(c.src), entries(t, Lean, binary))
			if !errors.Is(err, c.want) || got != nil {
				t.Errorf("Merge: got %q, %v, want %v", got, err, c.want)
			}
			got, err = Unmerge([]byte(c.src), Ours)
			if errors.Is(c.want, ErrNotJSON) && !errors.Is(err, ErrNotJSON) {
				t.Errorf("Unmerge: got %v, want %v", err, ErrNotJSON)
			}
			if errors.Is(c.want, ErrShape) && (err != nil || string(got) != c.src) {
				t.Errorf("Unmerge: got %q, %v, want the text as it was", got, err)
			}
		})
	}
}

func TestASyntaxErrorNamesItsLine(t *testing.T) {
	_, err := Merge([]byte("{\n  \"a\": 1,\n  // b\n}"), nil)
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v, want line 3 in it", err)
	}
}
