package redact

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"remanence/internal/redact/jsonstream"
)

func TestPrivateSpansAreRemoved(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":                   {"a <private>x</private> b", "a  b"},
		"two":                     {"a<private>x</private>b<private>y</private>c", "abc"},
		"upper case":              {"a<PRIVATE>x</Private>b", "ab"},
		"attributes":              {`a<private reason="a > b">x</private>b`, "ab"},
		"newline in the tag":      {"a<private\n>x</private\n>b", "ab"},
		"blanks in the tag":       {"a< private >x< / private >b", "ab"},
		"nested":                  {"a<private>x<private>y</private>z</private>b", "ab"},
		"unclosed":                {"a<private>x", "a"},
		"nested and unclosed":     {"a<private>x<private>y</private>z", "a"},
		"unclosed tag":            {"a<private", "a"},
		"closer that never ends":  {"a<private>x</private", "a"},
		"self-closing is opening": {"a<private/>x", "a"},
		"cyrillic letters":        {"a<рrіvаtе>x</рrіvаtе>b", "ab"},
		"cyrillic capitals":       {"a<РRІVАТЕ>x</PRIVATE>b", "ab"},
		"greek letters":           {"a<ρrινατε>x</private>b", "ab"},
		"combining marks":         {"a<pri\u0301vate\u0332>x</private>b", "ab"},
		"letters with marks":      {"a<prívåţë>x</private>b", "ab"},
		"dotless i":               {"a<prıvate>x</PRİVATE>b", "ab"},
		"braille blank":           {"a<pri\u2800vate>x</private>b", "ab"},
		"escaped letters":         {`a\\u003c\\u0440r\\u0456vate\\u003ex\\u003c/private\\u003eb`, "ab"},
		"escaped zero width":      {`a<pri\u200bvate\u003ex</private>b`, "ab"},
		"escaped pair":            {`a<\ud835\udc29rivate>x</private>b`, "ab"},
		"escaped full width":      {`a\uff1cprivate\uff1ex\uff1c/private\uff1eb`, "ab"},
		"escaped newline":         {`a<\n private\n>x</private\n>b`, "ab"},
		"letters as entities":     {"a&lt;&#112;riv&#x61;te&gt;x&lt;&sol;private&gt;b", "ab"},
		"full width":              {"a＜private＞x＜/private＞b", "ab"},
		"full-width letters":      {"a<ｐｒｉｖａｔｅ>x</ｐｒｉｖａｔｅ>b", "ab"},
		"mathematical letters":    {"a<𝐩𝐫𝐢𝐯𝐚𝐭𝐞>x</𝐩𝐫𝐢𝐯𝐚𝐭𝐞>b", "ab"},
		"ligature":                {"a<prⅳate>x</private>b", "ab"},
		"zero width":              {"a<pri\u200bvate\u2060>x</\ufeffprivate>b", "ab"},
		"control characters":      {"a<pri\x00vate>x</private>b", "ab"},
		"entities":                {"a&lt;private&gt;x&lt;/private&gt;b", "ab"},
		"numeric entities":        {"a&#60;private&#x3E;x&#x3c;/private&#62;b", "ab"},
		"entities twice":          {"a&amp;lt;private&amp;gt;x&amp;lt;/private&amp;gt;b", "ab"},
		"escapes":                 {`a\u003cprivate\u003ex\u003c/private\u003eb`, "ab"},
		"escapes twice":           {`a\\u003Cprivate\\u003Ex\\u003C/private\\u003Eb`, "ab"},
		"escaped slash":           {`a<private>x<\/private>b`, "ab"},
		"mixed spellings":         {"a&lt;private>x</private＞b", "ab"},
		"stray closer":            {"a</private>b", "ab"},
		"made by a removal":       {"<pri<private>x</private>vate>y</private>b", ""},
		"closer in an envelope":   {"a<private>x<system-reminder></private>b", "ab"},
		"opened in an envelope":   {"a<system-reminder><private></system-reminder>x</private>b", "a"},
		"all of it":               {" <private>x</private>\n", " \n"},
		"slips of the hand":       {"a<private:>x</private.>b<private;>y</private>c<private\">z", "abc"},
		"a nullable type": {
			"List<Private?> y <private:key> <private.x>", "List<Private?> y <private:key> <private.x>",
		},
		"a russian word": {"a <привет> <рута> b", "a <привет> <рута> b"},
		"another word":   {"a <privateer> <private-notes> b", "a <privateer> <private-notes> b"},
		"a generic type": {"List<Private, X> y", "List<Private, X> y"},
		"no tag":         {"1 < 2 && 3 > 2 \\n &lt; x", "1 < 2 && 3 > 2 \\n &lt; x"},
	} {
		if got := new(Redactor).Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

func TestInjectedBlocksAreRemoved(t *testing.T) {
	for _, name := range envelopes[1:] {
		for _, in := range []string{
			"a<" + name + " id=\"7f\">x\n<b>y</b></" + name + ">b",
			"a<" + strings.ToUpper(name) + ">x</" + name + ">b",
			"a<" + strings.ReplaceAll(name, "-", "_") + ">x</" + name + ">b",
			"a<" + name + ">x<" + name + ">y</" + name + ">z</" + name + ">b",
		} {
			if got := new(Redactor).Text(in); got != "ab" {
				t.Errorf("Text(%q) = %q, want %q", in, got, "ab")
			}
		}
		if got := new(Redactor).Text("a<" + name + ">x"); got != "a" {
			t.Errorf("unclosed %s leaves %q, want %q", name, got, "a")
		}
	}
}

func TestSpeakerTagsStay(t *testing.T) {
	for _, in := range []string{
		"<task-notification>\n<task-id>a9</task-id>\n</task-notification>", "<command-name>/clear</command-name>",
		"<local-command-stdout>ok</local-command-stdout>", "<local-command-caveat>Caveat</local-command-caveat>",
		"Stop hook feedback: go on",
	} {
		if got := new(Redactor).Prompt(in); got != in {
			t.Errorf("Prompt(%q) = %q, want it unchanged", in, got)
		}
	}
}

func TestAPromptThatIsAllPrivateIsEmpty(t *testing.T) {
	for _, in := range []string{
		"", "  \n", "<private>x</private>", "\n <private>x", "<private>a</private> \n <system-reminder>b</system-reminder>",
	} {
		if got := new(Redactor).Prompt(in); got != "" {
			t.Errorf("Prompt(%q) = %q, want nothing", in, got)
		}
	}
}

func TestRemovedSpansAreCounted(t *testing.T) {
	redactor := &Redactor{}
	redactor.Text("<private>a<private>b</private></private><private>c</private><system-reminder>d</system-reminder>")
	redactor.Text("nothing")
	if got := redactor.Counts(); got.Private != 2 || got.Injected != 1 || got.Secrets != nil {
		t.Errorf("Counts() = %+v, want 2 private, 1 injected", got)
	}
}

// Where NFKC gives ASCII, the fold inside a tag is that, character by character.
func TestFoldAgreesWithNFKC(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || isInvisible(r) {
			continue
		}
		want := norm.NFKC.String(string(r))
		letters := want != "" && len(want) <= 4
		for i := range len(want) {
			letters = letters && want[i] < utf8.RuneSelf
		}
		want = strings.ReplaceAll(strings.ToLower(want), "_", "-")
		if got, ok := foldRune(r); letters && (!ok || got != want) {
			t.Errorf("foldRune(%U) = %q, %v; want %q", r, got, ok, want)
		}
	}
}

