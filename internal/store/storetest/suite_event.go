package storetest

import (
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

var eventTests = []contractTest{
	{"Events returns the newest first, by every filter", func(k kit) {
		for i, e := range []mem.Event{
			{Session: "one", PromptID: "p1", Kind: mem.UserPromptSubmit},
			{Session: "one", PromptID: "p1", Kind: mem.PostToolUse, AgentID: "sub", Tool: "Bash"},
			{Session: "two", PromptID: "p2", Kind: mem.PostToolUse},
			{Session: "one", PromptID: "p3", Kind: mem.Stop},
		} {
			// The clock goes back: the order is that of arrival.
			e.ID, e.At = fmt.Sprint("e_", i), Clock().Add(-time.Duration(i)*time.Hour)
			k.apply(mem.Batch{Event: &e, Session: &mem.SessionChange{Project: "p_" + e.Session}})
		}
		main, sub := "", "sub"
		for name, c := range map[string]struct {
			q    mem.EventQuery
			want []string
		}{
			"all":        {mem.EventQuery{}, []string{"e_3", "e_2", "e_1", "e_0"}},
			"session":    {mem.EventQuery{Session: "one"}, []string{"e_3", "e_1", "e_0"}},
			"turn":       {mem.EventQuery{Session: "one", PromptID: "p1"}, []string{"e_1", "e_0"}},
			"kinds":      {mem.EventQuery{Kinds: []mem.EventKind{mem.Stop, mem.UserPromptSubmit}}, []string{"e_3", "e_0"}},
			"tool":       {mem.EventQuery{Tool: "Bash"}, []string{"e_1"}},
			"tools":      {mem.EventQuery{Tool: "B*h"}, []string{"e_1"}},
			"since":      {mem.EventQuery{After: Clock().Add(-90 * time.Minute)}, []string{"e_1", "e_0"}},
			"until":      {mem.EventQuery{Before: Clock().Add(-2 * time.Hour)}, []string{"e_3"}},
			"project":    {mem.EventQuery{Project: "p_two"}, []string{"e_2"}},
			"subagent":   {mem.EventQuery{AgentID: &sub}, []string{"e_1"}},
			"main":       {mem.EventQuery{AgentID: &main, Session: "one"}, []string{"e_3", "e_0"}},
			"limit":      {mem.EventQuery{Limit: 2}, []string{"e_3", "e_2"}},
			"around":     {mem.EventQuery{Around: "e_1", Limit: 1}, []string{"e_0", "e_1", "e_2"}},
			"around own": {mem.EventQuery{Around: "e_1", Session: "one", Limit: 5}, []string{"e_0", "e_1", "e_3"}},
		} {
			k.same(name, k.eventIDs(c.q), c.want)
		}
		if _, err := k.store.Events(k.Context(), mem.EventQuery{Around: "e_none"}); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("around nothing: %v, want %v", err, mem.ErrNotFound)
		}
	}},
	{"Checkpoints are returned as they were stored, newest first", func(k kit) {
		c := mem.Checkpoint{
			Session: "one", Project: "p_1", At: later(time.Hour), Trigger: "auto",
			State: mem.State{Phase: "test", Next: []string{"n"}, Files: []string{"f"}},
			Evidence: mem.Evidence{
				Commands: []mem.Outcome{{Command: "make", Exit: 2, Note: "boom"}},
				Numbers:  []string{"1 of 2"},
			}, Recent: []mem.Quote{{Who: "user", Text: "go"}},
		}
		k.apply(mem.Batch{Event: newEvent("e_1", "one"), Checkpoints: []mem.Checkpoint{c}},
			mem.Batch{Checkpoints: []mem.Checkpoint{{Session: "two", Project: "p_2"}}})
		c.ID = "c_1"
		second := mem.Checkpoint{ID: "c_2", Session: "two", Project: "p_2", At: Clock()}
		for name, q := range map[string]struct {
			q    mem.CheckpointQuery
			want []mem.Checkpoint
		}{
			"all":     {mem.CheckpointQuery{}, []mem.Checkpoint{second, c}},
			"session": {mem.CheckpointQuery{Session: "one"}, []mem.Checkpoint{c}},
			"project": {mem.CheckpointQuery{Project: "p_2"}, []mem.Checkpoint{second}},
			"id":      {mem.CheckpointQuery{ID: "c_1", Session: "two"}, []mem.Checkpoint{c}},
			"limit":   {mem.CheckpointQuery{Limit: 1}, []mem.Checkpoint{second}},
			"offset":  {mem.CheckpointQuery{Offset: 1}, []mem.Checkpoint{c}},
			"trigger": {mem.CheckpointQuery{Trigger: "auto"}, []mem.Checkpoint{c}},
		} {
			got, err := k.store.Checkpoints(k.Context(), q.q)
			if err != nil {
				k.Errorf("%s: %v", name, err)
			}
			k.same(name, got, q.want)
		}
		if _, err := k.store.Checkpoints(k.Context(), mem.CheckpointQuery{ID: "c_9"}); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("unknown id: %v, want %v", err, mem.ErrNotFound)
		}
	}},
	{"memories in an index or injected into a subagent may be injected again", func(k kit) {
		item := func(id, place string) mem.InjectedItem { return mem.InjectedItem{ID: id, Section: place} }
		k.apply(mem.Batch{Receipts: []mem.Receipt{
			{ID: "r_00000001", Session: "one", Outcome: mem.Injected, Tokens: 20, Items: []mem.InjectedItem{
				item("m_1", "facts"),
				item("m_2", mem.SectionIndex),
			}, Marks: []string{"file:a"}},
			{
				ID: "r_00000002", Session: "one", Outcome: mem.Injected, Tokens: 50,
				Items: []mem.InjectedItem{item("m_3", "facts")}, Marks: []string{"file:b"}, ToSubagent: true,
			},
		}})
		ss, err := k.store.Session(k.Context(), "one")
		if err != nil {
			k.Fatal(err)
		}
		k.same("injected", ss.Injected, map[string]bool{"m_1": true, "file:a": true, "file:b": true})
		k.same("tokens", ss.InjectedTokens, 20)
	}},
	{"an undelivered receipt injected nothing", func(k kit) {
		item := func(id string) mem.InjectedItem { return mem.InjectedItem{ID: id, Section: "facts"} }
		k.apply(mem.Batch{Receipts: []mem.Receipt{
			{
				ID: "r_00000001", Session: "one", Outcome: mem.Injected, Tokens: 20, Items: []mem.InjectedItem{item("m_1")},
				Marks: []string{"file:a"},
			},
			{ID: "r_00000002", Session: "one", Outcome: mem.Injected, Tokens: 30, Items: []mem.InjectedItem{item("m_2")}},
			{
				ID: "r_00000003", Session: "one", Outcome: mem.Injected, Tokens: 50, Items: []mem.InjectedItem{item("m_3")},
				Marks: []string{"sub/m_3"}, ToSubagent: true,
			},
			{ID: "r_00000004", Session: "two", Outcome: mem.Injected, Tokens: 40, Items: []mem.InjectedItem{item("m_1")}},
		}})
		k.apply(mem.Batch{Undelivered: []string{"r_00000001", "r_00000003", "r_never"}})
		k.apply(mem.Batch{Undelivered: []string{"r_00000001"}})
		one, err := k.store.Session(k.Context(), "one")
		if err != nil {
			k.Fatal(err)
		}
		k.same("injected", one.Injected, map[string]bool{"m_2": true})
		k.same("tokens", one.InjectedTokens, 30)
		two, err := k.store.Session(k.Context(), "two")
		if err != nil {
			k.Fatal(err)
		}
		k.same("another session", two.Injected, map[string]bool{"m_1": true})
		left, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{Memory: "m_1"})
		if err != nil || len(left) != 1 || left[0].ID != "r_00000004" {
			k.Errorf("got %+v, %v, want the other session's receipt", left, err)
		}
		// A compaction begins another count.
		k.apply(mem.Batch{Event: newEvent("e_c", "two"), Session: &mem.SessionChange{Compacted: true}})
		k.apply(mem.Batch{Undelivered: []string{"r_00000004"}})
		if two, err = k.store.Session(k.Context(), "two"); err != nil || two.InjectedTokens != 0 || len(two.Injected) != 0 {
			k.Errorf("got %d tokens and %v, %v; want none", two.InjectedTokens, two.Injected, err)
		}
	}},
	{"Receipts are returned as they were stored, newest first", func(k kit) {
		r := mem.Receipt{
			ID: "r_00000001", Event: "e_1", Session: "one", Project: "p_1", At: later(time.Hour), Trigger: "prompt",
			Query: "what?", Terms: []string{"what"},
			Outcome: mem.Injected, Candidates: 3, Floor: 0.5, Budget: 100, Tokens: 20, TookMS: 1.5, Text: "the exact text",
			Items: []mem.InjectedItem{{
				ID: "m_1", Rank: 1, Kind: mem.Fact, Title: "t", Score: 0.9,
				Parts: map[string]float64{"fts": 0.7}, Tokens: 9, Section: "facts",
			}},
			LeftOut: []mem.LeftOutItem{{ID: "m_2", Title: "u", Score: 0.1, Gate: "below_floor"}}, Marks: []string{"file:a"},
		}
		brief := r
		brief.Terms, brief.LeftOut, brief.Text = nil, nil, ""
		brief.Items = []mem.InjectedItem{{
			ID: "m_1", Rank: 1, Kind: mem.Fact, Title: "t", Score: 0.9, Tokens: 9,
			Section: "facts",
		}}
		second := mem.Receipt{
			ID: "r_00000002", Session: "two", Project: "p_2", At: later(2 * time.Hour),
			Outcome: mem.Nothing,
		}
		k.apply(mem.Batch{Receipts: []mem.Receipt{r}}, mem.Batch{Receipts: []mem.Receipt{second}})
		for name, q := range map[string]struct {
			q    mem.ReceiptQuery
			want []mem.Receipt
		}{
			"all":         {mem.ReceiptQuery{}, []mem.Receipt{second, r}},
			"session":     {mem.ReceiptQuery{Session: "one"}, []mem.Receipt{r}},
			"project":     {mem.ReceiptQuery{Project: "p_2"}, []mem.Receipt{second}},
			"memory":      {mem.ReceiptQuery{Memory: "m_1"}, []mem.Receipt{r}},
			"not dropped": {mem.ReceiptQuery{Memory: "m_2"}, []mem.Receipt{}},
			"id":          {mem.ReceiptQuery{ID: "r_00000001", Session: "two"}, []mem.Receipt{r}},
			"prefix":      {mem.ReceiptQuery{ID: "r_00000002"[:10]}, []mem.Receipt{second}},
			"limit":       {mem.ReceiptQuery{Limit: 1}, []mem.Receipt{second}},
			"offset":      {mem.ReceiptQuery{Offset: 1}, []mem.Receipt{r}},
			"trigger":     {mem.ReceiptQuery{Trigger: "prompt"}, []mem.Receipt{r}},
			"outcome":     {mem.ReceiptQuery{Outcome: mem.Nothing}, []mem.Receipt{second}},
			"brief":       {mem.ReceiptQuery{Brief: true}, []mem.Receipt{second, brief}},
		} {
			got, err := k.store.Receipts(k.Context(), q.q)
			if err != nil {
				k.Errorf("%s: %v", name, err)
			}
			k.same(name, got, q.want)
		}
		for id, want := range map[string]error{"r_9": mem.ErrNotFound, "r_0": mem.ErrAmbiguous} {
			if _, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{ID: id}); !errors.Is(err, want) {
				k.Errorf("id %s: %v, want %v", id, err, want)
			}
		}
	}},
	{"two receipts may share an id", func(k kit) {
		k.apply(mem.Batch{Receipts: []mem.Receipt{{ID: "r_1", Session: "one"}}},
			mem.Batch{Receipts: []mem.Receipt{{ID: "r_1", Session: "two"}}})
		got, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{ID: "r_1"})
		if err != nil || len(got) != 1 || got[0].Session != "two" {
			k.Errorf("got %+v, %v, want the newest", got, err)
		}
	}},
	{"Paused leaves out ended pauses", func(k kit) {
		k.apply(mem.Batch{Pauses: []mem.Pause{
			{Target: "all", Until: later(-time.Second)},
			{Target: "one", InjectOnly: true},
			{Target: "p_1", Until: later(time.Hour)},
			{Target: "two", Until: Clock()},
		}})
		k.same("pauses", k.pauses(), []mem.Pause{{Target: "one", InjectOnly: true}, {Target: "p_1", Until: later(time.Hour)}})
	}},
	{"a pause until a time out of range is in force", func(k kit) {
		k.apply(mem.Batch{Pauses: []mem.Pause{{Target: "all", Until: Clock().AddDate(280, 0, 0)}}})
		if got := k.pauses(); len(got) != 1 || got[0].Target != "all" {
			k.Errorf("pauses %+v, want that of all", got)
		}
	}},
	{"a pause is replaced and lifted", func(k kit) {
		k.apply(mem.Batch{Pauses: []mem.Pause{{Target: "all"}}})
		k.apply(mem.Batch{Pauses: []mem.Pause{{Target: "all", Until: later(time.Hour), InjectOnly: true}}})
		k.same("replaced", k.pauses(), []mem.Pause{{Target: "all", Until: later(time.Hour), InjectOnly: true}})
		k.apply(mem.Batch{Pauses: []mem.Pause{{Target: "all", Lift: true}, {Target: "nobody", Lift: true}}})
		k.same("lifted", k.pauses(), []mem.Pause{})
	}},
}

