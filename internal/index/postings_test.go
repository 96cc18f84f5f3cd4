package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"remanence/internal/mem"
)

// posting is one document of a list, as a test reads it.
type posting struct {
	Doc   int32
	Times [fields]uint8
}

func postings(l list) []posting {
	var out []posting
	for c := (cursor{data: l.data}); c.next(); {
		out = append(out, posting{c.doc, c.frequencies()})
	}
	return out
}

// TestAMovedListHoldsWhatIsLeft removes documents from a long list, appends others, and reads and seeks it.
func TestAMovedListHoldsWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list
		var want []posting
		next, size := int32(0), rapid.IntRange(0, 4*skipEvery).Draw(t, "size")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range size {
				next += 1 + int32(r.IntN(1+r.IntN(300)))
				p := posting{Doc: next}
				p.Times[body] = 1
				if r.IntN(3) == 0 {
					p.Times[r.IntN(int(fields))] = uint8(1 + r.IntN(255))
				}
				l.add(p.Doc, p.Times)
				want = append(want, p)
			}
			to, left := make([]int32, next+1), int32(0)
			for doc := range to {
				if to[doc] = none; r.IntN(4) > 0 {
					to[doc] = left
					left++
				}
			}
			l, next = l.moved(to), max(0, left-1)
			want = slices.DeleteFunc(want, func(p posting) bool { return to[p.Doc] == none })
			for i := range want {
				want[i].Doc = to[want[i].Doc]
			}
			if got := postings(l); !slices.Equal(got, want) {
				t.Fatalf("-want +got\n%s", cmp.Diff(want, got))
			}
			skips := 0
			if l.skips != nil {
				skips = len(*l.skips)
			}
			if int(l.n) != len(want) || skips != max(0, len(want)-1)/skipEvery {
				t.Fatalf("%d postings and %d skips, want %d and one for each %d", l.n, skips, len(want), skipEvery)
			}
			for _, p := range want {
				if c := (cursor{data: l.data}); !c.seek(&l, p.Doc) || c.doc != p.Doc || c.frequencies() != p.Times {
					t.Fatalf("seek of %v gives %d with %v", p, c.doc, c.frequencies())
				}
			}
		}
	})
}

// content is all that an index holds of its living memories, by their ids.
type content struct {
	Postings  map[string]map[string][fields]uint8 // by term and memory
	Words     map[string][]string
	Neighbors map[string][2]string // of an utterance: the one before and the one after
	Sums      [fields]float64
	Counted   [fields]float64
}

func (x *Index) content() content {
	c := content{
		map[string]map[string][fields]uint8{}, map[string][]string{}, map[string][2]string{}, x.docs.sums, x.docs.counted,
	}
	living := func(doc int32) bool { return x.docs.rows[doc].flags&dead == 0 }
	id := func(doc int32) string {
		if doc == none {
			return ""
		}
		return x.docs.id(doc)
	}
	for term, l := range x.lists {
		for _, p := range postings(l) {
			if !living(p.Doc) {
				continue
			}
			key := x.vocabulary.key(int32(term))
			if c.Postings[key] == nil {
				c.Postings[key] = map[string][fields]uint8{}
			}
			c.Postings[key][id(p.Doc)] = p.Times
		}
	}
	for doc := range x.docs.next() {
		if !living(doc) {
			continue
		}
		if x.utterances {
			c.Neighbors[id(doc)] = [2]string{id(x.docs.before[doc]), id(x.docs.after[doc])}
		}
		for _, w := range x.docs.first(nil, doc) {
			c.Words[id(doc)] = append(c.Words[id(doc)], x.vocabulary.key(w))
		}
	}
	return c
}

// TestAnIndexHoldsTheSameAsANewOneAfterAnyChange compares all that an index holds, not only what queries show. Words
// come and go, so that terms are dropped by compacting and added again later under other numbers.
func TestAnIndexHoldsTheSameAsANewOneAfterAnyChange(t *testing.T) {
	for _, utterances := range []bool{false, true} {
		t.Run(fmt.Sprint("utterances ", utterances), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			x, now, reused := New(utterances), map[string]mem.Memory{}, 0
			dropped := map[string]bool{}
			text := func(words, step int) (s string) { // of 100 words, 40 are in use at a time
				for range words {
					s += fmt.Sprintf("w%d ", r.IntN(40)+(step/100%3)*30)
				}
				return s
			}
			for step := range 1500 {
				id := fmt.Sprintf("m_%d", r.IntN(80))
				switch n := r.IntN(40); {
				case n < 12:
					x.Remove(id)
					delete(now, id)
				case n == 12:
					before := x.vocabulary
					x.Erase(id)
					delete(now, id)
					for term := range int32(before.len()) {
						if key := before.key(term); x.vocabulary.find(key) == none {
							dropped[key] = true
						}
					}
					if got := x.content(); len(got.Postings) != x.vocabulary.len() || len(x.lists) != x.vocabulary.len() ||
						x.docs.ids.len() != len(now) {
						t.Fatalf("step %d: %d terms and %d lists for %d terms of living memories, %d ids for %d memories", step,
							x.vocabulary.len(), len(x.lists), len(got.Postings), x.docs.ids.len(), len(now))
					}
				case n < 15:
					x.Trim()
				default:
					m := note(id, text(4, step), text(8, step), text(1, step)+".go")
					m.Created = noon.Add(time.Duration(r.IntN(1e6)) * time.Second)
					if utterances {
						m.Kind, m.Who, m.Session = mem.Utterance, "user", fmt.Sprint("s", r.IntN(3))
					}
					x.Put(m)
					now[id] = m
				}
				if step%10 != 0 {
					continue
				}
				fresh := New(utterances)
				for _, m := range now {
					fresh.Put(m)
				}
				got, want := x.content(), fresh.content()
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("step %d: -new +changed\n%s", step, d)
				}
				for key := range dropped {
					if len(got.Postings[key]) > 0 {
						reused++
						delete(dropped, key)
					}
				}
			}
			if reused < 20 {
				t.Errorf("%d terms were dropped and used again, want 20 or more", reused)
			}
		})
	}
}
