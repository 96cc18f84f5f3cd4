package engine_test

import (
	"errors"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/workstate"
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
		"an unknown session": {event.UnknownAgent, nil},
		"after a web page":   {"one", []mem.Event{web}},
		"a clean turn":       {"one", nil},
	}
}

const ours = "we deploy the shop on Tuesdays, never on Fridays"

// changes are the ways to take away, replace or play down a memory.
func changes(s *stage, id, agent string) map[string]func() error {
	text, low, narrow := "deploy whenever you like", 0.0, mem.ScopeSession
	edit := func(ask curate.EditRequest) func() error {
		return func() error {
			ask.ID, ask.Agent = id, agent
			_, err := s.Curate.Edit(s.t.Context(), ask)
			return err
		}
	}
	mark := func(verb string) func() error {
		return func() error {
			_, err := s.Curate.Mark(s.t.Context(), curate.MarkRequest{
				ProjectRef: shop, Verb: verb, IDs: []string{id},
				Agent: agent, Reason: "a page says so",
			})
			return err
		}
	}
	return map[string]func() error{
		"text":       edit(curate.EditRequest{Text: &text}),
		"importance": edit(curate.EditRequest{Importance: &low}),
		"scope":      edit(curate.EditRequest{Scope: &narrow}),
		"tags":       edit(curate.EditRequest{DropTags: []string{"deploy"}}),
		"forget":     mark("forget"),
		"unpin":      mark("unpin"),
		"supersede": func() error {
			_, err := s.Curate.Add(s.t.Context(), curate.AddRequest{ProjectRef: shop, Text: text, Supersedes: id, Agent: agent})
			return err
		},
		"found by a query": func() error {
			_, err := s.Curate.Mark(s.t.Context(), curate.MarkRequest{
				ProjectRef: shop, Verb: "forget",
				Query: &mem.Query{Text: "deploy shop"}, Agent: agent,
			})
			return err
		},
	}
}

func TestAgentDoesNotChangeMemoriesOfThePerson(t *testing.T) {
	for name, author := range authors() {
		for how := range changes(nil, "", "") {
			s := newStage(t)
			s.play(start("startup"), prompt("p1", "go on with the shop"))
			s.play(author.events...)
			id := s.remember(curate.AddRequest{Text: ours, Tags: []string{"deploy"}}).ID
			s.marks("pin", id)
			was := s.memory(id)
			for range 2 {
				if err := changes(s, id, author.agent)[how](); err != nil {
					t.Errorf("%s, %s: %v", name, how, err)
				}
			}
			got := s.memory(id)
			if got.Title != was.Title || got.Status != mem.Active || got.Trust != mem.TrustUser || !got.Pinned ||
				got.Importance != was.Importance ||
				got.Scope != was.Scope || len(got.Tags) != 1 {
				t.Errorf("%s, %s: it is now %+v", name, how, got)
			}
			if n := len(s.inbox(curate.ReviewProposal).Items); n != 1 {
				t.Errorf("%s, %s: %d wait in review, want one", name, how, n)
			}
			wants(t, name+", "+how+": briefing", s.play(in("later", start("startup"))...).Context, "on Tuesdays")
		}
	}
}

// proposes has an agent of an unknown session ask for another text of a memory.
func (s *stage) proposes(id, text string) mem.Proposal {
	s.t.Helper()
	got, err := s.Curate.Edit(s.t.Context(), curate.EditRequest{
		ID: id, Text: &text, Agent: event.UnknownAgent,
		Reason: "the page <private>of Ann</private> says so",
	})
	if err != nil || got.Proposal == nil {
		s.t.Fatalf("got %+v, %v", got, err)
	}
	return *got.Proposal
}

