package sqlite

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindTurn reads a turn and the number of its row.
func (w *writer) FindTurn(ctx context.Context, session any, key string) (n int64, t mem.Turn, found bool, err error) {
	t.PromptID = key
	found, err = w.find(ctx, stmt("SELECT number, prompt, text, private, trust, at FROM turn WHERE session=? "+
		"AND prompt_id=?", session, key), &n, &t.Number, &t.Text, &t.Private, &t.Trust, timeAt(&t.At))
	return n, t, found, err
}

// LastTurn returns the place of the last turn of the session of the event until the time of t, 0 if there is none.
func (e *entry) LastTurn(ctx context.Context, t mem.Turn) (place int64, err error) {
	err = e.get(ctx, stmt("SELECT coalesce(max(place), 0) FROM turn WHERE session=? AND at<=?", e.Session.Number,
		stored.Stamp(t.At)), &place)
	return place, err
}

// InsertTurn writes the row of a new turn.
func (e *entry) InsertTurn(ctx context.Context, n, place int64, t mem.Turn) error {
	_, err := e.exec(ctx, "INSERT INTO turn (number, session, prompt_id, prompt, text, private, trust, at, place) "+
		"VALUES (?,?,?,?,?,?,?,?,?)",
		n, e.Session.Number, t.PromptID, t.Number, t.Text, t.Private, int(t.Trust), stored.Stamp(t.At), place)
	return err
}

// UpdateTurn writes a changed turn.
func (w *writer) UpdateTurn(ctx context.Context, n int64, t mem.Turn) error {
	_, err := w.exec(ctx, "UPDATE turn SET prompt=?, text=?, private=?, trust=? WHERE number=?",
		t.Number, t.Text, t.Private, int(t.Trust), n)
	return err
}

// Turns implements mem.Store.
func (s *sessionStore) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	turns, err := lookUp(ctx, s.read, stmt(`SELECT s.id, t.prompt_id, t.prompt, t.text, t.private, t.trust, t.at
		FROM turn t JOIN session s ON s.number = t.session WHERE s.id=? ORDER BY t.place DESC, t.number DESC`, session).
		limit(stored.LimitOr(limit)), into(func(t *mem.Turn) []any {
		return []any{&t.Session, &t.PromptID, &t.Number, &t.Text, &t.Private, &t.Trust, timeAt(&t.At)}
	}))
	return turns, wrap("turns of "+session, err)
}
