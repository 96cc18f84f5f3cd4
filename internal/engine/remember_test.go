package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

func (s *stage) remember(ask curate.AddRequest) curate.AddResponse {
	s.t.Helper()
	ask.ProjectRef = shop
	got, err := s.Curate.Add(s.t.Context(), ask)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func (s *stage) shown(id string) mem.Memory {
	s.t.Helper()
	got, err := s.Views.Show(s.t.Context(), event.IDs{IDs: []string{id}})
	if err != nil {
		s.t.Fatal(err)
	}
	return got.Memories[0]
}

const pump = "the billing service retries three times with jittered backoff before it gives up"

func TestWhatIsKnownAlmostWordForWordIsReturnedAndNotKeptTwice(t *testing.T) {
	s := newStage(t)
	first := s.remember(curate.AddRequest{Text: pump, IfNew: true})
	for _, tt := range []struct {
		name string
		ask  curate.AddRequest
		want string // id of what says the same
	}{
		{"the same words", curate.AddRequest{Text: pump, IfNew: true}, first.ID},
		{"with more detail", curate.AddRequest{Text: pump + " for good", IfNew: true}, first.ID},
		{"said again in other order", curate.AddRequest{Text: "before it gives up the billing service retries three " +
			"times, with jittered backoff", IfNew: true}, first.ID},
		{"about the same thing", curate.AddRequest{Text: "the billing service logs every retry under its own request id " +
			"in the journal", IfNew: true}, ""},
		{"of another reach", curate.AddRequest{Text: pump, Scope: mem.ScopeUser, IfNew: true}, ""},
		{"kept in any case", curate.AddRequest{Text: pump + " at all"}, ""},
	} {
		got := s.remember(tt.ask)
		if id := idOf(got.Similar); id != tt.want || (got.ID == "") != (tt.want != "") {
			t.Errorf("%s: got memory %q, similar %q; want similar %q", tt.name, got.ID, id, tt.want)
		}
		if h := got.Similar; h != nil && (h.Score <= 0.55 || h.Score > 1) {
			t.Errorf("%s: likeness %v", tt.name, h.Score)
		}
	}
}

func idOf(h *mem.Hit) string {
	if h == nil {
		return ""
	}
	return h.Memory.ID
}

func TestWhatMeansTheSameInOtherWordsIsFoundByItsVector(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	first := s.remember(curate.AddRequest{Text: "authentication credentials login"})
	s.work()
	got := s.remember(curate.AddRequest{Text: "sign login credentials", IfNew: true})
	if idOf(got.Similar) != first.ID || got.ID == "" || got.Relation != "differs" {
		t.Errorf("got %+v, want it kept beside %s", got, first.ID)
	}
}

func TestANewStatementTakesThePlaceOfTheOneItSupersedes(t *testing.T) {
	s := newStage(t)
	old := s.remember(curate.AddRequest{Text: pump})
	got := s.remember(curate.AddRequest{Text: pump + " since March", Supersedes: old.ID, IfNew: true})
	if got.Similar != nil || s.shown(old.ID).Status != mem.Superseded || s.shown(got.ID).Status != mem.Active {
		t.Errorf("got %+v; the old one is %s", got, s.shown(old.ID).Status)
	}
	if _, err := s.Curate.Add(t.Context(), curate.AddRequest{
		ProjectRef: shop, Text: "x y",
		Supersedes: "m_zzzz",
	}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestAgentsStatementHasItsAuthorAndEntities(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "note that, please"))
	half := 0.4
	got := s.remember(curate.AddRequest{
		Text: "we use it for the queue\nsince 2024", Title: "Valkey <private>x</private>holds the queue", Agent: "one",
		Origin: mem.FromMCP, Importance: &half,
		Tags:    []string{"infra", " infra ", ""},
		Related: []curate.Relation{{Name: "Valkey", Type: "library", Relationship: "uses"}, {Name: "Redis"}, {}},
	})
	m := s.shown(got.ID)
	if m.Title != "Valkey holds the queue" || m.Body != "we use it for the queue\nsince 2024" || m.Importance != 0.4 {
		t.Errorf("got %+v", m)
	}
	if m.Origin != mem.FromMCP || m.Trust != mem.TrustAssistant || m.Session != "one" || m.Source.PromptID != "p1" ||
		m.Source.Agent != "claude-code" {
		t.Errorf("got origin %s, trust %s, source %+v", m.Origin, m.Trust, m.Source)
	}
	if !slices.Equal(m.Tags, []string{"infra"}) || !slices.Equal(m.Concepts, []string{"Valkey", "Redis"}) ||
		!slices.Equal(m.Facts, []string{"uses Valkey (library)"}) {
		t.Errorf("got tags %q, concepts %q, facts %q", m.Tags, m.Concepts, m.Facts)
	}
	found, err := s.Recall.Search(t.Context(), recall.SearchRequest{ProjectRef: shop, Query: mem.Query{Text: "redis"}})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Memory.ID != m.ID {
		t.Errorf("what it names does not find it: %+v, %v", found.Hits, err)
	}
}

func TestAStatementThatCannotBeIsRefused(t *testing.T) {
	s := newStage(t)
	much, none := 1.5, math.NaN()
	for name, tt := range map[string]struct {
		ask  curate.AddRequest
		want error
	}{
		"nothing but a secret of the person": {curate.AddRequest{Text: "<private>x</private>"}, event.ErrNoText},
		"no such kind":                       {curate.AddRequest{Text: "x", Kind: "idea"}, curate.ErrNoKind},
		"no such scope":                      {curate.AddRequest{Text: "x", Scope: "world"}, curate.ErrNoScope},
		"for an unknown session": {curate.AddRequest{
			Text: "x", Scope: mem.ScopeSession,
			Agent: event.UnknownAgent,
		}, curate.ErrNoScope},
		"too important":                      {curate.AddRequest{Text: "x", Importance: &much}, curate.ErrNoImportance},
		"an importance that is not a number": {curate.AddRequest{Text: "x", Importance: &none}, curate.ErrNoImportance},
	} {
		ask := tt.ask
		ask.ProjectRef = shop
		if _, err := s.Curate.Add(t.Context(), ask); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	if found := must(s.Recall.Search(t.Context(), recall.SearchRequest{ProjectRef: shop})); len(found.Hits) > 0 {
		t.Errorf("kept: %+v", found.Hits)
	}
}

func TestAnAgentWidensAScopeAndNeverNarrowsIt(t *testing.T) {
	s := newStage(t)
	m := s.remember(curate.AddRequest{Text: pump})
	user, project := mem.ScopeUser, mem.ScopeProject
	got, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: m.ID, Scope: &user, Wider: true})
	if err != nil || got.Scope != user {
		t.Fatalf("got %s, %v", got.Scope, err)
	}
	if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: m.ID, Scope: &project, Wider: true}); !errors.Is(err,
		curate.ErrNarrower) {
		t.Errorf("got %v, want %v", err, curate.ErrNarrower)
	}
	if got := s.shown(m.ID).Scope; got != user {
		t.Errorf("the scope is %s", got)
	}
}

