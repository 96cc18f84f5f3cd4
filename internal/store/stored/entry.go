package stored

import (
	"time"

	"remanence/internal/mem"
)

// Entry is what is known of a batch while it is written.
type Entry struct {
	Now      time.Time
	At       time.Time         // of the event, or Now
	Event    mem.Event         // zero if the batch has none
	Session  *mem.Session      // of the event
	Prompt   int               // number of the event's turn, 0 if no person began it
	Trust    mem.Trust         // of the event's turn; not set without a prompt id
	Projects map[string]string // key of a project -> its canonical key
	Sessions map[string]int64  // agent's session id -> number, of those that were looked up
	Spans    Spans             // utterances whose index is to be written
}

// NewEntry returns the entry of a batch that is written at a time.
func NewEntry(now time.Time) Entry {
	return Entry{Now: now, At: now, Projects: map[string]string{}, Sessions: map[string]int64{}, Spans: Spans{}}
}

// SessionNumber returns the number of a session that the batch names; an empty id has the number nil. known is false if
// it must be looked up first.
func (e *Entry) SessionNumber(id string) (number any, known bool) {
	switch n := e.Sessions[id]; {
	case id == "":
		return nil, true
	case e.Session != nil && e.Session.ID == id:
		return e.Session.Number, true
	case n != 0:
		return n, true
	}
	return nil, false
}

// OpenSession makes s the session of the event.
func (e *Entry) OpenSession(s *mem.Session) {
	if e.At.After(s.LastEvent) {
		s.LastEvent = e.At
	}
	e.Session = s
}

// ChangeTurn applies a change, which may be nil, to the turn of the event. The rest of the batch belongs to that turn.
// numbered is that of [mem.TurnChange.Apply].
func (e *Entry) ChangeTurn(t mem.Turn, c *mem.TurnChange) (changed mem.Turn, numbered bool) {
	if c != nil {
		t, numbered = c.Apply(t, e.Session.Prompts)
	}
	if numbered {
		e.Session.Prompts = t.Number
	}
	e.Prompt, e.Trust = t.Number, t.Trust
	return t, numbered
}

// TurnTrust returns the trust of the turn in which a memory was captured. known is false if that is another turn than
// the event's.
func (e *Entry) TurnTrust(m mem.Memory) (t mem.Trust, known bool) {
	return e.Trust, e.inSession(m) && m.Source.PromptID == e.Event.PromptID
}

// SourcePrompt returns the number of the prompt of the turn in which a memory was captured. known is false if that is
// another turn than the event's; without a prompt id it is the newest one of the session.
func (e *Entry) SourcePrompt(m mem.Memory) (n int, known bool) {
	of := &m.Source
	switch {
	case of.Prompt != 0:
		return of.Prompt, true
	case e.inSession(m) && e.Prompt > 0 && (of.PromptID == "" || of.PromptID == e.Event.PromptID):
		return e.Prompt, true
	case e.inSession(m) && of.PromptID == "":
		return e.Session.Prompts, true
	}
	return 0, false
}

// inSession reports whether a memory belongs to the session of the event.
func (e *Entry) inSession(m mem.Memory) bool { return e.Session != nil && m.Session == e.Event.Session }
