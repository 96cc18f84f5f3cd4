package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// event returns a batch like those of a busy session.
func event(id, session string) mem.Batch {
	return mem.Batch{
		Event: &mem.Event{
			ID: id, Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(), Session: session, PromptID: "p1",
			Tool: "Bash", ToolUseID: id,
			Input: []byte(`{"command":"go test ./..."}`), Response: []byte(`{"stdout":"` + strings.Repeat("ok ", 200) + `"}`),
		},
		Session: &mem.SessionChange{Status: mem.Running},
	}
}

// hold keeps the write lock until the returned function is called.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	unlock, err := s.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

// waiting returns when n calls wait.
func waiting(s *Store, n int) {
	for {
		s.queue.mu.Lock()
		got := len(s.queue.waiting)
		s.queue.mu.Unlock()
		if got == n {
			return
		}
	}
}

func TestWaitingCallsAreWrittenInOneGroup(t *testing.T) {
	s := openStore(t)
	release := hold(t, s)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := s.Apply(t.Context(), event(fmt.Sprint("e_", i), "one")); err != nil {
				t.Error(err)
			}
		})
	}
	waiting(s, 20)
	group := s.queue.take()
	if len(group) != 20 {
		t.Errorf("the next group has %d calls, want all 20", len(group))
	}
	s.queue.mu.Lock()
	s.queue.waiting = append(s.queue.waiting, group...)
	s.queue.mu.Unlock()
	release()
	wg.Wait()
}

func TestAGroupIsBounded(t *testing.T) {
	q := newQueue()
	for range 5 {
		if err := q.add(&call{batches: make([]mem.Batch, 100)}); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int
	for range 4 {
		sizes = append(sizes, len(q.take()))
	}
	if got := fmt.Sprint(sizes); got != "[2 2 1 0]" {
		t.Errorf("groups of %s calls, want [2 2 1 0]", got)
	}
}

func TestACancelledCallDoesNotAffectOthers(t *testing.T) {
	s := openStore(t)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var gaveUp, stayed error
	wg.Go(func() { _, gaveUp = s.Apply(ctx, event("e_1", "one")) })
	waiting(s, 1)
	wg.Go(func() { _, stayed = s.Apply(t.Context(), event("e_2", "one")) })
	waiting(s, 2)
	cancel()
	waiting(s, 1)
	release()
	wg.Wait()
	if !errors.Is(gaveUp, context.Canceled) || stayed != nil {
		t.Errorf("errors %v and %v, want %v and none", gaveUp, stayed, context.Canceled)
	}
	got, err := s.Events(t.Context(), mem.EventQuery{})
	if err != nil || len(got) != 1 || got[0].ID != "e_2" {
		t.Errorf("events %+v, %v, want e_2 alone", got, err)
	}
}

func TestCloseWritesWaitingCalls(t *testing.T) {
	s := openStore(t)
	release := hold(t, s)
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			if _, err := s.Apply(t.Context(), event(fmt.Sprint("e_", i), "one")); err != nil {
				t.Errorf("a call that waited: %v", err)
			}
		})
	}
	waiting(s, 5)
	wg.Go(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	release()
	wg.Wait()
	again := openAt(t, s.path)
	defer closeStore(t, again)
	if got, err := again.Events(t.Context(), mem.EventQuery{}); err != nil || len(got) != 5 {
		t.Errorf("%d events, %v, want 5", len(got), err)
	}
}

