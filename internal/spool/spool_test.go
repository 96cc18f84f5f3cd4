package spool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"remanence/internal/mem"
	"remanence/internal/spool"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func prompt(session string, n int) mem.Event {
	e := mem.Event{
		Agent: "claude-code", Kind: mem.UserPromptSubmit, At: noon.Add(time.Duration(n) * time.Second),
		Session: session, PromptID: fmt.Sprint(session, "-", n), Text: fmt.Sprintf("prompt %d\x1eRMS ü", n),
	}
	e.Identify("n")
	return e
}

func put(t *testing.T, s *spool.Spool, events ...mem.Event) {
	t.Helper()
	for _, e := range events {
		if r, err := s.Handle(t.Context(), e); err != nil || !r.Empty() {
			t.Fatalf("handle %s: %+v, %v; want silence", e.ID, r, err)
		}
	}
}

// drain empties s and returns the texts in the order of delivery.
func drain(t *testing.T, s *spool.Spool) []string {
	t.Helper()
	var got []string
	n, err := s.Drain(t.Context(), 0, func(_ context.Context, events []mem.Event) error {
		for _, e := range events {
			got = append(got, e.PromptID)
		}
		return nil
	})
	if err != nil || n != len(got) {
		t.Fatalf("drained %d, %v; want %d", n, err, len(got))
	}
	return got
}

func open(t *testing.T) (*spool.Spool, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state", "spool")
	return spool.Open(spool.Config{Dir: dir}), dir
}