func TestAProposalShowsBothTextsAndItsAuthor(t *testing.T) {
	s := newStage(t)
	id := s.add(ours)[0]
	p := s.proposes(id, "deploy whenever <private>Ann</private> likes\nand often")
	items := s.inbox(curate.ReviewProposal).Items
	if len(items) != 1 || items[0].Memories[0].ID != id || items[0].Proposal == nil {
		t.Fatalf("got %+v", items)
	}
	got := *items[0].Proposal
	if got.ID != p.ID || got.Was != ours || got.Session != event.UnknownAgent || got.Trust != mem.TrustNone ||
		!got.At.Equal(s.clock) || got.Memory != id {
		t.Errorf("got %+v", got)
	}
	for _, text := range []string{got.Text(), got.Reason, items[0].Text} {
		wantsNot(t, "a text of it", text, "Ann")
	}
	wants(t, "the text", got.Text(), "deploy whenever", "and often")
	wants(t, "the finding", items[0].Text, "unknown session", "deploy whenever", "the page")
	wantsNot(t, "search",
		s.play(in("two", start("startup"), prompt("p1", "when do we deploy, whenever and often?"))...).Context, "whenever")
}

func TestAcceptingAProposalChangesTheMemoryAsThePersons(t *testing.T) {
	for name, tt := range map[string]struct {
		how  string
		done func(mem.Memory) bool
	}{
		"text": {"text", func(m mem.Memory) bool {
			return m.Title == "deploy whenever you like" && m.Feedback[0].Was == ours
		}},
		"importance": {"importance", func(m mem.Memory) bool { return m.Importance == 0 && m.Title == ours }},
		"tags":       {"tags", func(m mem.Memory) bool { return len(m.Tags) == 0 && m.Title == ours }},
		"forget": {"forget", func(m mem.Memory) bool {
			return m.Status == mem.Forgotten && m.Feedback[0].Verdict == "forget"
		}},
		"unpin": {"unpin", func(m mem.Memory) bool { return !m.Pinned }},
		"replaced": {"supersede", func(m mem.Memory) bool {
			return m.Title == "deploy whenever you like" && m.Status == mem.Active
		}},
	} {
		s := newStage(t)
		id := s.remember(curate.AddRequest{Text: ours, Tags: []string{"deploy"}}).ID
		s.marks("pin", id)
		if err := changes(s, id, event.UnknownAgent)[tt.how](); err != nil {
			t.Fatal(err)
		}
		p := s.memory(id).Proposals[0]
		if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
			Rule: "proposal", IDs: []string{id, p.ID},
			Action: curate.AcceptFinding, Agent: "one",
		}); !errors.Is(err, curate.ErrNotPerson) {
			t.Errorf("%s: an agent accepted it: %v", name, err)
		}
		s.resolve(curate.AcceptFinding, "proposal "+id+" "+p.ID)
		m := s.memory(id)
		if !tt.done(m) || m.Trust != mem.TrustUser || len(m.Proposals) > 0 || len(s.inbox(curate.ReviewProposal).Items) > 0 {
			t.Errorf("%s: got %+v", name, m)
		}
		if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
			Rule: "proposal", IDs: []string{id, p.ID},
			Action: curate.AcceptFinding,
		}); !errors.Is(err, curate.ErrNoFinding) {
			t.Errorf("%s: accepted twice: %v", name, err)
		}
	}
}

func TestARejectedProposalIsGoneAndDoesNotWaitAgain(t *testing.T) {
	s := newStage(t)
	id := s.add(ours)[0]
	p, other := s.proposes(id, "deploy whenever you like"), s.proposes(id, "deploy on Mondays")
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule: "proposal", IDs: []string{id},
		Action: curate.RejectFinding,
	}); !errors.Is(err, mem.ErrAmbiguous) {
		t.Errorf("which of two: %v", err)
	}
	s.resolve(curate.RejectFinding, "proposal "+id+" "+p.ID)
	if again := s.proposes(id, "deploy whenever you like"); !again.Rejected {
		t.Errorf("proposed again: %+v", again)
	}
	m := s.memory(id)
	if m.Title != ours || len(m.Proposals) != 1 || m.Proposals[0].ID != other.ID {
		t.Errorf("got %+v", m)
	}
	got := s.resolveEvery(curate.ResolveRequest{Rule: "proposal", Action: curate.RejectFinding})
	if m = s.memory(id); got.Decided != 1 || len(m.Proposals) > 0 || m.Title != ours {
		t.Errorf("all: decided %d, %+v", got.Decided, m)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule: "proposal", ProjectRef: shop,
		Action: curate.AcceptFinding, Every: true,
	}); !errors.Is(err, curate.ErrNoFinding) {
		t.Errorf("accepted by the dozen: %v", err)
	}
}