func TestAnAgentsChangeLeavesTheTrustAsItIs(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "go on"))
	yes, high, text := true, 0.9, "clean both tills"
	for agent, trust := range map[string]mem.Trust{"one": mem.TrustAssistant, event.UnknownAgent: mem.TrustNone} {
		todo := s.remember(curate.AddRequest{Text: "clean the till", Kind: mem.Todo, Agent: agent})
		got, err := s.Curate.Edit(t.Context(), curate.EditRequest{
			ID: todo.ID, Agent: agent, Text: &text, Resolved: &yes, Importance: &high, AddTags: []string{"till", "shop"},
			DropTags: []string{"shop"},
		})
		if err != nil || got.Trust != trust || !got.Resolved || got.Importance != 0.9 || got.Title != text ||
			!slices.Equal(got.Tags, []string{"till"}) {
			t.Errorf("%s: got %+v, %v", agent, got, err)
		}
	}
}

func TestATagThatGoesMakesRoomForAnother(t *testing.T) {
	s := newStage(t)
	tags := make([]string, 20)
	for i := range tags {
		tags[i] = fmt.Sprint("tag", i)
	}
	m := s.remember(curate.AddRequest{Text: "clean the till", Tags: tags})
	got, err := s.Curate.Edit(t.Context(), curate.EditRequest{
		ID: m.ID, AddTags: []string{"till"},
		DropTags: []string{"tag0"},
	})
	if err != nil || len(got.Tags) != 20 || !slices.Contains(got.Tags, "till") || slices.Contains(got.Tags, "tag0") {
		t.Errorf("tags %v, %v", got.Tags, err)
	}
}

