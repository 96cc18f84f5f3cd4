package lang

import "testing"

func TestALexiconFindsEachCueOfEachClass(t *testing.T) {
	const cause, open = 0, 1
	x, err := ParseLexicon("cause\ten\t because |cause was\nopen\tde\tnoch offen|^offen", []string{"cause", "open"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]int{
		"The cause was a lock, because it waits.": {2, 0},
		"Noch offen: der Import.":                 {0, 1},
		"Offen ist der Import.":                   {0, 1},
		"Der Import ist offen.":                   {0, 0},
		"becausex":                                {0, 0},
	} {
		f := x.Find(CueText(text))
		if got := [2]int{f.Count(cause), f.Count(open)}; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestALexiconRefusesAnUnknownClass(t *testing.T) {
	if _, err := ParseLexicon("reason\ten\tbecause", []string{"cause"}); err == nil {
		t.Error("no error")
	}
}
