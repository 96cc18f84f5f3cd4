package notation

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlainNotation(t *testing.T) {
	for in, want := range map[string]string{
		"pass\u200bword: a": "password: a", "ｐａｓｓ＝x": "pass=x", "&#112;ass&equals;x": "pass=x",
		"&amp;quot;x&amp;quot;": "\"x\"",
		"%70ass%3Dx":            "pass=x", `\u0070ass\x3d`: "pass=", "\x1b[1mpass\x1b[0m": "pass", `"gh" + "p_1"`: `"ghp_1"`,
		"рassword": "password", "𝗽ass": "pass", "“x”": "\"x\"", "%2570ass": "pass",
	} {
		if got, places := Plain(in); got != want || places == nil {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainTextStays(t *testing.T) {
	for _, in := range []string{
		"", "plain & simple", "100% of a+b", `C:\new`, "пароль: х", "naïve – ok", "a &lt b", "%zz", `\u00e9`, "x\x80y",
	} {
		if got, places := Plain(in); got != in || places != nil {
			t.Errorf("Plain(%q) = %q, want it unchanged", in, got)
		}
	}
}

// Text far from another notation is left out, and positions still map to the original.
func TestPositionsMapToTheText(t *testing.T) {
	far := strings.Repeat("x ", 20<<10)
	in := far + "ｋｅｙ" + far + "&#65;B" + far
	plain, places := Plain(in)
	if len(plain) > 8*notationReach {
		t.Errorf("%d bytes of %d are searched", len(plain), len(in))
	}
	for _, c := range [...]struct{ plain, whole string }{{"key", "ｋｅｙ"}, {"AB", "&#65;B"}} {
		i := strings.Index(plain, c.plain)
		if got := in[places.From(i):places.To(i+len(c.plain))]; got != c.whole {
			t.Errorf("%q is at %q, want %q", c.plain, got, c.whole)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"pass\u200bword: a", "&#112;ass", "%70", `\u0070`, "\x1b[1m", `"a" + "b"`,
		"\xf0\x9d", "&amp;amp;#x41;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, places := Plain(s)
		if places == nil {
			return
		}
		last := 0
		for i := range len(plain) {
			from, to := places.From(i), places.To(i+1)
			if from < last || to <= from || to > len(s) {
				t.Fatalf("byte %d of %q is %d:%d of %q", i, plain, from, to, s)
			}
			last = to
		}
		if utf8.ValidString(s) && !utf8.ValidString(plain) {
			t.Fatalf("%q becomes %q", s, plain)
		}
	})
}
