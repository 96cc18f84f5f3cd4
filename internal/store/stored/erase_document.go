package stored

import (
	"context"

	"remanence/internal/mem"
)

// DocumentWriter runs the statements by which turns and sessions are blanked that are documents. An [Eraser] whose rows
// are none has statements of its own.
type DocumentWriter interface {
	Document(ctx context.Context, table string, n int64) (string, error)
	UpdateTurn(ctx context.Context, n int64, t mem.Turn) error
	UpdateSession(ctx context.Context, s mem.Session) error
}

// BlankTurns erases the prompts of turns, given by the numbers of those whose documents contain a trace.
func BlankTurns(ctx context.Context, w DocumentWriter, found []int64, f *Finder) (blanked int, err error) {
	for _, n := range found {
		doc, err := w.Document(ctx, "turn", n)
		if err != nil {
			return blanked, err
		}
		t, err := Decode[mem.Turn]("turn", doc)
		if err != nil {
			return blanked, err
		}
		if !f.In(t.Text) {
			continue
		}
		blanked++
		t.Text = ""
		if err := w.UpdateTurn(ctx, n, t); err != nil {
			return blanked, err
		}
	}
	return blanked, nil
}

// BlankSessions erases the texts of sessions, given by the numbers of those whose documents contain a trace.
func BlankSessions(ctx context.Context, w DocumentWriter, found []int64, f *Finder) error {
	for _, n := range found {
		doc, err := w.Document(ctx, "session", n)
		if err != nil {
			return err
		}
		s, err := DecodeSession(doc)
		if err != nil {
			return err
		}
		for _, text := range []*string{&s.FirstPrompt, &s.LastNotification, &s.StateLine} {
			if f.In(*text) {
				*text = ""
			}
		}
		if err := w.UpdateSession(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// SessionTexts returns the texts of a session that others may contain.
func SessionTexts(turns []mem.Turn, sessions []mem.Session, checkpoints []mem.Checkpoint) (texts []string) {
	for _, t := range turns {
		texts = append(texts, t.Text)
	}
	for _, s := range sessions {
		texts = append(texts, s.FirstPrompt)
	}
	for _, c := range checkpoints {
		texts = append(texts, c.Handoff, c.Note)
	}
	return texts
}
