package sqlite

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/storetest"
)

// removeWord removes one word from a document, as a redactor removes secrets.
func removeWord(word string) stored.Clean {
	return func(doc []byte) ([]byte, map[string]int, error) {
		n := bytes.Count(doc, []byte(word))
		if n == 0 {
			return doc, nil, nil
		}
		return bytes.ReplaceAll(doc, []byte(word), []byte("[secret:word]")), map[string]int{"word": n}, nil
	}
}

// storeWithWord returns a store with the word swordfish in every column of the person's text.
func storeWithWord(t *testing.T) *Store {
	t.Helper()
	s := storeWithSecret(t)
	word := "swordfish"
	e := mem.Event{
		ID: "e_all", Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(), Session: "four",
		PromptID: "p1", Text: word, Input: json.RawMessage(`{"a":["` + word + `"]}`), Error: word,
	}
	m := mem.Memory{
		Scope: mem.ScopeProject, Project: "p_1", Session: "four", Kind: mem.Fact, Title: "a " + word, Body: word +
			" b ZebraFinch", Facts: []string{"f", word}, Concepts: []string{word},
		Tags: []string{word}, Files: []string{word + ".go"}, Command: "echo " + word,
		Summary: &mem.SummaryText{Learned: word}, Index: word + " zebrafinch",
		Proposals: []mem.Proposal{{ID: "pr_1", Action: "edit", Title: &word, Was: word, Reason: word}},
	}
	spoken := mem.Memory{
		Scope: mem.ScopeProject, Project: "p_1", Session: "four", Kind: mem.Utterance, Who: "user",
		Key: "u1/0", Title: "they said " + word,
	}
	next := spoken
	next.Key, next.Title = "u2/0", "and something beside it"
	apply(t, s, mem.Batch{
		Event: &e, Turn: &mem.TurnChange{Text: word}, Memories: []mem.Memory{m, spoken, next},
		Session:     &mem.SessionChange{StateLine: &word, FirstPrompt: word},
		Checkpoints: []mem.Checkpoint{{Session: "four", Project: "p_1", State: mem.State{Request: word}}},
		Receipts:    []mem.Receipt{{ID: "r_all", Session: "four", Text: "<remanence-context>" + word}},
		Jobs:        []mem.Job{{Kind: "x", Session: "four", Key: "k", Data: word}},
	})
	return s
}

func TestAScanFindsEveryTextAndChangesNothing(t *testing.T) {
	s := storeWithWord(t)
	before := bytesLeft(t, s, "swordfish")
	got, err := s.Scrub(t.Context(), false, nil, removeWord("swordfish"))
	if err != nil || got.Fixed || got.WithSecrets == 0 || got.Records <= got.WithSecrets {
		t.Fatalf("Scrub = %+v, %v", got, err)
	}
	var places []string
	for _, f := range got.Finds {
		places = append(places, f.Where)
	}
	if want := []string{
		"checkpoints", "events", "jobs", "memories", "prompts", "receipts",
		"sessions",
	}; !slices.Equal(places, want) {
		t.Errorf("found in %v, want %v", places, want)
	}
	if after := bytesLeft(t, s, "swordfish"); after != before || before == 0 {
		t.Errorf("%d traces after looking, %d before", after, before)
	}
}

func TestNamesThatBecomeEqualAreMerged(t *testing.T) {
	s := openStore(t)
	ids := apply(t, s,
		mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact,
			Title: "what lives in the sea",
		}}})
	w := mem.MemoryLinks{
		Memory: ids[0].IDs[0],
		Entities: []mem.NamedEntity{
			{Kind: "tool", Name: "swordfish", Confidence: 1},
			{Kind: "tool", Name: "sawfish", Confidence: 1},
		},
	}
	apply(t, s, mem.Batch{Links: []mem.MemoryLinks{w}})
	both := func(doc []byte) ([]byte, map[string]int, error) {
		out := bytes.ReplaceAll(bytes.ReplaceAll(doc, []byte("swordfish"), []byte("[secret]")), []byte("sawfish"),
			[]byte("[secret]"))
		if bytes.Equal(out, doc) {
			return doc, nil, nil
		}
		return out, map[string]int{"word": 1}, nil
	}
	if _, err := s.Scrub(t.Context(), true, nil, both); err != nil {
		t.Fatal(err)
	}
	found, err := s.Entities(t.Context(), mem.EntityQuery{})
	if err != nil || len(found) != 1 || found[0].Name != "[secret]" || found[0].Mentions != 1 {
		t.Errorf("left %+v, %v; want one name", found, err)
	}
}

