package engine_test

import (
	"testing"

	"remanence/internal/continuity"
	"remanence/internal/mem"
)

// A client that resumes a session gives its MCP servers the id of a session that is never used.
func TestTheSessionOfAClientIsKnownByItsProcess(t *testing.T) {
	s := newStage(t)
	begins := func(id, source string, client int) mem.Event {
		e := in(id, start(source))[0]
		e.Client, e.Root = client, "/home/dev/"+id
		return e
	}
	s.play(begins("one", "startup", 100), begins("two", "startup", 200))
	s.play(in("one", mem.Event{Kind: mem.SessionEnd, Source: "other"})...)
	s.play(begins("one", "resume", 300))
	for _, tt := range []struct {
		id     string
		client int
		root   string
		want   string
	}{
		{"never used", 300, "/home/dev/one", "one"},
		{"never used", 300, "/home/dev/two", ""},
		{"never used", 300, "", ""},
		{"never used", 200, "/home/dev/two", "two"},
		{"never used", 400, "/home/dev/one", ""},
		{"never used", 0, "/home/dev/one", ""},
		{"two", 300, "/home/dev/one", "two"},
	} {
		req := continuity.SessionRequest{ID: tt.id, Client: tt.client, Root: tt.root}
		got, err := s.Continuity.Successor(t.Context(), req)
		if err != nil || got.ID != tt.want {
			t.Errorf("%q of client %d: got %q, %v, want %q", tt.id, tt.client, got.ID, err, tt.want)
		}
	}
	s.play(in("two", mem.Event{Kind: mem.SessionEnd, Source: "other"})...)
	req := continuity.SessionRequest{ID: "never used", Client: 200, Root: "/home/dev/two"}
	got, err := s.Continuity.Successor(t.Context(), req)
	if err != nil || got.ID != "" {
		t.Errorf("of a client that ended: got %q, %v", got.ID, err)
	}
}
