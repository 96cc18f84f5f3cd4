package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/storetest"
)

// bytesLeft counts the occurrences of a text in all files of the directory.
func bytesLeft(t *testing.T, s *Store, text string) int {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(s.path), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(bytes.ToLower(b), []byte(text))
	}
	return n
}

// storeWithSecret returns a store with the secret among rows of many sizes, so that pages
// split, merge and move.
func storeWithSecret(t *testing.T) *Store {
	t.Helper()
	s := openStore(t)
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(from, to int) {
		for i := from; i < to; i++ {
			e := mem.Event{
				ID: fmt.Sprint("e_noise", i), Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(),
				Session: []string{"one", "three"}[i%2], PromptID: "p1", Text: strings.Repeat(fmt.Sprint("noise ", i, " "),
					r.IntN(300)),
			}
			m := mem.Memory{
				Scope: mem.ScopeProject, Project: "p_1", Session: e.Session, Kind: mem.Fact,
				Title: fmt.Sprint("noise memory ", i), Body: strings.Repeat(fmt.Sprint("word", i, " "), r.IntN(200)),
			}
			apply(t, s, mem.Batch{Event: &e, Turn: &mem.TurnChange{}, Memories: []mem.Memory{m}})
		}
	}
	for i, b := range storetest.SecretBatches() {
		apply(t, s, b)
		noise(i*100, i*100+100)
	}
	return s
}

func TestNoByteOfAPurgedMemoryIsLeft(t *testing.T) {
	for _, id := range []string{"m_1", "one"} {
		t.Run(id, func(t *testing.T) {
			s := storeWithSecret(t)
			if err := s.Backup(t.Context(), s.path+".schema0"); err != nil {
				t.Fatal(err)
			}
			if n := bytesLeft(t, s, "swordfish"); n == 0 {
				t.Fatal("the text is not there before it is erased")
			}
			if _, err := s.Purge(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if n := bytesLeft(t, s, "swordfish"); n != 0 {
				t.Errorf("%d traces left, want 0", n)
			}
			sound(t, s)
		})
	}
}

func TestReplacedTextIsPurged(t *testing.T) {
	s := storeWithSecret(t)
	title := "harmless by now"
	apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: "m_1", Title: &title, Body: &title, Index: &title}}})
	if _, err := s.Purge(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, "swordfish"); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
}

func TestUnreadableUtterancesArePurged(t *testing.T) {
	s := openStore(t)
	turn := mem.Source{PromptID: "p1"}
	res := apply(t, s, mem.Batch{Memories: []mem.Memory{
		{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Decision, Origin: mem.FromAssistant,
			Title: "We decided to keep the walrus", Source: turn,
		},
		{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Utterance, Who: "assistant", Key: "u1/0",
			Title: "It stays, as agreed", Source: turn,
		},
	}})
	if _, err := s.conn.ExecContext(t.Context(),
		"UPDATE memory SET facts='[\"half a li' WHERE kind='utterance'"); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Purge(t.Context(), res[0].IDs[0]); err != nil || done.Memories != 2 {
		t.Errorf("purged %+v, %v, want both", done, err)
	}
	if n := bytesLeft(t, s, "as agreed"); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
}

func TestAJobIsPurgedForItsErrorText(t *testing.T) {
	s := openStore(t)
	title := "The password is swordfish"
	res := apply(t, s, mem.Batch{
		Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: title}},
		Jobs:     []mem.Job{{Kind: "embed", Key: "all", Error: fmt.Sprintf("memory %q: no answer", title)}},
	})
	if _, err := s.Purge(t.Context(), res[0].IDs...); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, "swordfish"); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
}

