package event

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"remanence/internal/inject"
	"remanence/internal/mem"
)

// Receipt returns the empty receipt of an injection for the event.
func (m Context) Receipt(trigger string, budget int) mem.Receipt {
	return mem.Receipt{
		ID: ReceiptID(m.ID), Event: m.ID, Session: m.Session, Project: m.Project.Key, At: m.At, Trigger: trigger,
		Budget: budget,
	}
}

// OtherFailure is the rule that excludes what is about another failure than the one that occurred.
const OtherFailure = "other_failure"

// Narration is the rule that excludes a message of the assistant that only announces what it does next, or that stands
// between its tool calls and explains nothing.
const Narration = "narration"

// Pasted is the rule that excludes a message of the person that is a document or a program's output: it is not their
// words, and what a document lays down is in memories of its own.
const Pasted = "pasted"

// InjectedBefore is the rule that excludes what the session was given already.
const InjectedBefore = "already_told"

// InInstructions is the rule that excludes what a file of instructions says that the agent reads by itself.
const InInstructions = "in_instructions"

// Gate returns the rule that excludes a memory from an injection; empty if none does.
func (m Context) Gate(mm mem.Memory) string {
	switch {
	case m.SessionInfo.Injected[mm.ID], m.injectedInBriefing(mm):
		return InjectedBefore
	case mm.Session == m.Session && !mm.Created.Before(m.SessionInfo.Compacted):
		return "in_conversation" // it was learned here and is still in view
	case mm.Kind == mem.Todo && mm.Resolved:
		return "done"
	case m.Stale(mm):
		return "stale"
	case mm.Disputed():
		return "disputed"
	case m.Instructed(mm):
		return InInstructions
	}
	if !inject.Injectable(mm) {
		return "trust"
	}
	return ""
}

// ReceiptID returns the short id of an event's receipt.
func ReceiptID(event string) string {
	sum := sha256.Sum256([]byte(event))
	return "r_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}
