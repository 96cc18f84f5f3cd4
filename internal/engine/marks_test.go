package engine

import "testing"

func TestMarksOfSecretsAreNoWordsOfAQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"log in with [secret:password:7567] please":     "log in with   please",
		"[secret:github-pat:3fa2][secret:jwt:0000] now": "   now",
		"cut off [secret:passw":                         "cut off ",
		"nothing [here]":                                "nothing [here]",
	} {
		if got := unmarked(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