func TestAPreviewNamesTheUtterancesOfAMemory(t *testing.T) {
	s := openStore(t)
	turn := mem.Source{PromptID: "p1"}
	res := apply(t, s, mem.Batch{Memories: []mem.Memory{
		{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Decision, Origin: mem.FromAssistant,
			Title: "We decided to keep the walrus", Source: turn,
		},
		{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Utterance, Who: "assistant", Key: "u1/0",
			Title: "It stays, as agreed", Source: turn,
		},
		{
			Scope: mem.ScopeProject, Project: "p_1", Session: "one", Kind: mem.Utterance, Who: "user", Key: "u2/0",
			Title: "does it stay", Source: turn,
		},
	}})
	ids := res[0].IDs
	doomed, would, err := s.PreviewPurge(t.Context(), ids[0])
	if err != nil || would.Memories != 2 || len(doomed) != 2 || doomed[1].ID != ids[1] {
		t.Errorf("%d memories, %+v, %v, want the decision and its utterances", len(doomed), would, err)
	}
	if _, err := s.Purge(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, "as agreed"); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
}

func TestTracesAreFoundInWrappedText(t *testing.T) {
	var tr stored.Traces
	tr.Add(mem.Memory{Title: "the password is hunter2, says…", Body: "C:\\temp\\secret file.txt\nshort"})
	for text, want := range map[string]bool{
		"he wrote: the password is\n   hunter2, says the note": true,
		`{"nested":"the password is hunter2, says"}`:           true,
		`see C:\\temp\\secret file.txt there`:                  true,
		"the password is hunter3, says":                        false,
		"short":                                                false,
		"":                                                     false,
	} {
		if got := tr.Finder().In(text); got != want {
			t.Errorf("in(%q) is %v, want %v", text, got, want)
		}
	}
}

func TestAPurgeFailsWhileAReaderHoldsTheLog(t *testing.T) {
	s := storeWithSecret(t)
	tx, err := s.read.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // it only read
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM event").Scan(&n); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Purge(ctx, "m_1"); err == nil {
		t.Error("Purge says that nothing is left while a reader holds the log")
	}
}

// A purge can be killed between its commit and the emptying of the log.
func TestAnInterruptedPurgeIsFinishedLater(t *testing.T) {
	for name, later := range map[string]func(s *Store) (*Store, error){
		"by the next purge of any id": func(s *Store) (*Store, error) {
			if _, err := s.Purge(t.Context(), "m_1"); !errors.Is(err, mem.ErrNotFound) {
				t.Errorf("second purge: %v, want %v", err, mem.ErrNotFound)
			}
			return s, nil
		},
		"by the next process that opens it": func(s *Store) (*Store, error) {
			return Open(t.Context(), Config{Path: s.path})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWithSecret(t)
			if err := s.Backup(t.Context(), s.path+".schema0"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.eraseRows(t.Context(), []string{"m_1", "one"}); err != nil { // and then it is killed
				t.Fatal(err)
			}
			if bytesLeft(t, s, "swordfish") == 0 {
				t.Fatal("nothing is left of it: this proves nothing")
			}
			now, err := later(s)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytesLeft(t, now, "swordfish"); n != 0 {
				t.Errorf("%d traces left, want 0", n)
			}
			if now != s {
				_ = now.Close()
			}
		})
	}
}

func TestPurgeErasesBackupsInADirectoryOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `odd *?[a-b] \name\`)
	if runtime.GOOS == "windows" { // which knows no such name
		dir = filepath.Join(t.TempDir(), "odd [a-b] name")
	}
	s, err := Open(t.Context(), Config{Path: filepath.Join(dir, "m.db"), Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := mem.Batch{Memories: []mem.Memory{{
		Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact,
		Title: "the word is swordfish",
	}}}
	r, err := s.Apply(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if copies, err := Copies(s.path); err != nil || len(copies) != 1 {
		t.Errorf("copies %v, %v; want the one that was made", copies, err)
	}
	if _, err := s.Purge(t.Context(), r[0].IDs[0]); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, "swordfish"); n != 0 {
		t.Errorf("%d traces are left, want none", n)
	}
}