// pieces are the parts of random texts with many tags.
var pieces = []string{
	"<private>", "</private>", "<private:>", "<private.", "<private x=1>", "< PRIVATE\n>", "</private >", "＜private＞",
	"&lt;private&gt;", `\u003c/private\u003e`, "<pri", "vate>", "<system-reminder>", "</system-reminder>",
	"<remanence-context b=\"1\">", "</remanence-context>", "text", " ", "\n", "<", ">", "/", "&", "\\", "é", "\u200b",
	"ghp_0123456789abcdefghijklmnopqrstuvwxyz12", "password=", "hunter2!x", "[secret:token]", "[secret:", "]", "\"",
	"://u:", "@h", "eyJ", ".",
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 4, 8)), 0, 24).Draw(t,
		"pieces"), "")
}

func TestStrippingTwiceIsStrippingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Counts
		once := stripAll(drawText(t), &c)
		if twice := stripAll(once, &c); twice != once {
			t.Fatalf("second strip of %q gives %q", once, twice)
		}
	})
}

func TestPrivateTextNeverSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		open := rapid.SampledFrom([]string{
			"<private>", "<Private why='x'>", "＜private＞", "&lt;private&gt;", `\u003cprivate\u003e`, "<pri\u200bvate>",
			"<\nprivate",
		}).Draw(t, "open")
		inside := strings.ReplaceAll(drawText(t), "private", "privat")
		if closes(inside) {
			t.Skip("closed inside")
		}
		in := drawText(t) + open + " " + inside + "CANARY"
		if got := new(Redactor).Text(in); strings.Contains(got, "CANARY") {
			t.Fatalf("Text(%q) = %q", in, got)
		}
	})
}

