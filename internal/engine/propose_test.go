package engine_test

import (
	"testing"

	"remanence/internal/engine"
	"remanence/internal/mem"
)

// authors are agents that have less trust than the person, by how they came to it.
func authors() map[string]struct {
	agent  string
	events []mem.Event
} {
	web := tool(mem.PostToolUse, "p1", "t1", "WebFetch", map[string]any{"url": "https://a.example"}, "x")
	return map[string]struct {
		agent  string
		events []mem.Event
	}{
		"a session that nobody knows": {mem.UnknownAgent, nil},
		"after a web page":            {"one", []mem.Event{web}},
		"a clean turn":                {"one", nil},
	}
}

const ours = "we deploy the shop on Tuesdays, never on Fridays"

// changes are the ways to take away, replace or play down a memory.
func changes(s *stage, id, agent string) map[string]func() error {
	text, low, narrow := "deploy whenever you like", 0.0, mem.ScopeSession
	edit := func(ask mem.EditAsk) func() error {
		return func() error {
			ask.ID, ask.Agent = id, agent
			_, err := s.Edit(s.t.Context(), ask)
			return err
		}
	}
	mark := func(verb string) func() error {
		return func() error {
			_, err := s.Mark(s.t.Context(), mem.MarkAsk{Place: shop, Verb: verb, IDs: []string{id}, Agent: agent, Reason: "a page says so"})
			return err
		}
	}
	return map[string]func() error{
		"text":       edit(mem.EditAsk{Text: &text}),
		"importance": edit(mem.EditAsk{Importance: &low}),
		"scope":      edit(mem.EditAsk{Scope: &narrow}),
		"tags":       edit(mem.EditAsk{DropTags: []string{"deploy"}}),
		"forget":     mark("forget"),
		"unpin":      mark("unpin"),
		"supersede": func() error {
			_, err := s.Add(s.t.Context(), mem.AddAsk{Place: shop, Text: text, Supersedes: id, Agent: agent})
			return err
		},
		"found by a query": func() error {
			_, err := s.Mark(s.t.Context(), mem.MarkAsk{Place: shop, Verb: "forget", Query: &mem.Query{Text: "deploy shop"}, Agent: agent})
			return err
		},
	}
}

func TestAnAgentDoesNotChangeWhatThePersonSaid(t *testing.T) {
	for name, author := range authors() {
		for how := range changes(nil, "", "") {
			s := newStage(t)
			s.play(start("startup"), prompt("p1", "go on with the shop"))
			s.play(author.events...)
			id := s.remember(mem.AddAsk{Text: ours, Tags: []string{"deploy"}}).ID
			s.marks("pin", id)
			was := s.memory(id)
			for range 2 {
				if err := changes(s, id, author.agent)[how](); err != nil {
					t.Errorf("%s, %s: %v", name, how, err)
				}
			}
			got := s.memory(id)
			if got.Title != was.Title || got.Status != mem.Active || got.Trust != mem.TrustUser || !got.Pinned || got.Importance != was.Importance ||
				got.Scope != was.Scope || len(got.Tags) != 1 {
				t.Errorf("%s, %s: it is now %+v", name, how, got)
			}
			if n := len(s.inbox(engine.ReviewProposal).Items); n != 1 {
				t.Errorf("%s, %s: %d wait in review, want one", name, how, n)
			}
			wants(t, name+", "+how+": briefing", s.play(in("later", start("startup"))...).Context, "on Tuesdays")
		}
	}
}
