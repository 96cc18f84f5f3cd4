package ui

import (
	"strings"
	"testing"

	"remanence/internal/config"
)

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
		if got := Safe(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestColourIsAChoiceOfTheReader(t *testing.T) {
	for _, tc := range []struct {
		env   map[string]string
		flags Flags
		want  bool
	}{
		{nil, Flags{}, false}, // no terminal
		{map[string]string{"CLICOLOR_FORCE": "1"}, Flags{}, true},
		{map[string]string{"CLICOLOR_FORCE": "0"}, Flags{}, false},
		{nil, Flags{Color: "always"}, true},
		{nil, Flags{Color: "always", NoColor: true}, false},
		{map[string]string{"CLICOLOR_FORCE": "1"}, Flags{JSON: true}, false},
	} {
		p := NewPrinter(config.System{Stdout: &strings.Builder{}, Getenv: func(k string) string {
			return tc.env[k]
		}}, tc.flags)
		if p.colour != tc.want {
			t.Errorf("env %v, flags %+v: got %v, want %v", tc.env, tc.flags, p.colour, tc.want)
		}
	}
}