func TestWhatIsAppendedIsHandedOverOnce(t *testing.T) {
	s, _ := open(t)
	if !s.Empty() {
		t.Fatal("a spool that was never used is not empty")
	}
	e := prompt("a", 1)
	put(t, s, e)
	if s.Empty() {
		t.Fatal("empty after an append")
	}
	var got []mem.Event
	if _, err := s.Drain(t.Context(), 0, func(_ context.Context, events []mem.Event) error {
		got = append(got, events...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].ID != e.ID || got[0].Text != e.Text || !got[0].At.Equal(e.At) {
		t.Errorf("got %+v, want %+v", got, e)
	}
	if again := drain(t, s); len(again) != 0 || !s.Empty() {
		t.Errorf("handed over again: %v, empty %t", again, s.Empty())
	}
}

func TestOpeningTouchesNoFile(t *testing.T) {
	_, dir := open(t)
	if _, err := os.Lstat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no such folder", err)
	}
}

func TestOnlyTheOwnerCanRead(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	s.Count("x")
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSmallBacklogComesAsItWasWritten(t *testing.T) {
	s, _ := open(t)
	put(t, s, prompt("a", 1), prompt("b", 2), prompt("a", 3), prompt("b", 4))
	if got, want := drain(t, s), []string{"a-1", "b-2", "a-3", "b-4"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestClockSetBackDoesNotChangeTheOrderOfASession(t *testing.T) {
	s, _ := open(t)
	put(t, s, prompt("a", 100), prompt("a", 3), prompt("a", 50))
	if got, want := drain(t, s), []string{"a-100", "a-3", "a-50"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLargeBacklogComesNewestSessionFirstInBoundedBatches(t *testing.T) {
	s, _ := open(t)
	for i := range 150 {
		put(t, s, prompt("old", 2*i), prompt("older", i), prompt("newest", 1000+i))
	}
	var got []string
	for calls := 0; !s.Empty(); calls++ {
		if calls > 10 {
			t.Fatal("never done")
		}
		n, err := s.Drain(t.Context(), 70, func(_ context.Context, events []mem.Event) error {
			for _, e := range events {
				got = append(got, e.PromptID)
			}
			return nil
		})
		if err != nil || n > 70 {
			t.Fatalf("drained %d, %v; want at most 70", n, err)
		}
		if calls == 0 {
			put(t, s, prompt("newest", 2000))
		}
	}
	var want []string
	for i := range 150 {
		want = append(want, fmt.Sprint("newest-", 1000+i))
	}
	want = append(want, "newest-2000")
	for i := range 150 {
		want = append(want, fmt.Sprint("old-", 2*i))
	}
	for i := range 150 {
		want = append(want, fmt.Sprint("older-", i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	s, _ := open(t)
	for i := range 450 {
		put(t, s, prompt("a", i))
	}
	big := prompt("b", 1000)
	big.Text = strings.Repeat("x", 3<<20)
	put(t, s, big, big, big)
	var sizes []int
	_, err := s.Drain(t.Context(), 0, func(_ context.Context, events []mem.Event) error {
		sizes = append(sizes, len(events))
		return nil
	})
	// The big ones come first: two fill a batch of 8 MiB, the third shares one.
	if want := []int{2, 200, 200, 51}; err != nil || !slices.Equal(sizes, want) {
		t.Errorf("got batches of %v, %v; want %v", sizes, err, want)
	}
}

func TestWhatIsNotAcknowledgedComesAgain(t *testing.T) {
	s, _ := open(t)
	put(t, s, prompt("a", 1), prompt("a", 2))
	broken := errors.New("store is away")
	n, err := s.Drain(t.Context(), 0, func(context.Context, []mem.Event) error { return broken })
	if n != 0 || !errors.Is(err, broken) || s.Empty() {
		t.Fatalf("got %d, %v, empty %t; want 0 and the keeper's error", n, err, s.Empty())
	}
	put(t, s, prompt("a", 3))
	if got, want := drain(t, s), []string{"a-1", "a-2", "a-3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNextProcessGoesOnWhereTheLastWasKilled(t *testing.T) {
	s, dir := open(t)
	for i := range 500 {
		put(t, s, prompt("a", i))
	}
	got := map[string]int{}
	count := func(_ context.Context, events []mem.Event) error {
		for _, e := range events {
			got[e.ID]++
		}
		return nil
	}
	func() { // a process that ends between keeping and marking its second batch
		defer func() { _ = recover() }()
		batches := 0
		_, _ = s.Drain(t.Context(), 0, func(ctx context.Context, events []mem.Event) error {
			_ = count(ctx, events)
			if batches++; batches == 2 {
				panic("killed")
			}
			return nil
		})
	}()
	if _, err := spool.Open(spool.Config{Dir: dir}).Drain(t.Context(), 0, count); err != nil {
		t.Fatal(err)
	}
	twice := 0
	for _, n := range got {
		if n == 2 {
			twice++
		}
	}
	if len(got) != 500 || twice != 200 {
		t.Errorf("got %d events, %d of them twice; want 500, and 200 twice", len(got), twice)
	}
}

func TestDamagedRecordCostsItselfOnly(t *testing.T) {
	s, dir := open(t)
	log := filepath.Join(dir, "pending", "events.log")
	var ends []int64
	for i := range 5 {
		put(t, s, prompt("a", i))
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, info.Size())
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	b[ends[0]+60] ^= 1                                  // a flipped bit in the second
	b = slices.Delete(b, int(ends[2])+40, int(ends[3])) // a short write of the fourth
	if err := os.WriteFile(log, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := drain(t, s), []string{"a-0", "a-2", "a-4"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := spool.Counters(dir)["damaged"]; n != 2 || !s.Empty() {
		t.Errorf("counted %d damaged, empty %t; want 2, true", n, s.Empty())
	}
}

func TestARecordThatIsNoEventIsCountedOnceHoweverOftenItsBatchComesAgain(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	log := filepath.Join(dir, "pending", "events.log")
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, append(spool.Frame([]byte(`"no event"`), noon, "a"), b...), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("store is away")
	for range 3 {
		if _, err := s.Drain(t.Context(), 0, func(context.Context, []mem.Event) error {
			return broken
		}); !errors.Is(err, broken) {
			t.Fatalf("got %v, want the keeper's error", err)
		}
	}
	if got, want := drain(t, s), []string{"a-1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := spool.Counters(dir)["damaged"]; n != 1 || !s.Empty() {
		t.Errorf("counted %d damaged, empty %t; want 1, true", n, s.Empty())
	}
}

func TestRecordsOfANewerVersionStay(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	log := filepath.Join(dir, "pending", "events.log")
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	newer := spool.NewerFrame([]byte(`{"shape":"unheard of"}`), noon, "a")
	if err := os.WriteFile(log, append(newer, b...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := drain(t, s), []string{"a-1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if again := drain(t, spool.Open(spool.Config{Dir: dir})); len(again) != 0 || s.Empty() {
		t.Errorf("got %v again, empty %t; want nothing again, and the newer record kept", again, s.Empty())
	}
}

func TestHeldLockDoesNotStopAnAppend(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1), prompt("a", 3))
	lock := flock.New(filepath.Join(dir, "log.lock"))
	if ok, err := lock.TryLock(); !ok {
		t.Fatal(err)
	}
	put(t, s, prompt("a", 2), prompt("b", 9))
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	singles, _ := filepath.Glob(filepath.Join(dir, "pending", "*.rec"))
	if len(singles) != 2 {
		t.Errorf("got %v, want two single records", singles)
	}
	if got, want := drain(t, s), []string{"a-1", "a-2", "a-3", "b-9"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !s.Empty() {
		t.Error("not empty after the drain")
	}
}

func TestOnlyOneProcessDrains(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	other := spool.Open(spool.Config{Dir: dir})
	_, err := s.Drain(t.Context(), 0, func(ctx context.Context, _ []mem.Event) error {
		n, err := other.Drain(ctx, 0, func(context.Context, []mem.Event) error { return nil })
		if n != 0 || err != nil {
			t.Errorf("the second drain got %d, %v; want nothing to do", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLastSpaceIsForWhatMattersMost(t *testing.T) {
	dir := t.TempDir()
	s := spool.Open(spool.Config{Dir: dir, MaxBytes: 100_000})
	refused := map[mem.EventKind]int{}
	fill := mem.Event{Kind: mem.PreCompact, Session: "a", At: noon, Text: strings.Repeat("x", 700)}
	order := []mem.EventKind{}
	for range 200 {
		for _, k := range []mem.EventKind{mem.Notification, mem.PostToolUse, mem.SessionEnd} {
			_, err := s.Handle(t.Context(), mem.Event{Kind: k, Session: "a", At: noon})
			if err == nil {
				continue
			}
			if !errors.Is(err, spool.ErrFull) {
				t.Fatal(err)
			}
			if refused[k]++; refused[k] == 1 {
				order = append(order, k)
			}
		}
		_, _ = s.Handle(t.Context(), fill)
	}
	if want := []mem.EventKind{mem.Notification, mem.PostToolUse, mem.SessionEnd}; !slices.Equal(order, want) {
		t.Errorf("refused in the order %v, want %v", order, want)
	}
	counters := spool.Counters(dir)
	for k, n := range refused {
		if got := counters["refused-"+string(k)]; got != int64(n) {
			t.Errorf("counted %d refused %s, want %d", got, k, n)
		}
	}
	st, err := s.Stat()
	if err != nil || st.Bytes > 100_000 || st.Bytes < 99_000 {
		t.Errorf("spool has %d bytes, %v; want just under the cap", st.Bytes, err)
	}
}

func TestStatReportsWhatWaits(t *testing.T) {
	s, _ := open(t)
	if st, err := s.Stat(); st != (spool.Stat{}) || err != nil {
		t.Fatalf("got %+v, %v; want nothing", st, err)
	}
	put(t, s, prompt("a", 5), prompt("b", 2))
	if _, err := s.Drain(t.Context(), 1, func(context.Context, []mem.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	put(t, s, prompt("b", 9))
	st, err := s.Stat()
	if err != nil || st.Records != 2 || st.Bytes == 0 || !st.Oldest.Equal(noon.Add(5*time.Second)) {
		t.Errorf("got %+v, %v; want 2 records, the older from %v", st, err, noon.Add(5*time.Second))
	}
}

func TestSpoolThatCanNotWriteSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := spool.Open(spool.Config{Dir: filepath.Join(file, "spool")})
	if _, err := s.Handle(t.Context(), prompt("a", 1)); err == nil {
		t.Error("kept an event below a file")
	}
	s.Count("x")
	if got := spool.Counters(filepath.Join(file, "spool")); len(got) != 0 {
		t.Errorf("got counters %v", got)
	}
}

func TestCountersKeepToTheirFolder(t *testing.T) {
	s, dir := open(t)
	for _, bad := range []string{"", "../x", "a/b", ".", "..", ".hidden"} {
		s.Count(bad)
	}
	s.Count("time")
	s.Count("time")
	if got := spool.Counters(dir); len(got) != 1 || got["time"] != 2 {
		t.Errorf("got %v, want time 2", got)
	}
}

func TestWhatCannotBeCountedInItsPlaceIsCountedInTheRoomLeftForIt(t *testing.T) {
	dir := t.TempDir()
	s := spool.Open(spool.Config{Dir: dir})
	s.Prepare()
	s.Prepare() // again changes nothing
	if got := spool.Counters(dir); len(got) != 0 {
		t.Fatalf("got %v before anything was lost", got)
	}
	// A folder in the place of the count is what a full disk is: no file can be written.
	if err := os.MkdirAll(filepath.Join(dir, "count", "handler", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Count("handler")
	s.Count("handler")
	s.Count("time")
	if got := spool.Counters(dir); got["no-room"] != 2 || got["time"] != 1 || len(got) != 2 {
		t.Errorf("got %v, want 2 no-room and 1 time", got)
	}
	if err := spool.Forgive(dir); err != nil {
		t.Fatal(err)
	}
	if got := spool.Counters(dir); len(got) != 0 {
		t.Errorf("got %v after they were seen", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "count", "no-room")); err != nil || info.Size() != 1 {
		t.Errorf("the room is gone: %v", err)
	}
}

func TestIfNothingCanBeWrittenLossesAreCountedInTheFallback(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fallback := filepath.Join(t.TempDir(), "fallback")
	s := spool.Open(spool.Config{Dir: filepath.Join(file, "spool"), Fallback: func() (string, error) {
		return fallback,
			nil
	}})
	s.Prepare()
	s.Count("handler")
	if got := spool.Counters(filepath.Join(file, "spool"), fallback); got["handler"] != 1 || len(got) != 1 {
		t.Errorf("got %v, want one", got)
	}
	if err := spool.Forgive(filepath.Join(file, "spool"), fallback); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(fallback); err == nil {
		t.Error("the fallback place is left")
	}
}

func TestAnUnfinishedRecordBlocksNothing(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	if s.Since().IsZero() {
		t.Error("an event waits since no time")
	}
	if err := os.WriteFile(filepath.Join(dir, "pending", "1-9-killed.tmp"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	drain(t, s)
	if since := s.Since(); !since.IsZero() {
		t.Errorf("nothing waits, but since %s", since)
	}
}

func TestWhatAKilledHookLeftKeepsTheSpoolFromBeingEmptyForSecondsOnly(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	file := filepath.Join(dir, "pending", "1-9-killed.tmp")
	if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	drain(t, s)
	if s.Empty() {
		t.Error("a record that may still be written is removed")
	}
	then := time.Now().Add(-15 * time.Second)
	if err := os.Chtimes(file, then, then); err != nil {
		t.Fatal(err)
	}
	drain(t, s)
	if !s.Empty() {
		t.Error("the spool is not empty")
	}
}
