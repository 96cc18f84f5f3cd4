package storetest

import (
	"fmt"
	"time"

	"remanence/internal/mem"
)

// addSession adds a session of a project, last active at a time, with a memory and an injection.
func (k kit) addSession(id, agent, project, branch string, at time.Time, tokens int) {
	k.Helper()
	e := mem.Event{ID: "e_" + id, Agent: agent, Kind: mem.Stop, At: at, Session: id}
	m := mem.Memory{
		Scope: mem.ScopeProject, Project: project, Session: id, Kind: mem.Fact, Title: "learned in " + id,
		Branch: branch, Files: []string{"a.go", "b.go"}, Created: at,
	}
	spoken := m
	spoken.Kind, spoken.Title, spoken.Files = mem.Utterance, "said in "+id, nil
	k.apply(mem.Batch{
		Event: &e, Project: &mem.Project{Key: project, Name: "shop"}, Session: &mem.SessionChange{
			Agent:   agent,
			Project: project, ProjectName: "shop",
		},
		Memories: []mem.Memory{m, spoken},
		Receipts: []mem.Receipt{
			{ID: "r_" + id, Session: id, Project: project, At: at, Outcome: mem.Injected, Tokens: tokens},
			{ID: "r_not_" + id, Session: id, Project: project, At: at, Outcome: mem.Abstained},
		},
	})
}

