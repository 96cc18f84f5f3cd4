package ui

import (
	"strings"
	"testing"
)

func TestALineIsWrappedWhereItsTextBegins(t *testing.T) {
	for _, c := range []struct {
		name, line string
		width      int
		want       string
	}{
		{"it fits", "one two", 7, "one two"},
		{"no width is passed", "one two three", 8, "one two\nthree"},
		{"indentation", "   one two three", 10, "   one two\n   three"},
		{"list", "- one two three", 9, "- one two\n  three"},
		{"label", "  fix  one two three", 15, "  fix  one two\n       three"},
		{"a label alone stays with its word", "  fix  /a/very/long/path and", 15, "  fix  /a/very/long/path\n       and"},
		{"wide letters", "値段 整数 値段 整数", 9, "値段 整数\n値段 整数"},
		{"styles take no room", "\x1b[31merror:\x1b[0m one two", 14, "\x1b[31merror:\x1b[0m one two"},
		{"a blank at the end", "one two three ", 13, "one two three "},
		{"nothing", "", 10, ""},
	} {
		if got := strings.Join(Wrap(c.line, c.width), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestNoWordOfAWrappedLineIsLost(t *testing.T) {
	line := "  unattributed    m_c  decided without a reason: we greet  with hello from bash, instead of a banner."
	for width := range 100 {
		got := strings.Join(Wrap(line, width), "\n")
		if a, b := strings.Fields(got), strings.Fields(line); strings.Join(a, " ") != strings.Join(b, " ") {
			t.Fatalf("width %d: %q", width, got)
		}
	}
}
