package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/mem"
)

// turnKey names the turn of the event; empty if it belongs to none. A prompt of
// a client that does not number turns is a turn under the event's own id.
func (e *entry) turnKey(c *mem.TurnChange) string {
	if e.event.PromptID != "" {
		return e.event.PromptID
	}
	if c != nil && c.Person {
		return e.event.ID
	}
	return ""
}

// putTurn makes the turn of the event if it is not there and changes it.
func (e *entry) putTurn(ctx context.Context, c *mem.TurnChange) error {
	key := e.turnKey(c)
	if key == "" {
		return nil
	}
	t := mem.Turn{Trust: mem.TrustUser, At: e.at}
	var n, at int64
	found, err := e.find(ctx, "SELECT number, prompt, text, private, trust, at FROM turn WHERE session=? AND prompt_id=?",
		[]any{e.session.Number, key}, &n, &t.Number, &t.Text, &t.Private, &t.Trust, &at)
	if err != nil {
		return err
	}
	t.At = moment(at)
	if !found {
		t.At = e.at
	}
	was := t
	newcomer := false
	if c != nil {
		t, newcomer = c.Apply(t, e.session.Prompts)
	}
	if newcomer {
		e.session.Prompts = t.Number
	}
	e.prompt, e.trust = t.Number, t.Trust
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
		err = e.demote(ctx, key, t)
	}
	if err != nil || !found || !newcomer {
		return err
	}
	// What was learned in the turn before its prompt arrived gets the number too.
	_, err = e.exec(ctx, "UPDATE memory SET prompt=? WHERE session=? AND prompt_id=? AND prompt=0", t.Number,
		e.session.Number, key)
	return err
}

// newTurn writes the row of a turn. One that was found later stands behind the
// last turn from before it.
func (e *entry) newTurn(ctx context.Context, key string, t mem.Turn) error {
	n, err := e.next(ctx, "turn")
	if err != nil {
		return err
	}
	place := n
	if e.event.Recovered {
		if err := e.get(ctx, "SELECT coalesce(max(place), 0) FROM turn WHERE session=? AND at<=?",
			[]any{e.session.Number, stamp(t.At)}, &place); err != nil {
			return err
		}
	}
	_, err = e.exec(ctx, "INSERT INTO turn (number, session, prompt_id, prompt, text, private, trust, at, place) "+
		"VALUES (?,?,?,?,?,?,?,?,?)",
		n, e.session.Number, key, t.Number, t.Text, t.Private, int(t.Trust), stamp(t.At), place)
	return err
}

// demote lowers what was learned in a turn to the turn's trust. What a person
// wrote or approved stays.
func (e *entry) demote(ctx context.Context, key string, t mem.Turn) error {
	_, err := e.exec(ctx, "UPDATE memory SET trust=? WHERE session=? AND prompt_id=? AND trust>? AND trust<?",
		int(t.Trust), e.session.Number, key, int(t.Trust), int(mem.TrustUser))
	return err
}

// worth is the trust of a memory on its way in: no more than its turn's, unless
// a person wrote it.
func (e *entry) worth(ctx context.Context, session any, m mem.Memory) (mem.Trust, error) {
	switch {
	case m.Trust >= mem.TrustUser || session == nil || m.Source.PromptID == "":
		return m.Trust, nil
	case e.session != nil && m.Session == e.event.Session && m.Source.PromptID == e.event.PromptID:
		return min(m.Trust, e.trust), nil
	}
	t := mem.TrustUser
	_, err := e.find(ctx, "SELECT trust FROM turn WHERE session=? AND prompt_id=?", []any{session, m.Source.PromptID}, &t)
	return min(m.Trust, t), err
}

// promptOf returns the number of the prompt that a memory was learned in. A
// client that numbers no turns leaves the newest prompt of the session.
func (e *entry) promptOf(ctx context.Context, session any, promptID string) (int, error) {
	if session == nil {
		return 0, nil
	}
	var n int
	if promptID == "" {
		_, err := e.find(ctx, "SELECT prompts FROM session WHERE number=?", []any{session}, &n)
		return n, err
	}
	_, err := e.find(ctx, "SELECT prompt FROM turn WHERE session=? AND prompt_id=?", []any{session, promptID}, &n)
	return n, err
}

// Turns implements mem.Store.
func (s *sessionStore) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	turns, err := lookUp(ctx, s.read, `SELECT t.prompt_id, t.prompt, t.text, t.private, t.trust, t.at FROM turn t
		JOIN session s ON s.number = t.session WHERE s.id=? ORDER BY t.place DESC, t.number DESC LIMIT ?+0`,
		[]any{session, limitOr(limit)},
		func(r *sql.Rows) (mem.Turn, error) {
			t := mem.Turn{Session: session}
			var at int64
			err := r.Scan(&t.PromptID, &t.Number, &t.Text, &t.Private, &t.Trust, &at)
			t.At = moment(at)
			return t, err
		})
	if err != nil {
		return nil, fmt.Errorf("turns of %s: %w", session, translate(err))
	}
	return turns, nil
}
