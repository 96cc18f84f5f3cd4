package engine

import (
	"strings"
	"testing"
	"unicode/utf8"

	"remanence/internal/briefing"
	"remanence/internal/continuity"
	"remanence/internal/recall"
)

func TestAPassageIsWhereTheWordsAre(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands here. ", 40)
	for name, tt := range map[string]struct {
		text  string
		terms []string
		holds string
	}{
		"in the middle": {
			filler + "The walrus sleeps in the harbour. " + filler,
			[]string{"walrus", "harbour"},
			"The walrus sleeps in the harbour.",
		},
		"at the end": {filler + "The walrus sleeps in the harbour.", []string{"harbours"}, "harbour"},
		"more terms win": {
			"A walrus. " + filler + "The walrus sleeps in the harbour.",
			[]string{"walrus", "harbour"},
			"harbour",
		},
		"nothing is met": {filler, []string{"walrus"}, "Nothing of interest"},
		"marks are of words": {strings.Repeat("कल बारिश थी। ", 40) + "यहाँ दीपक हिन्दी सीखता है। " +
			strings.Repeat("कल बारिश थी। ", 40), []string{"हिन्दी"}, "हिन्दी"},
		"letters not bytes": {strings.Repeat("там ", 100) + "а так нельзя", []string{"так"}, "так нельзя"},
	} {
		got := recall.Passage(tt.text, tt.terms, 120)
		if n := utf8.RuneCountInString(got); n > 120 || !strings.Contains(got, tt.holds) {
			t.Errorf("%s: %d characters %q, want %q in at most 120", name, n, got, tt.holds)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"One. Two. Three. The walrus sleeps. Four. Five. Six.", "…Three. The walrus sleeps. Four. Five.…"},
		{"The walrus sleeps. Four. Five.", "The walrus sleeps. Four. Five."},
		{"The walrus sleeps. Two. Three. Four. A harbour.", "The walrus sleeps. Two. Three. Four. A harbour."},
	} {
		if got := recall.Passage(tt.text, []string{"walrus", "harbour"}, 120); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	for _, whole := range []string{"", "short"} {
		if got := recall.Passage(whole, []string{"short"}, 120); got != whole {
			t.Errorf("got %q, want %q as it is", got, whole)
		}
	}
}

func TestKinAreFormsOfOneWord(t *testing.T) {
	for _, pair := range [][2]string{{"retry", "retries"}, {"harbour", "harbours"}, {"会话锁超时", "超时"}} {
		if !recall.Akin(pair[0], pair[1]) {
			t.Errorf("%q and %q are not kin", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"state", "stats"},
		{"retry", "retro"},
		{"store", "story"},
		{"так", "там"},
		{"дом", "дол"},
	} {
		if recall.Akin(pair[0], pair[1]) {
			t.Errorf("%q and %q are kin", pair[0], pair[1])
		}
	}
}

func TestASummaryThatSaysItInWordsWithMarksSaysIt(t *testing.T) {
	if says := continuity.ContainsTerms("परीक्षण हिन्दी में लिखना है"); !says("बाकी: परीक्षण हिन्दी में लिखना है") {
		t.Error("it is not recognised in the very same words")
	}
}

func TestLineWithoutSpacesIsInjectedWhole(t *testing.T) {
	for _, line := range []string{strings.Repeat("會話鎖在三十秒後超時。", 40), strings.Repeat("x", 1000), "é " +
		strings.Repeat("部署", 200) + " end"} {
		got := briefing.TextLines(line)
		if strings.ReplaceAll(strings.Join(got, ""), " ", "") != strings.ReplaceAll(line, " ", "") {
			t.Errorf("%d lines do not hold all of %.40q…", len(got), line)
		}
		for _, l := range got {
			if len(l) > briefing.MaxLine || !utf8.ValidString(l) {
				t.Errorf("a line of %d bytes, valid %v: it would be cut", len(l), utf8.ValidString(l))
			}
		}
	}
}
