package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

// change applies one event with a change of its session.
func (k kit) change(id string, c mem.SessionChange) {
	k.Helper()
	k.apply(mem.Batch{Event: newEvent(id, "one"), Session: &c})
}

var sessionTests = []contractTest{
	{"any event makes a missing session", func(k kit) {
		k.apply(mem.Batch{Event: newEvent("e_1", "one")})
		got := k.session("one")
		k.same("session", got, mem.Session{
			ID: "one", Number: 1, Short: "s_1", Agent: "claude-code", Status: mem.Initialized, Created: Clock(),
			LastEvent: Clock(), HandoffArmed: true,
		})
	}},
	{"zero fields keep the stored values", func(k kit) {
		yes, nudge := true, "3 left"
		all := mem.SessionChange{
			Agent: "a", Project: "p_1", ProjectName: "name", Root: "/r", Cwd: "/r/c", Model: "m", Entrypoint: "cli",
			Parent:     "zero",
			Transcript: "/t", Source: "startup", FirstPrompt: "do it", Status: mem.Running, Processing: &yes,
			Notification: "ping", StateLine: &nudge,
		}
		k.change("e_1", all)
		k.change("e_2", mem.SessionChange{})
		k.same("session", k.session("one"), mem.Session{
			ID: "one", Number: 1, Short: "s_1", Agent: "a", Project: "p_1", ProjectName: "name", Root: "/r", Cwd: "/r/c",
			Model:      "m",
			Entrypoint: "cli", Parent: "zero", Transcript: "/t", Source: "startup", FirstPrompt: "do it", Status: mem.Running,
			Processing:       true,
			LastNotification: "ping", Notifications: 1, StateLine: "3 left", Created: Clock(), LastEvent: Clock(),
			HandoffArmed: true,
		})
	}},
	{"the memories of a session are counted up to MemoriesCounted", func(k kit) {
		var made []mem.Memory
		for i := range mem.MemoriesCounted {
			made = append(made, mem.Memory{
				Scope: mem.ScopeSession, Session: "one", Kind: mem.Command, Title: "make",
				Key: fmt.Sprint("k", i),
			})
		}
		k.apply(mem.Batch{Event: newEvent("e_1", "one"), Memories: made[:3]}, mem.Batch{
			Event:    newEvent("e_2", "two"),
			Memories: []mem.Memory{{Scope: mem.ScopeSession, Session: "two", Kind: mem.Command, Title: "make"}},
		})
		if s := k.session("one"); s.Memories != 3 {
			k.Errorf("%d memories, want 3", s.Memories)
		}
		k.apply(mem.Batch{Event: newEvent("e_3", "one"), Memories: made}, mem.Batch{
			Event:    newEvent("e_4", "one"),
			Memories: []mem.Memory{{Scope: mem.ScopeSession, Session: "one", Kind: mem.Command, Title: "make"}},
		})
		if s := k.session("one"); s.Memories != mem.MemoriesCounted {
			k.Errorf("%d memories, want %d", s.Memories, mem.MemoriesCounted)
		}
	}},
	{"the first prompt stays, other fields are replaced", func(k kit) {
		k.change("e_1", mem.SessionChange{FirstPrompt: "first", Cwd: "/a"})
		k.change("e_2", mem.SessionChange{FirstPrompt: "second", Cwd: "/b"})
		if s := k.session("one"); s.FirstPrompt != "first" || s.Cwd != "/b" {
			k.Errorf("first prompt %q, directory %q, want %q, %q", s.FirstPrompt, s.Cwd, "first", "/b")
		}
	}},
	{"the state line is stored with its prompt and can be emptied", func(k kit) {
		k.apply(prompt("one", "p1", "a"), prompt("one", "p2", "b"))
		text, none := "go on", ""
		k.change("e_1", mem.SessionChange{StateLine: &text})
		if s := k.session("one"); s.StateLine != "go on" || s.StateLinePrompt != 2 {
			k.Errorf("state line %q at %d, want %q at 2", s.StateLine, s.StateLinePrompt, "go on")
		}
		k.change("e_2", mem.SessionChange{StateLine: &none})
		if s := k.session("one"); s.StateLine != "" {
			k.Errorf("state line %q, want none", s.StateLine)
		}
	}},
	{"a late event of a completed session does not reopen it", func(k kit) {
		k.change("e_1", mem.SessionChange{Status: mem.Completed, EndReason: "clear"})
		k.change("e_2", mem.SessionChange{Cwd: "/late"})
		k.apply(mem.Batch{Event: newEvent("e_3", "one")})
		s := k.session("one")
		if s.Status != mem.Completed || s.EndReason != "clear" || !s.Completed.Equal(Clock()) || s.Cwd != "/late" {
			k.Errorf("got %+v, want it completed at %v", s, Clock())
		}
	}},
	{"any other status reopens it", func(k kit) {
		k.change("e_1", mem.SessionChange{Status: mem.Completed, EndReason: "clear"})
		k.change("e_2", mem.SessionChange{Status: mem.Running})
		if s := k.session("one"); s.Status != mem.Running || s.EndReason != "" || !s.Completed.IsZero() {
			k.Errorf("status %q, reason %q, completed %v", s.Status, s.EndReason, s.Completed)
		}
	}},
	{"a session is abandoned after 12 hours without an event", func(k kit) {
		old := newEvent("e_1", "one")
		old.At = Clock().Add(-12 * time.Hour)
		k.apply(mem.Batch{Event: old, Session: &mem.SessionChange{Status: mem.Running}})
		if got := k.session("one").Status; got != mem.Abandoned {
			k.Errorf("status %q, want %q", got, mem.Abandoned)
		}
		k.apply(mem.Batch{Event: newEvent("e_2", "one")})
		if got := k.session("one").Status; got != mem.Running {
			k.Errorf("status %q after an event, want %q", got, mem.Running)
		}
	}},
	{"a completed session is never abandoned", func(k kit) {
		old := newEvent("e_1", "one")
		old.At = Clock().Add(-100 * time.Hour)
		k.apply(mem.Batch{Event: old, Session: &mem.SessionChange{Status: mem.Completed}})
		if got := k.session("one").Status; got != mem.Completed {
			k.Errorf("status %q, want %q", got, mem.Completed)
		}
	}},
	{"a session is summarizing while its digest waits", func(k kit) {
		yes, no := true, false
		k.apply(mem.Batch{
			Event: newEvent("e_1", "one"), Session: &mem.SessionChange{Status: mem.Running, Processing: &no},
			Jobs: []mem.Job{{Kind: "transcript", Session: "one"}},
		})
		if got := k.session("one").Status; got != mem.Summarizing {
			k.Errorf("status %q, want %q", got, mem.Summarizing)
		}
		k.change("e_2", mem.SessionChange{Processing: &yes})
		if got := k.session("one").Status; got != mem.Running {
			k.Errorf("status %q after a new prompt, want %q", got, mem.Running)
		}
		k.change("e_3", mem.SessionChange{Processing: &no})
		k.apply(mem.Batch{FinishedJobs: []string{"j_1"}})
		if got := k.session("one").Status; got != mem.Running {
			k.Errorf("status %q after the digest, want %q", got, mem.Running)
		}
	}},
	{"injected keys are known until a compaction", func(k kit) {
		k.apply(mem.Batch{
			Event: newEvent("e_1", "one"),
			Receipts: []mem.Receipt{{
				ID: "r_1", Session: "one", Tokens: 7, Items: []mem.InjectedItem{{ID: "m_1"}},
				Marks: []string{"file:a.go"},
			}},
		})
		s := k.session("one")
		k.same("injected", s.Injected, map[string]bool{"m_1": true, "file:a.go": true})
		if s.InjectedTokens != 7 {
			k.Errorf("injected tokens %d, want 7", s.InjectedTokens)
		}
		k.change("e_2", mem.SessionChange{Compacted: true})
		s = k.session("one")
		k.same("injected after the compaction", s.Injected, map[string]bool{})
		if s.InjectedTokens != 0 || s.Compactions != 1 {
			k.Errorf("injected tokens %d, compactions %d, want 0, 1", s.InjectedTokens, s.Compactions)
		}
	}},
	{"context usage is stored, and zero fields keep the stored values", func(k kit) {
		k.change("e_1", mem.SessionChange{Model: "old"})
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{
			Session: "one", Tokens: 80, At: later(time.Second), Model: "new",
			Window: 100, AutoCompactTokens: 90, ReadAt: later(time.Minute),
		}}})
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 81, At: later(2 * time.Second)}}})
		k.change("e_2", mem.SessionChange{Cwd: "/r"})
		s := k.session("one")
		if s.ContextTokens != 81 || s.ContextWindow != 100 || s.AutoCompactTokens != 90 || s.Model != "new" ||
			!s.ContextReadAt.Equal(Clock()) {
			k.Errorf("context of the session: %+v", s)
		}
	}},
	{"the handoff is armed again after it was used and the context has room or is new", func(k kit) {
		yes, no := true, false
		armed := func(want bool, when string) {
			if got := k.session("one").HandoffArmed; got != want {
				k.Errorf("%s: armed %v, want %v", when, got, want)
			}
		}
		k.change("e_1", mem.SessionChange{})
		armed(true, "new")
		k.change("e_2", mem.SessionChange{HandoffArmed: &no})
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 80}}})
		armed(false, "asked")
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 8, Rearm: true}}})
		armed(true, "with room")
		k.change("e_3", mem.SessionChange{HandoffArmed: &no})
		k.change("e_4", mem.SessionChange{Compacted: true})
		armed(true, "compacted")
		k.change("e_5", mem.SessionChange{HandoffArmed: &yes})
		armed(true, "armed by hand")
	}},
	{"IdleSessions ends the processing of the named sessions only", func(k kit) {
		busy := true
		k.change("e_1", mem.SessionChange{Processing: &busy})
		k.apply(mem.Batch{Event: newEvent("e_2", "two"), Session: &mem.SessionChange{Processing: &busy}})
		k.apply(mem.Batch{IdleSessions: []string{"one", "nobody"}})
		if one, two := k.session("one"), k.session("two"); one.Processing || !two.Processing {
			k.Errorf("got %v and %v, want the first idle alone", one.Processing, two.Processing)
		}
	}},
	{"context usage from before a compaction is ignored", func(k kit) {
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "nobody", Tokens: 80}}})
		k.change("e_1", mem.SessionChange{})
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 80, Window: 100}}})
		e := newEvent("e_2", "one")
		e.At = later(time.Hour)
		k.apply(mem.Batch{Event: e, Session: &mem.SessionChange{Compacted: true}})
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 81, At: later(time.Minute)}}})
		if s := k.session("one"); s.ContextTokens != 0 || s.ContextWindow != 100 || !s.Compacted.Equal(later(time.Hour)) {
			k.Errorf("after the compaction: %+v", s)
		}
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 9, At: later(2 * time.Hour)}}})
		if s := k.session("one"); s.ContextTokens != 9 {
			k.Errorf("%d tokens, want 9", s.ContextTokens)
		}
		if _, err := k.store.Session(k.Context(), "nobody"); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("a session without events: %v", err)
		}
	}},
	{"sessions are filtered by a model that has an automatic compaction", func(k kit) {
		for i, id := range []string{"a", "b", "c"} {
			e := newEvent("e_"+id, id)
			e.At = later(time.Duration(i) * time.Minute)
			k.apply(mem.Batch{Event: e, Session: &mem.SessionChange{Model: "m"}})
		}
		k.apply(mem.Batch{ContextUsage: []mem.ContextUsage{
			{Session: "a", AutoCompactTokens: 60, At: later(time.Hour)}, {
				Session: "b", AutoCompactTokens: 70,
				At: later(time.Hour),
			}, {Session: "c", Tokens: 1, At: later(time.Hour)},
		}})
		for model, want := range map[string][]string{"m": {"b", "a"}, "other": nil} {
			ss, err := k.store.Sessions(k.Context(), mem.SessionQuery{AutoCompactModel: model})
			if err != nil {
				k.Fatal(err)
			}
			var got []string
			for _, s := range ss {
				got = append(got, s.ID)
			}
			if !slices.Equal(got, want) {
				k.Errorf("%s: %v, want %v", model, got, want)
			}
		}
	}},
	{"ClearInjected clears the keys without counting a compaction", func(k kit) {
		k.apply(mem.Batch{
			Event:    newEvent("e_1", "one"),
			Receipts: []mem.Receipt{{ID: "r_1", Session: "one", Items: []mem.InjectedItem{{ID: "m_1"}}}},
		})
		k.change("e_2", mem.SessionChange{ClearInjected: true})
		s := k.session("one")
		k.same("injected", s.Injected, map[string]bool{})
		if s.Compactions != 0 {
			k.Errorf("compactions %d, want 0", s.Compactions)
		}
	}},
	{"a receipt in the batch of a compaction counts as injected after it", func(k kit) {
		k.apply(mem.Batch{
			Event:    newEvent("e_1", "one"),
			Receipts: []mem.Receipt{{ID: "r_1", Session: "one", Tokens: 5, Items: []mem.InjectedItem{{ID: "m_1"}}}},
		})
		k.apply(mem.Batch{
			Event: newEvent("e_2", "one"), Session: &mem.SessionChange{Compacted: true},
			Receipts: []mem.Receipt{{ID: "r_2", Session: "one", Tokens: 2, Items: []mem.InjectedItem{{ID: "m_2"}}}},
		})
		s := k.session("one")
		k.same("injected", s.Injected, map[string]bool{"m_2": true})
		if s.InjectedTokens != 2 {
			k.Errorf("injected tokens %d, want 2", s.InjectedTokens)
		}
	}},
	{"CopyInjectedFrom copies the keys of another session", func(k kit) {
		k.apply(mem.Batch{
			Event:    newEvent("e_1", "zero"),
			Receipts: []mem.Receipt{{ID: "r_1", Session: "zero", Items: []mem.InjectedItem{{ID: "m_1"}}}},
		})
		k.change("e_2", mem.SessionChange{CopyInjectedFrom: "zero", Parent: "zero"})
		k.same("injected", k.session("one").Injected, map[string]bool{"m_1": true})
		k.change("e_3", mem.SessionChange{CopyInjectedFrom: "nobody"})
	}},
	{"a session is found by id, short id and unique prefix", func(k kit) {
		k.apply(mem.Batch{Event: newEvent("e_1", "aaa-1")}, mem.Batch{Event: newEvent("e_2", "aab-2")},
			mem.Batch{Event: newEvent("e_3", "aab")})
		k.apply(mem.Batch{Event: newEvent("e_4", "s_3x")})
		for ref, want := range map[string]string{
			"s_3": "aab", "s_3x": "s_3x", "aaa-1": "aaa-1", "aaa": "aaa-1", "aab": "aab",
			"aab-": "aab-2", "s_2": "aab-2",
		} {
			if got := k.session(ref).ID; got != want {
				k.Errorf("Session(%q) is %s, want %s", ref, got, want)
			}
		}
		for ref, want := range map[string]error{
			"aa": mem.ErrAmbiguous, "s_": mem.ErrAmbiguous, "zzz": mem.ErrNotFound,
			"": mem.ErrNotFound, "s_2x": mem.ErrNotFound, "a%": mem.ErrNotFound,
		} {
			if _, err := k.store.Session(k.Context(), ref); !errors.Is(err, want) {
				k.Errorf("Session(%q): %v, want %v", ref, err, want)
			}
		}
	}},
	{"Sessions lists the last active first, of one project or all", func(k kit) {
		for i, s := range []string{"old", "new", "other"} {
			e := newEvent("e_"+s, s)
			e.At = Clock().Add(time.Duration(i) * time.Minute)
			project := "p_1"
			if s == "other" {
				project = "p_2"
			}
			k.apply(mem.Batch{Event: e, Session: &mem.SessionChange{Project: project}})
		}
		for _, c := range []struct {
			q    mem.SessionQuery
			want []string
		}{
			{mem.SessionQuery{}, []string{"other", "new", "old"}},
			{mem.SessionQuery{Project: "p_1"}, []string{"new", "old"}},
			{mem.SessionQuery{Limit: 1}, []string{"other"}},
			{mem.SessionQuery{Project: "p_3"}, []string{}},
		} {
			found, err := k.store.Sessions(k.Context(), c.q)
			if err != nil {
				k.Fatal(err)
			}
			got := []string{}
			for _, s := range found {
				if got = append(got, s.ID); s.Injected != nil {
					k.Errorf("keys injected into %s: %v, want nil", s.ID, s.Injected)
				}
			}
			k.same("sessions", got, c.want)
		}
	}},
}

