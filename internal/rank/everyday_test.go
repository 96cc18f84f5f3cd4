package rank

import "testing"

func TestWordsOfAnotherLanguageAreEverydayOnlyInThatLanguage(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"puoi fare il deploy?", "fare", true},
		{"how are fares rounded when the fare has no currency?", "fare", false},
		{"die Tests sind zu langsam", "die", true},
		{"clear the bin folder of stale objects", "bin", false},
		{"zeig README", "zeig", true},
		{"peux-tu voir pourquoi le son est absent", "son", true},
		{"add the son of the node to the tree", "son", false},
		{"почему это не работает", "это", true},
		{"fix the bug", "fix", true},
		{"fix the bug", "the", true},
		{"どうして動かないのですか", "です", true},
		{"the retry budget", "budget", false},
	} {
		if got := EverydayIn(c.text)(keyOf(c.word)); got != c.want {
			t.Errorf("in %q everyday(%q) is %v, want %v", c.text, c.word, got, c.want)
		}
	}
}
