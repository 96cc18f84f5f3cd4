package storetest

import (
	"time"

	"remanence/internal/mem"
)

func toolCall(session, prompt, tool string, at time.Duration) *mem.Event {
	e := mem.Event{
		Agent: "claude-code", Kind: mem.PostToolUse, At: later(at), Session: session, PromptID: prompt,
		ToolUseID: tool, Tool: "Bash",
	}
	e.Identify("n")
	return &e
}

var transcriptTests = []contractTest{
	{"EventHeaders lists events without their payload", func(k kit) {
		start := anonymous(mem.SessionStart, "resume", "a", 0)
		k.apply(mem.Batch{Event: start}, prompt("one", "p1", "words"),
			mem.Batch{Event: toolCall("one", "p1", "t1", time.Second)}, prompt("two", "p2", "others"))
		aside := toolCall("one", "p1", "t2", 2*time.Second)
		aside.AgentID = "sub"
		end := anonymous(mem.SubagentStop, "", "b", 3*time.Second)
		end.AgentID = "sub"
		k.apply(mem.Batch{Event: aside}, mem.Batch{Event: end})
		got, err := k.store.EventHeaders(k.Context(), "one")
		if err != nil {
			k.Fatal(err)
		}
		k.same("headers", got, []mem.EventHeader{
			{Kind: mem.SessionStart, At: Clock(), Source: "resume"},
			{Kind: mem.UserPromptSubmit, At: Clock(), PromptID: "p1"},
			{Kind: mem.PostToolUse, At: later(time.Second), PromptID: "p1", ToolUseID: "t1"},
			{Kind: mem.PostToolUse, At: later(2 * time.Second), PromptID: "p1", ToolUseID: "t2"},
		})
	}},
	{"EventHeaders leaves out erased events", func(k kit) {
		k.apply(prompt("one", "p1", "words"))
		if _, err := k.store.Purge(k.Context(), "one"); err != nil {
			k.Fatal(err)
		}
		got, err := k.store.EventHeaders(k.Context(), "one")
		if err != nil || len(got) != 0 {
			k.Errorf("got %+v, %v", got, err)
		}
	}},
	{"the transcript position of a session is stored", func(k kit) {
		k.apply(prompt("one", "p1", "words"))
		k.position("one", mem.TranscriptPosition{Session: "one"})
		k.apply(mem.Batch{TranscriptPositions: []mem.TranscriptPosition{
			{Session: "one", To: 42, Hash: "abc"},
			{Session: "nobody", To: 1},
		}})
		k.position("one", mem.TranscriptPosition{Session: "one", To: 42, Hash: "abc"})
		k.position("nobody", mem.TranscriptPosition{Session: "nobody"})
	}},
	{"the period of a pause is known after its end", func(k kit) {
		k.apply(mem.Batch{Pauses: []mem.Pause{
			{Target: "one", Until: later(time.Hour)},
			{Target: "two", InjectOnly: true},
			{Target: "three"},
		}})
		k.pausedPeriods([]mem.PausedPeriod{{Begun: Clock(), Ended: later(time.Hour)}}, "one", "two", "all")
		k.pausedPeriods([]mem.PausedPeriod{{Begun: Clock()}}, "three")
		k.apply(mem.Batch{Pauses: []mem.Pause{{Target: "one", Lift: true}, {Target: "three", InjectOnly: true}}})
		k.pausedPeriods([]mem.PausedPeriod{{Begun: Clock(), Ended: Clock()}}, "one")
		k.pausedPeriods([]mem.PausedPeriod{{Begun: Clock(), Ended: Clock()}}, "three")
	}},
	{"a turn that was found later is placed by its time", func(k kit) {
		at := func(id string, seconds int, found bool) mem.Batch {
			b := prompt("one", id, "the words of "+id)
			b.Event.At, b.Event.Recovered = later(time.Duration(seconds)*time.Second), found
			return b
		}
		k.apply(at("p1", 1, false), at("p3", 3, false), at("p5", 5, false))
		k.apply(at("p2", 2, true), at("p4", 4, true), at("p0", 0, true), at("p6", 6, true))
		k.turnOrder("p6", "p5", "p4", "p3", "p2", "p1", "p0")
		k.apply(at("p7", 1, false)) // the clock went back: the event is the newest all the same
		k.turnOrder("p7", "p6", "p5", "p4", "p3", "p2", "p1", "p0")
	}},
}

func (k kit) position(session string, want mem.TranscriptPosition) {
	k.Helper()
	got, err := k.store.TranscriptPosition(k.Context(), session)
	if err != nil {
		k.Fatal(err)
	}
	k.same("checked", got, want)
}

func (k kit) pausedPeriods(want []mem.PausedPeriod, targets ...string) {
	k.Helper()
	got, err := k.store.PausedPeriods(k.Context(), targets...)
	if err != nil {
		k.Fatal(err)
	}
	k.same("paused periods", got, want)
}

func (k kit) turnOrder(want ...string) {
	k.Helper()
	turns, err := k.store.Turns(k.Context(), "one", 100)
	if err != nil {
		k.Fatal(err)
	}
	var got []string
	for _, t := range turns {
		got = append(got, t.PromptID)
	}
	k.same("turns, newest first", got, want)
}
