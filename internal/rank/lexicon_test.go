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

func TestALexiconChangesNoChoice(t *testing.T) {
	var hits []mem.Hit
	for i, title := range []string{
		"session lock race", "parser.go has 12 lines", "会话锁", "the lock of the session",
		"session locks",
	} {
		hits = append(hits, mem.Hit{Memory: mem.Memory{ID: fmt.Sprint(i), Title: title}, Score: 1 / float64(1+i)})
	}
	lexicon := &Lexicon{}
	for _, n := range []int{0, 2, 3} {
		want, _ := Diversify(hits, n, nil)
		for range 2 {
			got, _ := Diversify(hits, n, lexicon)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d of them: -without +with\n%s", n, d)
			}
		}
	}
	if len(lexicon.names) == 0 {
		t.Error("the lexicon is empty")
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
				Diversify([]mem.Hit{{Memory: m, Score: 1}}, 0, l)
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
	Diversify([]mem.Hit{{Memory: mem.Memory{ID: "m_1", Body: text}}}, 0, lexicon)
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
