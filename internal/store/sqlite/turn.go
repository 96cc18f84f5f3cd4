package sqlite

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putTurn makes the turn of the event, unless it exists, and changes it.
func (e *entry) putTurn(ctx context.Context, c *mem.TurnChange) error {
	key := e.Event.TurnKey(c)
	if key == "" {
		return nil
	}
	t := mem.Turn{Trust: mem.TrustUser}
	var n int64
	found, err := e.find(ctx, stmt("SELECT number, prompt, text, private, trust, at FROM turn WHERE session=? "+
		"AND prompt_id=?", e.Session.Number, key), &n, &t.Number, &t.Text, &t.Private, &t.Trust, timeAt(&t.At))
	if err != nil {
		return err
	}
	if !found {
		t.At = e.At
	}
	was := t
	t, numbered := e.ChangeTurn(was, c)
	if found && t == was {
		return nil
	}
	if !found {
		err = e.newTurn(ctx, key, t)
	} else {
		_, err = e.exec(ctx, "UPDATE turn SET prompt=?, text=?, private=?, trust=? WHERE number=?",
			t.Number, t.Text, t.Private, int(t.Trust), n)
	}
	if err == nil && t.Trust < was.Trust {
		err = e.lowerTrust(ctx, key, t)
	}
	if err != nil || !found || !numbered {
		return err
	}
	// Memories that were captured in the turn before its prompt arrived get the number too.
	_, err = e.exec(ctx, "UPDATE memory SET prompt=? WHERE session=? AND prompt_id=? AND prompt=0", t.Number,
		e.Session.Number, key)
	return err
}

// newTurn writes the row of a turn. A turn that was found in the transcript later
// is placed after the last turn from before it.
func (e *entry) newTurn(ctx context.Context, key string, t mem.Turn) error {
	n, err := e.next(ctx, "turn")
	if err != nil {
		return err
	}
	place := n
	if e.Event.Recovered {
		if err := e.get(ctx, stmt("SELECT coalesce(max(place), 0) FROM turn WHERE session=? AND at<=?", e.Session.Number,
			stored.Stamp(t.At)), &place); err != nil {
			return err
		}
	}
	_, err = e.exec(ctx, "INSERT INTO turn (number, session, prompt_id, prompt, text, private, trust, at, place) "+
		"VALUES (?,?,?,?,?,?,?,?,?)",
		n, e.Session.Number, key, t.Number, t.Text, t.Private, int(t.Trust), stored.Stamp(t.At), place)
	return err
}

// lowerTrust lowers the trust of a turn's memories to that of the turn. Memories
// that a person wrote or approved keep theirs.
func (e *entry) lowerTrust(ctx context.Context, key string, t mem.Turn) error {
	_, err := e.exec(ctx, "UPDATE memory SET trust=? WHERE session=? AND prompt_id=? AND trust>? AND trust<?",
		int(t.Trust), e.Session.Number, key, int(t.Trust), int(mem.TrustUser))
	return err
}

// cappedTrust is the trust of a new memory.
func (e *entry) cappedTrust(ctx context.Context, session any, m mem.Memory) (mem.Trust, error) {
	if session == nil || m.Source.PromptID == "" {
		return m.Trust, nil
	}
	trust, known := e.TurnTrust(m)
	if known {
		return m.CappedBy(trust), nil
	}
	found, err := e.find(ctx, stmt("SELECT trust FROM turn WHERE session=? AND prompt_id=?", session,
		m.Source.PromptID), &trust)
	if !found {
		return m.Trust, err
	}
	return m.CappedBy(trust), err
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
