//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindTurn reads a turn and the number of its row.
func (tx *transaction) FindTurn(ctx context.Context, session any, key string) (n int64, t mem.Turn, found bool,
	err error,
) {
	r, found, err := first(ctx, tx, query("SELECT number, doc FROM turn WHERE session = ? AND prompt_id = ?",
		numberOf(session), key), whole)
	if err == nil && found {
		t, err = stored.Decode[mem.Turn]("turn", r.Text("doc"))
	}
	return r.Number("number"), t, found, err
}

// UpdateTurn writes a changed turn.
func (tx *transaction) UpdateTurn(ctx context.Context, n int64, t mem.Turn) error {
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return tx.SetDocument(ctx, "turn", n, doc)
}

// LastTurn returns the place of the last turn of the session of the event until the time of t, 0 if there is none.
func (e *entry) LastTurn(ctx context.Context, t mem.Turn) (int64, error) {
	places, err := rows(ctx, e, query("SELECT place FROM turn WHERE session = ? AND at <= ?", e.Session.Number,
		stored.Stamp(t.At)), number("place"))
	return slices.Max(append(places, 0)), err
}

// InsertTurn writes the row of a new turn.
func (e *entry) InsertTurn(ctx context.Context, n, place int64, t mem.Turn) error {
	t.At = stored.Storable(t.At)
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return e.exec(ctx, put("turn", n, map[string]any{
		"number": n, "session": e.Session.Number, "prompt_id": t.PromptID, "at": stored.Stamp(t.At), "place": place,
		"doc": doc,
	}))
}

// Turns implements mem.Store.
func (s *Store) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	n, err := sessionNumber(ctx, s, session)
	if err != nil {
		return nil, wrap("turns of "+session, err)
	}
	all, err := s.run(ctx, query("SELECT place, number FROM turn WHERE session = ?", n))
	if err != nil {
		return nil, wrap("turns of "+session, err)
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(descending(a.Number("place"), b.Number("place")), descending(a.Number("number"), b.Number("number")))
	})
	found, err := inTurn(ctx, s, "number, doc", "turn", "number", numbersOf(stored.Page(all, limit, 0)))
	if err != nil {
		return nil, wrap("turns of "+session, err)
	}
	turns, err := scanned(found, document[mem.Turn]("turn"))
	return turns, wrap("turns of "+session, err)
}
