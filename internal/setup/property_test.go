package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// oddJSON writes JSON texts as no formatter would: any blanks between tokens, odd numbers, escapes, doubled keys.
type oddJSON struct {
	t *rapid.T
	b strings.Builder
}

func (o *oddJSON) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(o.t, label)
}

func (o *oddJSON) blank() {
	o.b.WriteString(o.pick("blank", "", "", "", " ", "  ", "   ", "    ", "\n", "\r\n", "\n  ", "\r\n\t", "\t", " \n ",
		"\r"))
}

func (o *oddJSON) List(brackets string, n int, item func()) {
	o.b.WriteByte(brackets[0])
	o.blank()
	for i := range n {
		if i > 0 {
			o.b.WriteByte(',')
			o.blank()
		}
		item()
		o.blank()
	}
	o.b.WriteByte(brackets[1])
}

func (o *oddJSON) member(key string, value func()) {
	o.b.WriteString(key)
	o.blank()
	o.b.WriteByte(':')
	o.blank()
	value()
}

func (o *oddJSON) size() int { return rapid.IntRange(0, 3).Draw(o.t, "size") }

func (o *oddJSON) value(depth int) {
	kind := rapid.IntRange(0, 3).Draw(o.t, "kind")
	switch {
	case kind == 0 && depth > 0:
		o.List("{}", o.size(), func() {
			o.member(o.pick("key", `"a"`, `"a"`, `"\u0061"`, `"é"`, `"hooks"`, `""`, `"x\"y\\"`), func() { o.value(depth - 1) })
		})
	case kind == 1 && depth > 0:
		o.List("[]", o.size(), func() { o.value(depth - 1) })
	default:
		o.b.WriteString(o.pick("scalar", "9007199254740993", "1.0", "-0", "1e400", "1E+2", "true", "null",
			`"<b>&"`, `"\/\u00e9\ud800"`, `"日本語 🧠"`, `"}],{\"hooks\":"`, "\"\xff\"", `"remanence hook claude-code"`))
	}
}

func (o *oddJSON) group() {
	if rapid.IntRange(0, 4).Draw(o.t, "strange group") == 0 {
		o.value(2)
		return
	}
	o.List("{}", 1+o.size(), func() {
		switch o.pick("group key", "hooks", "hooks", "matcher", "other") {
		case "hooks":
			o.member(`"hooks"`, func() {
				o.List("[]", o.size(), func() {
					o.List("{}", o.size(), func() {
						o.member(o.pick("key", `"type"`, `"command"`, `"args"`, `"timeout"`), func() { o.value(1) })
					})
				})
			})
		case "matcher":
			o.member(`"matcher"`, func() { o.b.WriteString(o.pick("matcher", `""`, `"*"`, `"Task"`, `7`)) })
		default:
			o.member(`"x"`, func() { o.value(1) })
		}
	})
}

// settings writes a whole file of the known shape.
func (o *oddJSON) settings() string {
	o.b.WriteString(o.pick("bom", "", "", utfBOM))
	o.blank()
	if rapid.IntRange(0, 9).Draw(o.t, "blank file") == 0 {
		return o.b.String()
	}
	o.List("{}", o.size(), func() {
		if o.pick("member", "hooks", "hooks", "other") == "other" {
			o.member(o.pick("key", `"env"`, `"model"`, `"Hooks"`), func() { o.value(3) })
			return
		}
		o.member(o.pick("hooks key", `"hooks"`, `"h\u006foks"`), func() {
			o.List("{}", o.size(), func() {
				event := o.pick("event", `"Stop"`, `"St\u006fp"`, `"PreToolUse"`, `"SessionEnd"`, `"Notification"`, `"Other"`)
				o.member(event, func() { o.List("[]", o.size(), o.group) })
			})
		})
	})
	o.blank()
	return o.b.String()
}

func TestPropertyUnmergeUndoesMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte((&oddJSON{t: t}).settings())
		checkMerge(t, src, anyTable(t, binary))
	})
}

