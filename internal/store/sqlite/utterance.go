package sqlite

import (
	"context"

	"remanence/internal/store/stored"
)

func utteranceFields(u *stored.Utterance) []any {
	return []any{&u.Number, &u.Title, &u.Body, &u.Ident, &u.Who, timeAt(&u.At), &u.Hidden}
}

// IndexUtterances writes the index rows of all changed utterances.
func (e *entry) IndexUtterances(ctx context.Context) error {
	for session, s := range e.Spans {
		if err := e.indexSpan(ctx, session, s); err != nil {
			return err
		}
	}
	clear(e.Spans)
	return nil
}

func (e *entry) indexSpan(ctx context.Context, session any, s stored.Span) error {
	before, err := e.utterances(ctx, session, "number < ? ORDER BY number DESC LIMIT 4", s.First)
	if err != nil {
		return err
	}
	within, err := e.utterances(ctx, session, "number BETWEEN ? AND ? ORDER BY number", s.First, s.Last)
	if err != nil {
		return err
	}
	after, err := e.utterances(ctx, session, "number > ? ORDER BY number LIMIT 4", s.Last)
	if err != nil {
		return err
	}
	for _, u := range stored.WithNeighbours(before, within, after, session != nil) {
		if _, err := e.exec(ctx, "INSERT OR REPLACE INTO talk_fts (rowid, body, ident, who, near, far, day) VALUES "+
			"(?,?,?,?,?,?,?)", u.Number, u.Text(), u.Ident, u.Speaker(), u.Near, u.Far, u.Day()); err != nil {
			return err
		}
	}
	return nil
}

// utterances returns the utterances of a session that meet a condition.
func (e *entry) utterances(ctx context.Context, session any, condition string, args ...any) ([]stored.Utterance,
	error,
) {
	is := "="
	if session == nil {
		is = "IS"
	}
	return rows(ctx, e, stmt("SELECT number, title, body, words, who, created, status <> 'active' FROM memory "+
		"WHERE session "+is+" ? AND kind = 'utterance' AND "+condition, append([]any{session}, args...)...),
		into(utteranceFields))
}
