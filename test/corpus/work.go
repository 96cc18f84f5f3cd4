package corpus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"remanence/internal/mem"
)

// Work is what Fill writes: memories of projects, learned in sessions with prompts, injections and uses of what
// earlier sessions learned.
type Work struct {
	Projects   []mem.Project
	Memories   int
	PerSession int // memories that are learned in one session
	Days       int // up to now, in which they are learned
}

// Fill writes the sessions of w one after the other. apply is that of a mem.Store.
func Fill(ctx context.Context, apply func(context.Context, ...mem.Batch) ([]mem.Result, error), w Work) error {
	out := newWriter(w, time.Now().UTC())
	var group []mem.Batch
	for first := 0; first < w.Memories; first += w.PerSession {
		group = append(group, out.session(first, min(first+w.PerSession, w.Memories))...)
		if len(group) == 40 || first+w.PerSession >= w.Memories {
			if _, err := apply(ctx, group...); err != nil {
				return err
			}
			group = group[:0]
		}
	}
	return nil
}

// writer makes the sessions one after the other.
type writer struct {
	Work
	now   time.Time
	text  Words
	r     *rand.Rand
	known map[string][]Numbered // memories so far, by project
}

func newWriter(c Work, now time.Time) *writer {
	return &writer{
		Work: c, now: now, text: NewWords(), r: rand.New(rand.NewPCG(3, 4)), //nolint:gosec // repeatable
		known: map[string][]Numbered{},
	}
}

// at is when the i-th memory is learned.
func (w *writer) at(i int) time.Time {
	apart := time.Duration(w.Days) * 24 * time.Hour / time.Duration(max(w.Memories, 1)) // the product would not fit
	return w.now.Add(-time.Duration(w.Memories-i) * apart)
}

// session is one session that learns the memories from first up to end, and then ends. It is given some that earlier
// sessions of the project learned, and uses some of those.
func (w *writer) session(first, end int) []mem.Batch {
	n := first / w.PerSession
	p := w.Projects[n%len(w.Projects)]
	name := fmt.Sprintf("made-up-%06d", n)
	asked := Question(first + 1)
	ev := mem.Event{
		ID: "e_" + name, Agent: "claude-code", Kind: mem.UserPromptSubmit, At: w.at(first), Session: name,
		PromptID: "p1", Text: asked, Root: p.Root,
	}
	b := mem.Batch{
		Event: &ev, Project: &p, Turn: &mem.TurnChange{Text: asked, Person: true},
		Session: &mem.SessionChange{
			Agent: "claude-code", Project: p.Key, ProjectName: p.Name, Root: p.Root,
			FirstPrompt: asked, Status: mem.Completed,
		},
	}
	w.inject(&b, ev, p, first)
	for i := first; i < end; i++ {
		m := Memory(p, i, w.at(i), w.text)
		m.Session, m.Source = name, mem.Source{Agent: "claude-code", Session: name, PromptID: "p1", Event: ev.ID}
		b.Memories, b.Links = append(b.Memories, m), append(b.Links, LinksOf(i, m))
		w.known[p.Key] = append(w.known[p.Key], Numbered{Number: i, Memory: m})
	}
	answer := mem.Event{
		ID: "e_stop-" + name, Agent: "claude-code", Kind: mem.Stop, At: w.at(end - 1), Session: name, PromptID: "p1",
		Text: "Done. " + b.Memories[len(b.Memories)-1].Title, Root: p.Root,
	}
	over := answer
	over.ID, over.Kind, over.PromptID, over.Text, over.Source = "e_end-"+name, mem.SessionEnd, "", "", "other"
	change := &mem.SessionChange{Status: mem.Completed}
	return []mem.Batch{b, {Event: &answer, Session: change}, {Event: &over, Session: change}}
}

// inject adds a receipt of up to three memories, and their uses.
func (w *writer) inject(b *mem.Batch, ev mem.Event, p mem.Project, first int) {
	known := w.known[p.Key]
	r := mem.Receipt{
		ID: fmt.Sprintf("r_%08d", first), Event: ev.ID, Session: ev.Session, Project: p.Key, At: ev.At,
		Trigger: "prompt", Query: ev.Text, Outcome: mem.Injected, Budget: 300, Candidates: min(len(known), 40),
	}
	taken := map[int]bool{}
	for range min(len(known), 3) {
		// The newer a memory is, the sooner it is injected; a few old ones stay in use.
		back := int(w.r.ExpFloat64() * float64(4*w.PerSession))
		k := known[max(0, len(known)-1-back)]
		if taken[k.Number] {
			continue
		}
		taken[k.Number] = true
		r.Items = append(r.Items, mem.InjectedItem{
			ID: k.ID(), Rank: len(r.Items) + 1, Kind: k.Kind, Title: k.Title, Score: 0.9 - 0.1*float64(len(r.Items)),
			Tokens: 40,
		})
		r.Tokens += 40
		if use, ok := w.use(ev, k.Memory); ok {
			b.Edits = append(b.Edits, mem.Edit{ID: k.ID(), Used: 1, UsedIn: use})
		}
	}
	if len(r.Items) == 0 {
		r.Outcome = mem.Nothing
	}
	b.Receipts = []mem.Receipt{r}
}

// use is what the session of an event does with a memory that it is given; two of five are used.
func (w *writer) use(ev mem.Event, m mem.Memory) (mem.Use, bool) {
	u := mem.Use{Turn: ev.Session + "/" + ev.PromptID, At: ev.At.Add(time.Minute), How: mem.Cited}
	switch n := w.r.IntN(10); {
	case n >= 4:
		return u, false
	case n == 0:
		u.How = mem.Fetched
	case n == 1 && len(m.Files) > 0:
		u.How, u.File = mem.Edited, m.Files[0]
	}
	return u, true
}