var pageTests = []contractTest{
	{"SessionPage lists sessions with counts, by every filter", func(k kit) {
		day := Clock().Add(-24 * time.Hour)
		k.addSession("old", "claude-code", "p_1", "main", day, 10)
		k.addSession("new", "codex", "p_1", "retry", Clock(), 20)
		k.addSession("other", "codex", "p_2", "", Clock(), 30)
		all, both := []mem.Count{{Value: "codex", N: 2}, {Value: "claude-code", N: 1}}, []mem.Count{
			{Value: "main", N: 1},
			{Value: "retry", N: 1},
		}
		for name, tt := range map[string]struct {
			ask      mem.SessionQuery
			want     []string
			total    int
			agents   []mem.Count
			branches []mem.Count
		}{
			"all": {mem.SessionQuery{}, []string{"other", "new", "old"}, 3, all, both},
			"project": {
				mem.SessionQuery{Project: "p_1"},
				[]string{"new", "old"},
				2,
				[]mem.Count{{Value: "claude-code", N: 1}, {Value: "codex", N: 1}},
				both,
			},
			"elsewhere": {
				mem.SessionQuery{Project: "p_2"},
				[]string{"other"},
				1,
				[]mem.Count{{Value: "codex", N: 1}},
				[]mem.Count{},
			},
			"agent":  {mem.SessionQuery{Agent: "codex"}, []string{"other", "new"}, 2, all, both[1:]},
			"branch": {mem.SessionQuery{Branch: "retry"}, []string{"new"}, 1, []mem.Count{{Value: "codex", N: 1}}, both},
			"since": {
				mem.SessionQuery{Since: Clock()},
				[]string{"other", "new"},
				2,
				[]mem.Count{{Value: "codex", N: 2}},
				both[1:],
			},
			"until": {
				mem.SessionQuery{Until: Clock()},
				[]string{"old"},
				1,
				[]mem.Count{{Value: "claude-code", N: 1}},
				both[:1],
			},
			"page":      {mem.SessionQuery{Limit: 1, Offset: 1}, []string{"new"}, 3, all, both},
			"past them": {mem.SessionQuery{Offset: 7}, nil, 3, all, both},
			"none":      {mem.SessionQuery{Agent: "nobody"}, nil, 0, all, []mem.Count{}},
		} {
			got, err := k.store.SessionPage(k.Context(), tt.ask)
			if err != nil {
				k.Fatalf("%s: %v", name, err)
			}
			var ids []string
			for _, s := range got.Sessions {
				ids = append(ids, s.ID)
			}
			k.same(name, ids, tt.want)
			k.same(name+": agents", got.Agents, tt.agents)
			k.same(name+": branches", got.Branches, tt.branches)
			if got.Total != tt.total {
				k.Errorf("%s: total %d, want %d", name, got.Total, tt.total)
			}
		}
		got, err := k.store.SessionPage(k.Context(), mem.SessionQuery{Branch: "main"})
		if err != nil || len(got.Sessions) != 1 {
			k.Fatalf("branch main: %+v, %v", got, err)
		}
		s := got.Sessions[0]
		if s.Memories != 1 || s.Files != 2 || s.Injections != 1 || s.InjectedTokens != 10 || len(s.Branches) != 1 {
			k.Errorf("got %d memories, %d files, %d injections of %d tokens, branches %v, want 1, 2, 1, 10 and main", s.Memories,
				s.Files, s.Injections, s.InjectedTokens, s.Branches)
		}
	}},
	{
		"a session counts once for each branch of its memories, and branches of most sessions come first",
		func(k kit) {
			for i, names := range [][]string{{"main", "retry", "main"}, {"main"}, {""}} {
				id := fmt.Sprint("s", i)
				batch := mem.Batch{
					Event:   &mem.Event{ID: "e_" + id, Agent: "codex", Kind: mem.Stop, At: Clock(), Session: id},
					Session: &mem.SessionChange{Agent: "codex", Project: "p_1"},
				}
				for j, name := range names {
					batch.Memories = append(batch.Memories, mem.Memory{
						Scope: mem.ScopeProject, Project: "p_1", Session: id,
						Kind: mem.Fact, Title: fmt.Sprint(id, " learned ", j), Branch: name, Created: Clock(),
					})
				}
				k.apply(batch)
			}
			want := []mem.Count{{Value: "main", N: 2}, {Value: "retry", N: 1}}
			for i := range 60 {
				id := fmt.Sprintf("t%02d", i)
				k.addSession(id, "codex", "p_1", "topic-"+id, Clock(), 0)
				want = append(want, mem.Count{Value: "topic-" + id, N: 1})
			}
			got, err := k.store.SessionPage(k.Context(), mem.SessionQuery{Limit: 1})
			if err != nil {
				k.Fatal(err)
			}
			k.same("branches", got.Branches, want[:50])
		},
	},
	{"Day counts what happened since a time", func(k kit) {
		k.addSession("old", "claude-code", "p_1", "main", Clock().Add(-24*time.Hour), 10)
		k.addSession("new", "codex", "p_1", "retry", Clock(), 20)
		k.addSession("other", "codex", "p_2", "", Clock(), 30)
		since := Clock().Add(-time.Hour)
		for project, want := range map[string]mem.Day{
			"":    {Since: since, Sessions: 2, Captured: 2, Memories: 2, Recalled: 2, Abstained: 2, Tokens: 50},
			"p_1": {Since: since, Sessions: 1, Captured: 1, Memories: 1, Recalled: 1, Abstained: 1, Tokens: 20},
			"p_3": {Since: since},
		} {
			got, err := k.store.Day(k.Context(), project, since)
			if err != nil {
				k.Fatal(err)
			}
			k.same("day of "+project, got, want)
		}
	}},
	{"CountEvents leaves out erased events", func(k kit) {
		k.apply(mem.Batch{Event: newEvent("e_1", "one")}, mem.Batch{Event: newEvent("e_2", "one")},
			mem.Batch{Event: newEvent("e_3", "two")})
		for _, want := range []int{2, 0} {
			if got, err := k.store.CountEvents(k.Context(), "one"); got != want || err != nil {
				k.Errorf("got %d, %v; want %d", got, err, want)
			}
			if _, err := k.store.Purge(k.Context(), "one"); err != nil && want > 0 {
				k.Fatal(err)
			}
		}
		if got, err := k.store.CountEvents(k.Context(), "two"); got != 1 || err != nil {
			k.Errorf("of the other: %d, %v; want 1", got, err)
		}
	}},
	{"SupersededBy returns the newest memory that replaced one", func(k kit) {
		ids := k.put(fact("the lock is fair"))
		next := k.put(with(fact("the lock is not fair"), func(m *mem.Memory) { m.Supersedes = ids[0] }))
		for id, want := range map[string]string{ids[0]: next[0], next[0]: "", "m_none": ""} {
			if got, err := k.store.SupersededBy(k.Context(), id); got != want || err != nil {
				k.Errorf("successor of %s: got %q, %v, want %q", id, got, err, want)
			}
		}
	}},
}
