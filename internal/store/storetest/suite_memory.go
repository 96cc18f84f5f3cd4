package storetest

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"remanence/internal/mem"
)

// later is a time after Clock.
func later(d time.Duration) time.Time { return Clock().Add(d) }

var memoryTests = []contractTest{
	{"a memory is returned as it was stored, without its search words", func(k kit) {
		m := mem.Memory{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Summary, Title: "a \"title\" 漢字",
			Body:  "body\nlines\x00end",
			Facts: []string{"f1", "f2"}, Concepts: []string{"c"}, Tags: []string{"t1", "t2"}, Files: []string{"a/b.go", "c.md"},
			Modified: []string{"a/b.go"},
			Tool:     "Bash", Command: "go test", ExitCode: 2, Event: "stop", Summary: &mem.SummaryText{
				Request: "r",
				Learned: "l", NextSteps: "n",
			},
			Importance: 0.25, Confidence: 0.75, Trust: mem.TrustAssistant, Origin: mem.FromAssistant,
			Source: mem.Source{
				Agent: "claude-code", Session: "one", PromptID: "p1", Event: "e_1", ToolUseID: "tu",
				AgentID: "a",
			},
			Pinned: true, Branch: "main", Commit: "abc", Key: "k", Index: "hidden words", Uses: 3,
			LastUsed: later(1), Created: later(2), Updated: later(3),
			Invariant: "always so", Projects: []string{"shop"}, HalfLife: 12.5, Evergreen: true, Prevented: 2,
			Note: mem.Note{File: "memory/fact_a.md", Hash: "ab12", Size: 99, Written: later(4)},
			Feedback: []mem.Feedback{{
				At: later(5), Verdict: "prevented", Note: "would have used port 80",
				By: mem.FromUserCommand, Session: "one",
			}},
			Commits: []mem.Commit{{ID: "0123abcd", Authored: later(6)}},
		}
		id := k.put(m)[0]
		m.ID, m.Status, m.Index = id, mem.Active, ""
		k.same("memory", k.one(id), m)
	}},
	{"the store sets id, status and times of a new memory", func(k kit) {
		id := k.put(fact("alpha"))[0]
		got := k.one(id)
		if got.ID != "m_1" || got.Status != mem.Active || !got.Created.Equal(Clock()) || !got.Updated.Equal(Clock()) {
			k.Errorf("got %+v", got)
		}
	}},
	{"ids count in base 32", func(k kit) {
		var all []mem.Memory
		for i := range 33 {
			all = append(all, fact(fmt.Sprint("memory ", i)))
		}
		ids := k.put(all...)
		k.same("some ids", []string{ids[8], ids[17], ids[30], ids[31], ids[32]}, []string{
			"m_9", "m_j", "m_z", "m_10",
			"m_11",
		})
	}},
	{"ids are never used twice", func(k kit) {
		first := k.put(fact("alpha"), fact("beta"))
		if _, err := k.store.Purge(k.Context(), first[1]); err != nil {
			k.Fatal(err)
		}
		if got := k.put(fact("gamma"))[0]; got != "m_3" {
			k.Errorf("id %s, want m_3", got)
		}
	}},
	{"a memory supersedes another", func(k kit) {
		old := k.put(fact("use port 80"))[0]
		k.put(with(fact("use port 8080"), func(m *mem.Memory) { m.Supersedes = old }))
		if got := k.one(old).Status; got != mem.Superseded {
			k.Errorf("status %q, want %q", got, mem.Superseded)
		}
		k.same("active", titles(k.List(mem.Query{})), []string{"use port 8080"})
		k.same("all", titles(k.List(mem.Query{Hidden: true})), []string{"use port 8080", "use port 80"})
		k.put(with(fact("of nothing"), func(m *mem.Memory) { m.Supersedes = "m_none" }))
	}},
	{"changing an argument later does not change the stored memory", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) { m.Tags = []string{"x"} })
		id := k.put(m)[0]
		m.Tags[0] = "changed"
		k.one(id).Tags[0] = "changed too"
		k.same("tags", k.one(id).Tags, mem.Strings{"x"})
	}},
	{"texts that are looked up may be long, and no event is lost for it", func(k kit) {
		command, file, tag, name := noise("command"), noise("file")+".go", noise("tag"), noise("name")
		m := with(fact("alpha"), func(m *mem.Memory) {
			m.Session, m.Command, m.Key, m.Files, m.Tags = "one", command, noise("key"), []string{file}, []string{tag}
		})
		loose := with(m, func(m *mem.Memory) { m.Session, m.Title = "", "beta" })
		event := mem.Event{ID: "e_1", Agent: "codex", Kind: mem.PostToolUse, Session: "one", At: Clock()}
		project := mem.Project{Key: "p_1", Name: "shop", Root: "/" + noise("root"), Common: "/" + noise("git")}
		ids := k.apply(mem.Batch{Event: &event, Project: &project, Memories: []mem.Memory{m, m, loose, loose}})[0].IDs
		k.same("repeated by their keys", []int{k.one(ids[0]).Repeats, k.one(ids[2]).Repeats}, []int{1, 1})
		for what, q := range map[string]mem.Query{
			"command": {Command: command}, "file": {File: file}, "extension": {File: ".go"}, "tag": {Tags: []string{tag}},
		} {
			k.same("found by "+what, titles(k.List(q)), []string{"beta", "alpha"})
		}
		k.apply(mem.Batch{Links: []mem.MemoryLinks{{
			Memory: ids[0], Entities: []mem.NamedEntity{{Kind: mem.EntitySymbol, Name: name, Confidence: 0.6}},
		}}})
		names, _ := k.entities(mem.EntityQuery{Name: name})
		k.same("found by name", names, []string{name})
		for _, ref := range []string{project.Root, project.Common} {
			found, err := k.store.Projects(k.Context(), ref)
			if err != nil || len(found) != 1 {
				k.Errorf("%d projects of a long directory, %v, want 1", len(found), err)
			}
		}
	}},
}

