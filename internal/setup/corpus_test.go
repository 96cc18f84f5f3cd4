package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shapes are settings as people, teams and programs leave them.
func shapes() map[string]string {
	all := map[string]string{
		"plain": "{\n  \"model\": \"opus\"\n}\n",
		"permissions": "{\n  \"permissions\": {\n    \"allow\": [\"Bash(git *)\", \"Read(~/.zshrc)\"],\n    \"deny\": " +
			"[\"Read(./.env)\"],\n    \"defaultMode\": \"acceptEdits\"\n  }\n}\n",
		"environment": "{\n  \"env\": {\"FOO\": \"a \\\"b\\\" <c>&\", \"N\": \"9007199254740993\"},\n  " +
			"\"apiKeyHelper\": \"~/bin/key.sh\"\n}\n",
		"numbers": "{\n  \"cleanupPeriodDays\": 9007199254740993,\n  \"a\": 1.0,\n  \"b\": 1e400,\n  \"c\": -0,\n  " +
			"\"d\": 1E+2,\n  \"e\": 0.30000000000000004\n}\n",
		"escapes": "{\n  \"\\u0061\": \"\\/\\u00e9\\ud83e\\udde0\\ud800\",\n  \"tab\": \"\\t\",\n  \"quote\": " +
			"\"}],{\\\"hooks\\\":\"\n}\n",
		"unicode": "{\n  \"statusLine\": {\"type\": \"command\", \"command\": \"echo 日本語 🧠 ñ\"},\n  \"é\": " +
			"\"e\u0301\"\n}\n",
		"doubled": "{\n  \"model\": \"a\",\n  \"model\": \"b\",\n  \"hooks\": {},\n  \"hooks\": {\"Stop\": []}\n}\n",
		"plugins": "{\n  \"enabledPlugins\": {\"tools@market\": true, \"x@y\": false},\n  " +
			"\"extraKnownMarketplaces\": {\"market\": {\"source\": {\"source\": \"github\", \"repo\": \"o/r\"}}}\n}\n",
		"managed": "{\n  \"forceLoginMethod\": \"claudeai\",\n  \"disableBypassPermissionsMode\": \"disable\",\n  " +
			"\"allowManagedHooksOnly\": false,\n  \"strictKnownMarketplaces\": []\n}\n",
		"sandbox": "{\n  \"sandbox\": {\"enabled\": true, \"network\": {\"allowUnixSockets\": [\"/run/x\"]}},\n  " +
			"\"outputStyle\": \"terse\"\n}\n",
		"schema": "{\n  \"$schema\": \"https://json.schemastore.org/claude-code-settings.json\",\n  " +
			"\"includeCoAuthoredBy\": false\n}\n",
		"servers": "{\n  \"enableAllProjectMcpServers\": true,\n  \"enabledMcpjsonServers\": [\"memory\", " +
			"\"github\"]\n}\n",
		"lint hook": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        " +
			"\"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"lint.sh\"\n          " +
			"}\n        ]\n      }\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
		"many hooks": "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say " +
			"done\"},{\"type\":\"prompt\",\"prompt\":\"ok?\"}]}],\"SessionStart\":[{\"matcher\":\"startup\"," +
			"\"hooks\":[{\"type\":\"command\",\"command\":\"a\",\"args\":[\"b\"],\"timeout\":7,\"async\":true}]}]," +
			"\"Notification\":[{\"hooks\":[{\"type\":\"http\",\"url\":\"http://localhost:1\"}]}]}}",
		"empty lists": "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"PreToolUse\": [\n    ],\n    \"Setup\": [ ]\n  }\n}\n",
		"other memory": "{\n  \"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"node " +
			"~/.mem/worker.js start\"}]}], \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"notremanence hook " +
			"claude-code\"}]}]}\n}\n",
		"strange": "{\n  \"hooks\": {\"Stop\": [1, null, \"x\", {\"hooks\": 7}, {\"hooks\": [null, {\"command\": " +
			"3}]}, {}]}\n}\n",
		"deep":          "{\"x\":" + strings.Repeat(`{"a":[`, 300) + "1" + strings.Repeat("]}", 300) + "}",
		"wide":          "{" + strings.Repeat(`"k":"v", `, 3000) + `"z":0}`,
		"nothing":       "",
		"blanks":        " \r\n\t\n",
		"object":        "{}",
		"spaced object": "{ }\n",
		"open object":   "{\n\n}",
		"hooks only":    `{"hooks":{}}`,
		"capital":       `{"Hooks": {"Stop": 3}, "hooks": {"Stop": [ ] }, "HOOKS": null}`,
		"escaped keys":  "{\n  \"ho\\u006fks\": { \"St\\u006fp\": [ ] }\n}\n",
	}
	for name, src := range layouts() {
		all["layout "+name] = src
	}
	return all
}

