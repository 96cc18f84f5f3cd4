package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// note is a memory of project p.
func note(id, title, body string, files ...string) mem.Memory {
	return mem.Memory{
		ID: id, Kind: mem.Fact, Scope: mem.ScopeProject, Project: "p", Status: mem.Active, Resolved: true,
		Trust: mem.TrustUser, Title: title, Body: body, Files: files, Created: noon,
	}
}

// found returns the ids that a query finds in project p, best first.
func found(x *Index, text string) []string {
	return idsOf(x, mem.Query{Text: text, Project: "p", Within: "*"})
}

func idsOf(x *Index, q mem.Query) []string {
	out := []string{}
	for _, c := range x.Search(Query{Query: q, Now: noon}).Candidates {
		out = append(out, c.ID)
	}
	return out
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestBestMatchIsFirst(t *testing.T) {
	x := New(false)
	x.Put(
		note("m_1", "Retries use the fake clock", ""),
		note("m_2", "Invoices are printed at night", "The printer has a queue of its own."),
		note("m_3", "Webhook sender", "It retries three times before it gives up."),
	)
	expect(t, found(x, "how do retries use the clock?"), "m_1", "m_3")
}

func TestTextWithoutKnownWordsMatchesNothing(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "Retries use the fake clock", ""))
	for _, text := range []string{"", "?!", "\x00", "zebra", strings.Repeat("\"", 100_000), "the of and"} {
		expect(t, found(x, text))
	}
}

func TestIdentifiersAreFoundByTheirParts(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "parseHTTPRequest panics on an empty body", ""),
		note("m_2", "The pool", "", "internal/db/conn_pool.go"))
	expect(t, found(x, "http request"), "m_1")
	expect(t, found(x, "conn_pool"), "m_2")
	expect(t, found(x, "pool.go"), "m_2")
}

func TestAWordIsFoundHoweverItIsSpaced(t *testing.T) {
	x := New(false)
	x.Put(
		note("m_1", "The frontend polls every second", ""),
		note("m_2", "Invoices are printed at night", "The log-in page is cached, the end is in front."),
		note("m_3", "Filenames are lower case", ""),
		note("m_4", "A work tree per branch", ""),
		note("m_5", "Branches grow on a tree", "They work."),
	)
	for query, want := range map[string]string{
		"how often does the front end poll?": "m_1", "the front-end": "m_1", "which file name is legal?": "m_3",
		"login": "", "logged in": "m_2", "worktrees": "m_4", "frontends": "m_1", "files and names": "",
	} {
		got := found(x, query)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q finds %v, want %q first", query, got, want)
		}
	}
}

func TestWordsInARowCountAsTheWordTheyMake(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "frontend polls", ""), note("m_2", "front polls", ""), note("m_3", "end polls", ""))
	got := x.Search(Query{Query: mem.Query{Text: "front end polls", Project: "p", Within: "*"}, Now: noon}).Candidates
	if len(got) != 3 || got[0].ID != "m_1" || got[0].Parts["coverage"] < 0.99 {
		t.Errorf("found %v, want m_1 first with every word covered", got)
	}
}

// Words, their halves and words that two of them make, in any order.
func TestAnyWordsCanBeSearchedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("front end frontend file name filename work tree worktree log login in back tick backtick who")
	text := func(n int) string {
		var out []string
		for range n {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	for range 300 {
		for _, utterances := range []bool{false, true} {
			x := New(utterances)
			for i := range 1 + r.IntN(4) {
				m := note(fmt.Sprintf("m_%d", i), text(1+r.IntN(4)), "")
				if utterances {
					m.Kind, m.Session, m.Who = mem.Utterance, "s", "user"
				}
				x.Put(m)
			}
			q := mem.Query{Text: text(1 + r.IntN(4)), Project: "p", Within: "*"}
			if utterances {
				q.Kinds = []mem.Kind{mem.Utterance}
			}
			for _, c := range x.Search(Query{Query: q, Now: noon}).Candidates {
				if c.ID == "" || math.IsNaN(c.Score) {
					t.Fatalf("%q finds %v", q.Text, c)
				}
			}
		}
	}
}

func TestUnsegmentedTextIsFound(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "テストは偽の時計を使う", ""), note("m_2", "請求書は夜に印刷する", ""))
	expect(t, found(x, "時計"), "m_1")
}

func TestCitedMemoryIsFound(t *testing.T) {
	x := New(false)
	x.Put(note("m_10", "Batches hold forty rows", ""), note("m_11", "The gateway drops large uploads", "See m_10."))
	if got := found(x, "gateway uploads"); !slices.Contains(got, "m_10") {
		t.Errorf("found %v, want the cited m_10 among them", got)
	}
}

