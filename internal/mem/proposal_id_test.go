package mem

import (
	"testing"
	"time"
)

// Stored proposals are compared by id, also with those of older programs.
func TestIDOfAProposalStays(t *testing.T) {
	title, kind := "tabs", Preference
	p := Proposal{
		Action: "edit", Title: &title, Kind: &kind, Tags: []string{"a"}, Was: "spaces", Reason: "asked", By: FromMCP,
		Session: "s", Trust: TrustAssistant, At: time.Unix(5, 0),
	}
	if got, want := p.WithID().ID, "pr_19b98711296a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
