package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/store/sqlitetest"
)

func openStore(t *testing.T) *Store {
	t.Helper()
	s := NewStore(sqlitetest.Open(t, nil))
	if err := s.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func apply(t *testing.T, s *Store, batches ...mem.Batch) []mem.Result {
	t.Helper()
	r, err := s.Apply(t.Context(), batches...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// search returns the ids that a query finds in the store's index, best first.
func search(t *testing.T, s *Store, q mem.Query) []string {
	t.Helper()
	r, ok := s.Search(t.Context(), Query{Query: q, Now: noon})
	if !ok {
		t.Fatalf("the index does not answer %+v", q)
	}
	out := []string{}
	for _, c := range r.Candidates {
		out = append(out, c.ID)
	}
	return out
}

func fact(title string) mem.Memory {
	m := note("", title, "")
	m.ID, m.Status = "", ""
	return m
}

func clock(statuses ...mem.Status) mem.Query {
	return mem.Query{Text: "clock", Project: "p", Within: "*", Statuses: statuses}
}

func TestCommittedChangesAreFoundAtOnce(t *testing.T) {
	s := openStore(t)
	first := apply(t, s, mem.Batch{Memories: []mem.Memory{fact("the clock is fast")}})[0].IDs[0]
	expect(t, search(t, s, clock()), first)
	forgotten, active, archived := mem.Forgotten, mem.Active, mem.Archived
	title := "the watch is fast"
	for _, c := range []struct {
		edit mem.Edit
		want []string
	}{
		{mem.Edit{Status: &forgotten}, []string{}},
		{mem.Edit{Status: &active}, []string{first}},
		{mem.Edit{Status: &archived}, []string{}},
		{mem.Edit{Status: &active}, []string{first}},
		{mem.Edit{Title: &title, Index: new(string)}, []string{}},
	} {
		c.edit.ID = first
		apply(t, s, mem.Batch{Edits: []mem.Edit{c.edit}})
		expect(t, search(t, s, clock()), c.want...)
	}
}

func TestSupersededMemoryIsNotFound(t *testing.T) {
	s := openStore(t)
	first := apply(t, s, mem.Batch{Memories: []mem.Memory{fact("the clock is fast")}})[0].IDs[0]
	next := fact("the clock is slow")
	next.Supersedes = first
	second := apply(t, s, mem.Batch{Memories: []mem.Memory{next}})[0].IDs[0]
	expect(t, search(t, s, clock()), second)
}

func TestFailedBatchChangesNothingButThoseBeforeItDo(t *testing.T) {
	s := openStore(t)
	_, err := s.Apply(t.Context(),
		mem.Batch{Memories: []mem.Memory{fact("the clock is fast")}},
		mem.Batch{Memories: []mem.Memory{fact("the clock is slow")}, Edits: []mem.Edit{{ID: "m_unknown"}}},
		mem.Batch{Memories: []mem.Memory{fact("the clock is late")}},
	)
	if !errors.Is(err, mem.ErrNotFound) {
		t.Fatalf("error %v, want not found", err)
	}
	got := search(t, s, clock())
	ms, err := s.List(t.Context(), mem.Query{IDs: got, Within: "*"})
	if err != nil || len(got) != 1 || len(ms) != 1 || ms[0].Title != "the clock is fast" {
		t.Errorf("found %v: %+v, %v; want the memory of the first batch alone", got, ms, err)
	}
}

func TestTaintedTurnLowersTrustInTheIndex(t *testing.T) {
	s := openStore(t)
	m := fact("the clock is fast")
	m.Session, m.Trust, m.Source = "s", mem.TrustAssistant, mem.Source{Session: "s", PromptID: "turn"}
	event := func(id string) *mem.Event {
		return &mem.Event{ID: id, Kind: mem.PostToolUse, Session: "s", PromptID: "turn", At: noon}
	}
	apply(t, s, mem.Batch{Event: event("e1"), Turn: &mem.TurnChange{Text: "what time is it"}, Memories: []mem.Memory{m}})
	q := clock()
	q.MinTrust = mem.TrustAssistant
	if got := search(t, s, q); len(got) != 1 {
		t.Fatalf("found %v, want one", got)
	}
	apply(t, s, mem.Batch{Event: event("e2"), Turn: &mem.TurnChange{Tainted: true}})
	expect(t, search(t, s, q))
}

func TestProjectIsFoundUnderItsOtherKey(t *testing.T) {
	s := openStore(t)
	project := mem.Project{Key: "p", Name: "app", Root: "/app", Common: "/app/.git"}
	id := apply(t, s, mem.Batch{Project: &project, Memories: []mem.Memory{fact("the clock is fast")}})[0].IDs[0]
	q := clock()
	q.Project = "p_other"
	expect(t, search(t, s, q))
	project.Key = "p_other" // the remote has changed
	apply(t, s, mem.Batch{Project: &project})
	expect(t, search(t, s, q), id)
}

func TestPurgeLeavesNothingInTheIndex(t *testing.T) {
	s := openStore(t)
	secret := fact("the clock says swordfish")
	secret.Files = []string{"swordfish/plan.txt"}
	ids := apply(t, s, mem.Batch{Memories: []mem.Memory{secret, fact("the clock is slow")}})[0].IDs
	expect(t, search(t, s, mem.Query{Text: "swordfish", Within: "*"}), ids[0])
	if _, err := s.Purge(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Search(t.Context(), Query{Query: clock()}); ok || s.built != nil {
		t.Fatal("the index answers after a purge before it is rebuilt")
	}
	if len(s.wake) != 1 {
		t.Error("the index is not rebuilt")
	}
	if err := s.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, search(t, s, clock()), ids[1])
	if text := s.built.memories.vocabulary.text.String(); strings.Contains(text, "sword") {
		t.Errorf("still a term: %q", text)
	}
}

func TestBuildThatAPurgeOvertookIsNotUsed(t *testing.T) {
	s := openStore(t)
	s.Store = purging{s.Store, s.reset}
	if err := s.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.built != nil {
		t.Error("an index that was read before a purge is used after it")
	}
}

// purging is a store that is purged while it is read.
type purging struct {
	mem.Store
	purge func()
}

func (p purging) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	p.purge()
	return p.Store.List(ctx, q)
}

func TestManyMemoriesOfOneTimeAreAllRead(t *testing.T) {
	st := NewStore(sqlitetest.Open(t, nil))
	var b mem.Batch
	for i := range 2*page + 300 {
		m := fact(fmt.Sprint("clock ", i))
		if i < 200 {
			m.Created = noon.Add(-time.Hour)
		}
		b.Memories = append(b.Memories, m)
	}
	apply(t, st, b)
	if err := st.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := st.built.memories.Len(); got != len(b.Memories) {
		t.Errorf("%d memories in the index, want %d", got, len(b.Memories))
	}
}

// TestIndexAgreesWithTheStoreAfterAnyChange changes a store at random and compares what its index finds with what an
// index finds that is built anew.
func TestIndexAgreesWithTheStoreAfterAnyChange(t *testing.T) {
	s := openStore(t)
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("clock printer retry webhook invoice batch gateway session branch lock queue cache login")
	text := func(n int) string {
		var out []string
		for range 1 + r.IntN(n) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	var ids []string
	id := func() string { return ids[r.IntN(len(ids))] }
	made := func(step int) mem.Memory {
		m := note("", text(6), text(20), text(1)+".go")
		m.ID, m.Status, m.Created, m.Session = "", "", noon.Add(time.Duration(step)*time.Second), fmt.Sprint("s", r.IntN(3))
		if r.IntN(3) == 0 {
			m.Kind, m.Who = mem.Utterance, "user"
		}
		if len(ids) > 0 && r.IntN(4) == 0 {
			m.Supersedes = id()
		}
		if len(ids) > 0 && r.IntN(4) == 0 {
			m.Body += " as " + id() + " says"
		}
		return m
	}
	purges, matches := 0, 0
	for step := range 300 {
		switch n := r.IntN(12); {
		case len(ids) == 0 || n < 6:
			for _, res := range apply(t, s, mem.Batch{Memories: []mem.Memory{made(2 * step), made(2*step + 1)}}) {
				ids = append(ids, res.IDs...)
			}
		case n < 9:
			status := []mem.Status{mem.Active, mem.Archived, mem.Forgotten}[r.IntN(3)]
			apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: id(), Status: &status}}})
		case n < 10:
			title, body := text(6), text(20)
			apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: id(), Title: &title, Body: &body, Index: new(string)}}})
		case n < 11:
			_, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{made(2 * step)}, Edits: []mem.Edit{{ID: "none"}}})
			if err == nil {
				t.Fatal("an edit of nothing succeeds")
			}
		case r.IntN(2) == 0: // between purges, enough changes come together
			purges++
			if _, err := s.Purge(t.Context(), id()); err != nil {
				t.Fatal(err)
			}
			ids = slices.DeleteFunc(ids, func(one string) bool {
				_, err := s.List(t.Context(), mem.Query{IDs: []string{one}, Hidden: true, Within: "*"})
				return errors.Is(err, mem.ErrNotFound)
			})
			if err := s.Build(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if step%4 != 0 {
			continue
		}
		fresh := NewStore(s.Store)
		if err := fresh.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, kinds := range [][]mem.Kind{nil, {mem.Utterance}} {
			q := mem.Query{Text: text(3), Project: "p", Within: "*", Kinds: kinds, Statuses: []mem.Status{
				mem.Active, mem.Archived,
			}}
			got, want := candidates(t, s, q), candidates(t, fresh, q)
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-5, 0)); d != "" {
				t.Fatalf("step %d, %q of kinds %v: -built anew +changed\n%s", step, q.Text, kinds, d)
			}
			matches += len(got)
		}
	}
	if purges < 5 || matches < 1000 {
		t.Errorf("%d purges and %d matches compared, want 5 and 1000 or more", purges, matches)
	}
}

