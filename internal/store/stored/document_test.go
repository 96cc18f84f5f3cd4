package stored

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestADocumentHoldsAllThatItsJSONFormLacks(t *testing.T) {
	at := time.Date(2024, 5, 6, 7, 8, 9, 10, time.FixedZone("", 3600))
	m := mem.Memory{
		ID: "m_1", Title: "alpha", Created: at, LastUsed: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		UsedIn: []mem.Use{{Turn: "s/p"}}, Index: "beta",
		Note: mem.Note{File: "n.md", State: "fresh", Uses: 3, Prevented: 2},
	}
	doc, err := EncodeMemory(&m)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Created.Equal(at) || m.Created.Location() != time.UTC || m.LastUsed.Year() > 2262 {
		t.Errorf("times %v and %v, want them as they are stored", m.Created, m.LastUsed)
	}
	if strings.Contains(doc, "beta") {
		t.Errorf("search words in %s", doc)
	}
	var r MemoryRow
	r.SetDocument("m_1", mem.Decision, "beta", doc)
	if r.Broken || r.Index != "beta" || r.Note != m.Note || !slices.Equal(r.UsedIn, m.UsedIn) || !r.Created.Equal(at) {
		t.Errorf("memory %+v, want %+v", r.Memory, m)
	}
	if got, err := r.Listed(); err != nil || got.Index != "" || got.Title != "alpha" {
		t.Errorf("memory %+v, %v, want it without search words", got, err)
	}

	s := mem.Session{ID: "s", StateLine: "line", StateLinePrompt: 4, ContextReadAt: at, Compacted: at}
	if doc, err = EncodeSession(&s); err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeSession(doc); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("session %+v, %v, want %+v", got, err, s)
	}
}

func TestABrokenDocumentIsLeftOutOfListsAlone(t *testing.T) {
	r := MemoryRow{Number: 1}
	r.SetDocument("m_1", mem.Utterance, "beta", "{")
	if !r.Broken || r.ID != "m_1" || !IsUtterance(r.Memory) || !r.Utterance().Hidden {
		t.Errorf("row %+v, want it broken, with its id and its kind", r)
	}
	if _, err := r.Listed(); !errors.Is(err, ErrUnreadable) || !errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("in a list: %v, want that it is unreadable", err)
	}
	if _, err := ByNumber([]MemoryRow{r}); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "m_1") {
		t.Errorf("by its id: %v, want that m_1 is unreadable", err)
	}
}

func TestFilesAreFoundByDirectoryAndExtension(t *testing.T) {
	dirs, exts := DirsOf([]string{"a/b.go", "c", "/d/e.tar.gz"})
	if !slices.Equal(dirs, []string{"a/", "./", "/d/"}) || !slices.Equal(exts, []string{".go", "", ".gz"}) {
		t.Errorf("directories %q, extensions %q", dirs, exts)
	}
}
