package storetest

import (
	"encoding/json"
	"errors"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Secret is the text that SecretBatches writes everywhere. After a purge the store
// contains no byte of it.
const Secret = "the launch code is swordfish-4711"

// SecretBatches returns a session "one" that contains Secret in every place for a
// text, and a session "two" into which it was injected. The memory with it is m_1.
func SecretBatches() []mem.Batch {
	e := mem.Event{
		ID: "e_1", Agent: "claude-code", Kind: mem.UserPromptSubmit, At: Clock(), Session: "one", PromptID: "p1",
		Text: "remember:\n  \"" + Secret + "\"", Input: json.RawMessage(`{"a":["x","` + Secret + `"]}`),
	}
	other := mem.Event{
		ID: "e_2", Agent: "claude-code", Kind: mem.PostToolUse, At: Clock(), Session: "one", PromptID: "p1",
		Text: "harmless words",
	}
	source := mem.Event{
		ID: "e_3", Agent: "claude-code", Kind: mem.PostToolUse, At: Clock(), Session: "one",
		PromptID: "p1", ToolUseID: "tu", Text: "the same in other words",
	}
	nudge := "think of it: " + Secret
	items := []mem.InjectedItem{{ID: "m_1", Title: "code: " + Secret}}
	return []mem.Batch{
		{
			Event: &e, Turn: &mem.TurnChange{Person: true, Text: e.Text},
			Session: &mem.SessionChange{FirstPrompt: e.Text, Notification: "saw " + Secret, StateLine: &nudge},
			Memories: []mem.Memory{
				{
					Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Fact, Title: "code: " + Secret,
					Body: "first line\n" + Secret + "\nlast line", Facts: []string{Secret}, Tags: []string{"code"},
					Files: []string{"launch.txt"}, Index: Secret, Source: mem.Source{Event: "e_1", ToolUseID: "tu"},
				},
				{
					Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Summary, Title: "sum of it",
					Summary: &mem.SummaryText{Learned: "we know that " + Secret + "."},
				},
				{Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Fact, Title: "unrelated and kept"},
			},
			Checkpoints: []mem.Checkpoint{{
				Session: "one", State: mem.State{Request: e.Text, Phase: "build"},
				Evidence: mem.Evidence{Numbers: []string{Secret, "42"}},
			}},
			Receipts: []mem.Receipt{{
				ID: "r_1", Session: "one", Query: "what is it: " + Secret, Text: "told: " + Secret,
				Outcome: mem.Injected, Tokens: 9, Items: items,
			}},
			Jobs: []mem.Job{{Kind: "transcript", Session: "one", Data: Secret}},
		},
		{Event: &other},
		{Event: &source},
		{Event: newEvent("e_4", "two"), Receipts: []mem.Receipt{{
			ID: "r_2", Session: "two", Text: "told: " + Secret,
			Outcome: mem.Injected, Items: items,
		}}},
	}
}

var purgeTests = []contractTest{
	{"a memory is purged from all texts of its session", func(k kit) {
		k.apply(SecretBatches()...)
		got, err := k.store.Purge(k.Context(), "m_1")
		if err != nil {
			k.Fatal(err)
		}
		k.same("purged", got, mem.Purged{Memories: 2, Events: 2, Turns: 1, Receipts: 2, Checkpoints: 1})
		if rest := k.everything(); strings.Contains(rest, "swordfish") {
			k.Errorf("left: %s", rest)
		}
		k.same("memories", titles(k.List(mem.Query{Hidden: true, Within: "*"})), []string{"unrelated and kept"})
		k.same("events", k.eventIDs(mem.EventQuery{}), []string{"e_4", "e_2"})
		if c, err := k.store.Checkpoints(k.Context(), mem.CheckpointQuery{}); err != nil || len(c) != 1 ||
			c[0].State.Phase != "build" {
			k.Errorf("checkpoints %+v, %v, want its other texts", c, err)
		}
		if r, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{Session: "one"}); err != nil || len(r) != 1 ||
			r[0].Tokens != 9 || r[0].Items[0].ID != "m_1" {
			k.Errorf("receipts %+v, %v, want its other texts", r, err)
		}
		k.same("found", k.match(mem.Query{Terms: []string{"swordfish", "launch"}}), []string{})
	}},
	{"a purged event is still a duplicate", func(k kit) {
		k.apply(SecretBatches()...)
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatal(err)
		}
		for i, r := range k.apply(SecretBatches()...) {
			if !r.Duplicate {
				k.Errorf("batch %d was written again", i)
			}
		}
	}},
	{"a session is purged with all that belongs to it", func(k kit) {
		k.apply(SecretBatches()...)
		got, err := k.store.Purge(k.Context(), "one")
		if err != nil {
			k.Fatal(err)
		}
		k.same("purged", got, mem.Purged{Memories: 3, Events: 3, Turns: 1, Receipts: 2, Checkpoints: 1})
		if rest := k.everything(); strings.Contains(rest, "swordfish") {
			k.Errorf("left: %s", rest)
		}
		if _, err := k.store.Session(k.Context(), "one"); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("session: %v, want %v", err, mem.ErrNotFound)
		}
		k.same("events", k.eventIDs(mem.EventQuery{}), []string{"e_4"})
		if got := k.apply(SecretBatches()[0])[0]; !got.Duplicate {
			k.Error("its event was written again")
		}
		k.apply(mem.Batch{Event: newEvent("e_9", "one")})
		if s := k.session("one"); s.Number != 3 {
			k.Errorf("number %d of the session that comes back, want 3", s.Number)
		}
	}},
	{"prompts and handoffs of a purged session are purged from later receipts", func(k kit) {
		long := "the walrus moves to the cellar, " + strings.Repeat("as was said before, ", 20) + "on Friday"
		k.apply(
			mem.Batch{
				Event: newEvent("e_1", "one"), Session: &mem.SessionChange{FirstPrompt: "paint the walrus purple"},
				Turn: &mem.TurnChange{Person: true, Text: long},
				Checkpoints: []mem.Checkpoint{{
					Session: "one", Trigger: mem.TriggerHandoff,
					Handoff: "Task: feed it\nNext: buy forty herrings",
				}},
			},
			mem.Batch{
				Event: newEvent("e_2", "two"), Turn: &mem.TurnChange{Person: true, Text: "paint the walrus purple"},
				Receipts: []mem.Receipt{
					{ID: "r_1", Session: "two", Text: "- last request: " + chars.Clip(long, 160), Tokens: 9},
					{ID: "r_2", Session: "two", Text: "| s_1 | paint the walrus purple | > Next: buy forty herrings"},
					{ID: "r_3", Session: "two", Text: "nothing of it"},
				},
			},
		)
		got, err := k.store.Purge(k.Context(), "one")
		if err != nil {
			k.Fatal(err)
		}
		k.same("receipts", got.Receipts, 2)
		rs, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{Session: "two"})
		if err != nil || len(rs) != 3 {
			k.Fatalf("%d receipts, %v, want 3", len(rs), err)
		}
		for _, r := range rs {
			k.same(r.ID, r.Text, map[string]string{"r_3": "nothing of it"}[r.ID])
		}
		turns, err := k.store.Turns(k.Context(), "two", 1)
		if err != nil || len(turns) != 1 || turns[0].Text != "paint the walrus purple" {
			k.Errorf("turns %+v, %v, want its own kept", turns, err)
		}
	}},
	{"a session is purged by its short id", func(k kit) {
		k.apply(SecretBatches()...)
		if _, err := k.store.Purge(k.Context(), "s_1"); err != nil {
			k.Fatal(err)
		}
		if _, err := k.store.Session(k.Context(), "one"); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("session: %v, want %v", err, mem.ErrNotFound)
		}
	}},
	{"with one missing id nothing is purged", func(k kit) {
		k.apply(SecretBatches()...)
		before := k.everything()
		for _, id := range []string{"m_99", "s_99", "nobody", ""} {
			if _, err := k.store.Purge(k.Context(), "m_1", "two", id); !errors.Is(err, mem.ErrNotFound) {
				k.Errorf("id %q: %v, want %v", id, err, mem.ErrNotFound)
			}
		}
		if after := k.everything(); after != before {
			k.Errorf("changed from %s to %s", before, after)
		}
	}},
	{"a memory is purged from other sessions", func(k kit) {
		open := "the canary sentence that has to go"
		line := "Next: " + open
		id := k.put(with(fact(open), func(m *mem.Memory) { m.Session = "one" }))[0]
		k.change("two", mem.SessionChange{StateLine: &line})
		k.apply(mem.Batch{Checkpoints: []mem.Checkpoint{{
			Session: "two", Project: "p_1",
			State: mem.State{Request: "kept", Open: []string{open}},
		}}})
		if _, err := k.store.Purge(k.Context(), id); err != nil {
			k.Fatal(err)
		}
		if s := k.session("two"); s.StateLine != "" {
			k.Errorf("state line: %q", s.StateLine)
		}
		cps, err := k.store.Checkpoints(k.Context(), mem.CheckpointQuery{Session: "two"})
		if err != nil || len(cps) != 1 || cps[0].State.Request != "kept" ||
			strings.Contains(strings.Join(cps[0].State.Open, ""), "canary") {
			k.Errorf("checkpoints: %+v, %v", cps, err)
		}
	}},
	{"a memory and its session in one call are purged once", func(k kit) {
		k.apply(SecretBatches()...)
		got, err := k.store.Purge(k.Context(), "m_1", "one", "m_1")
		if err != nil {
			k.Fatal(err)
		}
		k.same("purged", got, mem.Purged{Memories: 3, Events: 3, Turns: 1, Receipts: 2, Checkpoints: 1})
	}},
	{"utterances that a memory was made from are purged with it", func(k kit) {
		spoken := func(session, prompt, who, text string) mem.Memory {
			m := utterance(session, who, text)
			m.Source.PromptID = prompt
			return m
		}
		decided := with(fact("We decided to keep the walrus purple"), func(m *mem.Memory) {
			m.Session, m.Origin, m.Source.PromptID = "one", mem.FromAssistant, "p1"
		})
		id := k.put(decided,
			spoken("one", "p1", "user", "which colour shall it have"),
			spoken("one", "p1", "assistant", "Purple it stays, as agreed"),
			spoken("one", "p2", "assistant", "By the way, **We decided** to keep the\nwalrus `purple`, did we not"),
			spoken("one", "p2", "assistant", "nothing more to say here"),
			spoken("two", "p1", "assistant", "of another session"))[0]
		got, err := k.store.Purge(k.Context(), id)
		if err != nil {
			k.Fatal(err)
		}
		k.same("memories erased", got.Memories, 3)
		k.same("left", titles(k.List(mem.Query{Kinds: utterances, Hidden: true, Within: "*"})),
			[]string{"of another session", "nothing more to say here", "which colour shall it have"})
		k.same("found", k.match(mem.Query{Terms: []string{"purple"}, Kinds: utterances}), []string{})
	}},
	{"a prompt is purged with the memory that was made from it", func(k kit) {
		wish := with(fact("prefers tabs"), func(m *mem.Memory) {
			m.Session, m.Origin, m.Source.PromptID = "one", mem.FromUserPrompt, "p1"
		})
		turn := func(m *mem.Memory) { m.Source.PromptID = "p1" }
		id := k.put(wish, with(utterance("one", "user", "do not give me spaces"), turn),
			with(utterance("one", "assistant", "as you like it"), turn))[0]
		if _, err := k.store.Purge(k.Context(), id); err != nil {
			k.Fatal(err)
		}
		k.same("left", titles(k.List(mem.Query{Kinds: utterances, Hidden: true, Within: "*"})), []string{"as you like it"})
	}},
	{"a memory without a session is purged from receipts", func(k kit) {
		m := with(fact(Secret), func(m *mem.Memory) { m.Origin = mem.FromUserCommand })
		id := k.put(m)[0]
		k.apply(mem.Batch{Receipts: []mem.Receipt{{
			ID: "r_1", Session: "one", Text: Secret,
			Items: []mem.InjectedItem{{ID: id, Title: Secret}},
		}, {
			ID: "r_2", Session: "one",
			LeftOut: []mem.LeftOutItem{{ID: id, Title: Secret}},
		}}})
		got, err := k.store.Purge(k.Context(), id)
		if err != nil {
			k.Fatal(err)
		}
		k.same("purged", got, mem.Purged{Memories: 1, Receipts: 2})
		if rest := k.everything(); strings.Contains(rest, "swordfish") {
			k.Errorf("left: %s", rest)
		}
	}},
	{"forgotten memories can be purged", func(k kit) {
		forgotten := mem.Forgotten
		id := k.put(fact("alpha"))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &forgotten}}})
		if _, err := k.store.Purge(k.Context(), id); err != nil {
			k.Error(err)
		}
	}},
}

// everything returns all that the store returns, as JSON.
func (k kit) everything() string {
	k.Helper()
	ctx := k.Context()
	var all []any
	add := func(v any, err error) {
		if err != nil {
			k.Fatalf("%T: %v", v, err)
		}
		all = append(all, v)
	}
	memories, err := k.store.List(ctx, mem.Query{Hidden: true, Within: "*", Limit: 1000})
	add(memories, err)
	events, err := k.store.Events(ctx, mem.EventQuery{Limit: 1000})
	add(events, err)
	checks, err := k.store.Checkpoints(ctx, mem.CheckpointQuery{Limit: 1000})
	add(checks, err)
	receipts, err := k.store.Receipts(ctx, mem.ReceiptQuery{Limit: 1000})
	add(receipts, err)
	sessions, err := k.store.Sessions(ctx, mem.SessionQuery{Limit: 1000})
	add(sessions, err)
	for _, s := range sessions {
		all = append(all, s.StateLine, k.turns(s.ID))
	}
	b, err := json.Marshal(all)
	if err != nil {
		k.Fatal(err)
	}
	return string(b)
}
