//go:build postgres || backends

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putTurn makes the turn of the event, unless it exists, and changes it.
func (e *entry) putTurn(ctx context.Context, c *mem.TurnChange) error {
	key := e.Event.TurnKey(c)
	if key == "" {
		return nil
	}
	n, was, found, err := e.turn(ctx, e.Session.Number, key)
	if err != nil {
		return err
	}
	if !found {
		was = mem.Turn{Session: e.Session.ID, PromptID: key, Trust: mem.TrustUser, At: storable(e.At)}
	}
	t, numbered := e.ChangeTurn(was, c)
	if found && t == was {
		return nil
	}
	if !found {
		err = e.newTurn(ctx, t)
	} else {
		err = e.saveTurn(ctx, n, t)
	}
	if err != nil || t.Trust >= was.Trust && !(found && numbered) {
		return err
	}
	return e.changeMemoriesOfTurn(ctx, key, t, found && numbered)
}

// turn reads a turn and its number.
func (tx *transaction) turn(ctx context.Context, session any, key string) (n int64, t mem.Turn, found bool, err error) {
	var doc string
	found, err = tx.find(ctx, query("SELECT number, doc FROM turn WHERE session = ? AND prompt_id = ?", session, key), &n,
		&doc)
	if err == nil && found {
		t, err = decode[mem.Turn]("turn", doc)
	}
	return n, t, found, err
}

func (tx *transaction) saveTurn(ctx context.Context, n int64, t mem.Turn) error {
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("UPDATE turn SET doc = ? WHERE number = ?", doc, n))
}

// newTurn writes the row of a turn. A turn that was found in the transcript later is placed after the last turn from
// before it.
func (e *entry) newTurn(ctx context.Context, t mem.Turn) error {
	n, err := e.next(ctx, "turn")
	if err != nil {
		return err
	}
	place, at := n, stored.Stamp(t.At)
	if e.Event.Recovered {
		if err := e.get(ctx, query("SELECT coalesce(max(place), 0) FROM turn WHERE session = ? AND at <= ?",
			e.Session.Number, at), &place); err != nil {
			return err
		}
	}
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("INSERT INTO turn (number, session, prompt_id, at, place, doc) VALUES (?, ?, ?, ?, ?, ?)", n,
		e.Session.Number, t.PromptID, at, place, doc))
}

// changeMemoriesOfTurn lowers the trust of a turn's memories to that of the turn, except those that a person wrote or
// approved. Memories that were captured before the turn's prompt arrived get its number, if numbered is set.
func (e *entry) changeMemoriesOfTurn(ctx context.Context, key string, t mem.Turn, numbered bool) error {
	of, err := e.memories(ctx, "m.session = ? AND m.prompt_id = ?", e.Session.Number, key)
	if err != nil {
		return err
	}
	for _, old := range of {
		now := old.Memory
		now.Trust = now.CappedBy(t.Trust)
		if numbered && now.Source.Prompt == 0 {
			now.Source.Prompt = t.Number
		}
		if now.Trust == old.Trust && now.Source.Prompt == old.Source.Prompt {
			continue
		}
		if err := e.updateMemory(ctx, old, now); err != nil {
			return err
		}
	}
	return nil
}

// cappedTrust is the trust of a new memory.
func (e *entry) cappedTrust(ctx context.Context, session any, m mem.Memory) (mem.Trust, error) {
	if session == nil || m.Source.PromptID == "" {
		return m.Trust, nil
	}
	if trust, known := e.TurnTrust(m); known {
		return m.CappedBy(trust), nil
	}
	_, t, found, err := e.turn(ctx, session, m.Source.PromptID)
	if !found {
		return m.Trust, err
	}
	return m.CappedBy(t.Trust), err
}

// Turns implements mem.Store.
func (s *Store) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	turns, err := rows(ctx, s.pool, query(`SELECT t.doc FROM turn t JOIN session s ON s.number = t.session
		WHERE s.id = ? ORDER BY t.place DESC, t.number DESC LIMIT ?`, session, stored.LimitOr(limit)),
		func(r pgx.Rows) (mem.Turn, error) { return document[mem.Turn]("turn")(r) })
	return turns, wrap("turns of "+session, err)
}
