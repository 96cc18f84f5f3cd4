package stored

import (
	"context"

	"remanence/internal/mem"
)

// openSession finds the session of the event or makes it.
func (e *Entry) openSession(ctx context.Context, b mem.Batch) error {
	if e.Event.Session == "" {
		return nil
	}
	s, found, err := e.write.FindSession(ctx, e.Event.Session)
	if err == nil && !found {
		s, err = e.makeSession(ctx, b.NewSession())
	}
	if err != nil {
		return err
	}
	if e.At.After(s.LastEvent) {
		s.LastEvent = e.At
	}
	e.Session = &s
	return nil
}

// makeSession writes the row of a new session.
func (e *Entry) makeSession(ctx context.Context, s mem.Session) (mem.Session, error) {
	n, err := e.write.Next(ctx, "session")
	if err != nil {
		return s, err
	}
	if s.Project, err = e.CanonicalProject(ctx, s.Project); err != nil {
		return s, err
	}
	s = s.New(n, e.At)
	return s, e.write.InsertSession(ctx, s)
}

// SessionOf returns the number of a session that the batch names. A missing session is made; an empty id has the number
// nil.
func (e *Entry) SessionOf(ctx context.Context, id, project, agent string) (any, error) {
	if id == "" {
		return nil, nil
	}
	if e.Session != nil && e.Session.ID == id {
		return e.Session.Number, nil
	}
	if n := e.sessions[id]; n != 0 {
		return n, nil
	}
	s, found, err := e.write.FindSession(ctx, id)
	if err == nil && !found {
		s, err = e.makeSession(ctx, mem.Session{ID: id, Project: project, Agent: agent})
	}
	if err != nil {
		return nil, err
	}
	e.sessions[id] = s.Number
	return s.Number, nil
}

// changeSession applies a change, which may be nil, to the session of the event.
func (e *Entry) changeSession(ctx context.Context, change *mem.SessionChange) (err error) {
	var c mem.SessionChange
	if change != nil {
		c = *change
	}
	if c.Project, err = e.CanonicalProject(ctx, c.Project); err != nil {
		return err
	}
	*e.Session = c.Apply(*e.Session, e.At)
	if err := e.write.UpdateSession(ctx, *e.Session); err != nil {
		return err
	}
	if c.Compacted || c.ClearInjected {
		if err := e.write.ClearInjected(ctx); err != nil {
			return err
		}
	}
	if c.CopyInjectedFrom == "" {
		return nil
	}
	return e.write.CopyInjected(ctx, c.CopyInjectedFrom)
}

// putContextUsage writes the context usage of a session, unless it was read before the session's last compaction.
func (e *Entry) putContextUsage(ctx context.Context, u mem.ContextUsage) error {
	s, found, err := e.write.FindSession(ctx, u.Session)
	if err != nil || !found {
		return err
	}
	u.At, u.ReadAt = FirstOf(u.At, e.At), FirstOf(u.ReadAt, e.At)
	if s, found = u.Apply(s); !found {
		return nil
	}
	return e.write.UpdateSession(ctx, s)
}

// endProcessing marks a session as idle.
func (e *Entry) endProcessing(ctx context.Context, id string) error {
	s, found, err := e.write.FindSession(ctx, id)
	if err != nil || !found {
		return err
	}
	s.Processing = false
	return e.write.UpdateSession(ctx, s)
}

// putTurn makes the turn of the event, unless it exists, and changes it.
func (e *Entry) putTurn(ctx context.Context, c *mem.TurnChange) error {
	key := e.Event.TurnKey(c)
	if key == "" {
		return nil
	}
	n, was, found, err := e.write.FindTurn(ctx, e.Session.Number, key)
	if err != nil {
		return err
	}
	if !found {
		was = mem.Turn{Session: e.Session.ID, PromptID: key, Trust: mem.TrustUser, At: e.At}
	}
	t, numbered := was, false
	if c != nil {
		t, numbered = c.Apply(was, e.Session.Prompts)
	}
	if numbered {
		e.Session.Prompts = t.Number
	}
	e.prompt, e.trust = t.Number, t.Trust
	if !found {
		return e.insertTurn(ctx, t)
	}
	if t == was {
		return nil
	}
	if err := e.write.UpdateTurn(ctx, n, t); err != nil || t.Trust >= was.Trust && !numbered {
		return err
	}
	return e.changeMemoriesOfTurn(ctx, t)
}

// insertTurn writes a new turn. One that was found in the transcript later is placed after the last turn from before
// it.
func (e *Entry) insertTurn(ctx context.Context, t mem.Turn) error {
	n, err := e.write.Next(ctx, "turn")
	if err != nil {
		return err
	}
	place := n
	if e.Event.Recovered {
		if place, err = e.write.LastTurn(ctx, t); err != nil {
			return err
		}
	}
	return e.write.InsertTurn(ctx, n, place, t)
}

// changeMemoriesOfTurn lowers the trust of a turn's memories to that of the turn. Memories that were captured before
// the turn's prompt arrived get its number. One that cannot be decoded stays as it is.
func (e *Entry) changeMemoriesOfTurn(ctx context.Context, t mem.Turn) error {
	memories, err := e.write.MemoriesOfTurn(ctx, t.PromptID)
	if err != nil {
		return err
	}
	for _, old := range memories {
		now := old.Memory
		now.Trust = now.CappedBy(t.Trust)
		if now.Source.Prompt == 0 {
			now.Source.Prompt = t.Number
		}
		if old.Broken || now.Trust == old.Trust && now.Source.Prompt == old.Source.Prompt {
			continue
		}
		if err := e.write.UpdateMemory(ctx, old, now); err != nil {
			return err
		}
	}
	return nil
}
