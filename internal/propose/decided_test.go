package propose

import (
	"testing"

	"remanence/internal/mem"
)

func TestReportsAndRequestsAreNotDecided(t *testing.T) {
	for _, c := range []struct {
		kind  mem.Kind
		trust mem.Trust
		title string
		want  bool
	}{
		{mem.Convention, mem.TrustAssistant, "log.go: Always log the start (line ~97): now logs the arguments", false},
		{mem.Decision, mem.TrustAssistant, "The fix: the width was only set when the tab changed", false},
		{mem.Decision, mem.TrustAssistant, "We log every start, because it is rare", true},
		{mem.Convention, mem.TrustUser, "Ensure the label is properly shown in the list", false},
		{mem.Convention, mem.TrustUser, "Ensure the tests pass before each commit", true},
		{mem.Convention, mem.TrustUser, "Make sure the list can reach Daniel", false},
		{mem.Convention, mem.TrustUser, "Ensure the errors are wrapped, everywhere.", true},
		{mem.Convention, mem.TrustUser, "Stell sicher, dass die Liste Daniel zeigt", false},
		{mem.Convention, mem.TrustUser, "Stell sicher, dass in jedem Paket ein Test ist", true},
		{mem.Convention, mem.TrustUser, "Stell sicher, dass nie ein Test fehlt", true},
		{mem.Convention, mem.TrustUser, "Asegúrate de que la avanzada llegue a Antesala", false},
		{mem.Preference, mem.TrustUser, "can you use tabs here?", false},
		{mem.Convention, mem.TrustUser, "Do not start the tool again, we would lose its history", true},
		{mem.Decision, mem.TrustUser, "we make two tasks (line 4 of the list)", true},
	} {
		if got := LaysDown(mem.Memory{Kind: c.kind, Trust: c.trust, Title: c.title}); got != c.want {
			t.Errorf("%q: %v, want %v", c.title, got, c.want)
		}
	}
}
