package names

import (
	"strings"
	"testing"
)

// In each text the name of a secret is "key", and the value that is found stands behind the bar.
func TestTheValueOfAClauseIsItsFirstWordThatIsNoneOfLettersAlone(t *testing.T) {
	for text, want := range map[string]string{
		"key for the server is Ab1": "Ab1 linked", "key` of it: `Ab1`": "Ab1 linked", "key Ab1 for the bot": "Ab1",
		"key: it's Ab1.": "Ab1 linked", "key→ Ab1": "", "key是 Ab1": "Ab1 linked", "key от базы: Ab1, и": "Ab1 linked",
		"key de la base : Ab1": "Ab1 linked", "key → Ab1": "Ab1 linked", "key: Ab1": "", "key = Ab1": "", "keyAb1": "",
		"key is fine. Ab1": "", "key(a) is Ab1": "", "key a b c d e f g h Ab1": "", "key of\nit is Ab1": "", "key": "",
		"key is #Ab1!": "#Ab1 linked", "key ist jetzt Ab1": "Ab1 linked",
		"key is it what Ab1": "Ab1", "key is &Ab1": "", "key is": "",
	} {
		from, to, linked, ok := ValueInClause(text, len("key"))
		got := ""
		if ok {
			got = text[from:to]
		}
		if ok && linked {
			got += " linked"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTheValueBeforeANameIsLinkedToIt(t *testing.T) {
	for text, want := range map[string]string{
		"use Ab1 as the key": "Ab1", "\"Ab1\" is our new key": "Ab1", "usa Ab1 como key": "Ab1", "Ab1! ist der key": "Ab1!",
		"nimm `Ab1` als key": "Ab1", "Ab1 key": "", "Ab1 to pass the key": "", "It is Ab1. As the key": "",
		"Ab1 is a b c d key": "", "key": "", "as the key": "", "\" as key": "",
	} {
		from, to, ok := ValueBefore(text, strings.Index(text, "key"))
		got := ""
		if ok {
			got = text[from:to]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
