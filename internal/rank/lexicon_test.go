package rank

import (
	"fmt"
	"sync"
	"testing"

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
