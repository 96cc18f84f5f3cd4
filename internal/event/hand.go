package event

import (
	"cmp"

	"remanence/internal/mem"
)

// Author is whose work a change is: of a file of the vault, or by a request.
type Author struct {
	Trust   mem.Trust
	Origin  mem.Origin
	Private bool   // of a turn that nothing is kept of
	Session string // of the agent; "" is the person
	Idle    string // a session of which no call runs now
}

// Person is the hand of whoever edits the files; an agent's is seen in its calls.
var Person = Author{Trust: mem.TrustUser, Origin: mem.FromVault}

// PersonAuthor is the person's at an event. A turn that begins or ends has no calls
// that run.
func PersonAuthor(ev mem.Event) Author {
	h := Person
	switch ev.Kind {
	case mem.SessionStart, mem.UserPromptSubmit, mem.Stop, mem.SessionEnd:
		h.Idle = ev.Session
	}
	return h
}

// AgentAuthor returns the author of a change that an agent makes in a session.
func AgentAuthor(t mem.Turn) Author {
	return Author{
		Trust: min(mem.TrustAssistant, t.Trust), Origin: mem.FromAssistant,
		Session: cmp.Or(t.Session, UnknownAgent), Private: t.Private,
	}
}