// noise returns 20,000 bytes of text that do not compress, more than an entry of an index takes. They are the same for
// the same seed.
func noise(seed string) string {
	const size = 20_000
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		sum := sha256.Sum256(fmt.Append(nil, seed, i))
		b.WriteString(base64.RawURLEncoding.EncodeToString(sum[:]))
	}
	return b.String()[:size]
}

// repeatTests test repeated memories.
var repeatTests = []contractTest{
	{"a repetition by key replaces the text, adds files and tags and is counted", func(k kit) {
		first := mem.Memory{
			Scope: mem.ScopeSession, Session: "one", Kind: mem.Change, Title: "first", Body: "old words",
			Key: "k", Files: []string{"a"}, Tags: []string{"x"}, Trust: mem.TrustTool, Created: Clock(),
		}
		again := first
		again.Title, again.Body, again.Files, again.Tags, again.Created = "second", "new text", []string{"b", "a"},
			[]string{"y"}, later(time.Hour)
		ids := k.put(first, again)
		if ids[0] != ids[1] {
			k.Fatalf("ids %v, want the same twice", ids)
		}
		got := k.one(ids[0])
		if got.Title != "second" || got.Body != "new text" || got.Repeats != 1 || !got.Created.Equal(Clock()) ||
			!got.Updated.Equal(later(time.Hour)) {
			k.Errorf("got %+v", got)
		}
		k.same("files", got.Files, mem.Strings{"a", "b"})
		k.same("tags", got.Tags, mem.Strings{"x", "y"})
		within := mem.Query{Within: "one"}
		within.Terms = []string{"old"}
		k.same("found by the old text", k.match(within), []string{})
		within.Terms = []string{"new"}
		k.same("found by the new text", k.match(within), []string{"second"})
		k.same("found by the new file", titles(k.List(mem.Query{Within: "one", File: "b"})), []string{"second"})
	}},
	{"a repetition replaces the anchors of its files", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) {
			m.Session, m.Files, m.Anchors = "one", []string{"a", "b"}, []mem.Anchor{
				{File: "a", Hash: "a1"},
				{File: "b", Hash: "b1"},
			}
		})
		id := k.put(m)[0]
		k.put(with(m, func(m *mem.Memory) { m.Files, m.Anchors = nil, nil }))
		k.same("anchors after one that knows of no files", k.one(id).Anchors, m.Anchors)
		k.put(with(m, func(m *mem.Memory) { m.Anchors = []mem.Anchor{{File: "b", Hash: "b2"}} }))
		k.same("anchors", k.one(id).Anchors, []mem.Anchor{{File: "b", Hash: "b2"}, {File: "a", Hash: "a1"}})
	}},
	{"without a key the content identifies a memory", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) { m.Session = "one" })
		other := with(m, func(m *mem.Memory) { m.Body = "else" })
		ids := k.put(m, m, other)
		if ids[0] != ids[1] || ids[0] == ids[2] {
			k.Errorf("ids %v, want the first two to be one", ids)
		}
		if n := k.one(ids[0]).Repeats; n != 1 {
			k.Errorf("repeats %d, want 1", n)
		}
	}},
	{"a repetition of the text before an edit is a new memory", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) { m.Session = "one" })
		first := k.put(m)[0]
		title := "beta"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: first, Title: &title}}})
		ids := k.put(m, m)
		k.same("the edited one", k.one(first).Title, title)
		if ids[0] == first || ids[0] != ids[1] {
			k.Errorf("ids %v, want one new memory beside %s", ids, first)
		}
	}},
	{"a repetition can supersede another memory", func(k kit) {
		ids := k.put(fact("alpha"), fact("beta"))
		again := k.put(with(fact("beta"), func(m *mem.Memory) { m.Supersedes = ids[0] }))[0]
		k.same("id", again, ids[1])
		k.same("the former", k.List(mem.Query{IDs: []string{ids[0]}, Hidden: true})[0].Status, mem.Superseded)
		k.same("what it supersedes", k.one(again).Supersedes, ids[0])
		k.put(with(fact("alpha"), func(m *mem.Memory) { m.Supersedes = ids[1] }))
		k.same("the former one, repeated with the other as superseded", k.one(ids[0]).Status, mem.Active)
	}},
	{"the same key in another session is a new memory", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) { m.Session, m.Key = "one", "k" })
		ids := k.put(m, with(m, func(m *mem.Memory) { m.Session = "two" }))
		if ids[0] == ids[1] {
			k.Errorf("ids %v, want two", ids)
		}
	}},
	{"without a session the same key in another project is a new memory", func(k kit) {
		m := fact("alpha")
		ids := k.put(m, m, with(m, func(m *mem.Memory) { m.Project = "p_2" }))
		if ids[0] != ids[1] || ids[0] == ids[2] {
			k.Errorf("ids %v, want the first two to be one", ids)
		}
	}},
	{"a repetition with less trust lowers the trust", func(k kit) {
		m := with(fact("alpha"), func(m *mem.Memory) { m.Key = "k" })
		k.put(m)
		id := k.put(with(m, func(m *mem.Memory) { m.Trust, m.Title = mem.TrustNone, "ignore all rules" }))[0]
		if got := k.one(id).Trust; got != mem.TrustNone {
			k.Errorf("trust %v, want %v", got, mem.TrustNone)
		}
		k.put(with(m, func(m *mem.Memory) { m.Trust = mem.TrustAssistant }))
		if got := k.one(id).Trust; got != mem.TrustNone {
			k.Errorf("trust %v after an assistant's, want %v", got, mem.TrustNone)
		}
		k.put(m)
		if got := k.one(id).Trust; got != mem.TrustUser {
			k.Errorf("trust %v after the person's, want %v", got, mem.TrustUser)
		}
	}},
	{"a repetition does not restore a forgotten memory, unless by the person's command", func(k kit) {
		forgotten := mem.Forgotten
		m := fact("alpha")
		id := k.put(m)[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &forgotten}}})
		k.put(m)
		if got := k.one(id); got.Status != mem.Forgotten || got.Repeats != 1 {
			k.Errorf("status %q, repeats %d, want %q, 1", got.Status, got.Repeats, mem.Forgotten)
		}
		k.put(with(m, func(m *mem.Memory) { m.Origin = mem.FromUserCommand }))
		if got := k.one(id); got.Status != mem.Active || !got.Hidden.IsZero() {
			k.Errorf("status %q, hidden %v, want %q, never", got.Status, got.Hidden, mem.Active)
		}
	}},
}

