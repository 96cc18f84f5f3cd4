package names

import "testing"

func TestNamesAreClassifiedByTheirWords(t *testing.T) {
	for name, want := range map[string]Class{
		"db_password": Password, "dbPassword": Password, "password_file": None, "stripeSecretKey": Token, "maxTokens": None,
		"nextPageToken": None, "primary_key": SomeKey, "public_key": None, "GITHUB_PAT": Token, "validationKey": Token,
		"key": None, "PWD": None,
	} {
		if got := Classify(name); got != want {
			t.Errorf("Classify(%q) = %d, want %d", name, got, want)
		}
	}
}

func TestAnIDIsNoKey(t *testing.T) {
	for text, want := range map[string][2]bool{
		"api key ": {true, false}, "the public key is": {true, true}, "expect(x).toBe": {false, true},
		"Sessions": {true, false},
		"fileId":   {false, true},
	} {
		if got := [2]bool{MentionsKey(text), MentionsOther(text)}; got != want {
			t.Errorf("%q: key and other %v, want %v", text, got, want)
		}
	}
}
