package sqlite

import (
	"context"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// neighbours is how many utterances before and after one are indexed with it.
const neighbours = 2

// changedSpans are the utterances that were added, deleted or changed, by session.
// Their index rows, and those of their neighbours, are written once at the end.
type changedSpans map[any]span

// span is a part of a session, by row numbers, both ends included.
type span struct{ first, last int64 }

func (c changedSpans) add(session any, n int64) {
	s, ok := c[session]
	if !ok {
		s = span{n, n}
	}
	c[session] = span{min(s.first, n), max(s.last, n)}
}

// utterance has the columns of an utterance that are indexed.
type utterance struct {
	number      int64
	title, body string
	ident, who  string
	at          int64
	hidden      bool // not indexed with its neighbours, nor they with it
}

func (u *utterance) fields() []any {
	return []any{&u.number, &u.title, &u.body, &u.ident, &u.who, &u.at, &u.hidden}
}

// text is the body, or the title of an utterance without one.
func (u *utterance) text() string {
	if u.body == "" {
		return u.title
	}
	return u.body
}

// indexUtterances writes the index rows of all changed utterances.
func (e *entry) indexUtterances(ctx context.Context) error {
	for session, s := range e.spans {
		if err := e.indexSpan(ctx, session, s); err != nil {
			return err
		}
	}
	clear(e.spans)
	return nil
}

func (e *entry) indexSpan(ctx context.Context, session any, s span) error {
	before, err := e.utterances(ctx, session, "number < ? ORDER BY number DESC LIMIT 4", s.first)
	if err != nil {
		return err
	}
	within, err := e.utterances(ctx, session, "number BETWEEN ? AND ? ORDER BY number", s.first, s.last)
	if err != nil {
		return err
	}
	after, err := e.utterances(ctx, session, "number > ? ORDER BY number LIMIT 4", s.last)
	if err != nil {
		return err
	}
	slices.Reverse(before)
	all := slices.Concat(before, within, after)
	from, to := max(0, len(before)-neighbours), len(all)-max(0, len(after)-neighbours)
	if session == nil { // without a session there are no neighbours
		from, to = len(before), len(before)+len(within)
	}
	for i := from; i < to; i++ {
		near, far := "", ""
		if session != nil {
			near, far = around(all, i)
		}
		u := all[i]
		if _, err := e.exec(ctx, "INSERT OR REPLACE INTO talk_fts (rowid, body, ident, who, near, far, day) VALUES "+
			"(?,?,?,?,?,?,?)",
			u.number, u.text(), u.ident, mem.Memory{Who: u.who}.SpeakerName(), near, far,
			stored.TimeOf(u.at).Local().Format("January 2006 2")); err != nil {
			return err
		}
	}
	return nil
}

// around returns the texts at distance one and two from the utterance at i.
func around(all []utterance, i int) (near, far string) {
	at := func(i int) string {
		if i < 0 || i >= len(all) || all[i].hidden {
			return ""
		}
		return all[i].text()
	}
	return strings.TrimSpace(at(i-1) + "\n" + at(i+1)), strings.TrimSpace(at(i-2) + "\n" + at(i+2))
}

// utterances returns the utterances of a session that meet a condition.
func (e *entry) utterances(ctx context.Context, session any, condition string, args ...any) ([]utterance, error) {
	is := "="
	if session == nil {
		is = "IS"
	}
	return rows(ctx, e, stmt("SELECT number, title, body, words, who, created, status <> 'active' FROM memory "+
		"WHERE session "+is+" ? AND kind = 'utterance' AND "+condition, append([]any{session}, args...)...),
		into((*utterance).fields))
}

// isUtterance reports whether a memory is in the index of utterances.
func isUtterance(m mem.Memory) bool { return m.Kind == mem.Utterance }
