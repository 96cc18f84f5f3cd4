package storetest

import (
	"strings"

	"remanence/internal/mem"
)

// proposed returns a proposed text of a memory.
func proposed(text, session string) *mem.Proposal {
	p := mem.Proposal{
		Action: "edit", Title: &text, Tags: []string{}, Was: "as it was", Reason: "a page says so",
		By: mem.FromAssistant, Session: session, At: later(1),
	}.WithID()
	return &p
}

// proposalTests test proposed changes of memories.
var proposalTests = []contractTest{
	{"a proposal is stored once with its memory and changes nothing else", func(k kit) {
		ids := k.put(fact("alpha"), fact("beta"))
		before := k.one(ids[0])
		p, other := proposed("gamma \"quoted\"", "two"), proposed("delta", "two")
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Proposed: p}}},
			mem.Batch{Edits: []mem.Edit{{ID: ids[0], Proposed: p}, {ID: ids[0], Proposed: other}}})
		got := k.one(ids[0])
		k.same("proposals", got.Proposals, []mem.Proposal{*p, *other})
		got.Proposals = nil
		k.same("memory", got, before)
		k.same("those with any", titles(k.List(mem.Query{Proposed: true})), []string{"alpha"})
		k.same("found by the proposed text", k.match(mem.Query{Terms: []string{"gamma"}}), []string{})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Title: new("gamma"), Settled: []string{p.ID, "pr_none"}}}})
		k.same("left", k.one(ids[0]).Proposals, []mem.Proposal{*other})
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Settled: []string{other.ID}}}})
		k.same("settled", titles(k.List(mem.Query{Proposed: true})), []string{})
	}},
	{"only the newest MaxProposals of a memory are stored", func(k kit) {
		id := k.put(fact("alpha"))[0]
		var edits []mem.Edit
		const limit = 20
		for i := range limit + 3 {
			edits = append(edits, mem.Edit{ID: id, Proposed: proposed(strings.Repeat("x", i+1), "two")})
		}
		k.apply(mem.Batch{Edits: edits})
		got := k.one(id).Proposals
		if n := len(got); n != limit || *got[n-1].Title != strings.Repeat("x", limit+3) {
			k.Errorf("%d proposals, the newest %+v", n, got[n-1])
		}
	}},
	{"a text that looks like a stored proposal is not one", func(k kit) {
		id := k.put(fact("alpha"))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Feedback: &mem.Feedback{Verdict: "useful", Note: `"proposals":[`}}}})
		k.same("those with any", titles(k.List(mem.Query{Proposed: true})), []string{})
	}},
	{"proposed facts are stored", func(k kit) {
		id := k.put(with(fact("alpha"), func(m *mem.Memory) { m.Facts = []string{"one"} }))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Facts: []string{"zwei", "drei"}}}})
		k.same("facts", k.one(id).Facts, mem.Strings{"zwei", "drei"})
		k.same("found by a new one", k.match(mem.Query{Terms: []string{"drei"}}), []string{"alpha"})
	}},
	{"a proposal is purged with its memory, its session, and a memory with its text", func(k kit) {
		for _, gone := range []string{"target", "author", "the same text"} {
			own := k.put(with(fact("alpha "+gone), func(m *mem.Memory) { m.Session = "one" }))[0]
			again := k.put(with(fact("the launch is on "+Secret), func(m *mem.Memory) { m.Session = "two" }))[0]
			k.apply(mem.Batch{Edits: []mem.Edit{{ID: own, Proposed: proposed("the launch is on "+Secret, "three")}}})
			k.put(with(fact("of the author "+gone), func(m *mem.Memory) { m.Session = "three" }))
			ids := map[string][]string{"target": {own, again}, "author": {"three", again}, "the same text": {again}}[gone]
			if _, err := k.store.Purge(k.Context(), ids...); err != nil {
				k.Fatal(err)
			}
			if rest := k.everything(); strings.Contains(rest, "swordfish") {
				k.Errorf("%s: left %s", gone, rest)
			}
			if kept := strings.Contains(k.everything(), "alpha "+gone); kept != (gone != "target") {
				k.Errorf("%s: the memory of the proposal exists: %v", gone, kept)
			}
		}
	}},
}
