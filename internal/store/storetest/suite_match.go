package storetest

import (
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

var matchTests = []contractTest{
	{"any term matches, by stem", func(k kit) {
		k.put(fact("handle a retry of the queue"), fact("the database schema"))
		for _, terms := range [][]string{{"retries"}, {"Retrying"}, {"RETRY"}, {"unheard", "queues"}} {
			k.same(fmt.Sprint(terms), k.match(mem.Query{Terms: terms}), []string{"handle a retry of the queue"})
		}
	}},
	{"symbols and marks without a letter hide no word", func(k kit) {
		said := fact("\u26a0\ufe0f the lock rusts \U0001f9d8\u200d\u2640\ufe0f")
		k.put(said, fact("the key is lost"))
		for _, terms := range [][]string{{"lock"}, {"lock", "\u26a0\ufe0f"}, {"\u26a0\ufe0f lock"}, {"the lock rusts"}} {
			k.same(fmt.Sprintf("%q", terms), k.match(mem.Query{Terms: terms}), []string{said.Title})
		}
		k.same("a mark alone", k.match(mem.Query{Terms: []string{"\ufe0f"}}), []string{})
	}},
	{"more and rarer terms rank higher", func(k kit) {
		k.put(fact("common words alone"), fact("common words and a zebra"), fact("common words once more"),
			fact("common rest"), fact("unrelated"), fact("also unrelated"), fact("quite unrelated"), fact("still unrelated"),
			fact("very unrelated"), fact("unrelated too"))
		got := k.match(mem.Query{Terms: []string{"common", "zebra"}})
		if len(got) != 4 || got[0] != "common words and a zebra" {
			k.Errorf("got %v, want the zebra first of four", got)
		}
	}},
	{"scores fall, are positive and are higher for better", func(k kit) {
		k.put(fact("alpha beta"), fact("alpha"), fact("nothing here"), fact("nor here"), fact("or there"))
		hits, err := k.store.Match(k.Context(), mem.Query{Terms: []string{"alpha", "beta"}})
		if err != nil || len(hits) != 2 {
			k.Fatalf("%d hits, %v, want 2", len(hits), err)
		}
		if hits[0].Memory.Title != "alpha beta" || hits[0].Score <= hits[1].Score || hits[1].Score <= 0 {
			k.Errorf("got %v %v, %v %v", hits[0].Memory.Title, hits[0].Score, hits[1].Memory.Title, hits[1].Score)
		}
	}},
	{"ties break by newest", func(k kit) {
		for i, s := range []string{"middle", "old", "new"} {
			at := []time.Duration{0, -time.Hour, time.Hour}[i]
			k.put(with(fact("alpha"), func(m *mem.Memory) { m.Key, m.Created, m.Branch = s, later(at), s }))
		}
		hits, err := k.store.Match(k.Context(), mem.Query{Terms: []string{"alpha"}})
		if err != nil {
			k.Fatal(err)
		}
		got := []string{}
		for _, h := range hits {
			got = append(got, h.Memory.Branch)
		}
		k.same("order", got, []string{"new", "middle", "old"})
	}},
	{"every text of a memory is searched", func(k kit) {
		k.put(with(fact("title1"), func(m *mem.Memory) {
			m.Body, m.Facts, m.Concepts, m.Tags, m.Files, m.Command, m.Index = "body1", []string{"fact1"}, []string{"concept1"},
				[]string{"tag1"}, []string{"dir1/file1.go"}, "command1 --flag", "http server"
			m.Summary = &mem.SummaryText{
				Request: "sum1", Investigated: "sum2", Learned: "sum3", Completed: "sum4",
				NextSteps: "sum5", Notes: "sum6",
			}
		}))
		for _, term := range []string{
			"title1", "body1", "fact1", "concept1", "tag1", "dir1", "file1", "command1", "server",
			"sum1", "sum2", "sum3", "sum4", "sum5", "sum6",
		} {
			k.same(term, k.match(mem.Query{Terms: []string{term}}), []string{"title1"})
		}
	}},
	{"a term of several words is a phrase", func(k kit) {
		k.put(fact("pack the reverse index"), fact("index the reverse pack"))
		k.same("phrase", k.match(mem.Query{Terms: []string{"reverse index"}}), []string{"pack the reverse index"})
		k.same("hyphen", k.match(mem.Query{Terms: []string{"reverse-index"}}), []string{"pack the reverse index"})
		k.same("stems in a phrase", k.match(mem.Query{Terms: []string{"reversing indexes"}}),
			[]string{"pack the reverse index"})
	}},
	{"any text is a legal term", func(k kit) {
		k.put(fact("near and not or match the column"), fact("c++ don't foo-bar a/b.c"))
		for _, term := range []string{
			`"`, `""`, `"""`, `a"b`, `'`, "\x00", "a\x00b", "NEAR", "NEAR(a b)", "AND", "OR", "NOT", "*", "foo*", "^foo",
			"title:foo", "-foo", "+", "{a b}:c",
			"(", ")", "((((", long("(", 5000), "\\", "%", "_", ";", "--", "\xff\xfe", "\u202e", "\ufffd", "é", "🎯", "漢字",
			long("x", 100000), long("word ", 3000), "\n", "\t",
		} {
			if _, err := k.store.Match(k.Context(), mem.Query{Terms: []string{term}}); err != nil {
				k.Errorf("term %.40q: %v", term, err)
			}
		}
		for term, want := range map[string]string{
			"NEAR": "near and not or match the column", "NOT": "near and not or match the column",
			"don't": "c++ don't foo-bar a/b.c", "foo-bar": "c++ don't foo-bar a/b.c",
			`"column"`: "near and not or match the column", "col*": "", "(column": "near and not or match the column",
			"title:column": "", "a/b.c": "c++ don't foo-bar a/b.c",
			"column\x00": "near and not or match the column",
		} {
			got := k.match(mem.Query{Terms: []string{term}})
			if want == "" && len(got) == 0 || len(got) == 1 && got[0] == want {
				continue
			}
			k.Errorf("term %q found %q, want %q", term, got, want)
		}
	}},
	{"no terms and terms without words match nothing", func(k kit) {
		k.put(fact("alpha"))
		for _, terms := range [][]string{nil, {}, {""}, {" "}, {"!!!", "...", "\x00", "\""}} {
			k.same(fmt.Sprintf("%q", terms), k.match(mem.Query{Terms: terms}), []string{})
		}
		k.same("beside a word", k.match(mem.Query{Terms: []string{"!!!", "alpha", "\""}}), []string{"alpha"})
	}},
	{"20,000 terms are a legal query", func(k kit) {
		k.put(fact("alpha"))
		terms := []string{"alpha"}
		for i := range 20000 {
			terms = append(terms, fmt.Sprint("word", i))
		}
		k.same("found", k.match(mem.Query{Terms: terms}), []string{"alpha"})
	}},
	{"letters of every script are words", func(k kit) {
		k.put(fact("Größe der Straße"), fact("база данных"), with(fact("漢字検索"), func(m *mem.Memory) {
			m.Index = "漢字 字検 検索"
		}))
		for term, want := range map[string]string{
			"große": "Größe der Straße", "GRÖSSE": "", "база": "база данных",
			"БАЗА": "база данных", "検索": "漢字検索",
		} {
			got := k.match(mem.Query{Terms: []string{term}})
			if want == "" && len(got) == 0 || len(got) == 1 && got[0] == want {
				continue
			}
			k.Errorf("term %q found %q, want %q", term, got, want)
		}
	}},
	{"filters act before the limit", func(k kit) {
		for i := range 30 {
			k.put(with(fact(fmt.Sprint("alpha alpha ", i)), func(m *mem.Memory) { m.Project = "p_2" }))
		}
		k.put(fact("alpha of mine and many other words"))
		k.same("found", k.match(mem.Query{Terms: []string{"alpha"}, Project: "p_000000000001", Limit: 1}),
			[]string{"alpha of mine and many other words"})
	}},
	{"ids filter matches", func(k kit) {
		ids := k.put(fact("alpha one"), fact("alpha two"))
		k.same("found", k.match(mem.Query{Terms: []string{"alpha"}, IDs: ids[1:]}), []string{"alpha two"})
	}},
	{"limit and offset page through", func(k kit) {
		for i := range 15 {
			k.put(with(fact(fmt.Sprint("alpha ", i)), func(m *mem.Memory) { m.Created = later(time.Duration(i)) }))
		}
		if got := len(k.match(mem.Query{Terms: []string{"alpha"}})); got != mem.DefaultLimit {
			k.Errorf("%d without a limit, want %d", got, mem.DefaultLimit)
		}
		k.same("page", k.match(mem.Query{Terms: []string{"alpha"}, Limit: 2, Offset: 3}), []string{"alpha 11", "alpha 10"})
		k.same("past the end", k.match(mem.Query{Terms: []string{"alpha"}, Offset: 99}), []string{})
	}},
}

// fillStore stores one memory for each filter.
func fillStore(k kit) {
	k.put(
		with(fact("plain"), func(m *mem.Memory) { m.Created = later(-9 * time.Hour) }),
		with(fact("gotcha"), func(m *mem.Memory) { m.Kind, m.Created, m.Importance = mem.Gotcha, later(-8*time.Hour), 0.9 }),
		with(fact("user"), func(m *mem.Memory) { m.Scope, m.Project, m.Created = mem.ScopeUser, "", later(-7*time.Hour) }),
		with(fact("elsewhere"), func(m *mem.Memory) { m.Project, m.Created = "p_2", later(-6*time.Hour) }),
		with(fact("secret of one"), func(m *mem.Memory) {
			m.Scope, m.Session, m.Created = mem.ScopeSession, "one", later(-5*time.Hour)
		}),
		with(fact("secret of two"), func(m *mem.Memory) {
			m.Scope, m.Session, m.Created = mem.ScopeSession, "two", later(-4*time.Hour)
		}),
		with(fact("filed"), func(m *mem.Memory) {
			m.Files, m.Tags, m.Command, m.Branch, m.Created = []string{"a/b/c.go", "a/d.md", ".gitignore"}, []string{"x", "y"},
				"go test ./...", "main", later(-3*time.Hour)
		}),
		with(fact("learned"), func(m *mem.Memory) {
			m.Session, m.Source.PromptID, m.Source.Agent, m.Trust, m.Resolved, m.Created = "one", "p1", "codex", mem.TrustNone,
				true, later(-2*time.Hour)
		}),
	)
}

var listTests = []contractTest{
	{"the zero query lists all active memories but those of session scope, newest first", func(k kit) {
		fillStore(k)
		k.same("titles", titles(k.List(mem.Query{})), []string{"learned", "filed", "elsewhere", "user", "gotcha", "plain"})
	}},
	{"filters", func(k kit) {
		fillStore(k)
		for name, c := range map[string]struct {
			q    mem.Query
			want []string
		}{
			"project and user scope": {mem.Query{Project: "p_2"}, []string{"elsewhere", "user"}},
			"scope":                  {mem.Query{Scopes: []mem.Scope{mem.ScopeUser}}, []string{"user"}},
			"kind":                   {mem.Query{Kinds: []mem.Kind{mem.Gotcha, mem.Todo}}, []string{"gotcha"}},
			"not kind":               {mem.Query{NotKinds: []mem.Kind{mem.Fact}}, []string{"gotcha"}},
			"session":                {mem.Query{Session: "one"}, []string{"learned", "secret of one"}},
			"unknown session":        {mem.Query{Session: "none"}, []string{}},
			"turn":                   {mem.Query{Session: "one", PromptID: "p1"}, []string{"learned"}},
			"within a session": {mem.Query{Within: "two", Limit: 4}, []string{
				"learned", "filed", "secret of two",
				"elsewhere",
			}},
			"within all": {
				mem.Query{Within: "*", Scopes: []mem.Scope{mem.ScopeSession}},
				[]string{"secret of two", "secret of one"},
			},
			"within a missing one":  {mem.Query{Within: "none", Scopes: []mem.Scope{mem.ScopeSession}}, []string{}},
			"file":                  {mem.Query{File: "a/d.md"}, []string{"filed"}},
			"not part of a file":    {mem.Query{File: "d.md"}, []string{}},
			"directory":             {mem.Query{File: "a/b/"}, []string{"filed"}},
			"not below a directory": {mem.Query{File: "b/"}, []string{}},
			"directly in it":        {mem.Query{File: "a/"}, []string{"filed"}},
			"extension":             {mem.Query{File: ".go"}, []string{"filed"}},
			"a file with a dot":     {mem.Query{File: ".gitignore"}, []string{"filed"}},
			"any tag":               {mem.Query{Tags: []string{"none", "y"}}, []string{"filed"}},
			"no tag":                {mem.Query{Tags: []string{"none"}}, []string{}},
			"command":               {mem.Query{Command: "go test ./..."}, []string{"filed"}},
			"not part of a command": {mem.Query{Command: "go test"}, []string{}},
			"agent":                 {mem.Query{Agent: "codex"}, []string{"learned"}},
			"branch":                {mem.Query{Branch: "main"}, []string{"filed"}},
			"after, inclusive":      {mem.Query{After: later(-3 * time.Hour)}, []string{"learned", "filed"}},
			"before, exclusive":     {mem.Query{Before: later(-8 * time.Hour)}, []string{"plain"}},
			"after long ago": {mem.Query{
				After: time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC),
				Kinds: []mem.Kind{mem.Gotcha},
			}, []string{"gotcha"}},
			"before a far day": {mem.Query{
				Before: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
				Kinds:  []mem.Kind{mem.Gotcha},
			}, []string{"gotcha"}},
			"importance": {mem.Query{MinImportance: 0.9}, []string{"gotcha"}},
			"trust":      {mem.Query{MinTrust: mem.TrustUser, After: later(-3 * time.Hour)}, []string{"filed"}},
			"open":       {mem.Query{Open: true, After: later(-3 * time.Hour)}, []string{"filed"}},
			"several": {mem.Query{
				Project: "p_000000000001", Kinds: []mem.Kind{mem.Fact}, File: ".md",
				Tags: []string{"x"},
			}, []string{"filed"}},
			"hostile": {
				mem.Query{Project: "' OR 1=1 --", File: "\"%", Tags: []string{"\"]", "\x00"}, Branch: "?"},
				[]string{},
			},
			"terms are ignored": {mem.Query{Terms: []string{"nowhere"}, File: ".md"}, []string{"filed"}},
		} {
			k.same(name, titles(k.List(c.q)), c.want)
		}
	}},
	{"Match uses the same filters", func(k kit) {
		fillStore(k)
		for name, c := range map[string]struct {
			q    mem.Query
			want []string
		}{
			"others' sessions are closed": {mem.Query{}, []string{}},
			"within":                      {mem.Query{Within: "two"}, []string{"secret of two"}},
			"session":                     {mem.Query{Session: "one"}, []string{"secret of one"}},
			"all":                         {mem.Query{Within: "*"}, []string{"secret of two", "secret of one"}},
			"by id":                       {mem.Query{IDs: []string{"m_5"}}, []string{"secret of one"}},
			"hostile":                     {mem.Query{Within: "*", Project: "' OR 1=1 --"}, []string{}},
		} {
			c.q.Terms = []string{"secret"}
			k.same(name, k.match(c.q), c.want)
		}
	}},
	{"orders", func(k kit) {
		important, up := 0.5, "changed"
		ids := k.put(
			with(fact("a"), func(m *mem.Memory) { m.Importance, m.Created = important, later(-3*time.Hour) }),
			with(fact("b"), func(m *mem.Memory) { m.Importance, m.Created = 0.9, later(-2*time.Hour) }),
			with(fact("c"), func(m *mem.Memory) { m.Importance, m.Created = important, later(-1*time.Hour) }),
		)
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Body: &up}}})
		k.same("newest", titles(k.List(mem.Query{})), []string{"c", "b", "a"})
		k.same("oldest", titles(k.List(mem.Query{Order: mem.Oldest})), []string{"a", "b", "c"})
		k.same("oldest since", titles(k.List(mem.Query{Order: mem.Oldest, After: later(-2 * time.Hour), Limit: 1})),
			[]string{"b"})
		k.same("importance", titles(k.List(mem.Query{Order: mem.ByImportance})), []string{"b", "c", "a"})
		k.same("update", titles(k.List(mem.Query{Order: mem.ByUpdate})), []string{"a", "c", "b"})
		pinned := true
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[2], Pinned: &pinned}}})
		k.same("pinned first", titles(k.List(mem.Query{Order: mem.ByImportance})), []string{"c", "b", "a"})
	}},
	{"limit and offset page through", func(k kit) {
		for i := range 15 {
			k.put(with(fact(fmt.Sprint(i)), func(m *mem.Memory) { m.Created = later(time.Duration(i)) }))
		}
		if got := len(k.List(mem.Query{})); got != mem.DefaultLimit {
			k.Errorf("%d without a limit, want %d", got, mem.DefaultLimit)
		}
		k.same("page", titles(k.List(mem.Query{Limit: 2, Offset: 3})), []string{"11", "10"})
		k.same("past the end", titles(k.List(mem.Query{Offset: 99})), []string{})
	}},
	{"List by ids returns exactly those in that order, whatever the other filters", func(k kit) {
		fillStore(k)
		got := k.List(mem.Query{
			IDs: []string{"m_5", "m_1", "m_5"}, Project: "p_9", Kinds: []mem.Kind{mem.Todo}, Limit: 1,
			Offset: 1,
		})
		k.same("titles", titles(got), []string{"secret of one", "plain", "secret of one"})
	}},
	{"List by ids reports missing and ambiguous ids", func(k kit) {
		for i := range 40 {
			k.put(fact(fmt.Sprint(i)))
		}
		for id, want := range map[string]error{
			"m_1": nil, "m_18": nil, "m_": mem.ErrAmbiguous, "m_zz": mem.ErrNotFound,
			"": mem.ErrNotFound, "m_%": mem.ErrNotFound, "18": mem.ErrNotFound,
		} {
			if _, err := k.store.List(k.Context(), mem.Query{IDs: []string{id}}); !errors.Is(err, want) {
				k.Errorf("id %q: %v, want %v", id, err, want)
			}
		}
		if _, err := k.store.List(k.Context(), mem.Query{IDs: []string{"m_1", "m_zz"}}); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("one of two missing: %v, want %v", err, mem.ErrNotFound)
		}
	}},
	{"a unique prefix is enough", func(k kit) {
		var all []mem.Memory
		for i := range 32 {
			all = append(all, fact(fmt.Sprint(i)))
		}
		k.put(all...)
		if _, err := k.store.Purge(k.Context(), "m_1"); err != nil {
			k.Fatal(err)
		}
		k.same("of m_10", titles(k.List(mem.Query{IDs: []string{"m_1"}})), []string{"31"})
		k.same("among whole ones", titles(k.List(mem.Query{IDs: []string{"m_3", "m_1", "m_2"}})), []string{"2", "31", "1"})
		k.same("whole ones only", titles(k.List(mem.Query{IDs: []string{"m_3", "m_1", "m_", "m_2"}, ExactIDs: true})),
			[]string{"2", "1"})
		k.same("none of it whole", titles(k.List(mem.Query{IDs: []string{"m_1"}, ExactIDs: true})), []string{})
	}},
	{"List by ids returns hidden memories only with Hidden", func(k kit) {
		forgotten := mem.Forgotten
		id := k.put(fact("alpha"))[0]
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: id, Status: &forgotten}}})
		if _, err := k.store.List(k.Context(), mem.Query{IDs: []string{id}}); !errors.Is(err, mem.ErrNotFound) {
			k.Errorf("%v, want %v", err, mem.ErrNotFound)
		}
		if _, err := k.store.List(k.Context(), mem.Query{IDs: []string{k.put(fact("beta"))[0], id}}); !errors.Is(err,
			mem.ErrNotFound) {
			k.Errorf("one of two hidden: %v, want %v", err, mem.ErrNotFound)
		}
		k.same("hidden", titles(k.List(mem.Query{IDs: []string{id}, Hidden: true})), []string{"alpha"})
	}},
}
