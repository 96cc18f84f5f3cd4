package cli

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
)

func testPrinter(width int) (*ui.Printer, *strings.Builder) {
	var out strings.Builder
	return &ui.Printer{Out: &out, Err: &strings.Builder{}, Width: width, Now: func() time.Time {
		return time.Date(2026, 3, 15, 14, 30, 0, 0, time.Local)
	}}, &out
}

func TestATableKeepsItsColumnsOnANarrowTerminal(t *testing.T) {
	cols := []ui.Column{
		{Name: "id"},
		{Name: "kind", Drop: 1},
		{Name: "title", Flex: true},
		{Name: "file", Drop: 2, Path: true},
	}
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
		{90, "m_1   decision  chose jittered backoff over a fixed pause of five secon…  …al/net/retry.go\n" +
			"m_22  gotcha    短い title\n"},
		{70, "m_1   decision  chose jittered backoff over a fixed…  …al/net/retry.go\n" +
			"m_22  gotcha    短い title\n"},
		{60, "m_1   decision  internal/net/retry.go\n    chose jittered backoff over a fixed pause of five secon…\n" +
			"m_22  gotcha\n    短い title\n"},
		{40, "id        m_1\nkind      decision\ntitle     chose jittered backoff over a\n          fixed pause of five " +
			"seconds\nfile      internal/net/retry.go\n\n" +
			"id        m_22\nkind      gotcha\ntitle     短い title\n"},
	} {
		p, out := testPrinter(tc.width)
		p.Table(cols, rows)
		if out.String() != tc.want {
			t.Errorf("width %d:\ngot\n%swant\n%s", tc.width, out, tc.want)
		}
	}
}

func TestATableThatNoTerminalLimitsIsWhole(t *testing.T) {
	p, out := testPrinter(100)
	p.Whole = true
	long := strings.Repeat("word ", 60) + "end"
	p.Table([]ui.Column{{Name: "id"}, {Name: "title", Flex: true}, {Name: "file", Path: true}},
		[][]string{{"m_1", long, strings.Repeat("dir/", 30) + "f.go"}})
	if want := "m_1  " + long + "  " + strings.Repeat("dir/", 30) + "f.go\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestAQuestionIsShownShortAndEscapedOnce(t *testing.T) {
	for in, want := range map[string]string{
		"a\x01b":                 `"a\u{1}b"`,
		"two\nlines":             `"two lines"`,
		strings.Repeat("z", 9e4): `"` + strings.Repeat("z", 59) + `…"`,
	} {
		if got := ui.InQuotes(in); got != want {
			t.Errorf("%.20q: got %s, want %s", in, got, want)
		}
		p, out := testPrinter(100)
		ui.SearchView{Query: in}.Print(p)
		if !strings.HasPrefix(out.String(), "Nothing for "+want+" among ") {
			t.Errorf("%.20q: got %.200s", in, out)
		}
	}
}

func TestTheNamesOfAnImportDoNotSteerTheTerminal(t *testing.T) {
	p, out := testPrinter(80)
	ui.ImportView{Projects: []ui.ImportedProject{
		{Name: "a\x1b[2J", Memories: 1, Known: true}, {Name: "b\x1b[2J\nkept", Memories: 2},
	}}.Print(p)
	if strings.Contains(out.String(), "\x1b") || strings.Count(out.String(), "\n") != 4 {
		t.Errorf("got %q", out)
	}
}