func (k kit) eventIDs(q mem.EventQuery) []string {
	k.Helper()
	found, err := k.store.Events(k.Context(), q)
	if err != nil {
		k.Fatalf("Events: %v", err)
	}
	ids := []string{}
	for _, e := range found {
		ids = append(ids, e.ID)
	}
	return ids
}

func (k kit) pauses() []mem.Pause {
	k.Helper()
	got, err := k.store.Paused(k.Context(), Clock())
	if err != nil {
		k.Fatalf("Paused: %v", err)
	}
	return got
}

// lease leases jobs at a time after Clock and returns their keys.
func (k kit) lease(after time.Duration, n int) []string {
	k.Helper()
	jobs, err := k.store.Lease(k.Context(), mem.JobKinds{}, later(after), time.Minute, n)
	if err != nil {
		k.Fatalf("Lease: %v", err)
	}
	keys := []string{}
	for _, j := range jobs {
		keys = append(keys, j.Key)
	}
	return keys
}

var jobTests = []contractTest{
	{"a leased job has its fields, an id and one attempt more", func(k kit) {
		j := mem.Job{Kind: "transcript", Session: "one", Key: "k", Data: "d", NotBefore: later(-time.Hour)}
		k.apply(mem.Batch{Jobs: []mem.Job{j}})
		got, err := k.store.Lease(k.Context(), mem.JobKinds{}, Clock(), time.Minute, 5)
		if err != nil {
			k.Fatal(err)
		}
		j.ID, j.Attempts, j.Created = "j_1", 1, Clock()
		k.same("jobs", got, []mem.Job{j})
	}},
	{"Lease returns up to n due jobs, oldest first", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "a", Key: "1"},
			{Kind: "a", Key: "2", NotBefore: later(time.Hour)},
			{Kind: "a", Key: "3"},
			{Kind: "a", Key: "4"},
		}})
		k.same("none", k.lease(0, 0), []string{})
		k.same("first", k.lease(0, 2), []string{"1", "3"})
		k.same("next", k.lease(0, 9), []string{"4"})
		k.same("later", k.lease(2*time.Hour, 1), []string{"1"})
	}},
	{"a leased job is hidden until the lease ends", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "a", Key: "1"}}})
		k.same("taken", k.lease(0, 1), []string{"1"})
		k.same("hidden", k.lease(59*time.Second, 1), []string{})
		k.same("due again", k.lease(time.Minute, 1), []string{"1"})
	}},
	{"a finished job is deleted", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "a", Key: "1"}}})
		k.lease(0, 1)
		k.apply(mem.Batch{FinishedJobs: []string{"j_1", "j_never"}})
		k.same("due", k.lease(time.Hour, 1), []string{})
	}},
	{"a failed job is due at its time and keeps its error", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "a", Key: "1"}}})
		k.lease(0, 1)
		k.apply(mem.Batch{FailedJobs: []mem.Job{
			{ID: "j_1", Error: "boom", NotBefore: later(10 * time.Second)},
			{ID: "j_never"},
		}})
		k.same("too early", k.lease(9*time.Second, 1), []string{})
		got, err := k.store.Lease(k.Context(), mem.JobKinds{}, later(10*time.Second), time.Minute, 1)
		if err != nil || len(got) != 1 || got[0].Error != "boom" || got[0].Attempts != 2 {
			k.Errorf("got %+v, %v, want attempt 2 after boom", got, err)
		}
	}},
	{"a failed job delays the jobs of its session and kind only", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "a", Session: "one", Key: "1"},
			{Kind: "a", Session: "one", Key: "2"},
			{Kind: "b", Session: "one", Key: "3"},
			{Kind: "a", Session: "two", Key: "4"},
			{Kind: "a", Key: "5"},
			{Kind: "a", Key: "6"},
		}})
		k.lease(0, 1)
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_1", Error: "boom", NotBefore: later(2 * time.Minute)}}})
		k.same("all others", k.lease(0, 9), []string{"3", "4", "5", "6"})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_5", Error: "boom", NotBefore: later(2 * time.Minute)}}})
		k.same("of no session each is its own", k.lease(time.Minute, 9), []string{"3", "4", "6"})
		k.same("rested", k.lease(2*time.Minute, 9), []string{"3", "4", "5", "6", "1", "2"})
	}},
	{"retries are due last, those with the fewest attempts first", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "a", Session: "often", Key: "1"},
			{Kind: "a", Session: "often", Key: "2"},
			{Kind: "a", Session: "once", Key: "3"},
			{Kind: "a", Session: "never", Key: "4"},
		}})
		k.same("the oldest", k.lease(0, 1), []string{"1"})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_1", Error: "boom"}}})
		k.same("of a session without failures", k.lease(0, 1), []string{"3"})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_3", Error: "boom"}}})
		k.same("and then the oldest", k.lease(0, 2), []string{"4", "1"})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_4"}, {ID: "j_1", Error: "boom", Dead: true}}})
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "a", Session: "fresh", Key: "5"}}})
		k.same("in their order, whether it was given up or not", k.lease(0, 9), []string{"4", "5", "3", "2"})
	}},
	{"a dead job is not due until it is retried", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "a", Key: "1"}}})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_1", Error: "boom", Dead: true}}})
		k.same("dead", k.lease(time.Hour, 1), []string{})
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_1"}}})
		k.same("back", k.lease(0, 1), []string{"1"})
	}},
	{"a waiting job is not added again", func(k kit) {
		j := mem.Job{Kind: "a", Session: "one", Key: "k", Data: "first"}
		k.apply(mem.Batch{Jobs: []mem.Job{j, {Kind: "a", Session: "one", Key: "k", Data: "second"}}})
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "b", Session: "one", Key: "k"},
			{Kind: "a", Session: "two", Key: "k"},
			{Kind: "a", Session: "one", Key: "l"},
			{Kind: "a", Key: "k"},
			{Kind: "a", Key: "k"},
		}})
		got, err := k.store.Lease(k.Context(), mem.JobKinds{}, Clock(), time.Minute, 9)
		if err != nil {
			k.Fatal(err)
		}
		if len(got) != 5 || got[0].Data != "first" {
			k.Errorf("got %+v, want five, the first with its own data", got)
		}
		// It is leased now: later input needs a new job.
		k.apply(mem.Batch{Jobs: []mem.Job{j}})
		k.same("beside the one in work", k.lease(0, 9), []string{"k"})
	}},
	{"concurrent callers never lease the same job", func(k kit) {
		var jobs []mem.Job
		for i := range 40 {
			jobs = append(jobs, mem.Job{Kind: "a", Key: fmt.Sprint(i)})
		}
		k.apply(mem.Batch{Jobs: jobs})
		taken := make(chan string, 80)
		done := make(chan error)
		for range 8 {
			go func() {
				got, err := k.store.Lease(k.Context(), mem.JobKinds{}, Clock(), time.Minute, 5)
				for _, j := range got {
					taken <- j.ID
				}
				done <- err
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				k.Error(err)
			}
		}
		close(taken)
		seen := map[string]bool{}
		for id := range taken {
			if seen[id] {
				k.Errorf("%s was given twice", id)
			}
			seen[id] = true
		}
		if len(seen) != 40 {
			k.Errorf("%d jobs given, want 40", len(seen))
		}
	}},
}

