package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"remanence/internal/mem"
)

var applyTests = []contractTest{
	{"each batch has a result, in order", func(k kit) {
		got := k.apply(mem.Batch{Event: newEvent("e_1", "one")}, mem.Batch{Memories: []mem.Memory{fact("alpha")}},
			mem.Batch{Event: newEvent("e_2", "one")})
		k.same("results", got, []mem.Result{{Seq: 1}, {IDs: []string{"m_1"}}, {Seq: 2}})
	}},
	{"no batches are no error", func(k kit) { k.apply() }},
	{"an event comes back as it was given", func(k kit) {
		e := mem.Event{
			ID: "e_1", Key: "k", Agent: "claude-code", Kind: mem.PostToolUseFailure, At: Clock().Add(123 * time.Nanosecond),
			Session: "one", PromptID: "p", Root: "/r", Cwd: "/r/c", Transcript: "/t.jsonl", Text: "a \"b\" <c> \\ \n é 漢字 🎯",
			Tool: "Bash", ToolUseID: "tu", Input: []byte(`{"command":"ls","n":12345678901234567890}`),
			Response: []byte(`["x",null]`),
			Error:    "Exit code 2\nboom", Interrupt: true, DurationMS: 12, AgentID: "a", AgentType: "Explore", Size: 99,
			Truncated: true,
		}
		k.apply(mem.Batch{Event: &e})
		got, err := k.store.Events(k.Context(), mem.EventQuery{Session: "one"})
		if err != nil {
			k.Fatal(err)
		}
		k.same("events", got, []mem.Event{e})
	}},
	{"a failing batch writes nothing, those before it stay, those after it are not tried", func(k kit) {
		title := "new"
		bad := mem.Batch{
			Event: newEvent("e_2", "two"), Memories: []mem.Memory{fact("of the bad one")},
			Edits: []mem.Edit{{ID: "m_zzz", Title: &title}}, Jobs: []mem.Job{{Kind: "transcript", Session: "two"}},
		}
		got, err := k.store.Apply(k.Context(),
			mem.Batch{Event: newEvent("e_1", "one"), Memories: []mem.Memory{fact("before")}},
			bad, mem.Batch{Event: newEvent("e_3", "one")})
		if !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("error %v, want %v", err, mem.ErrNotFound)
		}
		k.same("results", got, []mem.Result{{Seq: 1, IDs: []string{"m_1"}}})
		k.same("memories", titles(k.List(mem.Query{})), []string{"before"})
		if _, err := k.store.Session(k.Context(), "two"); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("session of the failed batch: %v, want %v", err, mem.ErrNotFound)
		}
		again := k.apply(mem.Batch{Event: newEvent("e_2", "two")})[0]
		if again.Duplicate {
			k.Error("the event of a failed batch counts as stored")
		}
	}},
	{"an event without an id is refused", func(k kit) {
		if _, err := k.store.Apply(k.Context(), mem.Batch{Event: newEvent("", "one")}); err == nil {
			k.Error("no error")
		}
	}},
	{"a memory without a text is refused", func(k kit) {
		if _, err := k.store.Apply(k.Context(), mem.Batch{Memories: []mem.Memory{fact("")}}); err == nil {
			k.Error("no error")
		}
	}},
	{"a cancelled call writes nothing", func(k kit) {
		ctx, cancel := context.WithCancel(k.Context())
		cancel()
		if _, err := k.store.Apply(ctx, mem.Batch{Event: newEvent("e_1", "one")}); !errors.Is(err, context.Canceled) {
			k.Errorf("error %v, want %v", err, context.Canceled)
		}
		if got := k.apply(mem.Batch{Event: newEvent("e_1", "one")})[0]; got.Duplicate {
			k.Error("the cancelled call wrote")
		}
	}},
	{"concurrent callers of one session lose no count", func(k kit) {
		const callers = 50
		var wg sync.WaitGroup
		numbers := make([]int, callers)
		errs := make([]error, callers)
		for i := range callers {
			wg.Go(func() {
				b := prompt("one", fmt.Sprint("p", i), fmt.Sprint("say ", i))
				b.Session = &mem.SessionChange{Notification: "hello"}
				b.Receipts = []mem.Receipt{{ID: fmt.Sprintf("r_%08d", i), Session: "one", Tokens: 3}}
				b.Memories = []mem.Memory{with(fact(fmt.Sprint("memory ", i)), func(m *mem.Memory) { m.Session = "one" })}
				r, err := k.store.Apply(k.Context(), b)
				if errs[i] = err; err == nil {
					numbers[i] = r[0].Prompt
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			k.Fatal(err)
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+1 {
				k.Fatalf("numbers of prompts %v, want 1 to %d", numbers, callers)
			}
		}
		s := k.session("one")
		if s.Prompts != callers || s.Notifications != callers || s.InjectedTokens != 3*callers {
			k.Errorf("prompts %d, notifications %d, injected tokens %d, want %d, %d, %d", s.Prompts, s.Notifications,
				s.InjectedTokens, callers, callers, 3*callers)
		}
		if got := len(k.List(mem.Query{Limit: 1000})); got != callers {
			k.Errorf("%d memories, want %d", got, callers)
		}
	}},
	{"of concurrent batches only the bad one fails", func(k kit) {
		const callers = 20
		var wg sync.WaitGroup
		errs := make([]error, callers)
		for i := range callers {
			wg.Go(func() {
				b := mem.Batch{Event: newEvent(fmt.Sprint("e_", i), "one")}
				if i == 7 {
					b.Edits = []mem.Edit{{ID: "m_none"}}
				}
				_, errs[i] = k.store.Apply(k.Context(), b)
			})
		}
		wg.Wait()
		for i, err := range errs {
			if (err != nil) != (i == 7) {
				k.Errorf("caller %d: %v", i, err)
			}
		}
		got, err := k.store.Events(k.Context(), mem.EventQuery{})
		if err != nil || len(got) != callers-1 {
			k.Errorf("%d events, %v, want %d", len(got), err, callers-1)
		}
	}},
	{"a thousand batches in one call keep their order", func(k kit) {
		batches := make([]mem.Batch, 1000)
		for i := range batches {
			batches[i] = mem.Batch{Event: newEvent(fmt.Sprint("e_", i), "one")}
		}
		for i, r := range k.apply(batches...) {
			if r.Seq != int64(i+1) {
				k.Fatalf("batch %d has position %d, want %d", i, r.Seq, i+1)
			}
		}
	}},
	{"after Close calls fail", func(k kit) {
		if err := k.store.Close(); err != nil {
			k.Fatalf("Close: %v", err)
		}
		if err := k.store.Close(); err != nil {
			k.Errorf("second Close: %v", err)
		}
		if _, err := k.store.Apply(k.Context(), mem.Batch{Event: newEvent("e_1", "one")}); err == nil {
			k.Error("Apply works")
		}
		if _, err := k.store.List(k.Context(), mem.Query{}); err == nil {
			k.Error("List works")
		}
		if _, err := k.store.Purge(k.Context(), "m_1"); err == nil || errors.Is(err, mem.ErrNotFound) {
			k.Errorf("Purge works: %v", err)
		}
	}},
}

var duplicateTests = []contractTest{
	{"an event that is stored is a duplicate and writes nothing", func(k kit) {
		b := mem.Batch{
			Event: newEvent("e_1", "one"), Session: &mem.SessionChange{Notification: "hello"},
			Memories: []mem.Memory{fact("alpha")},
		}
		k.apply(b)
		b.Memories = []mem.Memory{fact("beta")}
		k.same("result", k.apply(b)[0], mem.Result{Duplicate: true, Seq: 1})
		k.same("memories", titles(k.List(mem.Query{})), []string{"alpha"})
		if n := k.session("one").Notifications; n != 1 {
			k.Errorf("%d notifications, want 1", n)
		}
	}},
	{"an event that is repeated within one call is a duplicate", func(k kit) {
		b := mem.Batch{Event: newEvent("e_1", "one")}
		if got := k.apply(b, b); got[0].Duplicate || !got[1].Duplicate {
			k.Errorf("got %+v, want the second to be a duplicate", got)
		}
	}},
	{"a retry of the same id after others is a duplicate", func(k kit) {
		first := mem.Batch{Event: anonymous(mem.SessionStart, "startup", "n1", 0)}
		k.apply(first, mem.Batch{Event: newEvent("e_1", "one")}, mem.Batch{Event: newEvent("e_2", "one")})
		if got := k.apply(first)[0]; !got.Duplicate {
			k.Errorf("got %+v, want a duplicate", got)
		}
	}},
	{"window", windowTest},
}

// windowTest applies pairs of events without ids, at several distances in time.
func windowTest(k kit) {
	for _, c := range []struct {
		name      string
		first     *mem.Event
		between   *mem.Event
		second    *mem.Event
		duplicate bool
	}{
		{"the same 1 s later", anonymous(mem.SessionStart, "startup", "n1", 0), nil, anonymous(mem.SessionStart, "startup",
			"n2", time.Second), true},
		{
			"the same at the end of the window", anonymous(mem.PreCompact, "auto", "n1", 0), nil,
			anonymous(mem.PreCompact, "auto", "n2", mem.DuplicateWindow), true,
		},
		{"the same 6 s later", anonymous(mem.PreCompact, "auto", "n1", 0), nil, anonymous(mem.PreCompact, "auto", "n2",
			6*time.Second), false},
		{
			"the same, the clock set back 1 s", anonymous(mem.SessionEnd, "other", "n1", time.Second), nil,
			anonymous(mem.SessionEnd, "other", "n2", 0), true,
		},
		{
			"the same, another event of the session between", anonymous(mem.PreCompact, "auto", "n1", 0), newEvent("e_b", "one"),
			anonymous(mem.PreCompact, "auto", "n2", time.Second), false,
		},
		{
			"the same, an event of another session between", anonymous(mem.PreCompact, "auto", "n1", 0), newEvent("e_b", "two"),
			anonymous(mem.PreCompact, "auto", "n2", time.Second), true,
		},
		{
			"startup and resume 1 s apart", anonymous(mem.SessionStart, "startup", "n1", 0), nil,
			anonymous(mem.SessionStart, "resume", "n2", time.Second), false,
		},
	} {
		// Each case has its own session, so that one store is enough.
		session := func(e *mem.Event) *mem.Event {
			v := *e
			v.Session += c.name
			v.ID += c.name
			return &v
		}
		batches := []mem.Batch{{Event: session(c.first)}}
		if c.between != nil {
			batches = append(batches, mem.Batch{Event: session(c.between)})
		}
		k.apply(batches...)
		if got := k.apply(mem.Batch{Event: session(c.second)})[0].Duplicate; got != c.duplicate {
			k.Errorf("%s: duplicate is %v, want %v", c.name, got, c.duplicate)
		}
	}
}
