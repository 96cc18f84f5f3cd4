package stored

import (
	"context"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// neighbours is how many utterances before and after one are indexed with it.
const neighbours = 2

// maxNeighbours is how many utterances before and after a span its neighbours are looked for in.
const maxNeighbours = 2 * neighbours

// Spans are the utterances that were added, deleted or changed, by the number of their session, nil without one. Their
// index rows, and those of their neighbours, are written once at the end.
type Spans map[any]Span

// Span is a part of a session, by row numbers, both ends included.
type Span struct{ First, Last int64 }

// Add adds an utterance.
func (c Spans) Add(session any, n int64) {
	s, ok := c[session]
	if !ok {
		s = Span{n, n}
	}
	c[session] = Span{min(s.First, n), max(s.Last, n)}
}

// IndexUtterances writes the index rows of all changed utterances.
func (e *Entry) IndexUtterances(ctx context.Context) error {
	for session, s := range e.Spans {
		if err := e.indexSpan(ctx, session, s); err != nil {
			return err
		}
	}
	clear(e.Spans)
	return nil
}

func (e *Entry) indexSpan(ctx context.Context, session any, s Span) error {
	before, err := e.write.UtterancesBefore(ctx, session, s.First, maxNeighbours)
	if err != nil {
		return err
	}
	within, err := e.write.UtterancesWithin(ctx, session, s)
	if err != nil {
		return err
	}
	after, err := e.write.UtterancesAfter(ctx, session, s.Last, maxNeighbours)
	if err != nil {
		return err
	}
	for _, u := range withNeighbours(before, within, after, session != nil) {
		if err := e.write.IndexUtterance(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// Utterance has the fields of an utterance that are indexed.
type Utterance struct {
	Number      int64
	Title, Body string
	Ident, Who  string
	At          time.Time
	Hidden      bool // not indexed with its neighbours, nor they with it
}

// Text is the body, or the title of an utterance without one.
func (u *Utterance) Text() string {
	if u.Body == "" {
		return u.Title
	}
	return u.Body
}

// Speaker is the name of who spoke, as it is indexed.
func (u *Utterance) Speaker() string { return mem.Memory{Who: u.Who}.SpeakerName() }

// Day is the local day of an utterance, as it is indexed.
func (u *Utterance) Day() string { return u.At.Local().Format("January 2006 2") }

// IndexedUtterance is an utterance with the texts of its neighbours.
type IndexedUtterance struct {
	Utterance
	Near, Far string // texts at distance one and two
}

// withNeighbours returns the utterances whose index rows change with a span: those of the span, and of a session also
// their neighbours. before are those before the span, the nearest first; after those after it. Each has maxNeighbours
// at most.
func withNeighbours(before, within, after []Utterance, inSession bool) []IndexedUtterance {
	slices.Reverse(before)
	all := slices.Concat(before, within, after)
	from, to := max(0, len(before)-neighbours), len(all)-max(0, len(after)-neighbours)
	if !inSession { // without a session there are no neighbours
		from, to = len(before), len(before)+len(within)
	}
	var out []IndexedUtterance
	for i := from; i < to; i++ {
		u := IndexedUtterance{Utterance: all[i]}
		if inSession {
			u.Near, u.Far = around(all, i)
		}
		out = append(out, u)
	}
	return out
}

// around returns the texts at distance one and two from the utterance at i.
func around(all []Utterance, i int) (near, far string) {
	at := func(i int) string {
		if i < 0 || i >= len(all) || all[i].Hidden {
			return ""
		}
		return all[i].Text()
	}
	return strings.TrimSpace(at(i-1) + "\n" + at(i+1)), strings.TrimSpace(at(i-2) + "\n" + at(i+2))
}

// IsUtterance reports whether a memory is in the index of utterances.
func IsUtterance(m mem.Memory) bool { return m.Kind == mem.Utterance }