// mutations change how a text is laid out, not what it says.
func mutations() map[string]func(string) string {
	pair := func(old, new string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, old, new) }
	}
	return map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"windows lines": func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
		},
		"old mac lines":   pair("\n", "\r"),
		"tabs":            pair("  ", "\t"),
		"four spaces":     pair("  ", "    "),
		"byte order mark": func(s string) string { return utfBOM + strings.TrimPrefix(s, utfBOM) },
		"no last line":    func(s string) string { return strings.TrimRight(s, "\r\n") },
		"more last lines": func(s string) string { return s + "\n\n\n" },
		"blanks before":   func(s string) string { return keepBOM(s, "\n \t") },
		"mixed lines": func(s string) string {
			lines := strings.SplitAfter(s, "\n")
			for i := range lines {
				if i%2 == 0 && !strings.HasSuffix(lines[i], "\r\n") {
					lines[i] = strings.Replace(lines[i], "\n", "\r\n", 1)
				}
			}
			return strings.Join(lines, "")
		},
		"trailing blanks": pair(",\n", ", \t\n"),
		"one line":        minified,
	}
}

func keepBOM(s, before string) string {
	body := strings.TrimPrefix(s, utfBOM)
	return s[:len(s)-len(body)] + before + body
}

func minified(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(strings.TrimPrefix(s, utfBOM))) != nil {
		return s
	}
	return b.String()
}

// spoilers make a text into what is not JSON.
func spoilers() map[string]func(string) string {
	return map[string]func(string) string{
		"line comment":    func(s string) string { return strings.Replace(s, "{", "{ // mine\n", 1) },
		"block comment":   func(s string) string { return strings.Replace(s, "{", "{ /* mine */", 1) },
		"comment at end":  func(s string) string { return s + "// the end" },
		"comma at end":    func(s string) string { return cutLast(s, "}", ",}") },
		"single quotes":   func(s string) string { return strings.Replace(s, "{", "{'a': 1, ", 1) },
		"bare key":        func(s string) string { return strings.Replace(s, "{", "{a: 1, ", 1) },
		"cut off":         func(s string) string { return cutLast(s, "}", "") },
		"twice":           func(s string) string { return s + "{}" },
		"merge conflict":  func(s string) string { return "<<<<<<< ours\n" + s + "\n=======\n" + s + "\n>>>>>>> theirs\n" },
		"yaml":            func(string) string { return "model: opus\nhooks:\n  Stop: []\n" },
		"utf-16":          func(s string) string { return "\xff\xfe" + strings.Join(strings.Split(s, ""), "\x00") },
		"null byte":       func(s string) string { return s + "\x00" },
		"control in text": func(s string) string { return strings.Replace(s, "{", "{\"a\": \"x\ny\", ", 1) },
		"bad number":      func(s string) string { return strings.Replace(s, "{", "{\"a\": 01, ", 1) },
		"not a number":    func(s string) string { return strings.Replace(s, "{", "{\"a\": NaN, ", 1) },
	}
}

