package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// talker is a daemon and a session in it, with the transcript that its client writes.
type talker struct {
	*Daemon
	t      testing.TB
	paths  config.Paths
	getenv func(string) string
	clock  time.Time
	dir    string
	n      int
}

func newTalker(t testing.TB) *talker {
	t.Helper()
	k := &talker{t: t, clock: time.Now().UTC().Truncate(time.Second), dir: t.TempDir()}
	k.getenv = environment(map[string]string{"HOME": t.TempDir()})
	var err error
	if k.paths, err = config.FindPaths(k.getenv, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(k.paths.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	k.opens()
	t.Cleanup(func() { _ = k.Store.Close() })
	return k
}

// opens is the start of a worker.
func (k *talker) opens() {
	k.t.Helper()
	h, err := New(k.t.Context(), config.System{Getenv: k.getenv, Now: func() time.Time {
		return k.clock
	}, Slack: time.Minute}, k.paths, discard(), Extension{})
	if err != nil {
		k.t.Fatal(err)
	}
	k.Daemon = h
}

func (k *talker) record() string { return filepath.Join(k.dir, "one.jsonl") }

// turn is a prompt and its answer, on record and reported.
func (k *talker) turn(prompt, answer string) {
	k.t.Helper()
	k.n++
	id := fmt.Sprint("p", k.n)
	k.reports(mem.Event{Kind: mem.UserPromptSubmit, PromptID: id, Text: prompt})
	k.writes(map[string]any{
		"type": "user", "uuid": "u" + id, "promptId": id,
		"message": map[string]any{"content": prompt},
	})
	k.writes(map[string]any{
		"type": "assistant", "uuid": "a" + id,
		"message": map[string]any{"id": id, "content": []any{map[string]any{"type": "text", "text": answer}}},
	})
	k.reports(mem.Event{Kind: mem.Stop, PromptID: id, Text: answer})
}

func (k *talker) writes(line map[string]any) {
	k.t.Helper()
	line["timestamp"] = k.clock.Format(time.RFC3339Nano)
	b, err := json.Marshal(line)
	if err != nil {
		k.t.Fatal(err)
	}
	f, err := os.OpenFile(k.record(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(b, '\n')); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talker) reports(e mem.Event) {
	k.t.Helper()
	k.clock = k.clock.Add(time.Second)
	e.Agent, e.Session, e.Root, e.At, e.Transcript = "claude-code", "one", k.dir, k.clock, k.record()
	e.Identify(k.clock.String())
	if _, err := k.Engine.Handle(k.t.Context(), e); err != nil {
		k.t.Fatal(err)
	}
}

// works does what is due after a time, as the queue does it.
func (k *talker) works(ctx context.Context, after time.Duration) error {
	k.t.Helper()
	k.clock = k.clock.Add(after)
	for {
		jobs, err := k.Store.Lease(k.t.Context(), mem.JobKinds{}, k.clock, time.Minute, 1)
		if err != nil || len(jobs) == 0 {
			return err
		}
		b, err := k.Work(ctx, jobs[0])
		if err != nil {
			return err
		}
		b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		if _, err := k.Store.Apply(k.t.Context(), b); err != nil {
			return err
		}
	}
}

func (k *talker) said() []string {
	k.t.Helper()
	ms, err := k.Store.List(k.t.Context(), mem.Query{Kinds: []mem.Kind{mem.Utterance}, Limit: 10_000})
	if err != nil {
		k.t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		out = append(out, m.Title)
	}
	slices.Reverse(out)
	return out
}

// bytes are those of every file of ours.
func (k *talker) bytes() string {
	k.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(k.paths.Data, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		b.Write(text)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return b.String()
}

func TestWhatWasSaidIsInTheStoreOnceTheSessionIsSilent(t *testing.T) {
	k := newTalker(t)
	k.turn("what colour has the lighthouse", "It is red with a white band.")
	if err := k.works(t.Context(), 2*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := k.said(); len(got) != 0 {
		t.Errorf("%q, while it goes on", got)
	}
	if err := k.works(t.Context(), 11*time.Minute); err != nil {
		t.Fatal(err)
	}
	if want := []string{"what colour has the lighthouse", "It is red with a white band."}; !slices.Equal(k.said(), want) {
		t.Errorf("got %q, want %q", k.said(), want)
	}
}

func TestWhatIsAnsweredToAPartlyPrivatePromptIsNotKeptAsItWasSaid(t *testing.T) {
	k := newTalker(t)
	k.turn("my badge is <private>swordfish</private>, greet me", "Hello, bearer of the swordfish badge.")
	k.turn("what colour has the lighthouse", "It is red with a white band.")
	if err := k.works(t.Context(), 11*time.Minute); err != nil {
		t.Fatal(err)
	}
	if want := []string{
		"my badge is , greet me", "what colour has the lighthouse",
		"It is red with a white band.",
	}; !slices.Equal(k.said(), want) {
		t.Errorf("got %q, want %q", k.said(), want)
	}
	if kept := readAll(t, k.paths.Transcripts()); strings.Contains(kept, "swordfish") {
		t.Errorf("the archive holds it: %s", kept)
	}
}

// The worker ends at any moment of the job, and another one begins.
func TestAWorkerThatDiesWhileItTakesInLosesAndDoublesNothing(t *testing.T) {
	k := newTalker(t)
	var want []string
	for n := range 130 {
		a, b := fmt.Sprintf("question number %d of the day", n), fmt.Sprintf("answer number %d of the day", n)
		k.turn(a, b)
		want = append(want, a, b)
	}
	k.reports(mem.Event{Kind: mem.SessionEnd, Source: "other"})
	for calls := 1; ; calls++ {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(int64(7 * calls))
		err := k.works(ctx, 2*time.Minute) // the lease of the dead one has run out
		if err == nil {
			break
		}
		if calls == 50 {
			t.Fatalf("it never ends: %v", err)
		}
		_ = k.Store.Close()
		k.opens()
	}
	if got := k.said(); !slices.Equal(got, want) {
		t.Errorf("%d utterances, want %d", len(got), len(want))
	}
	if n := strings.Count(readAll(t, k.paths.Transcripts()), `"who"`); n != len(want) {
		t.Errorf("%d lines in the archive, want %d", n, len(want))
	}
}

// endingContext ends after its error was read some times.
type endingContext struct {
	context.Context //nolint:containedctx // it is one
	left            atomic.Int64
}

func (d *endingContext) Err() error {
	if d.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func readAll(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

func TestErasedWordsLeaveEveryFileAndAreNotTakenInAgain(t *testing.T) {
	k := newTalker(t)
	k.turn("the launch code of the till is swordfish today", "I shall keep that in mind.")
	k.turn("and the lighthouse has a red lamp", "A red lamp it is then.")
	if err := k.works(t.Context(), 11*time.Minute); err != nil {
		t.Fatal(err)
	}
	ms, err := k.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Utterance}})
	if err != nil || len(ms) != 4 {
		t.Fatalf("%d utterances, %v, want 4", len(ms), err)
	}
	if _, err := k.purge(t.Context(), event.PurgeRequest{IDs: []string{ms[3].ID}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(k.bytes(), "swordfish") {
		t.Error("it is left in a file")
	}
	if !strings.Contains(k.bytes(), "red lamp") {
		t.Error("the rest is gone, too")
	}
	if err := os.RemoveAll(k.paths.Transcripts()); err != nil { // how far it was taken in is lost
		t.Fatal(err)
	}
	k.turn("is there more to say about it", "No, there is nothing more to say.")
	k.reports(mem.Event{Kind: mem.SessionEnd, Source: "other"})
	if err := k.works(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(k.bytes(), "swordfish") {
		t.Error("it came back")
	}
	if got := k.said(); len(got) != 5 {
		t.Errorf("kept %q, want the three that were left and two more", got)
	}
	if _, err := k.purge(t.Context(), event.PurgeRequest{IDs: []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	if b := k.bytes(); strings.Contains(b, "red lamp") || strings.Contains(b, "nothing more to say") {
		t.Error("words of the erased session are left in a file")
	}
	if left, _ := os.ReadDir(k.paths.Transcripts()); len(left) > 0 {
		t.Errorf("left in the archive: %v", left)
	}
}

func TestArchivedWordsGoWhenTheyAreAsOldAsPayloads(t *testing.T) {
	k := newTalker(t)
	k.turn("the lighthouse has a red lamp", "A red lamp it is then.")
	if err := k.works(t.Context(), 11*time.Minute); err != nil {
		t.Fatal(err)
	}
	after := 0
	for _, days := range []int{30, 62} { // in this order
		k.clock = k.clock.AddDate(0, 0, days)
		after += days
		for range 5 {
			if k.applyRetention(t.Context()) > 0 {
				break
			}
		}
		if got, want := strings.Contains(readAll(t, k.paths.Transcripts()), "red lamp"), after < 90; got != want {
			t.Errorf("after %d days it is there: %t, want %t", after, got, want)
		}
	}
	if got := k.said(); len(got) != 2 {
		t.Errorf("memories of it: %q, want both", got)
	}
}

func TestErasedWordsOfAnyRecordDoNotComeBack(t *testing.T) {
	for name, late := range map[string]bool{"quotes were taken in": false, "quotes are taken in later": true} {
		t.Run(name, func(t *testing.T) {
			k := newTalker(t)
			k.turn("the launch code of the till is Swordfish today\nand its lamp is green", "I shall keep that in mind.")
			k.turn("and the lighthouse has a red lamp", "A red lamp it is then: swordfish opens it.")
			k.turn("the swordfishmonger is not meant", "They are not.")
			k.reports(mem.Event{Kind: mem.Notification, Source: "idle", Text: "the agent waits for Swordfish"}) // no memory
			k.turn("paint the door of the pantry", "The door has two coats of blue paint now.")
			lost := func() bool {
				return !strings.Contains(strings.ReplaceAll(strings.ToLower(k.bytes()), "swordfishmong", ""), "swordfish")
			}
			if !late {
				if err := k.works(t.Context(), 11*time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			would, err := k.previewPurge(t.Context(), event.PurgeRequest{Text: "swordfish"})
			if err != nil || len(would.Mentions) == 0 || lost() {
				t.Fatalf("preview = %+v, %v; want mentions, and nothing erased", would, err)
			}
			got, err := k.purge(t.Context(), event.PurgeRequest{Text: "swordfish"})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(got.Unreached, func(s string) bool { return strings.Contains(s, "longer word") }) {
				t.Errorf("Unreached = %q, want the longer word named", got.Unreached)
			}
			if !lost() {
				t.Error("it is left in a file")
			}
			if err := os.RemoveAll(k.paths.Transcripts()); err != nil { // how far it was taken in is lost
				t.Fatal(err)
			}
			k.turn("is there more to say about it", "No, there is nothing more to say.")
			k.reports(mem.Event{Kind: mem.SessionEnd, Source: "other"})
			if err := k.works(t.Context(), 11*time.Minute); err != nil {
				t.Fatal(err)
			}
			if !lost() {
				t.Error("it came back")
			}
			if !strings.Contains(k.bytes(), "two coats of blue") {
				t.Error("the rest is gone, too")
			}
			if again, err := k.previewPurge(t.Context(), event.PurgeRequest{Text: "swordfish"}); err != nil ||
				len(again.Mentions) > 0 || len(again.Memories) > 0 {
				t.Errorf("afterwards a preview finds %+v, %v", again, err)
			}
		})
	}
}

func TestWordsAreErasedByAPersonAndWithoutIDs(t *testing.T) {
	k := newTalker(t)
	for name, ask := range map[string]event.PurgeRequest{
		"too short": {Text: "ab"},
		"both":      {Text: "swordfish", IDs: []string{"m_1"}},
		"an agent":  {Text: "swordfish", Agent: "one"},
	} {
		if _, err := k.purge(t.Context(), ask); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