func TestCleaningLeavesNoByteAndKeepsOtherText(t *testing.T) {
	s := storeWithWord(t)
	if err := s.Backup(t.Context(), s.path+".schema0"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Scrub(t.Context(), true, nil, removeWord("swordfish"))
	if err != nil || !got.Fixed {
		t.Fatalf("Scrub = %+v, %v", got, err)
	}
	if n := bytesLeft(t, s, "swordfish"); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
	sound(t, s)
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"zebrafinch"}, Within: "*"})
	if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Memory.Title, "[secret:word]") ||
		hits[0].Memory.Summary.Learned != "[secret:word]" {
		t.Errorf("Match = %+v, %v; want the cleaned memory", hits, err)
	}
	if again, err := s.Scrub(t.Context(), false, nil, removeWord("swordfish")); err != nil || len(again.Finds) != 0 {
		t.Errorf("afterwards Scrub finds %+v, %v", again.Finds, err)
	}
}

// Search words are parts of names and were not next to each other in the texts, so
// that "secret password e696" was taken for a secret. Words that are in no text any
// more are removed.
func TestSearchWordsAreNotScannedAndFollowTheTexts(t *testing.T) {
	s := openStore(t)
	apply(t, s, mem.Batch{Memories: []mem.Memory{
		{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "the sword_fish is gone", Index: "sword fish"},
		{
			Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "KeyOf_Abc-dEf9 opens the red-door",
			Index: "keyof_abc keyof key of abc def9 red door",
		},
	}})
	if got, err := s.Scrub(t.Context(), false, nil, removeWord("sword fish")); err != nil || got.WithSecrets != 0 {
		t.Errorf("Scrub = %+v, %v, want nothing held", got, err)
	}
	if got, err := s.Scrub(t.Context(), true, nil, removeWord("KeyOf_Abc-dEf9")); err != nil || got.WithSecrets != 1 {
		t.Fatalf("Scrub = %+v, %v, want one held", got, err)
	}
	for _, piece := range []string{"keyof", "def9"} {
		if n := bytesLeft(t, s, piece); n != 0 {
			t.Errorf("%d traces of %q", n, piece)
		}
	}
	if got, err := s.Match(t.Context(), mem.Query{Terms: []string{"door"}, Within: "*"}); err != nil || len(got) != 1 {
		t.Errorf("found by what stayed: %d, %v, want 1", len(got), err)
	}
}

func TestAPreviewOfAPurgeChangesNothing(t *testing.T) {
	s := storeWithSecret(t)
	before, err := s.Stats(t.Context(), "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"m_1", "one"} {
		ms, would, err := s.PreviewPurge(t.Context(), id)
		if err != nil || len(ms) == 0 || len(ms) != would.Memories {
			t.Fatalf("PreviewPurge(%s) = %d memories, %+v, %v", id, len(ms), would, err)
		}
		if after, err := s.Stats(t.Context(), "", time.Time{}); err != nil || after.Memories != before.Memories ||
			after.Events != before.Events {
			t.Errorf("PreviewPurge(%s) changed %+v to %+v, %v", id, before, after, err)
		}
	}
	_, would, err := s.PreviewPurge(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if done, err := s.Purge(t.Context(), "one"); err != nil || done != would {
		t.Errorf("Purge = %+v, %v; previewed %+v", done, err, would)
	}
	if _, _, err := s.PreviewPurge(t.Context(), "one"); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("PurgeMemories of purged ids: %v, want %v", err, mem.ErrNotFound)
	}
}