func TestAStrategySaysWhatCountsInASearch(t *testing.T) {
	for _, server := range []string{"answers", "fails", "none"} {
		vectors := server == "answers"
		s := newStage(t)
		d := &thesaurus{model: "m"}
		if server != "none" {
			s.sees(d)
		}
		ids := s.add("the automobile is in the hall", "the car of the boss", "bread is at the bakery")
		s.work()
		if server == "fails" {
			d.fails = errors.New("gone")
		}
		for how, want := range map[recall.Strategy]string{
			recall.ByKeyword: ids[1], recall.ByVector: ids[0] + ids[1], recall.Hybrid: ids[0] + ids[1], recall.Auto: ids[0] +
				ids[1], "": ids[0] + ids[1],
		} {
			found, err := s.Recall.Search(t.Context(), recall.SearchRequest{
				ProjectRef: shop,
				Query:      mem.Query{Text: "car", Limit: 2}, Strategy: how,
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range found.Hits {
				got = append(got, h.Memory.ID)
			}
			slices.Sort(got)
			if !vectors {
				want = ids[1]
			}
			if all := join(got); all != want {
				t.Errorf("server %s, strategy %q: got %q, want %q", server, how, all, want)
			}
			if warned := found.Warning != ""; warned != (!vectors && (how == recall.ByVector || how == recall.Hybrid)) {
				t.Errorf("server %s, strategy %q: warning %q", server, how, found.Warning)
			}
		}
	}
	s := newStage(t)
	if _, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		Query:    mem.Query{Text: "x"},
		Strategy: "graph",
	}); !errors.Is(err, event.ErrNoStrategy) {
		t.Errorf("got %v, want %v", err, event.ErrNoStrategy)
	}
}

func join(list []string) string {
	out := ""
	for _, s := range list {
		out += s
	}
	return out
}

func TestAnAnswerOfOurOwnServerTaintsATurnOnlyByWhatItShows(t *testing.T) {
	for name, tt := range map[string]struct {
		tool string
		web  bool // the memory that it shows is from elsewhere
		want mem.Trust
	}{
		"our tool shows what the person said": {"mcp__plugin_remanence_remanence__search", false, mem.TrustAssistant},
		"our tool by the person's settings":   {"mcp__remanence__get", false, mem.TrustAssistant},
		"our tool shows what the web said":    {"mcp__plugin_remanence_remanence__search", true, mem.TrustNone},
		"another server's tool":               {"mcp__wiki__search", false, mem.TrustNone},
		"another server with our name in its": {"mcp__remanence-mirror__search", false, mem.TrustNone},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "look that up"))
		agent := ""
		if tt.web {
			agent = event.UnknownAgent
		}
		shown := s.remember(curate.AddRequest{Text: "the till is closed at ten", Agent: agent})
		answer, err := json.Marshal(map[string]any{"results": []any{map[string]string{"id": shown.ID, "title": shown.Title}}})
		if err != nil {
			t.Fatal(err)
		}
		s.play(tool(mem.PostToolUse, "p1", "t1", tt.tool, map[string]any{"query": "till"},
			[]any{map[string]string{"type": "text", "text": string(answer)}}))
		if got := s.remember(curate.AddRequest{Text: "the lamp in the yard is green", Agent: "one"}).Trust; got != tt.want {
			t.Errorf("%s: what the agent keeps then has %s, want %s", name, got, tt.want)
		}
	}
}