// closes reports whether s contains a private closer.
func closes(s string) bool {
	for at := nextTagStart(s, 0); at < len(s); {
		tg, n := parseTag(s[at:], true)
		if tg.is() && tg.closing && tg.name == private {
			return true
		}
		at = nextTagStart(s, at+n)
	}
	return false
}

// The parts into which a text is split do not change what is visible.
func TestStrippingInPartsIsStrippingWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawText(t)
		var c Counts
		var whole stripper
		want, _ := whole.strip(in, &c)
		got := stripParts(in, rapid.IntRange(1, 7).Draw(t, "size"))
		if got != want {
			t.Fatalf("parts of %q give %q, want %q", in, got, want)
		}
	})
}

func stripParts(in string, size int) string {
	var st stripper
	var c Counts
	var out strings.Builder
	held := []byte{}
	for len(in) > 0 {
		n := min(size, len(in))
		held = append(held, in[:n]...)
		in = in[n:]
		whole := len(held)
		if in != "" {
			whole -= jsonstream.PartialRune(held)
		}
		used := st.feed(string(held[:whole]), in == "", &c, func(from, to int) { out.Write(held[from:to]) })
		held = held[used:]
	}
	return out.String()
}

func FuzzStripPrivate(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + "a" + p)
	}
	f.Add(strings.Repeat("<private>", 9) + "x" + strings.Repeat("</private>", 8))
	f.Add(strings.Repeat("<pri", 9) + strings.Repeat("<private></private>vate>", 9))
	f.Fuzz(func(t *testing.T, s string) {
		var c Counts
		once := stripAll(s, &c)
		if len(once) > len(s) {
			t.Errorf("longer: %q", once)
		}
		if twice := stripAll(once, &c); twice != once {
			t.Errorf("%q, then %q", once, twice)
		}
		if got := stripAll("<private>"+strings.ReplaceAll(s, "/", "")+"CANARY", &c); strings.Contains(got, "CANARY") {
			t.Errorf("private text survives: %q", got)
		}
	})
}

func TestMistypedTagIsFoundInSplitText(t *testing.T) {
	const whole = "a<private:&gt;x</private>b"
	for cut := range len(whole) {
		var st stripper
		var c Counts
		var got string
		n := st.feed(whole[:cut], false, &c, func(from, to int) { got += whole[from:to] })
		st.feed(whole[n:], true, &c, func(from, to int) { got += whole[n+from : n+to] })
		if got != "ab" {
			t.Errorf("cut at %d: %q, want %q", cut, got, "ab")
		}
	}
}