func TestFiltersApply(t *testing.T) {
	x := New(false)
	other := note("m_2", "clock", "")
	other.Project = "q"
	user := note("m_3", "clock", "")
	user.Project, user.Scope = "", mem.ScopeUser
	session := note("m_4", "clock", "")
	session.Scope, session.Session = mem.ScopeSession, "s"
	archived := note("m_5", "clock", "")
	archived.Status = mem.Archived
	late := note("m_6", "clock", "")
	late.Created = noon.Add(time.Hour)
	low := note("m_7", "clock", "")
	low.Trust, low.Kind, low.Resolved, low.Branch = mem.TrustTool, mem.Todo, false, "dev"
	x.Put(note("m_1", "clock", ""), other, user, session, archived, late, low)
	for name, c := range map[string]struct {
		q    mem.Query
		want []string
	}{
		"project":  {mem.Query{Project: "p"}, []string{"m_1", "m_3", "m_6", "m_7"}},
		"within":   {mem.Query{Project: "p", Within: "s"}, []string{"m_1", "m_3", "m_4", "m_6", "m_7"}},
		"session":  {mem.Query{Session: "s"}, []string{"m_4"}},
		"scope":    {mem.Query{Scopes: []mem.Scope{mem.ScopeUser}}, []string{"m_3"}},
		"kind":     {mem.Query{Kinds: []mem.Kind{mem.Todo}}, []string{"m_7"}},
		"not kind": {mem.Query{Project: "q", NotKinds: []mem.Kind{mem.Todo}}, []string{"m_2", "m_3"}},
		"archived": {mem.Query{Statuses: []mem.Status{mem.Archived}}, []string{"m_5"}},
		"before":   {mem.Query{Project: "p", Before: noon.Add(time.Minute)}, []string{"m_1", "m_3", "m_7"}},
		"after":    {mem.Query{After: noon.Add(time.Minute)}, []string{"m_6"}},
		"trust":    {mem.Query{Project: "p", MinTrust: mem.TrustUser}, []string{"m_1", "m_3", "m_6"}},
		"open":     {mem.Query{Open: true}, []string{"m_7"}},
		"branch":   {mem.Query{Branch: "dev"}, []string{"m_7"}},
		"unknown":  {mem.Query{Branch: "none such"}, []string{}},
	} {
		c.q.Text = "clock"
		got := idsOf(x, c.q)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", name, got, c.want)
		}
	}
}

func TestAnswerIsFoundByTheWordsOfItsQuestion(t *testing.T) {
	x := New(true)
	say := func(id, text string, minute int) mem.Memory {
		return mem.Memory{
			ID: id, Kind: mem.Utterance, Scope: mem.ScopeProject, Project: "p", Session: "s", Who: "user",
			Status: mem.Active, Title: text, Created: noon.Add(time.Duration(minute) * time.Minute),
		}
	}
	x.Put(say("u_1", "Which colour shall the bicycle have?", 0), say("u_3", "The weather is fine.", 2))
	x.Put(say("u_2", "Green, like the old one.", 1)) // arrives late and belongs between them
	q := mem.Query{Text: "colour of the bicycle", Project: "p", Within: "*", Kinds: []mem.Kind{mem.Utterance}}
	got := idsOf(x, q)
	if len(got) != 3 || got[2] != "u_3" {
		t.Errorf("found %v, want the question and its answer before u_3", got)
	}
	x.Remove("u_1")
	expect(t, idsOf(x, q))
}

func TestReplacedTextIsNotFound(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "The printer code is swordfish", ""))
	x.Put(note("m_1", "The printer code has changed", ""))
	expect(t, found(x, "swordfish"))
	expect(t, found(x, "printer"), "m_1")
	if x.Len() != 1 {
		t.Errorf("%d memories, want 1", x.Len())
	}
}

func TestErasedTextLeavesNoWord(t *testing.T) {
	x := New(false)
	x.Put(note("m_1", "The printer code is swordfish", "", "secret/sword.txt"), note("m_2", "The printer is loud", ""))
	x.Erase("m_1")
	expect(t, found(x, "printer"), "m_2")
	if strings.Contains(x.vocabulary.text.String(), "sword") {
		t.Errorf("still a term: %q", x.vocabulary.text.String())
	}
	if x.docs.ids.len() != 1 || len(x.docs.rows) != 1 || x.memo.len() != 0 || len(x.lists) != x.vocabulary.len() {
		t.Errorf("%d ids, %d terms, %d lists, %d documents, %d names are left", x.docs.ids.len(), x.vocabulary.len(),
			len(x.lists), len(x.docs.rows), x.memo.len())
	}
}