func TestTheLogStaysBounded(t *testing.T) {
	s := openStore(t)
	// SQLite does not restart the log while a reader is open.
	tx, err := s.read.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM event").Scan(&n); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 1<<20)
	write := func(from, to int) {
		for i := from; i < to; i++ {
			b := event(fmt.Sprint("e_", i), "one")
			b.Event.Text = big
			apply(t, s, b)
		}
	}
	write(0, 40)
	if got := fileSize(s.path + "-wal"); got <= maxWAL {
		t.Fatalf("the log has %d bytes under a reader that stays; this proves nothing", got)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	write(40, 41+logRest)
	if got := fileSize(s.path + "-wal"); got > maxWAL {
		t.Errorf("the log has %d bytes, want at most %d", got, maxWAL)
	}
}

// What commits without a sync leave in the log is synced and checkpointed by their writer, and not by the next event
// that a hook waits for.
func TestCommitsWithoutASyncLeaveNoLongLog(t *testing.T) {
	s := openStore(t)
	for i := range 10 * mostUnsynced {
		b := event(fmt.Sprint("e_", i), "one")
		b.Event.Recovered, b.Event.Text = true, strings.Repeat("x", 20<<10)
		apply(t, s, b)
	}
	if got, most := fileSize(s.path+"-wal"), int64(3*mostUnsynced*(60<<10)); got > most {
		t.Errorf("the log has %d bytes, want at most %d", got, most)
	}
}

func BenchmarkApply(b *testing.B) {
	for _, callers := range []int{1, 16} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s := openStore(b)
			var wg sync.WaitGroup
			b.ResetTimer()
			for c := range callers {
				wg.Go(func() {
					for i := c; i < b.N; i += callers {
						if _, err := s.Apply(b.Context(), event(fmt.Sprint("e_", i), fmt.Sprint("session ", c))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// cancelledAt is a context that is cancelled at the n-th call of Done.
type cancelledAt struct {
	left atomic.Int32
	gone chan struct{}
}

func (h *cancelledAt) Deadline() (at time.Time, ok bool) { return at, false }
func (h *cancelledAt) Value(any) any                     { return nil }

func (h *cancelledAt) Done() <-chan struct{} {
	if h.left.Add(-1) == 0 {
		close(h.gone)
	}
	return h.gone
}

func (h *cancelledAt) Err() error {
	select {
	case <-h.gone:
		return context.Canceled
	default:
		return nil
	}
}

func TestACallCancelledDuringBeginLeavesNoTransactionOpen(t *testing.T) {
	path := databaseWithSecret(t, 0)
	s := openAt(t, path)
	defer closeStore(t, s)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	for n := range int32(3) {
		run(t, other, "BEGIN IMMEDIATE")
		h := &cancelledAt{gone: make(chan struct{})}
		h.left.Store(n + 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = s.transact(h, func(*writer) error { return nil }) // any outcome is accepted
		}()
		select {
		case <-h.gone:
		case <-done: // it failed
		}
		run(t, other, "ROLLBACK")
		<-done
		if _, err := s.Apply(t.Context(), event(fmt.Sprint("e_after", n), "one")); err != nil {
			t.Fatalf("cancelled when watched %d times: %v", n+1, err)
		}
	}
}

// The driver reports some cancelled queries as interrupted, and others with the context's error.
func TestACancelledQueryIsReportedAsCancelled(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "m.db"))
	defer closeStore(t, s)
	failed := 0
	for i := range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
		_, err := s.Stats(ctx, "", storetest.Clock())
		cancel()
		if err == nil {
			continue
		}
		failed++
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Error("no query was cancelled")
	}
}

func TestOnlyAnEventThatIsStillElsewhereIsNotSyncedAtOnce(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "m.db"))
	defer closeStore(t, s)
	for _, sql := range []string{
		"CREATE TEMP TABLE seen(synchronous)",
		"CREATE TEMP TRIGGER see AFTER INSERT ON event BEGIN " +
			"INSERT INTO seen SELECT synchronous FROM pragma_synchronous; END",
	} {
		if _, err := s.conn.ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	event := func(id string, recovered bool) mem.Batch {
		return mem.Batch{Event: &mem.Event{ID: id, Session: "one", Recovered: recovered}}
	}
	apply(t, s, event("e_1", false))
	apply(t, s, event("e_2", true))
	apply(t, s, event("e_3", true), event("e_4", false))
	apply(t, s, mem.Batch{Jobs: []mem.Job{{Kind: "k"}}})
	apply(t, s, event("e_5", false))
	spooled := event("e_6", false)
	spooled.SyncedLater = true
	apply(t, s, spooled)
	apply(t, s, event("e_7", false))
	var got string
	if err := s.conn.QueryRowContext(t.Context(), "SELECT group_concat(synchronous) FROM seen").Scan(&got); err != nil ||
		got != "2,1,2,2,2,1,2" {
		t.Errorf("synchronous is %s, %v; want FULL (2), except NORMAL (1) for e_2 and e_6 alone", got, err)
	}
}
