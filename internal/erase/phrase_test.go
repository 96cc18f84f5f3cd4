package erase

import (
	"errors"
	"testing"

	"remanence/internal/event"
)

func TestAPhraseIsFoundAsWordsOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		phrase, text string
		own, within  bool
	}{
		{"acme", "call Acme's gateway", true, false},
		{"acme", "type AcmeClient struct", true, false},
		{"acme", "see newACMEClient and ACME_KEY", true, false},
		{"acme", "acme2 is the second one", true, false},
		{"ann", "the channel is open", false, true},
		{"ann", "the channel of Ann", true, true},
		{"jane  doe", "Jane\nDoe said so", true, false},
		{"jane doe", "Jane Doer said so", false, true},
		{"über", "ÜBER alles", true, false},
		{"田中", "昨日田中さんに聞いた", true, false},
		{"c++ guide", "the C++ guide", true, false},
		{"acme", "nothing of it", false, false},
	} {
		p, err := parsePhrase(c.phrase)
		if err != nil {
			t.Fatal(err)
		}
		if own, within := p.in(c.text); own != c.own || within != c.within {
			t.Errorf("%q in %q: %v, %v; want %v, %v", c.phrase, c.text, own, within, c.own, c.within)
		}
	}
}

func TestAShortTextIsNoPhrase(t *testing.T) {
	for _, text := range []string{"", "  ", "ab", "..--", "田"} {
		if _, err := parsePhrase(text); !errors.Is(err, event.ErrShortText) {
			t.Errorf("%q: %v, want ErrShortText", text, err)
		}
	}
}

func TestEachLineWithThePhraseIsErased(t *testing.T) {
	p, err := parsePhrase("jane doe")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"ask Jane Doe":                         "[erased]",
		"first\nask Jane Doe, not jane doe\nz": "first\n[erased]\nz",
		"a Jane\nDoe b\nlast":                  "[erased]\nlast",
		"Jane Doe\nJane Doe":                   "[erased]\n[erased]",
		"Jane Doer stays":                      "Jane Doer stays",
	} {
		if got := p.without(text); got != want {
			t.Errorf("without(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestARecordKeepsWhatASessionIsFoundBy(t *testing.T) {
	p, err := parsePhrase("acme")
	if err != nil {
		t.Fatal(err)
	}
	for doc, want := range map[string]string{
		`{"event":{"cwd":"/acme","text":"ask acme","n":1.50}}`: `{"event":{"cwd":"/acme","n":1.50,"text":"[erased]"}}`,
		`{"event":{"input":{"cwd":"/acme","id":"acme"}}}`:      `{"event":{"input":{"cwd":"[erased]","id":"[erased]"}}}`,
		`{"name":"acme","root":"/acme","branch":"acme"}`:       `{"branch":"[erased]","name":"acme","root":"/acme"}`,
		`{"doc":{"terms":["myacmeclient","b"]}}`:               `{"doc":{"terms":["[erased]","b"]}}`,
		`{"name":"acme"}`:                                      `{"name":"[erased]"}`,
		`{"x":{"acme.go":1}}`:                                  `{"x":{"[erased]":1}}`,
		`{"text":"\u0061cme <b>"}`:                             `{"text":"[erased]"}`,
		`{"text":"macmelon","b":"<acm>"}`:                      `{"text":"macmelon","b":"<acm>"}`,
	} {
		got, kinds, err := p.cleaner(true)([]byte(doc))
		if err != nil || string(got) != want {
			t.Errorf("%s = %s, %v; want %s", doc, got, err, want)
		}
		if doc == `{"text":"macmelon","b":"<acm>"}` && kinds[inWord] != 1 {
			t.Errorf("kinds of %s: %v, want it counted as part of a word", doc, kinds)
		}
		if again, kinds, err := p.cleaner(false)(got); err != nil || len(kinds) != 0 || string(again) != want {
			t.Errorf("cleaned again: %s, %v, %v", again, kinds, err)
		}
	}
}
