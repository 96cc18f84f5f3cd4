package sqlite

import (
	"context"

	"remanence/internal/store/stored"
)

func utteranceFields(u *stored.Utterance) []any {
	return []any{&u.Number, &u.Title, &u.Body, &u.Ident, &u.Who, timeAt(&u.At), &u.Hidden}
}

// UtterancesBefore reads the last utterances of a session before a row, the nearest first.
func (w *writer) UtterancesBefore(ctx context.Context, session any, n int64, most int) ([]stored.Utterance, error) {
	return w.utterances(ctx, session, "number < ? ORDER BY number DESC LIMIT ?+0", n, most)
}

// UtterancesWithin reads the utterances of a session in a span.
func (w *writer) UtterancesWithin(ctx context.Context, session any, s stored.Span) ([]stored.Utterance, error) {
	return w.utterances(ctx, session, "number BETWEEN ? AND ? ORDER BY number", s.First, s.Last)
}

// UtterancesAfter reads the first utterances of a session after a row.
func (w *writer) UtterancesAfter(ctx context.Context, session any, n int64, most int) ([]stored.Utterance, error) {
	return w.utterances(ctx, session, "number > ? ORDER BY number LIMIT ?+0", n, most)
}

// IndexUtterance writes the index row of an utterance.
func (w *writer) IndexUtterance(ctx context.Context, u stored.IndexedUtterance) error {
	_, err := w.exec(ctx, "INSERT OR REPLACE INTO talk_fts (rowid, body, ident, who, near, far, day) VALUES "+
		"(?,?,?,?,?,?,?)", u.Number, u.Text(), u.Ident, u.Speaker(), u.Near, u.Far, u.Day())
	return err
}

// utterances returns the utterances of a session that meet a condition.
func (w *writer) utterances(ctx context.Context, session any, condition string, args ...any) ([]stored.Utterance,
	error,
) {
	is := "="
	if session == nil {
		is = "IS"
	}
	return rows(ctx, w, stmt("SELECT number, title, body, words, who, created, status <> 'active' FROM memory "+
		"WHERE session "+is+" ? AND kind = 'utterance' AND "+condition, append([]any{session}, args...)...),
		into(utteranceFields))
}
