package extract

import "testing"

func TestAReplyIsKeptWithItsQuestion(t *testing.T) {
	const format = "Which format should the file have, JSON or binary?"
	const saves = "The loader works now.\n\nTwo questions:\n- How many saves do we keep?\n- " + format + "\n"
	for _, tt := range []struct{ answer, prompt, want string }{
		{saves, "the last 3 saves", "How many saves do we keep? → the last 3 saves"},
		{saves, "binary, and tell me when it is done", format + " → binary, and tell me when it is done"},
		{saves, "whatever the players like best", format + " → whatever the players like best"},
		{
			"Auf welchem Port soll der Dienst laufen?", "8443, 8080 ist vom Proxy belegt",
			"Auf welchem Port soll der Dienst laufen? → 8443, 8080 ist vom Proxy belegt",
		},
		{saves, "yes", ""},
		{saves, "ok, thanks!", ""},
		{saves, "how large is a save?", ""},
		{saves, "2", ""},
		{saves, "still broken:\nsave.go:12:3: undefined: lastSaves of the format", ""},
		{
			saves, "save.go:12: keep the last 3 saves there",
			"How many saves do we keep? → save.go:12: keep the last 3 saves there",
		},
		{saves, "TypeError: the format of saves is undefined", ""},
		{"Done. Want me to add a test too?", "yes, for the empty file", ""},
		{"Done. All tests pass.", "now the other exporter, with tabs", ""},
	} {
		if got, _ := Reply(tt.answer, tt.prompt); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.prompt, got, tt.want)
		}
	}
}