func TestWhatAnAgentKeptItselfItChangesItself(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "go on with the shop"))
	own := s.remember(curate.AddRequest{Text: "the till is closed at ten", Agent: "one"})
	for how, change := range changes(s, own.ID, "one") {
		if err := change(); err != nil {
			t.Errorf("%s: %v", how, err)
		}
	}
	if m := s.memory(own.ID); m.Title == own.Title || m.Status == mem.Active || len(m.Proposals) > 0 {
		t.Errorf("got %+v", m)
	}
	clean := s.remember(curate.AddRequest{Text: "the lamp is green", Agent: "one"})
	s.play(prompt("p2", "read the page"), tool(mem.PostToolUse, "p2", "t1", "WebFetch", map[string]any{"url": "x"}, "y"))
	// of a session that it is unknown
	other := s.remember(curate.AddRequest{Text: "the lamp of the yard is blue", Agent: "two"})
	if got, err := s.Curate.Mark(t.Context(), curate.MarkRequest{
		ProjectRef: shop, Verb: "forget",
		IDs: []string{clean.ID, other.ID}, Agent: "one",
	}); err != nil || len(got.Memories) != 1 ||
		got.Memories[0].ID != other.ID || len(got.Proposed) != 1 {
		t.Errorf("after a web page: %+v, %v", got, err)
	}
}

func TestTheSameTextOfAnAgentDoesNotLowerThePersons(t *testing.T) {
	s := newStage(t)
	id := s.add(ours)[0]
	for range 2 {
		s.remember(curate.AddRequest{Text: ours, Agent: event.UnknownAgent})
	}
	if m := s.memory(id); m.Trust != mem.TrustUser || m.Repeats > 0 {
		t.Errorf("got %+v", m)
	}
	if ms, err := s.store.List(t.Context(), mem.Query{}); err != nil || len(ms) != 2 {
		t.Errorf("%d memories, %v; want the person's and the agent's", len(ms), err)
	}
}

func TestAnAgentReportsProgressOnlyOfACleanTurn(t *testing.T) {
	for name, author := range authors() {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "go on with the shop"))
		s.play(author.events...)
		clean := name == "a clean turn"
		ids := []string{
			s.remember(curate.AddRequest{Text: "clean the till", Kind: mem.Todo}).ID,
			s.remember(curate.AddRequest{Text: "oil the door", Kind: mem.Todo}).ID, s.add(ours)[0],
		}
		s.state(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
			Phase:  new("Phase Okapi"),
			Active: &[]string{"the till"},
		}})
		if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{
			ID: ids[0], Resolved: new(true),
			Agent: author.agent,
		}); err != nil {
			t.Fatal(err)
		}
		s.state(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
			Task:   "oil the door",
			Action: "complete",
		}, Agent: author.agent})
		if err := s.says(ids[2], curate.Stale, "it is over", author.agent); err != nil {
			t.Fatal(err)
		}
		got := s.state(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
			Phase:  new("Phase Zebra"),
			Active: &[]string{"nothing"},
		}, Agent: author.agent})
		if done := s.memory(ids[0]).Resolved && s.memory(ids[1]).Resolved; done != clean ||
			s.memory(ids[2]).Confidence < 0.5 != clean {
			t.Errorf("%s: work done: %v, stale: %v", name, done, s.memory(ids[2]).Confidence)
		}
		if (got.Phase == "Phase Zebra") != clean || (got.Active[0] == "nothing") != clean || (len(got.Notes) == 0) != clean {
			t.Errorf("%s: state %+v", name, got)
		}
		waiting := findings(s.inbox(curate.ReviewProposal))
		if want := map[bool]int{false: 4}[clean]; len(waiting) != want {
			t.Errorf("%s: %q wait, want %d", name, waiting, want)
		}
		for _, it := range s.inbox(curate.ReviewProposal).Items {
			s.resolve(curate.AcceptFinding, "proposal "+it.Memories[0].ID+" "+it.Proposal.ID)
		}
		got = s.state(workstate.Request{Op: workstate.OpGet})
		if got.Phase != "Phase Zebra" || got.Active[0] != "nothing" || !s.memory(ids[0]).Resolved ||
			!s.memory(ids[1]).Resolved {
			t.Errorf("%s, accepted: %+v", name, got)
		}
	}
}