// TestIndexAgreesWithItselfAfterAnyChange compares an index that was changed at random with one that is built anew.
func TestIndexAgreesWithItselfAfterAnyChange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("clock printer retry webhook invoice batch gateway session branch lock queue cache login " +
		"token page")
	text := func() string {
		var out []string
		for range 3 + r.IntN(12) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	x, now := New(false), map[string]mem.Memory{}
	for step := range 4000 {
		id := fmt.Sprintf("m_%d", r.IntN(300))
		switch r.IntN(5) {
		case 0:
			x.Remove(id)
			delete(now, id)
		case 1:
			if step%50 == 0 {
				x.Erase(id)
				delete(now, id)
			}
		default:
			m := note(id, text(), text())
			m.Created = noon.Add(time.Duration(step) * time.Second)
			x.Put(m)
			now[id] = m
		}
	}
	fresh := New(false)
	var ms []mem.Memory
	for _, m := range now {
		ms = append(ms, m)
	}
	slices.SortFunc(ms, func(a, b mem.Memory) int { return a.Created.Compare(b.Created) })
	fresh.Put(ms...)
	x.mu.Lock()
	x.compact()
	x.mu.Unlock()
	for range 50 {
		q := Query{Query: mem.Query{Text: text(), Project: "p", Within: "*"}, Now: noon}
		a, b := x.Search(q), fresh.Search(q)
		if a.Size != b.Size || len(a.Candidates) != len(b.Candidates) {
			t.Fatalf("%q: %d of %d against %d of %d", q.Text, len(a.Candidates), a.Size, len(b.Candidates), b.Size)
		}
		for i := range a.Candidates {
			if math.Abs(a.Candidates[i].Score-b.Candidates[i].Score) > 1e-5 {
				t.Fatalf("%q, place %d: %v against %v", q.Text, i, a.Candidates[i], b.Candidates[i])
			}
		}
	}
}

func TestListReadsBackWhatWasAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var l list
	want := map[int32][fields]uint8{}
	doc := int32(0)
	for range 2000 {
		doc += 1 + int32(r.IntN(1+r.IntN(1<<r.IntN(12))))
		var times [fields]uint8
		for f := range times {
			if r.IntN(3) == 0 {
				times[f] = uint8(r.IntN(256))
			}
		}
		if times == [fields]uint8{} {
			times[body] = 1
		}
		want[doc] = times
		l.add(doc, times)
	}
	c := cursor{data: l.data}
	n := 0
	for c.next() {
		n++
		if c.frequencies() != want[c.doc] {
			t.Fatalf("document %d: %v, want %v", c.doc, c.frequencies(), want[c.doc])
		}
	}
	if n != len(want) {
		t.Errorf("%d postings, want %d", n, len(want))
	}
	s := cursor{data: l.data}
	for d := int32(0); d <= doc; d += 97 {
		if !s.seek(&l, d) {
			t.Fatalf("no posting from %d on", d)
		}
		for before := d; before < s.doc; before++ {
			if _, there := want[before]; there {
				t.Fatalf("seek to %d passed %d", d, before)
			}
		}
		if _, there := want[s.doc]; !there {
			t.Fatalf("seek to %d gave %d, which was never added", d, s.doc)
		}
	}
	if s.seek(&l, doc+1) {
		t.Error("a posting behind the last one")
	}
}

func TestConcurrentReadersSeeWholeStates(t *testing.T) {
	x := New(false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			x.Put(note(fmt.Sprintf("m_%d", i%40), "clock printer", "retry"))
			if i%7 == 0 {
				x.Erase(fmt.Sprintf("m_%d", i%40))
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
			for _, id := range found(x, "clock retry") {
				if id == "" {
					t.Fatal("a removed memory was found")
				}
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 6))
			word := func() string { return fmt.Sprintf("w%d", int(math.Exp(r.Float64()*10))) }
			text := func(n int) string {
				var out []string
				for range n {
					out = append(out, word())
				}
				return strings.Join(out, " ")
			}
			x := New(false)
			for i := range n {
				x.Put(note(fmt.Sprintf("m_%d", i), text(8), text(40)))
			}
			b.ResetTimer()
			for b.Loop() {
				x.Search(Query{Query: mem.Query{Text: text(20), Project: "p", Within: "*"}, Now: noon})
			}
		})
	}
}
