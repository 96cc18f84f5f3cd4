package storetest

import (
	"errors"
	"time"

	"remanence/internal/mem"
)

func (k kit) links(ids ...string) []mem.Link {
	k.Helper()
	links, err := k.store.Links(k.Context(), ids...)
	if err != nil {
		k.Fatalf("Links: %v", err)
	}
	return links
}

func (k kit) entities(q mem.EntityQuery) (names []string, found []mem.Entity) {
	k.Helper()
	found, err := k.store.Entities(k.Context(), q)
	if err != nil {
		k.Fatalf("Entities: %v", err)
	}
	for _, e := range found {
		names = append(names, e.Name)
	}
	return names, found
}

var (
	sender = mem.NamedEntity{Kind: mem.EntitySymbol, Name: "sendWebhook", Confidence: 0.6}
	queue  = mem.NamedEntity{Kind: mem.EntityService, Name: "redis", Confidence: 0.7}
	guess  = mem.NamedEntity{Kind: mem.EntityPerson, Name: "Robin", Confidence: 0.2}
)

var linkTests = []contractTest{
	{"links are found from both ends and deleted with either memory", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Links: []mem.MemoryLinks{
			{Memory: "m_2", Links: []mem.Link{
				{To: "m_1", Kind: mem.LinkSupersedes, Confidence: 1, Made: Clock()},
				{To: "m_3", Kind: mem.LinkRelatedTo, Confidence: 0.4, Made: Clock()},
			}},
			// to itself, and to a missing memory
			{Memory: "m_3", Links: []mem.Link{
				{To: "m_3", Kind: mem.LinkSimilarTo, Confidence: 1},
				{To: "m_9", Kind: mem.LinkSimilarTo, Confidence: 1},
			}},
			{Memory: "m_8", Entities: []mem.NamedEntity{sender}},
		}})
		over := mem.Link{From: "m_2", To: "m_1", Kind: mem.LinkSupersedes, Confidence: 1, Made: Clock()}
		beside := mem.Link{From: "m_2", To: "m_3", Kind: mem.LinkRelatedTo, Confidence: 0.4, Made: Clock()}
		k.same("of the middle", k.links("m_2"), []mem.Link{over, beside})
		k.same("of an end", k.links("m_3"), []mem.Link{beside})
		k.same("of both ends", k.links("m_1", "m_3"), []mem.Link{over, beside})
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatal(err)
		}
		k.same("after one was erased", k.links("m_2"), []mem.Link{beside})
	}},
	{"new links of a memory replace the former ones", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Links: []mem.MemoryLinks{{
			Memory: "m_1", Entities: []mem.NamedEntity{sender, queue},
			Links: []mem.Link{{To: "m_2", Kind: mem.LinkSimilarTo, Confidence: 0.6}},
		}}})
		_, before := k.entities(mem.EntityQuery{Name: "Redis"})
		k.apply(mem.Batch{Links: []mem.MemoryLinks{{
			Memory: "m_1", Entities: []mem.NamedEntity{queue},
			Links: []mem.Link{{To: "m_3", Kind: mem.LinkSimilarTo, Confidence: 0.7, Made: Clock()}},
		}}})
		names, after := k.entities(mem.EntityQuery{})
		k.same("names", names, []string{"redis"})
		k.same("it is the same one", after, before)
		k.same("links", k.links("m_1"), []mem.Link{{
			From: "m_1", To: "m_3", Kind: mem.LinkSimilarTo, Confidence: 0.7,
			Made: Clock(),
		}})
	}},
	{"links of a memory are outdated until links of its current text are stored", func(k kit) {
		outdated := func() []string { return titles(k.List(mem.Query{LinksOutdated: true, Within: "*"})) }
		one := mem.Memory{
			Scope: mem.ScopeProject, Project: "p_1", Session: "s_1", Key: "k_1", Kind: mem.Fact, Title: "first",
			Updated: Clock(),
		}
		command := mem.Memory{Scope: mem.ScopeProject, Project: "p_1", Session: "s_1", Kind: mem.Command, Title: "make"}
		k.apply(mem.Batch{Memories: []mem.Memory{one, command, {
			Scope: mem.ScopeSession, Project: "p_1", Session: "s_1",
			Kind: mem.Todo, Title: "second",
		}}})
		k.same("new memories of kinds with entities", outdated(), []string{"second", "first"})
		k.apply(mem.Batch{Links: []mem.MemoryLinks{{Memory: "m_1", Updated: Clock().Add(-time.Hour)}}})
		k.same("with links of a former text", outdated(), []string{"second", "first"})
		k.apply(mem.Batch{Links: []mem.MemoryLinks{{Memory: "m_1", Updated: Clock()}}})
		k.same("with links of the present text", outdated(), []string{"second"})
		pinned, body := true, "another body"
		k.apply(mem.Batch{Memories: []mem.Memory{one}, Edits: []mem.Edit{{ID: "m_1", Pinned: &pinned}}})
		k.same("with the same text", outdated(), []string{"second"})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_1", Body: &body}}})
		k.same("with another text", outdated(), []string{"second", "first"})
		k.same("of another session", titles(k.List(mem.Query{LinksOutdated: true})), []string{"first"})
	}},
	{"entities count their mentions and are deleted with the last one", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Links: []mem.MemoryLinks{
			{Memory: "m_1", Entities: []mem.NamedEntity{sender, queue, queue}},
			{Memory: "m_2", Entities: []mem.NamedEntity{queue}},
			{Memory: "m_3", Entities: []mem.NamedEntity{guess}},
		}})
		names, found := k.entities(mem.EntityQuery{Project: "p_1"})
		k.same("most mentioned first", names, []string{"redis", "Robin", "sendWebhook"})
		k.same("mentions", []int{found[0].Mentions, found[1].Mentions}, []int{2, 1})
		names, _ = k.entities(mem.EntityQuery{Memories: []string{"m_1"}, Limit: 1})
		k.same("of one memory", names, []string{"redis"})
		names, _ = k.entities(mem.EntityQuery{Project: "p_other"})
		k.same("of another project", names, []string(nil))
		names, _ = k.entities(mem.EntityQuery{IDs: []string{found[1].ID}})
		k.same("by id", names, []string{"Robin"})
		at, err := k.store.Mentions(k.Context(), 1, found[0].ID, found[1].ID)
		if err != nil {
			k.Fatal(err)
		}
		k.same("who names them, newest first", at, []mem.Mention{
			{Entity: found[0].ID, Memory: "m_2"},
			{Entity: found[1].ID, Memory: "m_3"},
		})
		forgotten := mem.Forgotten
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_2", Status: &forgotten}}})
		if at, err = k.store.Mentions(k.Context(), 10, found[0].ID); err != nil {
			k.Fatal(err)
		}
		k.same("without a forgotten one", at, []mem.Mention{{Entity: found[0].ID, Memory: "m_1"}})
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatal(err)
		}
		names, _ = k.entities(mem.EntityQuery{})
		k.same("after one was erased", names, []string{"Robin", "redis"})
	}},
	{"Join merges two entities", func(k kit) {
		k.threeMemories()
		other := mem.NamedEntity{Kind: mem.EntitySymbol, Name: "send_webhook", Confidence: 0.9}
		k.apply(mem.Batch{Links: []mem.MemoryLinks{
			{Memory: "m_1", Entities: []mem.NamedEntity{sender}},
			{Memory: "m_2", Entities: []mem.NamedEntity{other, sender}},
		}})
		_, all := k.entities(mem.EntityQuery{})
		if err := k.store.Join(k.Context(), all[1].ID, all[0].ID); err != nil {
			k.Fatal(err)
		}
		_, left := k.entities(mem.EntityQuery{})
		k.same("one is left", len(left), 1)
		k.same("with all mentions and the greater confidence", []any{left[0].Name, left[0].Mentions, left[0].Confidence},
			[]any{"sendWebhook", 2, 0.9})
		if err := k.store.Join(k.Context(), all[1].ID, all[0].ID); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("got %v, want ErrNotFound", err)
		}
	}},
	{"Prune deletes uncertain entities and links that were not seen again", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Links: []mem.MemoryLinks{
			{Memory: "m_1", Entities: []mem.NamedEntity{guess, sender}, Links: []mem.Link{
				{To: "m_2", Kind: mem.LinkRelatedTo, Confidence: 0.2, Made: Clock()},
				{To: "m_2", Kind: mem.LinkContradicts, Confidence: 0.2, Made: Clock()},
				{To: "m_3", Kind: mem.LinkRelatedTo, Confidence: 0.3, Made: Clock()},
			}},
		}})
		_, all := k.entities(mem.EntityQuery{})
		seen := all[0].LastSeen
		for _, tt := range []struct {
			before time.Time
			want   mem.Pruned
		}{{Clock().Add(-time.Hour), mem.Pruned{}}, {seen.Add(time.Hour), mem.Pruned{Entities: 1, Links: 1}}} {
			got, err := k.store.Prune(k.Context(), tt.before)
			if err != nil {
				k.Fatal(err)
			}
			k.same("pruned", got, tt.want)
		}
		names, _ := k.entities(mem.EntityQuery{})
		k.same("left", names, []string{"sendWebhook"})
	}},
	{"contradictions are listed while both memories are active", func(k kit) {
		k.threeMemories()
		k.apply(mem.Batch{Links: []mem.MemoryLinks{
			{Memory: "m_2", Links: []mem.Link{{To: "m_1", Kind: mem.LinkContradicts, Confidence: 0.6, Made: Clock()}}},
			{Memory: "m_3", Links: []mem.Link{
				{To: "m_1", Kind: mem.LinkContradicts, Confidence: 0.6, Made: later(time.Second)},
				{To: "m_2", Kind: mem.LinkRelatedTo, Confidence: 0.6},
			}},
		}})
		list := func(project string) (out []string) {
			found, err := k.store.LinksOf(k.Context(), mem.LinkContradicts, project, 10)
			if err != nil {
				k.Fatal(err)
			}
			for _, l := range found {
				out = append(out, l.From+" "+l.To)
			}
			return out
		}
		k.same("newest first", list("p_1"), []string{"m_3 m_1", "m_2 m_1"})
		k.same("elsewhere", list("p_2"), []string(nil))
		over := mem.Superseded
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: "m_3", Status: &over}}})
		k.same("one of them does not hold any more", list(""), []string{"m_2 m_1"})
	}},
}