func cutLast(s, old, new string) string {
	i := strings.LastIndex(s, old)
	if i < 0 {
		return s + "{"
	}
	return s[:i] + new + s[i+len(old):]
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// TestCorpus installs into, upgrades in and uninstalls from every shape of
// settings in every layout, and leaves everything that it does not understand
// alone.
func TestCorpus(t *testing.T) {
	taken, refused := 0, 0
	seen := map[string]bool{}
	for _, shape := range sortedKeys(shapes()) {
		for _, mutation := range sortedKeys(mutations()) {
			src := []byte(mutations()[mutation](shapes()[shape]))
			if seen[string(src)] {
				continue
			}
			seen[string(src)] = true
			t.Run(shape+"/"+mutation, func(t *testing.T) { checkFile(t, src) })
			taken++
		}
		for _, spoiler := range sortedKeys(spoilers()) {
			if strings.Trim(shapes()[shape], blanks) == "" {
				continue // two of nothing are one
			}
			src := []byte(spoilers()[spoiler](shapes()[shape]))
			if seen[string(src)] || len(bytes.Trim(src, blanks)) == 0 {
				continue
			}
			seen[string(src)] = true
			t.Run(shape+"/"+spoiler, func(t *testing.T) { checkRefused(t, src) })
			refused++
		}
	}
	t.Logf("%d settings files taken, %d refused", taken, refused)
	if taken < 300 || taken+refused < 500 {
		t.Errorf("%d files taken and %d refused, want at least 300 and 500 in all", taken, refused)
	}
}

// checkFile proves that only bytes of ours come and go.
func checkFile(t *testing.T, src []byte) {
	old, now := entries(t, Lean, "/old place/remanence"), entries(t, Full, binary)
	checkMerge(t, src, now)
	first, err := Merge(src, old)
	if err != nil {
		t.Fatal(err)
	}
	onlyInserted(t, src, first)
	second, err := Merge(first, now)
	if err != nil {
		t.Fatal(err)
	}
	onlyInserted(t, src, second)
	back, err := Unmerge(second, Ours)
	if err != nil || !bytes.Equal(back, src) {
		t.Errorf("after an upgrade uninstalling gives %q, %v\nwant %q", back, err, src)
	}
}

// onlyInserted proves that the source is still there to the byte, in order, and
// that what is between says nothing but our hooks.
func onlyInserted(t *testing.T, src, merged []byte) {
	t.Helper()
	rest := merged
	for i := range src {
		at := bytes.IndexByte(rest, src[i])
		if at < 0 {
			t.Fatalf("byte %d of the source is gone\nfrom %q\nto   %q", i, src, merged)
		}
		rest = rest[at+1:]
	}
	cut, err := Unmerge(merged, Ours)
	if err != nil || !bytes.Equal(cut, src) {
		t.Errorf("without ours it is %q, %v\nwant %q", cut, err, src)
	}
}

// checkRefused proves that nothing is written and that the reason names its line.
func checkRefused(t *testing.T, src []byte) {
	got, err := Merge(src, entries(t, Lean, binary))
	if got != nil || !errors.Is(err, ErrNotJSON) {
		t.Errorf("merge %q gave %q, %v, want %v", src, got, err, ErrNotJSON)
	}
	if err != nil && !strings.Contains(err.Error(), "line ") {
		t.Errorf("%v does not say where", err)
	}
	if got, err := Unmerge(src, Ours); got != nil || !errors.Is(err, ErrNotJSON) {
		t.Errorf("unmerge %q gave %q, %v, want %v", src, got, err, ErrNotJSON)
	}
}

// Files of unknown shape are as good as unreadable: whatever stands where our
// hooks would.
func TestCorpusOfWrongTypes(t *testing.T) {
	n := 0
	for _, value := range []string{
		"null", "1", "true", `"x"`, "[]", "[{}]", `{"Stop": {}}`, `{"Stop": null}`,
		`{"Stop": "x"}`, `{"Later": 1}`, `{"Stop": [], "PreToolUse": 0}`,
	} {
		for _, frame := range []string{
			`{"hooks": %s}`, "{\n  \"model\": \"a\",\n  \"hooks\": %s\n}\n",
			`{"hooks": {}, "hooks": %s}`, utfBOM + "{\r\n\t\"hooks\": %s\r\n}",
		} {
			src := []byte(fmt.Sprintf(frame, value))
			if got, err := Merge(src, entries(t, Lean, binary)); got != nil || !errors.Is(err, ErrShape) {
				t.Errorf("merge %q gave %q, %v, want %v", src, got, err, ErrShape)
			}
			if got, err := Unmerge(src, Ours); err != nil || !bytes.Equal(got, src) {
				t.Errorf("unmerge %q gave %q, %v, want it as it was", src, got, err)
			}
			n++
		}
	}
	t.Logf("%d files", n)
}
