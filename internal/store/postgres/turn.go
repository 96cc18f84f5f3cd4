//go:build postgres || backends

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindTurn reads a turn and the number of its row.
func (tx *transaction) FindTurn(ctx context.Context, session any, key string) (n int64, t mem.Turn, found bool,
	err error,
) {
	var doc string
	found, err = tx.find(ctx, query("SELECT number, doc FROM turn WHERE session = ? AND prompt_id = ?", session, key), &n,
		&doc)
	if err == nil && found {
		t, err = stored.Decode[mem.Turn]("turn", doc)
	}
	return n, t, found, err
}

// UpdateTurn writes a changed turn.
func (tx *transaction) UpdateTurn(ctx context.Context, n int64, t mem.Turn) error {
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("UPDATE turn SET doc = ? WHERE number = ?", doc, n))
}

// LastTurn returns the place of the last turn of the session of the event until the time of t, 0 if there is none.
func (e *entry) LastTurn(ctx context.Context, t mem.Turn) (place int64, err error) {
	err = e.get(ctx, query("SELECT coalesce(max(place), 0) FROM turn WHERE session = ? AND at <= ?", e.Session.Number,
		stored.Stamp(t.At)), &place)
	return place, err
}

// InsertTurn writes the row of a new turn.
func (e *entry) InsertTurn(ctx context.Context, n, place int64, t mem.Turn) error {
	t.At = stored.Storable(t.At)
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("INSERT INTO turn (number, session, prompt_id, at, place, doc) VALUES (?, ?, ?, ?, ?, ?)", n,
		e.Session.Number, t.PromptID, stored.Stamp(t.At), place, doc))
}

// Turns implements mem.Store.
func (s *Store) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	turns, err := rows(ctx, s.pool, query(`SELECT t.doc FROM turn t JOIN session s ON s.number = t.session
		WHERE s.id = ? ORDER BY t.place DESC, t.number DESC LIMIT ?`, session, stored.LimitOr(limit)),
		func(r pgx.Rows) (mem.Turn, error) { return document[mem.Turn]("turn")(r) })
	return turns, wrap("turns of "+session, err)
}
