package storetest

import (
	"strings"
	"time"

	"remanence/internal/mem"
)

// line is one thing said in a session.
func line(session, who, text string) mem.Memory {
	m := note(text)
	m.Kind, m.Session, m.Who, m.Key = mem.Utterance, session, who, session+"/"+text
	return m
}

var talk = []mem.Kind{mem.Utterance}

var talkTests = []promise{
	{"what was said is left out unless it is named", func(k kit) {
		ids := k.keep(note("alpha kept"), line("one", "user", "alpha said"))
		k.same("match", k.match(mem.Query{Terms: []string{"alpha"}}), []string{"alpha kept"})
		k.same("list", titles(k.List(mem.Query{})), []string{"alpha kept"})
		k.same("other kinds", titles(k.List(mem.Query{Kinds: []mem.Kind{mem.Fact, mem.Request}})), []string{"alpha kept"})
		k.same("match named", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: talk}), []string{"alpha said"})
		k.same("beside another kind it is matched alone",
			k.match(mem.Query{Terms: []string{"alpha"}, Kinds: []mem.Kind{mem.Fact, mem.Utterance}}), []string{"alpha said"})
		k.same("list named", titles(k.List(mem.Query{Kinds: talk})), []string{"alpha said"})
		project := k.one(ids[1]).Project
		k.same("list named in a project", titles(k.List(mem.Query{Kinds: talk, Project: project})), []string{"alpha said"})
		k.same("list in a session", titles(k.List(mem.Query{Kinds: talk, Session: "one", Hidden: true, Within: "*"})),
			[]string{"alpha said"})
		k.same("by id", titles(k.List(mem.Query{IDs: ids})), []string{"alpha kept", "alpha said"})
	}},
	{"counts keep it apart", func(k kit) {
		k.keep(note("alpha kept"), line("one", "user", "alpha said"))
		st, err := k.store.Stats(k.Context(), "", Clock())
		if err != nil {
			k.Fatal(err)
		}
		if st.Memories != 1 || st.Kinds[mem.Utterance] != 1 {
			k.Errorf("memories %d, utterances %d, want 1 and 1", st.Memories, st.Kinds[mem.Utterance])
		}
	}},
	{"it is found by what was said next to it, better by itself", func(k kit) {
		k.keep(line("one", "user", "where does the walrus live"), line("one", "assistant", "behind the second door"),
			line("one", "user", "what about the fence"), line("one", "user", "and the gate"))
		k.keep(line("one", "user", "leave it open"), line("two", "user", "something else"))
		k.same("two on each side", k.match(mem.Query{Terms: []string{"walrus"}, Kinds: talk}),
			[]string{"where does the walrus live", "behind the second door", "what about the fence"})
		k.same("over batches", k.match(mem.Query{Terms: []string{"open"}, Kinds: talk}),
			[]string{"leave it open", "and the gate", "what about the fence"})
	}},
	{"it is found by who said it and by the day", func(k kit) {
		k.keep(with(line("one", "melanie", "a line"), func(m *mem.Memory) {
			m.Created = time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)
		}), line("two", "caroline", "another line"))
		k.same("who", k.match(mem.Query{Terms: []string{"melanie"}, Kinds: talk}), []string{"a line"})
		k.same("month", k.match(mem.Query{Terms: []string{"may"}, Kinds: talk}), []string{"a line"})
		k.same("phrase", k.match(mem.Query{Terms: []string{"may 2023"}, Kinds: talk}), []string{"a line"})
	}},
	{"purging it takes it out of what is next to it", func(k kit) {
		ids := k.keep(line("one", "user", "first words here"), line("one", "user", "the walrus is purple today"),
			line("one", "user", "last words here"))
		if _, err := k.store.Purge(k.Context(), ids[1]); err != nil {
			k.Fatal(err)
		}
		k.same("found", k.match(mem.Query{Terms: []string{"walrus"}, Kinds: talk}), []string{})
		k.same("neighbours", k.match(mem.Query{Terms: []string{"first"}, Kinds: talk}),
			[]string{"first words here", "last words here"})
		if all := k.everything(); strings.Contains(all, "walrus") {
			k.Errorf("still there: %s", all)
		}
	}},
	{"said again is said once, and changed text is found by its new words", func(k kit) {
		a := k.keep(line("one", "user", "alpha"), line("one", "user", "beta"))
		b := k.keep(line("one", "user", "alpha"))
		k.same("id", b[0], a[0])
		text := "gamma"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: a[0], Title: &text}}})
		k.same("new", k.match(mem.Query{Terms: []string{"gamma"}, Kinds: talk}), []string{"gamma", "beta"})
		k.same("old", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: talk}), []string{})
	}},
	{"read again it stays as it is", func(k kit) {
		id := k.keep(line("one", "user", "alpha"))[0]
		before := k.one(id)
		again := line("one", "user", "alpha")
		again.Created, again.Updated = Clock().Add(time.Hour), Clock().Add(time.Hour)
		again.Source.Event = "e_later"
		k.keep(again)
		k.same("unchanged", k.one(id), before)
		again.Trust = mem.TrustNone
		k.keep(again)
		if got := k.one(id); got.Trust != mem.TrustNone {
			k.Errorf("trust %v of words that turned out worse, want %v", got.Trust, mem.TrustNone)
		}
	}},
	{"its neighbours are not found by it while it is hidden", func(k kit) {
		ids := k.keep(line("one", "user", "first words here"), line("one", "user", "the walrus is purple today"),
			line("one", "user", "last words here"))
		status := func(s mem.Status) { k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[1], Status: &s}}}) }
		walrus := mem.Query{Terms: []string{"walrus"}, Kinds: talk}
		status(mem.Forgotten)
		k.same("forgotten", k.match(walrus), []string{})
		k.same("its neighbours still are", k.match(mem.Query{Terms: []string{"last"}, Kinds: talk}),
			[]string{"last words here", "first words here"})
		hidden := walrus
		hidden.Hidden = true
		k.same("asked for what is hidden", k.match(hidden), []string{"the walrus is purple today"})
		status(mem.Active)
		k.same("restored", k.match(walrus), []string{"the walrus is purple today", "last words here", "first words here"})
		k.keep(with(note("it is grey"), func(m *mem.Memory) { m.Supersedes = ids[1] }))
		k.same("superseded", k.match(walrus), []string{})
	}},
	{"its day is the one on the wall", func(k kit) {
		zone := time.Local
		time.Local = time.FixedZone("east", 2*60*60)
		k.Cleanup(func() { time.Local = zone })
		k.keep(with(line("one", "user", "a late line"), func(m *mem.Memory) {
			m.Created = time.Date(2023, 5, 8, 23, 30, 0, 0, time.UTC)
		}))
		k.same("there", k.match(mem.Query{Terms: []string{"may 2023 9"}, Kinds: talk}), []string{"a late line"})
		k.same("in London", k.match(mem.Query{Terms: []string{"may 2023 8"}, Kinds: talk}), []string{})
	}},
	{"filters hold for it", func(k kit) {
		k.keep(line("one", "user", "alpha here"), with(line("two", "user", "alpha there"), func(m *mem.Memory) {
			m.Project = "p_2"
		}))
		k.same("project", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: talk, Project: "p_2"}), []string{"alpha there"})
		k.same("session", k.match(mem.Query{Terms: []string{"alpha"}, Kinds: talk, Session: "one"}), []string{"alpha here"})
	}},
	{"anchors and speakers come back", func(k kit) {
		id := k.keep(with(line("one", "user", "alpha"), func(m *mem.Memory) {
			m.Files, m.Anchors = []string{"a.go"}, []mem.Anchor{{File: "a.go", Hash: "h"}}
		}))[0]
		got := k.one(id)
		k.same("anchors", got.Anchors, []mem.Anchor{{File: "a.go", Hash: "h"}})
		k.same("who", got.Who, "user")
	}},
}