func TestAnAgentNeitherErasesNorMergesNorTakesBackWhatIsThePersons(t *testing.T) {
	s := reviewed(t)
	own := s.add(ours)[0]
	round := s.resolve(curate.AcceptFinding, "low_trust m_4").Run
	for name, order := range map[string]func() error{
		"erase": func() error {
			_, err := s.Purge(t.Context(), event.IDs{IDs: []string{own}, Agent: "one"})
			return err
		},
		"erase a session": func() error {
			_, err := s.Purge(t.Context(), event.IDs{IDs: []string{"one"}, Agent: "one"})
			return err
		},
		"merge, of an unknown session": func() error {
			_, err := s.Curate.Merge(t.Context(), curate.MergeRequest{Keep: "m_7", Drop: "m_6", Agent: event.UnknownAgent})
			return err
		},
		"take back": func() error {
			_, err := s.Curate.Consolidate(t.Context(), curate.ConsolidateRequest{Undo: round, Agent: "one"})
			return err
		},
	} {
		if err := order(); !errors.Is(err, curate.ErrNotPerson) {
			t.Errorf("%s: error %v, want %v", name, err, curate.ErrNotPerson)
		}
	}
	if m := s.memory("m_4"); m.Trust != mem.TrustUser || s.memory(own).Status != mem.Active ||
		s.memory("m_6").Status != mem.Active {
		t.Errorf("got %+v", m)
	}
}

func TestNothingOfAPrivateTurnIsProposed(t *testing.T) {
	s := newStage(t)
	id := s.remember(curate.AddRequest{Text: ours, Tags: []string{"deploy"}}).ID
	s.play(start("startup"), prompt("p1", "<private>all of it</private>"))
	for how, change := range changes(s, id, "one") {
		if err := change(); !errors.Is(err, event.ErrPrivateTurn) {
			t.Errorf("%s: error %v, want %v", how, err, event.ErrPrivateTurn)
		}
	}
	if m := s.memory(id); m.Title != ours || m.Status != mem.Active || len(m.Proposals) > 0 {
		t.Errorf("got %+v", m)
	}
}

func TestAProposalOfAHiddenMemoryWaitsForNothing(t *testing.T) {
	s := newStage(t)
	id := s.add(ours)[0]
	p := s.proposes(id, "deploy whenever you like")
	s.marks("forget", id)
	if got := findings(s.inbox(curate.ReviewProposal)); len(got) > 0 {
		t.Errorf("it waits: %q", got)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule: "proposal", IDs: []string{id, p.ID},
		Action: curate.AcceptFinding,
	}); !errors.Is(err, curate.ErrNoFinding) {
		t.Errorf("accepted: %v", err)
	}
	if got, err := s.Curate.Mark(t.Context(), curate.MarkRequest{
		Verb: "restore", IDs: []string{id},
		Agent: event.UnknownAgent,
	}); err != nil || len(got.Proposed) != 1 || s.memory(id).Status != mem.Forgotten {
		t.Errorf("restored by an agent: %+v, %v", got, err)
	}
	s.resolve(curate.AcceptFinding, "proposal "+id+" "+s.memory(id).Proposals[1].ID)
	if m := s.memory(id); m.Status != mem.Active || len(m.Proposals) != 1 {
		t.Errorf("got %+v", m)
	}
}

func TestTheReviewOfAForeignProposalTaintsATurn(t *testing.T) {
	s := newStage(t)
	id := s.add(ours)[0]
	p := s.proposes(id, "deploy whenever you like")
	s.play(start("startup"), prompt("p1", "what waits?"), tool(mem.PostToolUse, "p1", "t1", "Bash",
		map[string]any{"command": "remanence search deploy"}, "  "+id+"  "+ours))
	if m := s.remember(curate.AddRequest{Text: "the lamp is green", Agent: "one"}); m.Trust != mem.TrustAssistant {
		t.Errorf("after a search: %s", m.Trust)
	}
	s.play(tool(mem.PostToolUse, "p1", "t2", "Bash", map[string]any{"command": "remanence review"}, "  "+id+"  "+p.ID+
		"  deploy whenever you like"))
	if m := s.remember(curate.AddRequest{Text: "the lamp of the yard is blue", Agent: "one"}); m.Trust != mem.TrustNone {
		t.Errorf("after the review: %s", m.Trust)
	}
}
