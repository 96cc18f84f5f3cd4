package sqlite

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// turnKey names the turn of the event; "" if it belongs to none. If the client
// does not number turns, a prompt begins a turn that is named by the event's id.
func (e *entry) turnKey(c *mem.TurnChange) string {
	if e.event.PromptID != "" {
		return e.event.PromptID
	}
	if c != nil && c.Person {
		return e.event.ID
	}
	return ""
}

// putTurn makes the turn of the event, unless it exists, and changes it.
func (e *entry) putTurn(ctx context.Context, c *mem.TurnChange) error {
	key := e.turnKey(c)
	if key == "" {
		return nil
	}
	t := mem.Turn{Trust: mem.TrustUser}
	var n int64
	found, err := e.find(ctx, stmt("SELECT number, prompt, text, private, trust, at FROM turn WHERE session=? "+
		"AND prompt_id=?", e.session.Number, key), &n, &t.Number, &t.Text, &t.Private, &t.Trust, timeAt(&t.At))
	if err != nil {
		return err
	}
	if !found {
		t.At = e.at
	}
	was := t
	numbered := false
	if c != nil {
		t, numbered = c.Apply(t, e.session.Prompts)
	}
	if numbered {
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
		err = e.lowerTrust(ctx, key, t)
	}
	if err != nil || !found || !numbered {
		return err
	}
	// Memories that were captured in the turn before its prompt arrived get the number too.
	_, err = e.exec(ctx, "UPDATE memory SET prompt=? WHERE session=? AND prompt_id=? AND prompt=0", t.Number,
		e.session.Number, key)
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
	if e.event.Recovered {
		if err := e.get(ctx, stmt("SELECT coalesce(max(place), 0) FROM turn WHERE session=? AND at<=?", e.session.Number,
			stored.Stamp(t.At)), &place); err != nil {
			return err
		}
	}
	_, err = e.exec(ctx, "INSERT INTO turn (number, session, prompt_id, prompt, text, private, trust, at, place) "+
		"VALUES (?,?,?,?,?,?,?,?,?)",
		n, e.session.Number, key, t.Number, t.Text, t.Private, int(t.Trust), stored.Stamp(t.At), place)
	return err
}

// lowerTrust lowers the trust of a turn's memories to that of the turn. Memories
// that a person wrote or approved keep theirs.
func (e *entry) lowerTrust(ctx context.Context, key string, t mem.Turn) error {
	_, err := e.exec(ctx, "UPDATE memory SET trust=? WHERE session=? AND prompt_id=? AND trust>? AND trust<?",
		int(t.Trust), e.session.Number, key, int(t.Trust), int(mem.TrustUser))
	return err
}

// cappedTrust is the trust of a new memory: no more than that of its turn, unless
// a person wrote it.
func (e *entry) cappedTrust(ctx context.Context, session any, m mem.Memory) (mem.Trust, error) {
	switch {
	case m.Trust >= mem.TrustUser || session == nil || m.Source.PromptID == "":
		return m.Trust, nil
	case e.session != nil && m.Session == e.event.Session && m.Source.PromptID == e.event.PromptID:
		return min(m.Trust, e.trust), nil
	}
	t := mem.TrustUser
	_, err := e.find(ctx, stmt("SELECT trust FROM turn WHERE session=? AND prompt_id=?", session, m.Source.PromptID), &t)
	return min(m.Trust, t), err
}

// promptOf returns the number of a turn's prompt. Without a prompt id it is that of
// the newest prompt of the session.
func (e *entry) promptOf(ctx context.Context, session any, promptID string) (n int, err error) {
	if session == nil {
		return 0, nil
	}
	if promptID == "" {
		_, err = e.find(ctx, stmt("SELECT prompts FROM session WHERE number=?", session), &n)
		return n, err
	}
	_, err = e.find(ctx, stmt("SELECT prompt FROM turn WHERE session=? AND prompt_id=?", session, promptID), &n)
	return n, err
}

// Turns implements mem.Store.
func (s *sessionStore) Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error) {
	turns, err := lookUp(ctx, s.read, stmt(`SELECT s.id, t.prompt_id, t.prompt, t.text, t.private, t.trust, t.at
		FROM turn t JOIN session s ON s.number = t.session WHERE s.id=? ORDER BY t.place DESC, t.number DESC`, session).
		limit(limitOr(limit)), into(func(t *mem.Turn) []any {
		return []any{&t.Session, &t.PromptID, &t.Number, &t.Text, &t.Private, &t.Trust, timeAt(&t.At)}
	}))
	return turns, wrap("turns of "+session, err)
}