var turnTests = []contractTest{
	{"the first event with a prompt id makes the turn", func(k kit) {
		e := newEvent("e_1", "one")
		e.PromptID = "p1"
		if got := k.apply(mem.Batch{Event: e})[0].Prompt; got != 0 {
			k.Errorf("prompt %d before the prompt, want 0", got)
		}
		late := prompt("one", "p1", "what I asked")
		late.Event.At = Clock().Add(time.Second)
		if got := k.apply(late)[0].Prompt; got != 1 {
			k.Errorf("prompt %d, want 1", got)
		}
		k.same("turns", k.turns("one"), []mem.Turn{{
			Session: "one", PromptID: "p1", Number: 1, Text: "what I asked",
			Trust: mem.TrustUser, At: Clock(),
		}})
	}},
	{"each prompt of the person has the next number, a repeated prompt id the same", func(k kit) {
		again := prompt("one", "p1", "other words")
		got := k.apply(prompt("one", "p1", "a"), prompt("one", "p2", "b"), again, prompt("two", "p9", "c"))
		for i, want := range []int{1, 2, 1, 1} {
			if got[i].Prompt != want {
				k.Errorf("batch %d has prompt %d, want %d", i, got[i].Prompt, want)
			}
		}
		if n := k.session("one").Prompts; n != 2 {
			k.Errorf("%d prompts, want 2", n)
		}
		if text := k.turns("one")[1].Text; text != "a" {
			k.Errorf("text %q, want the first, %q", text, "a")
		}
	}},
	{"a turn without a person's prompt has no number", func(k kit) {
		b := prompt("one", "p1", "a task is done")
		b.Turn.Person = false
		if got := k.apply(b)[0].Prompt; got != 0 {
			k.Errorf("prompt %d, want 0", got)
		}
		if got := k.apply(prompt("one", "p2", "mine"))[0].Prompt; got != 1 {
			k.Errorf("prompt %d, want 1", got)
		}
	}},
	{"a later event of the turn has its number", func(k kit) {
		e := newEvent("e_1", "one")
		e.PromptID = "p1"
		k.apply(prompt("one", "p1", "a"))
		if got := k.apply(mem.Batch{Event: e})[0].Prompt; got != 1 {
			k.Errorf("prompt %d, want 1", got)
		}
	}},
	{"a prompt without a prompt id is a turn too", func(k kit) {
		got := k.apply(prompt("one", "", "a"))[0]
		if got.Prompt != 1 {
			k.Errorf("prompt %d, want 1", got.Prompt)
		}
		if turns := k.turns("one"); len(turns) != 1 || turns[0].Text != "a" || turns[0].PromptID == "" {
			k.Errorf("turns %+v, want one under the event's id", turns)
		}
	}},
	{"trust only falls, and privacy stays", func(k kit) {
		taint := func(id string, c mem.TurnChange) {
			e := newEvent(id, "one")
			e.PromptID = "p1"
			k.apply(mem.Batch{Event: e, Turn: &c})
		}
		k.apply(prompt("one", "p1", "a"))
		taint("e_1", mem.TurnChange{Taint: mem.TrustNone})
		if got := k.turns("one")[0].Trust; got != mem.TrustUser {
			k.Errorf("trust %v without Tainted, want %v", got, mem.TrustUser)
		}
		taint("e_2", mem.TurnChange{Taint: mem.TrustTool, Tainted: true, Private: true})
		taint("e_3", mem.TurnChange{Taint: mem.TrustAssistant, Tainted: true})
		if got := k.turns("one")[0]; got.Trust != mem.TrustTool || !got.Private {
			k.Errorf("trust %v, private %v, want %v, true", got.Trust, got.Private, mem.TrustTool)
		}
	}},
	{"the trust of a memory is at most that of its turn, whichever is stored first", func(k kit) {
		of := func(prompt, title string, trust mem.Trust) mem.Memory {
			return with(fact(title), func(m *mem.Memory) {
				m.Session, m.Source.PromptID, m.Trust, m.Created = "one", prompt, trust, Clock()
			})
		}
		taint := func(id, prompt string) {
			e := newEvent(id, "one")
			e.PromptID = prompt
			k.apply(mem.Batch{Event: e, Turn: &mem.TurnChange{Taint: mem.TrustNone, Tainted: true}})
		}
		k.apply(prompt("one", "p1", "a"))
		k.put(with(of("p1", "said again", mem.TrustAssistant), func(m *mem.Memory) { m.Key = "k" }))
		k.apply(prompt("one", "p2", "b"))
		early := k.put(of("p2", "early", mem.TrustAssistant), of("p2", "tool", mem.TrustTool),
			of("p2", "person", mem.TrustUser), of("p1", "other turn", mem.TrustAssistant))
		again := k.put(with(of("p2", "said again", mem.TrustAssistant), func(m *mem.Memory) {
			m.Key, m.Updated = "k", later(time.Second)
		}))
		taint("e_1", "p2")
		late := k.put(of("p2", "late", mem.TrustAssistant), of("p2", "late person", mem.TrustUser))
		taint("e_2", "p3")
		first := k.put(of("p3", "of a turn that begins with it", mem.TrustTool))
		var got []mem.Trust
		for _, id := range slices.Concat(early, again, late, first) {
			got = append(got, k.one(id).Trust)
		}
		k.same("trust", got, []mem.Trust{
			mem.TrustNone, mem.TrustNone, mem.TrustUser, mem.TrustAssistant, mem.TrustNone,
			mem.TrustNone, mem.TrustUser, mem.TrustNone,
		})
	}},
	{"Turns returns the newest of one session, newest first", func(k kit) {
		k.apply(prompt("one", "p1", "a"), prompt("two", "q1", "x"), prompt("one", "p2", "b"), prompt("one", "p3", "c"))
		got, err := k.store.Turns(k.Context(), "one", 2)
		if err != nil {
			k.Fatal(err)
		}
		texts := []string{}
		for _, t := range got {
			texts = append(texts, t.Text)
		}
		k.same("texts", texts, []string{"c", "b"})
	}},
}

func (k kit) turns(session string) []mem.Turn {
	k.Helper()
	turns, err := k.store.Turns(k.Context(), session, 0)
	if err != nil {
		k.Fatalf("Turns: %v", err)
	}
	return turns
}