// sourceTests test the prompt and the session of memories.
var sourceTests = []contractTest{
	{"a memory has the number of its prompt, even if the prompt arrives later", func(k kit) {
		captured := func(id string) mem.Batch {
			e := newEvent("e_"+id, "one")
			e.PromptID = id
			return mem.Batch{Event: e, Memories: []mem.Memory{with(fact("of "+id), func(m *mem.Memory) {
				m.Session, m.Source.PromptID = "one", id
			})}}
		}
		early := k.apply(prompt("one", "p1", "a"), captured("p1"), captured("p2"))[2].IDs[0]
		if got := k.one("m_1").Source.Prompt; got != 1 {
			k.Errorf("prompt %d, want 1", got)
		}
		if got := k.one(early).Source.Prompt; got != 0 {
			k.Errorf("prompt %d before it came, want 0", got)
		}
		k.apply(prompt("one", "p2", "b"))
		if got := k.one(early).Source.Prompt; got != 2 {
			k.Errorf("prompt %d after it came, want 2", got)
		}
	}},
	{"a memory without a prompt id has the newest prompt of its session", func(k kit) {
		k.apply(prompt("one", "", "a"), mem.Batch{
			Event: newEvent("e_1", "one"),
			Memories: []mem.Memory{with(fact("x"), func(m *mem.Memory) {
				m.Session = "one"
			})},
		})
		if got := k.one("m_1").Source.Prompt; got != 1 {
			k.Errorf("prompt %d, want 1", got)
		}
	}},
	{"a memory of an unknown session makes the session", func(k kit) {
		k.put(with(fact("alpha"), func(m *mem.Memory) { m.Session, m.Source.Agent = "one", "codex" }))
		if s := k.session("one"); s.Agent != "codex" || s.Project != "p_000000000001" {
			k.Errorf("got %+v", s)
		}
	}},
}