func anyTable(t *rapid.T, binary string) []Entry {
	list, err := Entries(rapid.SampledFrom([]Profile{Lean, Full}).Draw(t, "profile"), binary)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// tb is what checkMerge needs of a test.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkMerge proves every promise of Merge and Unmerge on one text.
func checkMerge(t tb, src []byte, want []Entry) {
	t.Helper()
	kept := bytes.Clone(src)
	merged, err := Merge(src, want)
	if err != nil {
		t.Fatalf("merge %q: %v", src, err)
	}
	if !json.Valid(bytes.TrimPrefix(merged, []byte(utfBOM))) {
		t.Fatalf("merge %q gave invalid %q", src, merged)
	}
	if got := live(merged); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		t.Fatalf("merge %q left entries %v, want %v", src, got, want)
	}
	twice, err := Merge(merged, want)
	if err != nil || !bytes.Equal(twice, merged) {
		t.Fatalf("merging again: %v %q, want %q", err, twice, merged)
	}
	back, err := Unmerge(merged, Ours)
	if err != nil || !bytes.Equal(back, src) {
		t.Fatalf("unmerge gave %q, %v, want %q", back, err, src)
	}
	if !bytes.Equal(src, kept) {
		t.Fatalf("the source was written to: %q, was %q", src, kept)
	}
}

// live lists our entries in the order of the table of entries.
func live(src []byte) []Entry {
	d, err := parse(src)
	if err != nil {
		return nil
	}
	var list []Entry
	all := append(leanHooks(), moreHooks()...)
	for _, e := range entriesOf(all, shellWord(binary), AgentID) {
		for _, f := range d.handlers() {
			if f.live && Ours(f.Handler) && f.Event == e.Event && f.Matcher == e.Matcher && d.stands(e, f.node) {
				list = append(list, e)
			}
		}
	}
	return list
}

func TestPropertyMovingThroughVersionsLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte((&oddJSON{t: t}).settings())
		text := src
		for range rapid.IntRange(1, 4).Draw(t, "versions") {
			place := rapid.SampledFrom([]string{"/a/remanence", "/b c/remanence", `C:\remanence.exe`}).Draw(t, "binary")
			var err error
			if text, err = Merge(text, anyTable(t, place)); err != nil {
				t.Fatalf("merge: %v", err)
			}
		}
		if got, err := Unmerge(text, Ours); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("got %q, %v\nwant %q", got, err, src)
		}
	})
}

func TestPropertyBrokenTextIsNeverEdited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte((&oddJSON{t: t}).settings())
		if len(src) == 0 {
			return
		}
		at := rapid.IntRange(0, len(src)-1).Draw(t, "at")
		broken := append(bytes.Clone(src[:at]), rapid.SampledFrom([]string{"", ",", "//x\n", "}", "\x00", "\""}).Draw(t,
			"junk")...)
		broken = append(broken, src[at+1:]...)
		checkAny(t, broken)
	})
}

// checkAny proves what must hold for any bytes.
func checkAny(t tb, src []byte) {
	t.Helper()
	list := append(leanHooks(), moreHooks()...)
	if _, err := Unmerge(src, Ours); err != nil && !errors.Is(err, ErrNotJSON) {
		t.Fatalf("unmerge %q: %v, want only ErrNotJSON", src, err)
	}
	merged, err := Merge(src, entriesOf(list, shellWord(binary), AgentID))
	if err != nil {
		if merged != nil || !errors.Is(err, ErrNotJSON) && !errors.Is(err, ErrShape) {
			t.Fatalf("merge %q gave %q, %v", src, merged, err)
		}
		return
	}
	d, err := parse(src)
	if err != nil {
		t.Fatalf("merge took %q, but it does not parse: %v", src, err)
	}
	for _, f := range d.handlers() {
		if Ours(f.Handler) {
			return // there is more to undo than this merge
		}
	}
	checkMerge(t, src, entriesOf(list, shellWord(binary), AgentID))
}