// A server that a client started for one conversation may outlive it.
func TestAnAgentsWordAfterAClearIsJudgedByTheConversationThatGoesOn(t *testing.T) {
	web := tool(mem.PostToolUse, "p2", "t1", "WebFetch", map[string]any{"url": "x"}, "y")
	ended := func(reason string) mem.Event { return mem.Event{Kind: mem.SessionEnd, Source: reason} }
	for name, tt := range map[string]struct {
		events []mem.Event
		want   mem.Trust
		goesOn string
	}{
		"it goes on": {nil, mem.TrustAssistant, "one"},
		"cleared, and the next is clean": {append(in("one", ended("clear")),
			in("two", start("clear"), prompt("p2", "go on"))...), mem.TrustAssistant, "two"},
		"cleared, and the next read a page": {append(in("one", ended("clear")),
			in("two", start("clear"), prompt("p2", "go on"), web)...), mem.TrustNone, "two"},
		"cleared twice": {append(in("one", ended("clear")),
			append(in("two", start("clear"), prompt("p2", "go on"), ended("clear")),
				in("three", start("clear"), prompt("p3", "go on"))...)...), mem.TrustAssistant, "three"},
		"cleared, and two may be the next": {append(in("one", ended("clear")),
			append(in("two", start("clear"), prompt("p2", "go on")),
				in("three", start("startup"), prompt("p3", "go on"))...)...), mem.TrustNone, ""},
		"cleared, and nothing came yet": {in("one", ended("clear")), mem.TrustNone, ""},
		"ended": {append(in("one", ended("logout")),
			in("two", start("startup"), prompt("p2", "go on"))...), mem.TrustNone, ""},
		"ended and resumed": {
			append(in("one", ended("logout")), in("one", start("resume"), prompt("p2", "go on"))...),
			mem.TrustAssistant, "one",
		},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "note that, please"))
		s.play(tt.events...)
		got := s.remember(curate.AddRequest{Text: "the lamp in the yard is green", Agent: "one"})
		if got.Trust != tt.want || got.Session != tt.goesOn {
			t.Errorf("%s: got %s of session %q, want %s of %q", name, got.Trust, got.Session, tt.want, tt.goesOn)
		}
		if now, err := s.Continuity.Successor(t.Context(), continuity.SessionRequest{ID: "one"}); err != nil ||
			now.ID != tt.goesOn {
			t.Errorf("%s: %q goes on, %v; want %q", name, now.ID, err, tt.goesOn)
		}
	}
}

func TestAnIdThatOurServerDoesNotKnowTaintsNothing(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "look that up"))
	s.play(tool(mem.PostToolUse, "p1", "t1", "mcp__remanence__get", map[string]any{"ids": []string{"m_zz"}},
		[]any{map[string]string{"type": "text", "text": `{"records":[],"missing":["m_zz"]}`}}))
	if got := s.remember(curate.AddRequest{
		Text:  "the lamp in the yard is green",
		Agent: "one",
	}).Trust; got != mem.TrustAssistant {
		t.Errorf("got %s", got)
	}
}

func TestAnEditKeepsTheTextThatItChanged(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "go on"))
	m := s.remember(curate.AddRequest{Text: pump})
	long := strings.Repeat("the pump of the yard is oiled. ", 300)
	for _, text := range []string{
		"the pump in the cellar is red", "the pump in the cellar is red", long,
		"the pump is gone",
	} {
		if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: m.ID, Text: &text}); err != nil {
			t.Fatal(err)
		}
	}
	got := s.shown(m.ID)
	var was []string
	for _, f := range got.Feedback {
		if f.Verdict != curate.Edited || f.By != mem.FromUserCommand {
			t.Errorf("got %+v", f)
		}
		was = append(was, f.Was)
	}
	if len(was) != 3 || was[0] != pump || was[1] != "the pump in the cellar is red" ||
		!strings.HasPrefix(was[2], "the pump of the yard") || utf8.RuneCountInString(was[2]) > 4001 {
		t.Errorf("kept %q", was)
	}
	if traces := got.Traces(); !slices.Contains(traces, chars.Fold("the pump in the cellar is red")) {
		t.Errorf("who erases it would not look for what it said before: %q", traces)
	}
}

func TestTheReasonOfAChangeIsKeptWithTheMemory(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "go on"))
	m := s.remember(curate.AddRequest{Text: pump, Agent: "one"})
	half := 0.5
	if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{
		ID: m.ID, Importance: &half, Agent: "one",
		Reason: "measured <private>by Ann</private> again",
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: m.ID, Importance: &half}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Curate.Mark(t.Context(), curate.MarkRequest{
		Verb: "forget", IDs: []string{m.ID},
		Reason: "it is over",
	}); err != nil {
		t.Fatal(err)
	}
	got := s.shown(m.ID).Feedback
	if len(got) != 2 {
		t.Fatalf("got %+v", got)
	}
	if f := got[0]; f.Verdict != curate.Edited || f.By != mem.FromAssistant || f.Session != "one" ||
		!strings.HasPrefix(f.Note, "measured") || strings.Contains(f.Note, "Ann") {
		t.Errorf("got %+v", f)
	}
	if f := got[1]; f.Verdict != "forget" || f.By != mem.FromUserCommand || f.Note != "it is over" {
		t.Errorf("got %+v", f)
	}
}