// candidates returns what a query finds in the store's index, best first, with scores. The title's share is left out:
// it is the only part that counts removed memories until the index is compacted.
func candidates(t *testing.T, s *Store, q mem.Query) []Candidate {
	t.Helper()
	r, ok := s.Search(t.Context(), Query{Query: q, Now: noon, Without: map[string]bool{rank.PartTitle: true}})
	if !ok {
		t.Fatalf("the index does not answer %+v", q)
	}
	for _, c := range r.Candidates {
		delete(c.Parts, rank.PartTitle)
	}
	return r.Candidates
}

func TestReadersAndWritersShareTheStore(t *testing.T) {
	const answers = 60 // of each writer
	s := openStore(t)
	var writers, runs sync.WaitGroup
	deadline := time.Now().Add(30 * time.Second)
	for w := range 2 {
		writers.Go(func() {
			answered := 0
			for i := 0; answered < answers; i++ {
				if time.Now().After(deadline) {
					t.Errorf("the index answered %d of %d searches, want %d", answered, i, answers)
					return
				}
				title := fmt.Sprint("clock ", w, " ", i)
				r, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{fact(title)}})
				if err != nil {
					t.Error(err)
					return
				}
				found, ok := s.Search(t.Context(), Query{Query: mem.Query{Text: title, Within: "*"}})
				if !ok {
					continue
				}
				answered++
				if !slices.ContainsFunc(found.Candidates, func(c Candidate) bool { return c.ID == r[0].IDs[0] }) {
					t.Errorf("%s is not found", r[0].IDs[0])
				}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	runs.Go(func() { s.Run(ctx, func(err error) { t.Error(err) }) })
	for range 5 {
		s.reset()
		time.Sleep(5 * time.Millisecond)
	}
	writers.Wait()
	stop()
	runs.Wait()
}

func TestASharedStoreHasAnIndexWhileItGetsWhatOthersWrite(t *testing.T) {
	under := sqlitetest.Open(t, nil)
	s := NewSharedStore(under)
	finds := func(text string) (found bool, ok bool) {
		r, ok := s.Search(t.Context(), Query{Query: mem.Query{Text: text, Project: "p", Within: "*"}, Now: noon})
		return len(r.Candidates) > 0, ok
	}
	others := func(text string) string {
		r, err := under.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{fact(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return r[0].IDs[0]
	}
	build := func() {
		if err := s.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	others("the keeper counts gulls")
	if build(); s.built != nil {
		t.Error("there is an index before it gets changes")
	}
	s.Resume()
	build()
	if found, ok := finds("gulls"); !found || !ok {
		t.Errorf("after Resume: found %v, answered %v", found, ok)
	}
	id := others("the harbour bell rings twice")
	s.Touch(id)
	if found, ok := finds("bell"); !found || !ok {
		t.Errorf("what another wrote: found %v, answered %v", found, ok)
	}
	if _, err := under.Purge(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	s.Touch(id)
	if found, ok := finds("bell"); found || !ok {
		t.Errorf("what another purged: found %v, answered %v", found, ok)
	}
	s.Pause()
	if _, ok := finds("gulls"); ok {
		t.Error("it answers from an index that may miss changes")
	}
	others("the lamp burns rapeseed oil")
	s.Resume()
	build()
	if found, ok := finds("rapeseed"); !found || !ok {
		t.Errorf("what was missed: found %v, answered %v", found, ok)
	}
}

func TestBuildingTheIndexGivesWayBeforeEachPart(t *testing.T) {
	s := NewStore(sqlitetest.Open(t, nil))
	var ms []mem.Memory
	for i := range page + 1 {
		ms = append(ms, fact(fmt.Sprintf("the keeper of lamp %d counts gulls", i)))
	}
	apply(t, s, mem.Batch{Memories: ms})
	gave := 0
	s.GiveWay = func(context.Context) { gave++ }
	if err := s.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := 3; gave != want || s.Len() != len(ms) { // two parts of memories, one of no utterances
		t.Errorf("gave way %d times, want %d; %d memories in the index, want %d", gave, want, s.Len(), len(ms))
	}
}

func TestTriedWaitsForTheFirstIndex(t *testing.T) {
	s := NewStore(sqlitetest.Open(t, nil))
	apply(t, s, mem.Batch{Memories: []mem.Memory{fact("the keeper counts gulls")}})
	select {
	case <-s.Tried():
		t.Fatal("before Run")
	default:
	}
	go s.Run(t.Context(), func(err error) { t.Error(err) })
	<-s.Tried()
	if s.Len() != 1 {
		t.Errorf("%d memories in the index, want 1", s.Len())
	}
}

// A prompt waits for an index that is nearly there. Building does not wait for the prompt meanwhile.
func TestAwaitWaitsForAnIndexThatIsBeingBuilt(t *testing.T) {
	s := NewStore(sqlitetest.Open(t, nil))
	apply(t, s, mem.Batch{Memories: []mem.Memory{fact("the keeper counts gulls")}})
	s.Await(t.Context(), time.Hour) // Run was not called
	s.awaited.Add(1)                // as by a prompt that came first
	s.GiveWay = func(context.Context) { t.Error("building gave way") }
	go s.Run(t.Context(), func(err error) { t.Error(err) })
	<-s.Tried()
	s.Await(t.Context(), time.Hour)
	if s.Len() != 1 {
		t.Errorf("%d memories in the index, want 1", s.Len())
	}
	slow := NewStore(sqlitetest.Open(t, nil))
	slow.began.Store(true) // and never builds it
	slow.Await(t.Context(), time.Millisecond)
}