func FuzzSettings(f *testing.F) {
	for _, src := range layouts() {
		f.Add([]byte(src))
		merged, err := Merge([]byte(src), entriesOf(leanHooks(), "/old/remanence", AgentID))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(merged)
	}
	for _, src := range []string{
		"null", "[]", `{"hooks":[]}`, `{"hooks":{"Stop":{}}}`, "{,}", `{"a":1,}`, "//",
		"\xef\xbb\xbf", "\xef\xbb\xbf\xef\xbb\xbf",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkAny(t, src) })
}

// realShaped makes settings as they are found on people's machines.
func realShaped(r *rand.Rand) []byte {
	root := map[string]any{"$schema": "https://json.schemastore.org/claude-code-settings.json"}
	maybe := func(key string, v any) {
		if r.Intn(2) == 0 {
			root[key] = v
		}
	}
	maybe("model", "opus")
	maybe("env", map[string]any{"FOO": "a \"quoted\" <value>", "N": "9007199254740993"})
	maybe("permissions", map[string]any{"allow": []string{"Bash(git *)", "Read(~/.zshrc)"}, "deny": []string{}})
	maybe("statusLine", map[string]any{"type": "command", "command": "~/.claude/line.sh"})
	maybe("cleanupPeriodDays", 90+r.Intn(900))
	maybe("enabledPlugins", map[string]any{"tools@market": true})
	if r.Intn(3) > 0 {
		hooks := map[string]any{"SubagentStop": []any{map[string]any{"hooks": []any{}}}}
		for _, event := range []string{"PreToolUse", "PostToolUse", "Stop", "Notification", "SessionStart"} {
			if r.Intn(2) == 0 {
				h := map[string]any{"type": "command", "command": fmt.Sprintf("bash ~/hooks/%d.sh", r.Intn(99))}
				hooks[event] = []any{map[string]any{"matcher": "Bash|Edit", "hooks": []any{h}}}
			}
		}
		root["hooks"] = hooks
	}
	indent := []string{"  ", "    ", "\t"}[r.Intn(3)]
	text, err := json.MarshalIndent(root, "", indent)
	if err != nil {
		panic(err)
	}
	if r.Intn(2) == 0 {
		text = append(text, '\n')
	}
	if r.Intn(4) == 0 {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

func TestInRealSettingsOnlyOurLinesAreAdded(t *testing.T) {
	for seed := range int64(500) {
		src := realShaped(rand.New(rand.NewSource(seed)))
		want := entries(t, Full, binary)
		checkMerge(t, src, want)
		merged, err := Merge(src, want)
		if err != nil {
			t.Fatal(err)
		}
		checkOnlyOurLines(t, string(src), string(merged))
	}
}

// checkOnlyOurLines walks both texts line by line. A line of the source may have got the comma that our next one
// needs; every line more is of ours.
func checkOnlyOurLines(t *testing.T, src, merged string) {
	t.Helper()
	left := strings.Split(src, "\n")
	for _, line := range strings.Split(merged, "\n") {
		bare := strings.TrimSuffix(line, "\r")
		if len(left) > 0 && (line == left[0] || strings.TrimSuffix(bare, ",") == strings.TrimSuffix(left[0], "\r")) {
			left = left[1:]
			continue
		}
		if !ourLine(bare) {
			t.Errorf("a line that is not ours: %q\nin\n%s", line, merged)
		}
	}
	if len(left) > 0 {
		t.Errorf("lines of the source are lost: %q\nin\n%s", left, merged)
	}
}

func ourLine(line string) bool {
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	command := quote(shellWord(binary) + hookWord + AgentID)
	if strings.Contains(line, command) || line == "]" || line == "}" || line == `"hooks": {` {
		return true
	}
	for _, h := range append(leanHooks(), moreHooks()...) {
		if line == quote(h.event)+": [" {
			return true
		}
	}
	return false
}