// An event without an id gets another one when it is delivered again.
func TestPurgedEventsAreNotStoredAgain(t *testing.T) {
	s := storeWithSecret(t)
	report := func(id string) mem.Batch {
		e := mem.Event{
			ID: "e_aaaaaaaaaaaaaaaaaaaaaaaa." + id, Key: "aaaaaaaaaaaaaaaaaaaaaaaa", Agent: "claude-code",
			Kind: mem.PostCompact, Session: "one", At: storetest.Clock().Add(time.Hour), Text: "the swordfish summary",
		}
		return mem.Batch{Event: &e, Turn: &mem.TurnChange{}}
	}
	apply := func(b mem.Batch) mem.Result {
		t.Helper()
		r := apply(t, s, b)
		return r[0]
	}
	if apply(report("1")).Duplicate {
		t.Fatal("the first report is a duplicate")
	}
	begun := mem.Event{
		ID: "e_bbbbbbbbbbbbbbbbbbbbbbbb.1", Key: "bbbbbbbbbbbbbbbbbbbbbbbb", Agent: "claude-code",
		Kind: mem.SessionStart, Session: "one", At: storetest.Clock().Add(2 * time.Hour),
	}
	apply(mem.Batch{Event: &begun})
	if until, err := s.ErasedUntil(t.Context(), "one"); err != nil || !until.IsZero() {
		t.Errorf("ErasedUntil before = %v, %v", until, err)
	}
	if _, err := s.Purge(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if until, err := s.ErasedUntil(t.Context(), "one"); err != nil || until.IsZero() {
		t.Errorf("ErasedUntil after = %v, %v", until, err)
	}
	late := report("2")
	late.Event.At = late.Event.At.Add(48 * time.Hour)
	if !apply(late).Duplicate {
		t.Error("an erased event came back under another id")
	}
	if n := bytesLeft(t, s, "swordfish"); n != 0 {
		t.Errorf("%d traces, want 0", n)
	}
	begun.ID, begun.At = "e_bbbbbbbbbbbbbbbbbbbbbbbb.2", begun.At.Add(48*time.Hour)
	if apply(mem.Batch{Event: &begun}).Duplicate {
		t.Error("a session with purged events cannot continue")
	}
}

// A tombstone stays valid if the clock was set back before the next purge.
func TestATombstoneDoesNotMoveBackWithTheClock(t *testing.T) {
	now := storetest.Clock()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "m.db"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, title := range []string{"the first of two", "the second of two"} {
		b := mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Fact,
			Title: title,
		}}}
		r := apply(t, s, b)
		if _, err := s.Purge(t.Context(), r[0].IDs[0]); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Hour)
	}
	if until, err := s.ErasedUntil(t.Context(), "one"); err != nil || !until.Equal(storetest.Clock()) {
		t.Errorf("erased until %v, %v; want %v", until, err, storetest.Clock())
	}
}

// Each text of a record is among those that may is asked about, and a record that it rules out is left out.
func TestAScanOfSomeRecordsFindsTheSameAsOfAll(t *testing.T) {
	s := storeWithWord(t)
	whole, err := s.Scrub(t.Context(), false, nil, removeWord("swordfish"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	some, err := s.Scrub(t.Context(), false, func(texts []byte) bool {
		asked++
		return bytes.Contains(texts, []byte("swordfish"))
	}, removeWord("swordfish"))
	if err != nil || !slices.EqualFunc(some.Finds, whole.Finds, func(a, b mem.Find) bool {
		return a.Where == b.Where && a.Count == b.Count && slices.Equal(a.IDs, b.IDs)
	}) {
		t.Errorf("found %+v, %v, want %+v", some.Finds, err, whole.Finds)
	}
	if asked != whole.Records || some.Records != whole.WithSecrets {
		t.Errorf("asked about %d and read %d, want %d and %d", asked, some.Records, whole.Records, whole.WithSecrets)
	}
}
