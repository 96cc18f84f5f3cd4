//go:build backends

package surreal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/mem"
)

// Daemons that write at once lose nothing and double nothing, and one hears what all wrote. With REMANENCE_LONG there
// are five of them.
func TestManyWriteAtOnce(t *testing.T) {
	writers, each := 2, 15
	if os.Getenv("REMANENCE_LONG") != "" {
		writers, each = 5, 50
	}
	stores := make([]*Store, writers)
	for i := range stores {
		stores[i] = open(t, Config{
			DSN: server.DSN("test", "many"), Process: fmt.Sprint("daemon", i), Wait: 10 * time.Minute, Limit: time.Minute,
			Poll: 10 * time.Millisecond,
		})
	}
	received := make(chan string, 10_000)
	ready := make(chan struct{})
	go func() {
		_ = stores[0].Listen(t.Context(), func() { close(ready) }, func(text string) { received <- text })
	}()
	<-ready
	begun := time.Now()
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() {
			for n := range each {
				id := fmt.Sprintf("e_%d_%d", i, n)
				both := mem.Event{
					ID: fmt.Sprintf("e_both_%d", n), Session: "one", Kind: "Notification", Text: "both", At: time.Now(),
				}
				if _, err := s.Apply(t.Context(), mem.Batch{
					Event:    &mem.Event{ID: id, Session: "one", Kind: "Notification", Text: id, At: time.Now()},
					Memories: []mem.Memory{{Title: "of " + id, Kind: mem.Decision, Scope: mem.ScopeUser, Key: id}},
				}, mem.Batch{Event: &both}); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d daemons wrote %d each in %v", writers, each, time.Since(begun).Round(time.Millisecond))
	events, err := stores[0].Events(t.Context(), mem.EventQuery{Limit: 10_000})
	if want := (writers + 1) * each; err != nil || len(events) != want {
		t.Fatalf("%d events, %v, want %d", len(events), err, want)
	}
	memories, err := stores[1].List(t.Context(), mem.Query{Limit: 10_000})
	if want := writers * each; err != nil || len(memories) != want {
		t.Fatalf("%d memories, %v, want %d", len(memories), err, want)
	}
	for texts := ""; strings.Count(texts, `"m_`) < writers*each; {
		select {
		case text := <-received:
			texts += text
		case <-time.After(time.Minute):
			t.Fatalf("received %s, want all memories", texts)
		}
	}
}

// The limit of a page is taken after its conditions, however many records there are before.
func TestPagesLoseNoRecords(t *testing.T) {
	s := openStore(t)
	for part := range 4 {
		var batches []mem.Batch
		for n := range 50 {
			id := fmt.Sprintf("%d_%d", part, n)
			batches = append(batches, mem.Batch{Event: &mem.Event{
				ID: "e_" + id, Session: fmt.Sprintf("s%d", part), Kind: "PostToolUse", Tool: fmt.Sprintf("T%d", n), Text: id,
				At: time.Now(),
			}})
		}
		if _, err := s.Apply(t.Context(), batches...); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []mem.EventQuery{
		{Session: "s1", Tool: "T7"},
		{Tool: "T7", Limit: 4},
		{Session: "s2", Tool: "T*", Limit: 3},
	} {
		want := map[string]int{"T7": 1, "T*": 3}[q.Tool]
		if q.Session == "" {
			want = 4
		}
		got, err := s.Events(t.Context(), q)
		if err != nil || len(got) != want {
			t.Errorf("%+v: %d events, %v, want %d", q, len(got), err, want)
		}
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(server.Password), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want error
	}{
		"no password":         {nil, mem.ErrAway},
		"a wrong one":         {map[string]string{"SURREAL_PASS": "hunter2"}, mem.ErrAway},
		"one that all read":   {map[string]string{"SURREAL_PASSFILE": file}, mem.ErrUnsafe},
		"one that is no file": {map[string]string{"SURREAL_PASSFILE": file + "x"}, mem.ErrUnsafe},
	} {
		_, err := Open(t.Context(), Config{
			DSN: server.DSN("test", "in"), Getenv: func(name string) string { return c.env[name] },
		})
		if !errors.Is(err, c.want) || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A list of more values than the server finds by an index is looked up in parts, and the sums that the server keeps
// follow each write.
func TestLongListsAreWholeAndSumsFollow(t *testing.T) {
	s := openStore(t)
	const n = 2*mostUnited + 5
	var batches []mem.Batch
	for i := range n {
		batches = append(batches, mem.Batch{Memories: []mem.Memory{{
			Title: fmt.Sprint("lock ", i), Kind: mem.Decision, Scope: mem.ScopeUser, Key: fmt.Sprint(i),
		}}})
	}
	if _, err := s.Apply(t.Context(), batches...); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context(), mem.Query{Limit: 2 * n})
	if err != nil || len(all) != n {
		t.Fatalf("%d memories, %v, want %d", len(all), err, n)
	}
	ids := make([]string, n)
	for i, m := range all {
		ids[i] = m.ID
	}
	got, err := s.List(t.Context(), mem.Query{IDs: append(ids, ids...), ExactIDs: true})
	if err != nil || len(got) < n {
		t.Errorf("%d of the named memories, %v, want %d", len(got), err, n)
	}
	if _, err := s.Purge(t.Context(), ids[:40]...); err != nil {
		t.Fatal(err)
	}
	st, err := s.Stats(t.Context(), "", time.Time{})
	if err != nil || st.Memories != n-40 || st.Today != n-40 {
		t.Errorf("%d memories, %d since ever, %v, want %d", st.Memories, st.Today, err, n-40)
	}
	corpus, err := s.Count(t.Context(), mem.Query{Text: "lock"})
	if err != nil || corpus.Size != n-40 {
		t.Errorf("a search is among %d memories, %v, want %d", corpus.Size, err, n-40)
	}
}
