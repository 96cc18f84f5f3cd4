package storetest

import (
	"errors"
	"time"

	"remanence/internal/mem"
)

func (k kit) runs(q mem.RunQuery) []mem.Run {
	k.Helper()
	runs, err := k.store.Runs(k.Context(), q)
	if err != nil {
		k.Fatalf("Runs: %v", err)
	}
	return runs
}

func (k kit) dismissals() []mem.Dismissal {
	k.Helper()
	ds, err := k.store.Dismissals(k.Context())
	if err != nil {
		k.Fatalf("Dismissals: %v", err)
	}
	return ds
}

// threeMemories stores memories m_1, m_2 and m_3 of a project.
func (k kit) threeMemories() {
	k.Helper()
	k.apply(mem.Batch{Project: &mem.Project{Key: "p_1", Name: "one"}, Memories: []mem.Memory{
		{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "first fact"},
		{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "second fact"},
		{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "third fact"},
	}})
}

var runTests = []contractTest{
	{"List returns archived memories only for that status", func(k kit) {
		k.threeMemories()
		archived := mem.Archived
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_2", Status: &archived}}})
		k.same("usually", titles(k.List(mem.Query{})), []string{"third fact", "first fact"})
		k.same("archived too", titles(k.List(mem.Query{Statuses: []mem.Status{mem.Active, mem.Archived}})),
			[]string{"third fact", "second fact", "first fact"})
		k.same("archived only", titles(k.List(mem.Query{Statuses: []mem.Status{mem.Archived}})), []string{"second fact"})
		k.same("matched", len(k.match(mem.Query{Terms: []string{"fact"}})), 2)
		k.same("matched with those",
			len(k.match(mem.Query{Terms: []string{"fact"}, Statuses: []mem.Status{mem.Active, mem.Archived}})), 3)
	}},
	{"an archived memory that is used or repeated becomes active", func(k kit) {
		k.threeMemories()
		archived := mem.Archived
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_1", Status: &archived}, {ID: "m_2", Status: &archived}}})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_1", Used: 1}}})
		k.apply(mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact,
			Title: "second fact",
		}}})
		k.same("active", titles(k.List(mem.Query{})), []string{"third fact", "second fact", "first fact"})
	}},
	{"lifecycle fields are stored", func(k kit) {
		k.threeMemories()
		into, from, status := "m_1", mem.ScopeSession, mem.Consolidated
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_2", Status: &status, MergedInto: &into}, {ID: "m_3", Promoted: &from}}})
		ms := k.List(mem.Query{IDs: []string{"m_2", "m_3"}, Hidden: true})
		k.same("merged into", ms[0].MergedInto, "m_1")
		k.same("status", ms[0].Status, mem.Consolidated)
		k.same("promoted from", ms[1].PromotedFrom, mem.ScopeSession)
		k.same("still active", titles(k.List(mem.Query{})), []string{"third fact", "first fact"})
	}},
	{"an edit for one status does not change a memory of another", func(k kit) {
		k.threeMemories()
		archived, forgotten, into := mem.Archived, mem.Forgotten, "m_1"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_2", Status: &forgotten}}})
		k.apply(mem.Batch{Edits: []mem.Edit{
			{ID: "m_2", From: mem.Active, Status: &archived, MergedInto: &into, Used: 1},
			{ID: "m_3", From: mem.Active, Status: &archived},
		}})
		ms := k.List(mem.Query{IDs: []string{"m_2", "m_3"}, Hidden: true})
		k.same("the forgotten one", ms[0].Status, mem.Forgotten)
		k.same("merged into", ms[0].MergedInto, "")
		k.same("uses", ms[0].Uses, 0)
		k.same("the active one", ms[1].Status, mem.Archived)
	}},
	{"purging a memory purges only the memories merged into it", func(k kit) {
		k.threeMemories()
		first, second, status := "m_1", "m_2", mem.Consolidated
		k.apply(mem.Batch{Edits: []mem.Edit{
			{ID: "m_2", Status: &status, MergedInto: &first},
			{ID: "m_3", Status: &status, MergedInto: &second},
		}})
		done, err := k.store.Purge(k.Context(), "m_2")
		if err != nil {
			k.Fatalf("Purge: %v", err)
		}
		k.same("erased", done.Memories, 2)
		k.same("left", titles(k.List(mem.Query{Hidden: true})), []string{"first fact"})
	}},
	{"purging a memory blanks the session of a merged one", func(k kit) {
		ev := mem.Event{
			ID: "e_1", Agent: "claude-code", Kind: mem.UserPromptSubmit, At: Clock(), Session: "two",
			PromptID: "p1", Text: "the ferry leaves at seven",
		}
		k.apply(mem.Batch{Event: &ev, Turn: &mem.TurnChange{Person: true, Text: ev.Text}, Memories: []mem.Memory{
			{Scope: mem.ScopeUser, Session: "one", Kind: mem.Fact, Title: "departure of the ferry is at seven"},
			{Scope: mem.ScopeUser, Session: "two", Kind: mem.Fact, Title: "the ferry leaves at seven"},
		}})
		into, status := "m_1", mem.Consolidated
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_2", Status: &status, MergedInto: &into}}})
		done, err := k.store.Purge(k.Context(), "m_1")
		if err != nil {
			k.Fatalf("Purge: %v", err)
		}
		k.same("erased", []int{done.Memories, done.Events, done.Turns}, []int{2, 1, 1})
	}},
	{"runs are stored with their changes", func(k kit) {
		k.threeMemories()
		was, became := mem.Lifecycle{
			Status: mem.Active, Scope: mem.ScopeProject,
			Importance: 0.5,
		}, mem.Lifecycle{
			Status: mem.Archived, Scope: mem.ScopeProject, Importance: 0.5, Uses: 1,
			LastUsed: later(-time.Hour),
		}
		got, err := k.store.Apply(k.Context(),
			mem.Batch{Run: &mem.Run{
				Kind: mem.FullRun, Project: "p_1", Examined: 3,
				Changes: []mem.Step{{Rule: mem.RuleArchive, Memory: "m_1", Reason: "faded", Was: was, Became: became}},
			}})
		if err != nil || got[0].Run != "k_1" {
			k.Fatalf("run %q, error %v", got[0].Run, err)
		}
		k.apply(mem.Batch{Run: &mem.Run{ID: "k_1", Changes: []mem.Step{{Rule: mem.RuleMerge, Memory: "m_2", Other: "m_3"}}}})
		k.apply(mem.Batch{Run: &mem.Run{Kind: mem.SessionRun, Project: "p_1", Session: "one", At: later(time.Hour)}})
		want := mem.Run{ID: "k_1", Kind: mem.FullRun, Project: "p_1", At: Clock(), Examined: 3, Changes: []mem.Step{
			{Rule: mem.RuleArchive, Memory: "m_1", Reason: "faded", Was: was, Became: became},
			{Rule: mem.RuleMerge, Memory: "m_2", Other: "m_3"},
		}}
		k.same("the run", k.runs(mem.RunQuery{ID: "k_1"}), []mem.Run{want})
		k.same("all, newest first", k.runs(mem.RunQuery{}),
			[]mem.Run{{ID: "k_2", Kind: mem.SessionRun, Project: "p_1", Session: "one", At: later(time.Hour)}, want})
		k.same("all but the newest", k.runs(mem.RunQuery{Offset: 1}), k.runs(mem.RunQuery{})[1:])
		k.same("of a kind", len(k.runs(mem.RunQuery{Kind: mem.FullRun, Project: "p_1"})), 1)
		brief := want
		brief.Changes = nil
		k.same("without its changes", k.runs(mem.RunQuery{Kind: mem.FullRun, Project: "p_1", Brief: true}), []mem.Run{brief})
		k.same("of another project", len(k.runs(mem.RunQuery{Project: "p_2"})), 0)
		if _, err := k.store.Runs(k.Context(), mem.RunQuery{ID: "k_9"}); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("error %v, want %v", err, mem.ErrNotFound)
		}
	}},
	{"a run that was undone is marked", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Run: &mem.Run{
			Kind: mem.FullRun, Project: "p_1",
			Changes: []mem.Step{{Rule: mem.RuleArchive, Memory: "m_1"}},
		}})
		k.apply(mem.Batch{Run: &mem.Run{
			Kind: mem.FullRun, Project: "p_1",
			Changes: []mem.Step{{Rule: mem.RuleArchive, Memory: "m_2"}},
		}})
		k.apply(mem.Batch{UndoneRuns: []string{"k_1"}})
		runs := k.runs(mem.RunQuery{})
		k.same("the other", runs[0].Undone, false)
		k.same("the run", runs[1].Undone, true)
		k.same("its change", runs[1].Changes[0].Undone, Clock())
	}},
	{"a dismissal can name a memory of the same batch", func(k kit) {
		k.threeMemories()
		m := with(fact("alpha"), func(m *mem.Memory) { m.Session = "one" })
		k.apply(mem.Batch{Memories: []mem.Memory{m}, Dismissed: []mem.Dismissal{
			{Rule: mem.RuleMerge, Other: "m_1"},
			{Rule: mem.RuleMerge, Other: "m_4"},
		}})
		k.same("dismissed, but not from itself", k.dismissals(),
			[]mem.Dismissal{{Rule: mem.RuleMerge, Memory: "m_4", Other: "m_1", At: Clock()}})
	}},
	{"dismissals and changes are deleted with their memory", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{
			Run: &mem.Run{Kind: mem.FullRun, Project: "p_1", Changes: []mem.Step{
				{Rule: mem.RuleArchive, Memory: "m_1"},
				{Rule: mem.RuleArchive, Memory: "m_2"},
			}},
			Dismissed: []mem.Dismissal{
				{Rule: "merge", Memory: "m_1", Other: "m_2"},
				{Rule: "archive", Memory: "m_2"},
				{Rule: "archive", Memory: "m_2"},
			},
		})
		k.same("dismissed", k.dismissals(), []mem.Dismissal{
			{Rule: "archive", Memory: "m_2", At: Clock()},
			{Rule: "merge", Memory: "m_1", Other: "m_2", At: Clock()},
		})
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatalf("Purge: %v", err)
		}
		k.same("left", k.dismissals(), []mem.Dismissal{{Rule: "archive", Memory: "m_2", At: Clock()}})
		k.same("changes left", len(k.runs(mem.RunQuery{})[0].Changes), 1)
	}},
}
