package storetest

import (
	"strings"

	"remanence/internal/mem"
)

// proposed is a change of a text that waits for the person.
func proposed(text, session string) *mem.Proposal {
	p := mem.Proposal{
		Action: "edit", Title: &text, Tags: []string{}, Was: "as it was", Reason: "a page says so",
		By: mem.FromAssistant, Session: session, At: later(1),
	}.WithID()
	return &p
}

// proposalTests are about changes of memories that wait for the person.
var proposalTests = []promise{
	{"a proposal is kept with its memory, once, and changes nothing of it", func(k kit) {
		ids := k.keep(note("alpha"), note("beta"))
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
	{"no more than MaxProposals wait with a memory, the newest", func(k kit) {
		id := k.keep(note("alpha"))[0]
		var edits []mem.Edit
		const limit = 20
		for i := range limit + 3 {
			edits = append(edits, mem.Edit{ID: id, Proposed: proposed(strings.Repeat("x", i+1), "two")})
		}
		k.apply(mem.Batch{Edits: edits})
		got := k.one(id).Proposals
		if n := len(got); n != limit || *got[n-1].Title != strings.Repeat("x", limit+3) {
			k.Errorf("%d wait, the newest %+v", n, got[n-1])
		}
	}},
	{"a text that looks like a proposal is none", func(k kit) {
		id := k.keep(note("alpha"))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Feedback: &mem.Feedback{Verdict: "useful", Note: `"proposals":[`}}}})
		k.same("those with any", titles(k.List(mem.Query{Proposed: true})), []string{})
	}},
	{"facts are replaced", func(k kit) {
		id := k.keep(with(note("alpha"), func(m *mem.Memory) { m.Facts = []string{"one"} }))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Facts: []string{"zwei", "drei"}}}})
		k.same("facts", k.one(id).Facts, mem.Strings{"zwei", "drei"})
		k.same("found by a new one", k.match(mem.Query{Terms: []string{"drei"}}), []string{"alpha"})
	}},
	{"a proposal is erased with its memory, with its session, and with the memory that it repeats", func(k kit) {
		for _, gone := range []string{"target", "author", "the same text"} {
			own := k.keep(with(note("alpha "+gone), func(m *mem.Memory) { m.Session = "one" }))[0]
			again := k.keep(with(note("the launch is on "+Secret), func(m *mem.Memory) { m.Session = "two" }))[0]
			k.apply(mem.Batch{Edits: []mem.Edit{{ID: own, Proposed: proposed("the launch is on "+Secret, "three")}}})
			k.keep(with(note("of the author "+gone), func(m *mem.Memory) { m.Session = "three" }))
			ids := map[string][]string{"target": {own, again}, "author": {"three", again}, "the same text": {again}}[gone]
			if _, err := k.store.Purge(k.Context(), ids...); err != nil {
				k.Fatal(err)
			}
			if rest := k.everything(); strings.Contains(rest, "swordfish") {
				k.Errorf("%s: left %s", gone, rest)
			}
			if kept := strings.Contains(k.everything(), "alpha "+gone); kept != (gone != "target") {
				k.Errorf("%s: the memory that it was proposed for is kept: %v", gone, kept)
			}
		}
	}},
}
