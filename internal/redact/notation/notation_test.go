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

// Of two parts of a literal, of characters as numbers, of bytes in hex, and of a long line of mail.
func TestPartsAndNumbersAreOneText(t *testing.T) {
	for in, want := range map[string]string{
		`$p = 'marble' . 'whistle';`:                                                              `$p = 'marblewhistle';`,
		`p = "marble" .. "whistle"`:                                                               `p = "marblewhistle"`,
		`p = "marble" & "whistle"`:                                                                `p = "marblewhistle"`,
		`p = "marble".concat("whistle");`:                                                         `p = "marblewhistle");`,
		"p = (\"marble\"\n     \"whistle\")":                                                      `p = ("marblewhistle")`,
		"p = String.fromCharCode(109, 97, 114,98,108,101)":                                        `p = "marble"`,
		`p := []byte{0x6d, 0x61, 0x72, 0x62, 0x6c, 0x65}`:                                         `p := "marble"`,
		`char p[] = {'m', 'a', 'r', 'b', 'l', 'e', 0};`:                                           `char p[] = "marble"`,
		"p = chr(109) + chr(97) + chr(114) + chr(98) + chr(108) + chr(101)":                       `p = "marble"`,
		`p = "".join(chr(c) for c in [109, 97, 114, 98, 108, 101])`:                               `p = "marble"`,
		"00000000: 703d 6d61 7262 6c65 7768 6973 746c 653d  p=marblewhistle=\n00000010: 310a  1.": "p=marblewhistle=1\n",
		"00000000  70 3d 6d 61 72 62 6c 65  77 68 69 73 74 6c 65 0a  |p=marblewhistle.|":          "p=marblewhistle\n",
		"Gr=C3=BC=C3=9Fe: mar=\nble":                                                              "Gr=C3=BC=C3=9Fe: marble",
	} {
		if got, _ := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOtherLinesAndNumbersStay(t *testing.T) {
	for _, in := range []string{
		"KEY=\nHOST=db", "a = \"\"\"\n\"b\"", "[\"a\",\n \"b\"]", "x = [65, 66, 67]", "x = [101, 7592, 1010, 2088, 102, 103]",
		"x = []byte{0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a}", "10: 12 34 56", "2026-03-04 10:00:00  12 done", "chr(13) + chr(10)",
	} {
		if got, places := Plain(in); places != nil {
			t.Errorf("Plain(%q) = %q, want it unchanged", in, got)
		}
	}
}

// What is found in a dump takes the rest of its last line, which shows it once more.
func TestASecretOfADumpTakesItsColumnOfText(t *testing.T) {
	const in = "00000000: 703d 6d61 7262 6c65 7768 6973 746c 653d  p=marblewhistle=\n" +
		"00000010: 310a                  1.\nend"
	const want = "6d61 7262 6c65 7768 6973 746c 653d  p=marblewhistle="
	plain, places := Plain(in)
	from := strings.Index(plain, "marble")
	if got := in[places.From(from):places.To(from+len("marble"))]; got != want {
		t.Errorf("marble is at %q", got)
	}
	if !strings.HasSuffix(plain, "1\n\nend") {
		t.Errorf("the text after the dump is missing: %q", plain)
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"pass\u200bword: a", "&#112;ass", "%70", `\u0070`, "\x1b[1m", `"a" + "b"`,
		"\xf0\x9d", "&amp;amp;#x41;", "x = [65, 66, 67, 68, 69, 70, 71]", "=C3=9F the word goes o=\nn",
		"00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70  abcdefghijklmnop\n00000010: 7172 0a  qr.",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, places := Plain(s)
		if places == nil {
			return
		}
		first, last := 0, 0
		for i := range len(plain) {
			from, to := places.From(i), places.To(i+1)
			if from < first || to < last || to <= from || to > len(s) {
				t.Fatalf("byte %d of %q is %d:%d of %q", i, plain, from, to, s)
			}
			first, last = from, to
		}
		if utf8.ValidString(s) && !utf8.ValidString(plain) {
			t.Fatalf("%q becomes %q", s, plain)
		}
	})
}
