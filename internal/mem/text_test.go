package mem_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

func TestTokensAreAQuarterOfTheCharacters(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{
		{"", 0}, {"a", 1}, {"abcd", 1}, {"abcde", 2}, {"日本語", 3}, {"日本語abc", 4}, {"äöüß", 1},
	} {
		if got := chars.Tokens(tt.in); got != tt.want {
			t.Errorf("%q: got %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestNumbersAreGroupedByThree(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234",
		-123: "-123",
	} {
		if got := chars.Thousands(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestUnitsCountsUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got, want := chars.UTF16Len(s), len(utf16.Encode([]rune(s))); got != want {
			t.Fatalf("%q: got %d, want %d", s, got, want)
		}
	})
}

func TestClientMadeTextIsRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		"<command-message>review</command-message>": true, " <command-args>x</command-args>": true,
		"<bash-stderr>no</bash-stderr>": true,
		"<local-command-stdout>":        true, "<task-notification>": true, "Stop hook feedback:\n- no": true,
		"[Request interrupted by user]": true,
		"":                              false, "what does <command-name> mean": false, "<private>": false,
	} {
		if got := chars.IsClientText(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestClipKeepsTheLimitAndWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(0, 20).Draw(t, "n")
		got := chars.Clip(s, n)
		if utf8.RuneCountInString(got) > n || !utf8.ValidString(got) {
			t.Fatalf("Clip(%q, %d) = %q", s, n, got)
		}
		if utf8.RuneCountInString(s) <= n && got != s {
			t.Fatalf("Clip(%q, %d) changed a text that fits: %q", s, n, got)
		}
	})
}

func TestLineAndFirstLine(t *testing.T) {
	if got := chars.Line(" a\n\tb  c "); got != "a b c" {
		t.Errorf("Line: got %q", got)
	}
	if got := chars.FirstLine("\n  \n x y \nz"); got != "x y" {
		t.Errorf("FirstLine: got %q", got)
	}
	if got := chars.FirstLine(strings.Repeat("\n", 3)); got != "" {
		t.Errorf("FirstLine of nothing: got %q", got)
	}
}

func TestEveryKindHasItsOwnGlyph(t *testing.T) {
	seen := map[string]mem.Kind{}
	for _, k := range mem.Kinds() {
		if other, ok := seen[k.Glyph]; ok || k.Glyph == "" || k.Importance <= 0 || k.Importance > 1 {
			t.Errorf("%s: glyph %q (also of %q), importance %v", k.Kind, k.Glyph, other, k.Importance)
		}
		seen[k.Glyph] = k.Kind
	}
	if _, ok := mem.Kind("no such").Info(); ok {
		t.Error("an unknown kind has info")
	}
}

func TestConflictMarkersInACodeFenceAreIgnored(t *testing.T) {
	const marks = "<<<<<<< HEAD\na\n||||||| base\nb\n=======\nc\n>>>>>>> other\n"
	for text, want := range map[string]bool{
		marks: true, "x\r\n" + strings.ReplaceAll(marks, "\n", "\r\n"): true, "```\nx\n```\n" + marks: true,
		"```\n" + marks + "```\n": false, " " + strings.ReplaceAll(marks, "\n", "\n "): false, "Title\n=======\n": false,
		">>>>>>> a\n=======\n<<<<<<< b\n": false,
	} {
		if got := chars.HasConflictMarkers(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
