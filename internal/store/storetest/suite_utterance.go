package storetest

import (
	"strings"
	"time"

	"remanence/internal/mem"
)

// utterance returns an utterance of a session.
func utterance(session, who, text string) mem.Memory {
	m := fact(text)
	m.Kind, m.Session, m.Who, m.Key = mem.Utterance, session, who, session+"/"+text
	return m
}

var utterances = []mem.Kind{mem.Utterance}

var utteranceTests = []contractTest{
	{"utterances are left out unless their kind is given", func(k kit) {
		ids := k.put(fact("alpha kept"), utterance("one", "user", "alpha said"))
		k.same("match", k.match(mem.Query{Terms: []string{"alpha"}}), []string{"alpha kept"})
		k.same("list", titles(k.List(mem.Query{})), []string{"alpha kept"})
		k.same("other kinds", titles(k.List(mem.Query{Kinds: []mem.Kind{mem.Fact, mem.Request}})), []string{"alpha kept"})
		k.same("match named", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: utterances}), []string{"alpha said"})
		k.same("beside another kind it is matched alone",
			k.match(mem.Query{Terms: []string{"alpha"}, Kinds: []mem.Kind{mem.Fact, mem.Utterance}}), []string{"alpha said"})
		k.same("list named", titles(k.List(mem.Query{Kinds: utterances})), []string{"alpha said"})
		project := k.one(ids[1]).Project
		k.same("list of a project", titles(k.List(mem.Query{Kinds: utterances, Project: project})), []string{"alpha said"})
		k.same("list in a session", titles(k.List(mem.Query{Kinds: utterances, Session: "one", Hidden: true, Within: "*"})),
			[]string{"alpha said"})
		k.same("by id", titles(k.List(mem.Query{IDs: ids})), []string{"alpha kept", "alpha said"})
	}},
	{"counts separate utterances from memories", func(k kit) {
		k.put(fact("alpha kept"), utterance("one", "user", "alpha said"))
		st, err := k.store.Stats(k.Context(), "", Clock())
		if err != nil {
			k.Fatal(err)
		}
		if st.Memories != 1 || st.Kinds[mem.Utterance] != 1 {
			k.Errorf("memories %d, utterances %d, want 1 and 1", st.Memories, st.Kinds[mem.Utterance])
		}
	}},
	{"an utterance is found by its neighbours, with a lower score than by itself", func(k kit) {
		k.put(utterance("one", "user", "where does the walrus live"), utterance("one", "assistant", "behind the second door"),
			utterance("one", "user", "what about the fence"), utterance("one", "user", "and the gate"))
		k.put(utterance("one", "user", "leave it open"), utterance("two", "user", "something else"))
		k.same("two on each side", k.match(mem.Query{Terms: []string{"walrus"}, Kinds: utterances}),
			[]string{"where does the walrus live", "behind the second door", "what about the fence"})
		k.same("over batches", k.match(mem.Query{Terms: []string{"open"}, Kinds: utterances}),
			[]string{"leave it open", "and the gate", "what about the fence"})
	}},
	{"an utterance is found by its speaker and its day", func(k kit) {
		k.put(with(utterance("one", "melanie", "a line"), func(m *mem.Memory) {
			m.Created = time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)
		}), utterance("two", "caroline", "another line"))
		k.same("who", k.match(mem.Query{Terms: []string{"melanie"}, Kinds: utterances}), []string{"a line"})
		k.same("month", k.match(mem.Query{Terms: []string{"may"}, Kinds: utterances}), []string{"a line"})
		k.same("phrase", k.match(mem.Query{Terms: []string{"may 2023"}, Kinds: utterances}), []string{"a line"})
	}},
	{"purging an utterance removes it from the index of its neighbours", func(k kit) {
		ids := k.put(utterance("one", "user", "first words here"), utterance("one", "user", "the walrus is purple today"),
			utterance("one", "user", "last words here"))
		if _, err := k.store.Purge(k.Context(), ids[1]); err != nil {
			k.Fatal(err)
		}
		k.same("found", k.match(mem.Query{Terms: []string{"walrus"}, Kinds: utterances}), []string{})
		k.same("neighbours", k.match(mem.Query{Terms: []string{"first"}, Kinds: utterances}),
			[]string{"first words here", "last words here"})
		if all := k.everything(); strings.Contains(all, "walrus") {
			k.Errorf("still there: %s", all)
		}
	}},
	{"a repeated utterance is stored once, and changed text is indexed", func(k kit) {
		a := k.put(utterance("one", "user", "alpha"), utterance("one", "user", "beta"))
		b := k.put(utterance("one", "user", "alpha"))
		k.same("id", b[0], a[0])
		text := "gamma"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: a[0], Title: &text}}})
		k.same("new", k.match(mem.Query{Terms: []string{"gamma"}, Kinds: utterances}), []string{"gamma", "beta"})
		k.same("old", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: utterances}), []string{})
	}},
	{"an utterance that is read again does not change", func(k kit) {
		id := k.put(utterance("one", "user", "alpha"))[0]
		before := k.one(id)
		again := utterance("one", "user", "alpha")
		again.Created, again.Updated = Clock().Add(time.Hour), Clock().Add(time.Hour)
		again.Source.Event = "e_later"
		k.put(again)
		k.same("unchanged", k.one(id), before)
		again.Trust = mem.TrustNone
		k.put(again)
		if got := k.one(id); got.Trust != mem.TrustNone {
			k.Errorf("trust %v of a repetition with less trust, want %v", got.Trust, mem.TrustNone)
		}
	}},
	{"a hidden utterance is not indexed with its neighbours", func(k kit) {
		ids := k.put(utterance("one", "user", "first words here"), utterance("one", "user", "the walrus is purple today"),
			utterance("one", "user", "last words here"))
		status := func(s mem.Status) { k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[1], Status: &s}}}) }
		walrus := mem.Query{Terms: []string{"walrus"}, Kinds: utterances}
		status(mem.Forgotten)
		k.same("forgotten", k.match(walrus), []string{})
		k.same("its neighbours still are", k.match(mem.Query{Terms: []string{"last"}, Kinds: utterances}),
			[]string{"last words here", "first words here"})
		hidden := walrus
		hidden.Hidden = true
		k.same("asked for what is hidden", k.match(hidden), []string{"the walrus is purple today"})
		status(mem.Active)
		k.same("restored", k.match(walrus), []string{"the walrus is purple today", "last words here", "first words here"})
		k.put(with(fact("it is grey"), func(m *mem.Memory) { m.Supersedes = ids[1] }))
		k.same("superseded", k.match(walrus), []string{})
	}},
	{"the day of an utterance is the local one", func(k kit) {
		zone := time.Local
		time.Local = time.FixedZone("east", 2*60*60)
		k.Cleanup(func() { time.Local = zone })
		k.put(with(utterance("one", "user", "a late line"), func(m *mem.Memory) {
			m.Created = time.Date(2023, 5, 8, 23, 30, 0, 0, time.UTC)
		}))
		k.same("there", k.match(mem.Query{Terms: []string{"may 2023 9"}, Kinds: utterances}), []string{"a late line"})
		k.same("in London", k.match(mem.Query{Terms: []string{"may 2023 8"}, Kinds: utterances}), []string{})
	}},
	{"filters apply to utterances", func(k kit) {
		k.put(utterance("one", "user", "alpha here"), with(utterance("two", "user", "alpha there"), func(m *mem.Memory) {
			m.Project = "p_2"
		}))
		q := mem.Query{Terms: []string{"alpha"}, Kinds: utterances, Project: "p_2"}
		k.same("project", k.match(q), []string{"alpha there"})
		q.Project, q.Session = "", "one"
		k.same("session", k.match(q), []string{"alpha here"})
	}},
	{"anchors and speakers are stored", func(k kit) {
		id := k.put(with(utterance("one", "user", "alpha"), func(m *mem.Memory) {
			m.Files, m.Anchors = []string{"a.go"}, []mem.Anchor{{File: "a.go", Hash: "h"}}
		}))[0]
		got := k.one(id)
		k.same("anchors", got.Anchors, []mem.Anchor{{File: "a.go", Hash: "h"}})
		k.same("who", got.Who, "user")
	}},
}
