package engine

import (
	"testing"

	"remanence/internal/recall"
)

func TestMarksOfSecretsAreNoWordsOfAQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"log in with [secret:password:7567] please":     "log in with   please",
		"[secret:github-pat:3fa2][secret:jwt:0000] now": "   now",
		"cut off [secret:passw":                         "cut off  ",
		"what is [secret: to the printer?":              "what is   to the printer?",
		"a [secret:pass\nand more [secret:jwt:00]":      "a  \nand more  ",
		"nothing [here]":                                "nothing [here]",
	} {
		if got := recall.Unmarked(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