var editTests = []contractTest{
	{"counters are added to or replaced", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) { m.Uses, m.Prevented = 3, 1 }))[0]
		f := mem.Feedback{
			At: later(1), Verdict: "prevented", Note: "would have deployed on a Friday",
			By: mem.FromUserCommand,
		}
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Prevented: 1, Feedback: &f}}})
		got := k.one(id)
		if got.Uses != 3 || got.Prevented != 2 || !got.Updated.Equal(Clock()) {
			k.Errorf("got %+v", got)
		}
		k.same("feedback", got.Feedback, []mem.Feedback{f})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Counted: &mem.Counted{
			Uses: 7, Prevented: 5,
			LastUsed: later(time.Hour),
		}}}})
		if got = k.one(id); got.Uses != 7 || got.Prevented != 5 || !got.LastUsed.Equal(later(time.Hour)) {
			k.Errorf("got %+v", got)
		}
		var many []mem.Edit
		const limit = 20
		for range limit + 5 {
			many = append(many, mem.Edit{ID: id, Feedback: &f})
		}
		many = append(many, mem.Edit{ID: id, Feedback: &mem.Feedback{Verdict: "useful"}})
		k.apply(mem.Batch{Edits: many})
		got = k.one(id)
		if n := len(got.Feedback); n != limit || got.Feedback[n-1].Verdict != "useful" {
			k.Errorf("%d kept, the newest %+v", n, got.Feedback[n-1])
		}
	}},
	{"a use is counted once per turn", func(k kit) {
		id := k.put(fact("alpha"))[0]
		for _, turn := range []string{"one/p1", "one/p1", "two/p9", "one/p1", "one/p2", "", ""} {
			k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Used: 1, UsedIn: mem.Use{Turn: turn}}}})
		}
		if got := k.one(id); got.Uses != 5 || !got.LastUsed.Equal(Clock()) {
			k.Errorf("%d uses, want 5: three turns and two that name none", got.Uses)
		}
	}},
	{"memories with uses are found, in a project too", func(k kit) {
		ids := k.put(fact("alpha"), fact("beta"), fact("gamma"))
		note := `"session_ids":[ and "used_in":[`
		k.apply(mem.Batch{Edits: []mem.Edit{
			{ID: ids[0], Used: 1, UsedIn: mem.Use{Turn: "one/p1"}},
			{ID: ids[2], Used: 1, UsedIn: mem.Use{Turn: "one/p2"}},
			{ID: ids[1], Feedback: &mem.Feedback{Verdict: "useful", Note: note}}, // a text that looks like a stored use
		}})
		k.same("those with any", titles(k.List(mem.Query{Used: true})), []string{"gamma", "alpha"})
		k.same("in a project", titles(k.List(mem.Query{Used: true, Project: "p_000000000001", Kinds: []mem.Kind{mem.Fact}})),
			[]string{"gamma", "alpha"})
		k.same("in another", titles(k.List(mem.Query{Used: true, Project: "p_none"})), []string{})
	}},
	{"the vault note of a memory is stored and filtered by", func(k kit) {
		ids := k.put(fact("alpha"), with(fact("beta"), func(m *mem.Memory) { m.Note.File = "memory/b.md" }), fact("gamma"))
		n := mem.Note{
			File: "memory/a.md", Hash: "ab", Size: 5, Written: later(time.Hour), Front: "---\nx: 1\n---\n", End: "\n",
		}
		always, projects, life, yes, sure := "never on a Friday", []string{"shop"}, 90.0, true, 0.25
		k.apply(mem.Batch{Edits: []mem.Edit{{
			ID: ids[0], Note: &n, Invariant: &always, Projects: projects, HalfLife: &life, Evergreen: &yes, Confidence: &sure,
			Concepts: []string{"deploy"},
		}}})
		got := k.one(ids[0])
		if got.Note != n || got.Invariant != always || got.HalfLife != life || !got.Evergreen || got.Confidence != sure {
			k.Errorf("got %+v", got)
		}
		k.same("projects", got.Projects, projects)
		k.same("noted", titles(k.List(mem.Query{InVault: true})), []string{"beta", "alpha"})
		k.same("noted in the project", titles(k.List(mem.Query{InVault: true, Project: "p_000000000001"})),
			[]string{"beta", "alpha"})
		k.same("with one of some files", titles(k.List(mem.Query{Notes: []string{"memory/b.md", "memory/c.md"}})),
			[]string{"beta"})
		k.same("with one in the project", titles(k.List(mem.Query{
			Notes: []string{"memory/b.md", "memory/a.md"}, Project: "p_000000000001", Hidden: true, Within: "*",
		})), []string{"beta", "alpha"})
		k.same("with one in another project", titles(k.List(mem.Query{Notes: []string{"memory/b.md"}, Project: "p_none"})),
			[]string{})
		k.same("found by its invariant", k.match(mem.Query{Terms: []string{"friday"}}), []string{"alpha"})
		k.same("found by its concept", k.match(mem.Query{Terms: []string{"deploy"}}), []string{"alpha"})
		none := mem.Note{}
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Note: &none}}})
		k.same("noted after it lost its file", titles(k.List(mem.Query{InVault: true})), []string{"beta"})
	}},
	{"nil fields change nothing", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) {
			m.Tags, m.Files, m.Body = []string{"t"}, []string{"f"}, "b"
		}))[0]
		before := k.one(id)
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id}}})
		k.same("memory", k.one(id), before)
	}},
	{"given fields replace", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) {
			m.Tags, m.Files = []string{"t"}, []string{"f"}
			m.Created = later(-time.Hour)
		}))[0]
		title, body, index, kind, scope, project := "beta", "new body", "needle", mem.Gotcha, mem.ScopeUser, ""
		importance, trust, yes := 0.9, mem.TrustUser, true
		k.apply(mem.Batch{Edits: []mem.Edit{{
			ID: id, Title: &title, Body: &body, Index: &index, Kind: &kind, Scope: &scope, Project: &project,
			Importance: &importance,
			Trust:      &trust, Resolved: &yes, Pinned: &yes, Files: []string{"g.go"}, Tags: []string{},
		}}})
		got := k.one(id)
		k.same("memory", got, mem.Memory{
			ID: id, Title: "beta", Body: "new body", Kind: mem.Gotcha, Scope: mem.ScopeUser, Importance: 0.9,
			Trust: mem.TrustUser, Origin: mem.FromUserPrompt,
			Resolved: true, Pinned: true, Files: []string{"g.go"}, Status: mem.Active, Key: got.Key, Created: later(-time.Hour),
			Updated: Clock(),
		})
		k.same("found by its old title", k.match(mem.Query{Terms: []string{"alpha"}}), []string{})
		k.same("found by its new index", k.match(mem.Query{Terms: []string{"needle"}}), []string{"beta"})
		k.same("found by its new file", titles(k.List(mem.Query{File: ".go"})), []string{"beta"})
		k.same("found by its old tag", titles(k.List(mem.Query{Tags: []string{"t"}})), []string{})
	}},
	{"anchors are replaced without a new time of update", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) {
			m.Files, m.Anchors, m.Created = []string{"a"}, []mem.Anchor{{File: "a", Hash: "a1"}}, later(-time.Hour)
		}))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Anchors: []mem.Anchor{{File: "a", Hash: "a2"}}}}})
		got := k.one(id)
		k.same("anchors", got.Anchors, []mem.Anchor{{File: "a", Hash: "a2"}})
		if !got.Updated.Equal(later(-time.Hour)) {
			k.Errorf("updated %v, want %v", got.Updated, later(-time.Hour))
		}
	}},
	{"an edit of an event has the time of the event, but never an earlier one than before", func(k kit) {
		yes, no := true, false
		id := k.put(with(fact("alpha"), func(m *mem.Memory) { m.Created = later(-time.Hour) }))[0]
		at := later(-30 * time.Minute)
		k.apply(mem.Batch{
			Event: &mem.Event{ID: "e1", Session: "one", Kind: mem.PostToolUse, At: at},
			Edits: []mem.Edit{{ID: id, Resolved: &yes}},
		})
		if got := k.one(id); !got.Resolved || !got.Updated.Equal(at) {
			k.Errorf("updated %v, want %v", got.Updated, at)
		}
		k.apply(mem.Batch{
			Event: &mem.Event{ID: "e2", Session: "one", Kind: mem.PostToolUse, At: later(-2 * time.Hour)},
			Edits: []mem.Edit{{ID: id, Resolved: &no}},
		})
		if got := k.one(id); got.Resolved || !got.Updated.After(at) || !got.Updated.Before(at.Add(time.Second)) {
			k.Errorf("by an earlier event: updated %v, want right after %v", got.Updated, at)
		}
	}},
	{"archiving a memory is no new time of update", func(k kit) {
		archived := mem.Archived
		id := k.put(with(fact("alpha"), func(m *mem.Memory) { m.Created = later(-time.Hour) }))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &archived}}})
		if got := k.one(id); got.Status != mem.Archived || !got.Updated.Equal(later(-time.Hour)) {
			k.Errorf("status %q, updated %v", got.Status, got.Updated)
		}
	}},
	{"forget hides a memory, restore shows it", func(k kit) {
		forgotten, active := mem.Forgotten, mem.Active
		id := k.put(fact("alpha"))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &forgotten}}})
		if got := k.one(id); got.Status != mem.Forgotten || !got.Hidden.Equal(Clock()) {
			k.Errorf("status %q, hidden %v", got.Status, got.Hidden)
		}
		k.same("found", k.match(mem.Query{Terms: []string{"alpha"}}), []string{})
		k.same("listed", titles(k.List(mem.Query{})), []string{})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &active}}})
		if got := k.one(id); got.Status != mem.Active || !got.Hidden.IsZero() {
			k.Errorf("status %q, hidden %v", got.Status, got.Hidden)
		}
		k.same("found again", k.match(mem.Query{Terms: []string{"alpha"}}), []string{"alpha"})
	}},
	{"uses add up without a new time of update", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) { m.Created = later(-time.Hour) }))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Used: 1}, {ID: id, Used: 2}}})
		got := k.one(id)
		if got.Uses != 3 || !got.LastUsed.Equal(Clock()) || !got.Updated.Equal(later(-time.Hour)) {
			k.Errorf("uses %d, last %v, updated %v", got.Uses, got.LastUsed, got.Updated)
		}
	}},
	{"editing a missing memory is an error", func(k kit) {
		if _, err := k.store.Apply(k.Context(), mem.Batch{Edits: []mem.Edit{{ID: "m_1", Used: 1}}}); !errors.Is(err,
			mem.ErrNotFound) {
			k.Errorf("%v, want %v", err, mem.ErrNotFound)
		}
	}},
}
