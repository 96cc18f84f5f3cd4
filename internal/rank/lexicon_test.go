package rank

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/mem"
)

func TestALexiconChangesNoScore(t *testing.T) {
	store := bigStore(t)
	lexicon := &Lexicon{}
	for _, prompt := range []string{"why did the session lock race", "parser.go 12 lines", "会话锁", "session lock again"} {
		q := Ask{Terms: Terms(prompt), Text: prompt, Now: now}
		hits := match(store, q.Terms, Candidates)
		want := Rerank(q, hits)
		q.Lexicon = lexicon
		for range 2 {
			if d := cmp.Diff(want, Rerank(q, hits)); d != "" {
				t.Errorf("%q: -without +with\n%s", prompt, d)
			}
		}
	}
	if len(lexicon.names) == 0 {
		t.Error("nothing was remembered")
	}
	lexicon.Forget()
	if len(lexicon.names) != 0 {
		t.Error("something is left of what was forgotten")
	}
}

func TestALexiconIsBoundedAndShared(t *testing.T) {
	l := &Lexicon{}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 30 {
				m := mem.Memory{Title: "timeout"}
				for j := range 400 {
					m.Body += fmt.Sprintf("w%dx%dx%d ", g, i, j)
				}
				Rerank(Ask{Terms: []string{"timeout"}, Lexicon: l}, []mem.Hit{{Memory: m, Score: 1}})
			}
		})
	}
	all.Wait()
	if n := len(l.names); n == 0 || n > maxLexicon {
		t.Errorf("%d names, want at most %d", n, maxLexicon)
	}
}

// A text is many times as long as the few words of it that are remembered.
func TestALexiconHoldsNoTexts(t *testing.T) {
	text := strings.Repeat("walrus harbour retryCount ", 40)
	lexicon := &Lexicon{}
	Rerank(Ask{Terms: []string{"walrus"}, Lexicon: lexicon}, []mem.Hit{{Memory: mem.Memory{ID: "m_1", Body: text}}})
	if len(lexicon.names) == 0 {
		t.Fatal("no name is remembered")
	}
	begin := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	for name, list := range lexicon.names {
		for _, tok := range list {
			for _, s := range []string{name, tok.key, tok.folded} {
				if at := uintptr(unsafe.Pointer(unsafe.StringData(s))); s != "" && at >= begin && at < begin+uintptr(len(text)) {
					t.Errorf("%q of %q is a piece of the text, which is kept for it", s, name)
				}
			}
		}
	}
}