var statsTests = []contractTest{
	{"an empty store counts nothing", func(k kit) {
		k.same("stats", k.stats(""), mem.Stats{})
	}},
	{"Stats counts all projects or one", func(k kit) {
		forgotten := mem.Forgotten
		old := with(fact("of yesterday"), func(m *mem.Memory) { m.Created = later(-24 * time.Hour) })
		gotcha := with(fact("sharp"), func(m *mem.Memory) { m.Kind = mem.Gotcha })
		b := prompt("one", "p1", "hi")
		b.Session.Project, b.Memories = "p_000000000001", []mem.Memory{old, gotcha, fact("to hide")}
		b.Jobs = []mem.Job{{Kind: "transcript", Session: "one"}, {Kind: "snapshot", Session: "one"}}
		b.Receipts = []mem.Receipt{{ID: "r_1", Session: "one", Project: "p_000000000001", Outcome: mem.Injected, Tokens: 40}}
		k.apply(b)
		late := newEvent("e_2", "two")
		late.At = later(time.Hour)
		k.apply(mem.Batch{
			Event: late, Session: &mem.SessionChange{Project: "p_2"}, Edits: []mem.Edit{{ID: "m_3", Status: &forgotten}},
			Memories:   []mem.Memory{with(fact("other"), func(m *mem.Memory) { m.Project = "p_2" })},
			FailedJobs: []mem.Job{{ID: "j_2", Dead: true}},
			Receipts:   []mem.Receipt{{ID: "r_2", Session: "two", Project: "p_2", Outcome: mem.Nothing}},
		})
		k.same("one project", k.stats("p_000000000001"), mem.Stats{
			Memories: 2, Hidden: 1, Kinds: map[mem.Kind]int{mem.Fact: 1, mem.Gotcha: 1}, Today: 1, Sessions: 1, Events: 1,
			Turns: 1, Receipts: 1,
			Waiting: mem.Waiting{Jobs: 1, DeadJobs: 1, OldestJob: Clock()}, InjectedTokens: 40,
			ByOutcome: map[mem.InjectionOutcome]int{mem.Injected: 1}, LastEvent: Clock(), LastSession: "one",
		})
		k.same("all", k.stats(""), mem.Stats{
			Memories: 3, Hidden: 1, Kinds: map[mem.Kind]int{mem.Fact: 2, mem.Gotcha: 1}, Today: 2, Sessions: 2, Events: 2,
			Turns: 1, Receipts: 2,
			Waiting: mem.Waiting{Jobs: 1, DeadJobs: 1, OldestJob: Clock()}, InjectedTokens: 40,
			ByOutcome: map[mem.InjectionOutcome]int{mem.Injected: 1, mem.Nothing: 1}, LastEvent: later(time.Hour),
			LastSession: "two",
		})
	}},
	{"a job for later counts as waiting when it is due", func(k kit) {
		b := prompt("one", "p1", "hi")
		b.Jobs = []mem.Job{{Kind: "transcript", Session: "one", NotBefore: later(10 * time.Minute)}}
		k.apply(b)
		if st := k.stats(""); st.Jobs != 1 || st.LaterJobs != 1 || !st.OldestJob.IsZero() {
			k.Errorf("%d jobs, %d for later, the oldest of %v, want 1, 1, none", st.Jobs, st.LaterJobs, st.OldestJob)
		}
		k.apply(mem.Batch{Jobs: []mem.Job{{Kind: "snapshot", Session: "one", NotBefore: later(time.Second)}}})
		if st := k.stats(""); st.Jobs != 2 || st.LaterJobs != 1 || !st.OldestJob.Equal(later(time.Second)) {
			k.Errorf("%d jobs, %d for later, the oldest of %v, want 2, 1, %v", st.Jobs, st.LaterJobs, st.OldestJob,
				later(time.Second))
		}
		jobs, err := k.store.Lease(k.Context(), mem.JobKinds{}, later(20*time.Minute), time.Second, 1)
		if err != nil || len(jobs) != 1 {
			k.Fatalf("%d jobs leased, %v, want 1", len(jobs), err)
		}
		failed := jobs[0]
		failed.NotBefore = later(time.Hour)
		k.apply(mem.Batch{FailedJobs: []mem.Job{failed}})
		if st := k.stats(""); st.LaterJobs != 0 || !st.OldestJob.Equal(Clock()) {
			k.Errorf("after a failure: %d for later, the oldest of %v, want 0, %v", st.LaterJobs, st.OldestJob, Clock())
		}
	}},
}

// stats returns the counts, without schema and bytes, which differ between stores.
func (k kit) stats(project string) mem.Stats {
	k.Helper()
	st, err := k.store.Stats(k.Context(), project, Clock())
	if err != nil {
		k.Fatalf("Stats: %v", err)
	}
	st.Schema, st.Bytes = 0, 0
	if project == "" {
		if w, err := k.store.Waiting(k.Context()); err != nil || w != st.Waiting {
			k.Errorf("Waiting: %+v, %v, want those of Stats: %+v", w, err, st.Waiting)
		}
	}
	return st
}
