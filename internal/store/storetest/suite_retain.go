package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"remanence/internal/mem"
)

func (k kit) drop(before time.Time, from int64, n int) (next int64, dropped int) {
	k.Helper()
	next, dropped, err := k.store.DropPayloads(k.Context(), before, from, n)
	if err != nil {
		k.Fatalf("DropPayloads: %v", err)
	}
	return next, dropped
}

// fullEvent returns an event with a value in every text field.
func fullEvent(i int, at time.Time) mem.Event {
	return mem.Event{
		ID: fmt.Sprint("e_", i), Agent: "claude-code", Kind: mem.PostToolUse, At: at, Session: "one", PromptID: "p1",
		Source: "auto",
		Tool:   "Bash", ToolUseID: fmt.Sprint("tu_", i), AgentID: "sub", AgentType: "Explore", DurationMS: 12, Size: 99,
		Truncated: true,
		Root:      "/home/eve", Cwd: "/home/eve/x", Transcript: "/home/eve/t", Text: "much said", Error: "boom",
		Input: json.RawMessage(`{"dropped":true}`), Response: json.RawMessage(`{"a":1}`),
	}
}

var retainTests = []contractTest{
	{"DropPayloads drops old payloads and keeps the events", func(k kit) {
		day := Clock()
		// The clock goes back and forth.
		for i, at := range []time.Time{day.Add(-time.Hour), day, day.Add(-2 * time.Hour), day.Add(time.Hour)} {
			e := fullEvent(i, at)
			k.apply(mem.Batch{Event: &e, Turn: &mem.TurnChange{}, Memories: []mem.Memory{fact(fmt.Sprint("note ", i))}})
		}
		if next, dropped := k.drop(day, 0, 100); next != 0 || dropped != 2 {
			k.Errorf("dropped %d, next %d, want 2 and the end", dropped, next)
		}
		got, err := k.store.Events(k.Context(), mem.EventQuery{})
		if err != nil {
			k.Fatal(err)
		}
		var want []mem.Event
		for i, at := range []time.Time{day.Add(time.Hour), day.Add(-2 * time.Hour), day, day.Add(-time.Hour)} {
			e := fullEvent(3-i, at)
			if at.Before(day) {
				e = e.WithoutPayload()
			}
			want = append(want, e)
		}
		k.same("events", got, want)
		k.same("memories", len(k.List(mem.Query{})), 4)
		if next, dropped := k.drop(day, 0, 100); next != 0 || dropped != 0 {
			k.Errorf("a second time: dropped %d, next %d, want nothing", dropped, next)
		}
	}},
	{"an event without payload is still a duplicate", func(k kit) {
		e := fullEvent(1, Clock())
		k.apply(mem.Batch{Event: &e})
		k.drop(Clock().Add(time.Hour), 0, 10)
		if r := k.apply(mem.Batch{Event: &e, Memories: []mem.Memory{fact("again")}})[0]; !r.Duplicate || r.Seq != 1 {
			k.Errorf("got %+v, want the duplicate of event 1", r)
		}
	}},
	{"DropPayloads examines at most n events and continues there", func(k kit) {
		for i := range 5 {
			e := fullEvent(i, Clock())
			k.apply(mem.Batch{Event: &e})
		}
		var got []int
		from := int64(0)
		for range 10 {
			next, dropped := k.drop(Clock().Add(time.Hour), from, 2)
			got = append(got, dropped)
			if from = next; from == 0 {
				break
			}
		}
		k.same("dropped by step", got, []int{2, 2, 1})
	}},
	{"an erased event stays erased", func(k kit) {
		k.apply(SecretBatches()...)
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatal(err)
		}
		if _, dropped := k.drop(Clock().Add(time.Hour), 0, 100); dropped != 2 {
			k.Errorf("dropped %d, want 2: the others are erased", dropped)
		}
		k.same("events", k.eventIDs(mem.EventQuery{}), []string{"e_4", "e_2"})
	}},
	{"an empty store has nothing to drop", func(k kit) {
		if next, dropped := k.drop(Clock(), 0, 10); next != 0 || dropped != 0 {
			k.Errorf("dropped %d, next %d", dropped, next)
		}
	}},
	{"DropJobs deletes dead jobs from before a time only", func(k kit) {
		day := Clock()
		job := func(key string, made, put time.Time, dead bool) mem.Job {
			return mem.Job{Kind: "digest", Key: key, Created: made, NotBefore: put, Dead: dead}
		}
		old, new := day.Add(-time.Hour), day
		k.apply(mem.Batch{Jobs: []mem.Job{
			job("old", old, old, true), job("old too", old, time.Time{}, true), job("tried since", old, new, true),
			job("new", new, new, true), job("waits", old, old, false),
		}})
		var left []int
		for range 3 {
			n, err := k.store.DropJobs(k.Context(), day, 1)
			if err != nil {
				k.Fatalf("DropJobs: %v", err)
			}
			left = append(left, n)
		}
		k.same("dropped by step", left, []int{1, 1, 0})
		st := k.stats("")
		k.same("given up and waiting", []int{st.DeadJobs, st.Jobs}, []int{2, 1})
	}},
	{"List filters by the time of forgetting", func(k kit) {
		ids := k.put(fact("kept"), fact("forgotten"), fact("replaced"))
		forgotten, superseded := mem.Forgotten, mem.Superseded
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[1], Status: &forgotten}, {ID: ids[2], Status: &superseded}}})
		for _, c := range []struct {
			before time.Time
			want   []string
		}{{Clock(), []string{}}, {Clock().Add(time.Second), []string{"forgotten"}}} {
			k.same(c.before.String(), titles(k.List(mem.Query{Hidden: true, Within: "*", HiddenBefore: c.before})), c.want)
		}
	}},
}
