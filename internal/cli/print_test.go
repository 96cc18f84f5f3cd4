package cli

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/recall"
)

func testPrinter(width int) (*printer, *strings.Builder) {
	var out strings.Builder
	return &printer{out: &out, err: &strings.Builder{}, width: width, now: func() time.Time {
		return time.Date(2026, 3, 15, 14, 30, 0, 0, time.Local)
	}}, &out
}

func TestWhatSteersATerminalIsShownInstead(t *testing.T) {
	for in, want := range map[string]string{
		"plain ünï 日本 👩‍🔧":      "plain ünï 日本 👩‍🔧",
		"a\x1b[2Jb":             `a\u{1b}[2Jb`,
		"c1 \u009b31m":          `c1 \u{9b}31m`,
		"bidi \u202e drow":      `bidi \u{202e} drow`,
		"bell\a, back\b, cr\r!": `bell\u{7}, back\u{8}, cr\u{d}!`,
		"hidden \U000e0041 tag": `hidden \u{e0041} tag`,
		"lines\nand\ttabs":      "lines\nand\ttabs",
		"separator \u2028 here": `separator \u{2028} here`,
	} {
		if got := safe(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestATableMakesRoomByItsColumnsRanks(t *testing.T) {
	cols := []column{{name: "id"}, {name: "kind", drop: 1}, {name: "title", flex: true}, {name: "file", drop: 2}}
	rows := [][]string{
		{"m_1", "decision", "chose jittered backoff over a fixed pause of five seconds", "internal/net/retry.go"},
		{"m_22", "gotcha", "短い title", ""},
	}
	for _, tc := range []struct {
		width int
		want  string
	}{
		{100, "m_1   decision  chose jittered backoff over a fixed pause of five seconds  internal/net/retry.go\n" +
			"m_22  gotcha    短い title\n"},
		{90, "m_1   decision  chose jittered backoff over a fixed pause of five seconds\nm_22  gotcha    短い title\n"},
		{60, "m_1   chose jittered backoff over a fixed pause of five sec…\nm_22  短い title\n"},
		{40, "id        m_1\nkind      decision\ntitle     chose jittered backoff over a fixed pause of five seconds\nfile      internal/net/retry.go\n\n" +
			"id        m_22\nkind      gotcha\ntitle     短い title\n"},
	} {
		p, out := testPrinter(tc.width)
		p.table(cols, rows)
		if out.String() != tc.want {
			t.Errorf("width %d:\ngot\n%swant\n%s", tc.width, out, tc.want)
		}
	}
}

func TestColourIsAChoiceOfTheReader(t *testing.T) {
	for _, tc := range []struct {
		env   map[string]string
		flags flags
		want  bool
	}{
		{nil, flags{}, false}, // no terminal
		{map[string]string{"CLICOLOR_FORCE": "1"}, flags{}, true},
		{map[string]string{"CLICOLOR_FORCE": "0"}, flags{}, false},
		{nil, flags{color: "always"}, true},
		{nil, flags{color: "always", noColor: true}, false},
		{map[string]string{"CLICOLOR_FORCE": "1"}, flags{json: true}, false},
	} {
		p := newPrinter(System{Stdout: &strings.Builder{}, Getenv: func(k string) string { return tc.env[k] }}, tc.flags)
		if p.colour != tc.want {
			t.Errorf("env %v, flags %+v: got %v, want %v", tc.env, tc.flags, p.colour, tc.want)
		}
	}
}

func TestAQuestionIsShownShortAndEscapedOnce(t *testing.T) {
	for in, want := range map[string]string{
		"a\x01b":                 `"a\u{1}b"`,
		"two\nlines":             `"two lines"`,
		strings.Repeat("z", 9e4): `"` + strings.Repeat("z", 59) + `…"`,
	} {
		if got := inQuotes(in); got != want {
			t.Errorf("%.20q: got %s, want %s", in, got, want)
		}
		p, out := testPrinter(100)
		searched(recall.SearchResponse{}, mem.Query{Text: in}, 5).human(p)
		if !strings.HasPrefix(out.String(), "Nothing for "+want+" among ") {
			t.Errorf("%.20q: got %.200s", in, out)
		}
	}
}

func TestTheNamesOfAnImportDoNotSteerTheTerminal(t *testing.T) {
	p, out := testPrinter(80)
	importView{Projects: []importedProject{{"a\x1b[2J", 1, true}, {"b\x1b[2J\nkept", 2, false}}}.human(p)
	if strings.Contains(out.String(), "\x1b") || strings.Count(out.String(), "\n") != 4 {
		t.Errorf("got %q", out)
	}
}
